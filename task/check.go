package task

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Check is one condition for closing a task: a command that must exit 0, or a question that somebody must attest.
type Check struct {
	Desc    string   // what it verifies; unique within a task
	Cmd     string   // for sh -c; "" makes the check manual
	Cwd     string   // folder relative to the workspace; "" is the workspace itself
	Timeout int      // seconds; 0 takes the configured default
	Guards  []string // globs of the files on which a command stands, see package guard; none takes those of the config, or the table's
	Expect  string   // ExpectPass: of a command that passes before the work too, as for a refactoring; or ""
	By      string   // who may attest a manual check: signed, human, anyone, an actor, signed and an actor, or "" for the configured default
	Repo    string   // of a command: the repository in which the task has its files, see Task.InRepo; written with the task and not with the check
	Result  record.Result
}

// Manual reports whether the check is settled by attestation and not by a command.
func (c Check) Manual() bool { return c.Cmd == "" }

// approvedBy begins the description of the check that stands for a reviewer.
const approvedBy = "approved by "

// ReviewerCheck is the check that stands for the reviewer of a task: one that this actor alone settles.
func ReviewerCheck(who record.Actor) Check {
	return Check{Desc: approvedBy + string(who), By: string(who), Result: record.Pending}
}

// WithReviewer returns a list of checks in which the one that stands for a reviewer is this actor's; "" takes it away.
func WithReviewer(checks []Check, who record.Actor) []Check {
	out := slices.DeleteFunc(slices.Clone(checks), func(c Check) bool {
		old := c.Reviewer()
		return old != "" && old != who
	})
	if who == "" || slices.ContainsFunc(out, func(c Check) bool { return c.Reviewer() == who }) {
		return out
	}
	return append(out, ReviewerCheck(who))
}

// Reviewer returns whose approval the check asks for, if it is one that stands for a reviewer; else "".
func (c Check) Reviewer() record.Actor {
	who, ok := strings.CutPrefix(c.Desc, approvedBy)
	if !ok || !c.Manual() || strings.TrimPrefix(c.By, BySigned+" ") != who {
		return ""
	}
	return record.Actor(who)
}

// Folder returns Cwd in its shortest form, "." for the workspace itself.
func (c Check) Folder() string { return path.Clean("./" + c.Cwd) }

// place is the folder of a check as its hashes name it: that of another repository is told apart by a mark that no path
// begins with.
func (c Check) place() string {
	if c.Repo == "" {
		return c.Folder()
	}
	return "//" + c.Repo + "/" + c.Folder()
}

// Key names the check in the provenance of a task. For a command it is 16 hex digits of the hash of task, command and
// folder, so that evidence for one command cannot stand for another, nor for another task. For a manual check it is the
// description.
func (c Check) Key(of record.ID) string {
	if c.Manual() {
		return c.Desc
	}
	return record.Digest(string(of), c.Cmd, c.place())
}

// Same reports whether two declarations ask for the same thing, so that a result of one may stand for the other.
func (c Check) Same(d Check) bool { return c.asks() == d.asks() }

// asked is what a check asks for: equal for checks that are Same.
type asked struct {
	desc, cmd, folder, by, guards, expect string
}

func (c Check) asks() asked {
	return asked{c.Desc, c.Cmd, c.place(), c.By, strings.Join(c.Guards, "\n"), c.Expect}
}

// Hash identifies what a check of a task asks for, and of whom: 16 hex digits. Its result and time limit are not part
// of it.
func (c Check) Hash(of record.ID) string {
	parts := append([]string{string(of), c.Desc, c.Cmd, c.place(), c.By}, c.Guards...)
	if c.Expect != "" {
		parts = append(parts, "\nexpect", c.Expect) // no glob has a line break
	}
	return record.Digest(parts...)
}

// evidenceMark stands behind the hashes of the checks of a task that requires evidence: what must hold before it is
// closed is its checks and that. No hash of a check looks like it.
const evidenceMark = "evidence"

// CheckHashes returns Check.Hash of each check of the task, in their order, and behind them evidenceMark if the task
// requires evidence. It is never nil.
func (t Task) CheckHashes() []string {
	out := make([]string, len(t.Checks), len(t.Checks)+1)
	for i, c := range t.Checks {
		out[i] = c.Hash(t.ID)
	}
	if t.RequiresEvidence {
		out = append(out, evidenceMark)
	}
	return out
}

// SameChecks reports whether two versions of a task declare the same checks in the same order, whatever their results.
func (t Task) SameChecks(other Task) bool {
	return slices.EqualFunc(t.Checks, other.Checks, Check.Same)
}

// ResultsIn returns the result of a check by a list that has one which asks for the same. Any other is pending.
func ResultsIn(list []Check) func(Check) record.Result {
	had := make(map[asked]record.Result, len(list))
	for _, c := range slices.Backward(list) { // a file may have the same check twice
		had[c.asks()] = c.Result
	}
	return func(c Check) record.Result {
		if r, ok := had[c.asks()]; ok {
			return r
		}
		return record.Pending
	}
}

// carryResults returns the checks of a new list with the results that the same checks had before.
func carryResults(before, after []Check) []Check {
	out, was := slices.Clone(after), ResultsIn(before)
	for i, c := range out {
		out[i].Result = was(c)
	}
	return out
}

// Acceptance turns acceptance criteria into manual checks that anyone may attest.
func Acceptance(criteria []string) []Check {
	out := record.Each(criteria, func(text string) Check { return Check{Desc: text, By: ByAnyone, Result: record.Pending} })
	return out
}

// WithDefaults returns a new task's own checks followed by the default ones. It returns INVALID_INPUT for a check that
// has the description of a default one and asks for something else.
func (f Flow) WithDefaults(checks []Check) ([]Check, error) {
	byDesc := record.By(checks, func(c Check) string { return c.Desc })
	for _, d := range f.Defaults {
		switch c, declared := byDesc[d.Desc]; {
		case !declared:
			checks = append(checks, d)
		case !c.Same(d):
			return nil, record.Errorf(record.InvalidInput, "every task has a check called %q, and it asks for something else", d.Desc).
				WithHint("leave it out, or give yours another desc; default_checks in config.yaml declares it")
		}
	}
	return checks, nil
}

// DefaultsOf lists the default checks as a task has them: in its repository.
func (f Flow) DefaultsOf(t Task) []Check { return Task{Checks: f.Defaults}.InRepo(t.Repo).Checks }

// FindCheck returns the index of a check that is named by its index, its description, or a part of exactly one
// description.
func (t Task) FindCheck(ref string) (int, error) {
	if i, err := strconv.Atoi(ref); err == nil && i >= 0 && i < len(t.Checks) {
		return i, nil
	}
	var hits []int
	for i, c := range t.Checks {
		if c.Desc == ref {
			return i, nil
		}
		if ref != "" && strings.Contains(strings.ToLower(c.Desc), strings.ToLower(ref)) {
			hits = append(hits, i)
		}
	}
	if len(hits) == 1 {
		return hits[0], nil
	}
	which := "no check is called"
	if len(hits) > 1 {
		which = "more than one check fits"
	}
	return 0, record.Errorf(record.InvalidInput, "%s %q", which, record.Clip(ref, 60)).
		WithHint("name a check by its index, from 0, or by its description; %s lists them", record.CallTo("get", "id", t.ID))
}
