package task

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const maxBody = 3 << 20 // bytes; a file may have 4 MiB

// Create checks a task that is to be made and gives it its first entry, the initial state, and pending checks.
// It returns INVALID_INPUT, DANGLING_DEP or DEP_CYCLE for what may not be created.
func (f Flow) Create(t Task, find Find, s Stamp) (Task, error) {
	if err := ValidFields(t); err != nil {
		return t, err
	}
	if err := ValidCounts(Task{}, t); err != nil {
		return t, err
	}
	if err := ValidDeps(t.ID, t.Deps, find); err != nil {
		return t, err
	}
	if err := ValidParent(t.ID, t.Parent, find); err != nil {
		return t, err
	}
	t.Status = f.Initial
	t.Body = CleanBody(t.Body)
	t.Labels, t.Deps = unique(t.Labels), unique(t.Deps)
	t.Checks = carryResults(nil, t.Checks)
	e := s.entry(Created)
	e.Checks, e.AddDeps, e.Deps = t.CheckHashes(), t.Deps, DepsHash(t.ID, t.Deps)
	t.Provenance = nil
	return t.With(e), nil
}

// Acceptance turns acceptance criteria into manual checks that anyone may attest.
func Acceptance(criteria []string) []Check {
	out := make([]Check, len(criteria))
	for i, text := range criteria {
		out[i] = Check{Desc: text, By: ByAnyone, Result: Pending}
	}
	return out
}

// WithDefaults adds the checks that every new task has to those that one declares itself. It returns INVALID_INPUT for a check
// that is called like a default one and asks for something else: the definition of done is the workspace's.
func (f Flow) WithDefaults(checks []Check) ([]Check, error) {
	byDesc := make(map[string]Check, len(checks))
	for _, c := range checks {
		byDesc[c.Desc] = c
	}
	for _, d := range f.Defaults {
		switch c, declared := byDesc[d.Desc]; {
		case !declared:
			checks = append(checks, d)
		case !c.Same(d):
			return nil, Errorf(InvalidInput, "every task has a check called %q, and it asks for something else", d.Desc).
				WithHint("leave it out, or give yours another desc; default_checks in config.yaml declares it")
		}
	}
	return checks, nil
}

// carryResults gives each check the result it had, if the same check was there before, and makes every other pending.
func carryResults(before, after []Check) []Check {
	out := slices.Clone(after)
	had := make(map[sameAs]Result, len(before))
	for _, old := range before {
		had[old.sameAs()] = old.Result
	}
	for i, c := range out {
		out[i].Result = Pending
		if r, ok := had[c.sameAs()]; ok {
			out[i].Result = r
		}
	}
	return out
}

// sameAs is equal for checks that are Same.
type sameAs struct {
	desc, cmd, folder, by string
}

func (c Check) sameAs() sameAs { return sameAs{c.Desc, c.Cmd, c.Folder(), c.By} }

// ValidFields returns INVALID_INPUT for a title, a priority, labels, a body or checks that a task may not have.
func ValidFields(t Task) error {
	if err := validLine("title", t.Title); err != nil {
		return err
	}
	if t.Priority < 0 || t.Priority > 4 {
		return Errorf(InvalidInput, "priority %d is not 0 to 4", t.Priority)
	}
	for _, label := range t.Labels {
		if err := validLine("label", label); err != nil {
			return err
		}
	}
	if err := validBody(t.Body); err != nil {
		return err
	}
	return ValidChecks(t.Checks)
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// CleanBody is a body as callers see it: its lines end in \n, and the empty lines around it belong to the file.
func CleanBody(body string) string {
	return strings.Trim(lineEnds.Replace(body), "\n")
}

func validBody(body string) error {
	if len(body) > maxBody {
		return Errorf(InvalidInput, "body is %d bytes long, more than %d", len(body), maxBody).WithHint("put long text into a file of its own")
	}
	if !utf8.ValidString(body) || strings.ContainsRune(body, 0) {
		return Errorf(InvalidInput, "body is not text")
	}
	return nil
}
