package proof

import (
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// trustRules list what a reviewer of the change should read: commands that are new, signers, and gates that get wider.
type trustRules struct{ *judge }

func (r trustRules) apply() {
	if r.change == nil {
		return
	}
	r.commands()
	r.signers()
	r.joined()
	if r.Config.Sound() && r.change.Base.Config.Sound() {
		r.loosened()
	}
}

// commands reports the commands that no task and no config of the base runs.
func (r trustRules) commands() {
	known := map[string]bool{} // by command, folder and repository, whatever the task
	isKnown := func(c task.Check) bool { return c.Manual() || known[c.Key("")] }
	know := func(checks []task.Check) {
		for _, c := range checks {
			known[c.Key("")] = true
		}
	}
	for _, f := range r.change.Base.Tasks {
		know(f.Task.Checks)
	}
	know(r.change.Base.Config.Flow.Defaults)
	for n, c := range r.Config.Flow.Defaults {
		if !isKnown(c) {
			r.report(CommandChanged, &r.Config.File, Path{"default_checks", n, "cmd"}, "new tasks will run %s", shown(c))
		}
	}
	if setup := r.Config.Setup; setup != "" && setup != r.change.Base.Config.Setup {
		r.report(CommandChanged, &r.Config.File, Path{"worktree_setup"}, "each new work tree, and each merge that runs checks, will run %s", shown(task.Check{Cmd: setup}))
	}
	for _, p := range r.change.pairs {
		for n, c := range p.now.Task.Checks {
			if !isKnown(c) {
				r.report(CommandChanged, &p.now.File, Path{"checks", n, "cmd"}, "the check %q runs %s", c.Desc, shown(c))
			}
		}
	}
}

// mostShown is how many bytes of a command a message shows.
const mostShown = 200

// shown describes a command, its folder and its repository on one line.
func shown(c task.Check) string {
	cmd := strings.Join(strings.Fields(c.Cmd), " ")
	if len(cmd) > mostShown {
		cmd = strings.ToValidUTF8(cmd[:mostShown], "") + "…"
	}
	if c.Folder() != "." {
		cmd += " in " + c.Folder()
	}
	if c.Repo != "" {
		cmd += " in the repository " + c.Repo
	}
	return cmd
}

// loosened reports what the config of the base requires and that of the change does not.
func (r trustRules) loosened() {
	was, now := r.change.Base.Config, r.Config
	say := func(at Path, format string, args ...any) {
		r.report(ConfigLoosened, &r.Config.File, at, format, args...)
	}
	for _, s := range was.Flow.Closed {
		if !now.Flow.IsClosed(s) && now.Flow.Known(s) == nil {
			say(Path{"closed"}, "%s is no closed state any more", s)
		}
	}
	for _, s := range now.Flow.Abandoned {
		if !was.Flow.IsAbandoned(s) {
			say(Path{"abandoned"}, "%s can be entered without passing any check", s)
		}
	}
	if task.Stricter(was.Flow.Settles, now.Flow.Settles) != now.Flow.Settles {
		say(Path{"attest"}, "%s", map[string]string{
			task.ByHuman: "manual checks pass without a signature", task.ByAnyone: "anyone may settle manual checks",
		}[now.Flow.Settles])
	}
	if task.Stricter(was.Flow.Ratify, now.Flow.Ratify) != now.Flow.Ratify {
		say(Path{"ratify"}, "anyone may accept decisions")
	}
	if was.Flow.GateReview && !now.Flow.GateReview {
		say(Path{"gate_review"}, "the review is entered without passing any check")
	}
	if was.ByMerge && !now.ByMerge {
		say(Path{"close_by"}, "a task is closed without merging its branch")
	}
	if was.Flow.WantsRed == task.RedRequire && now.Flow.WantsRed != task.RedRequire {
		say(Path{"red"}, "a check need not have been seen to fail without the work")
	}
	if was.Sandboxed && !now.Sandboxed {
		say(Path{"check_sandbox"}, "the commands of checks run outside of a sandbox")
	}
	if was.JobsSandboxed && !now.JobsSandboxed {
		say(Path{"job_sandbox"}, "the programs of jobs run outside of a sandbox")
	}
	for _, need := range was.Require {
		if !slices.Contains(now.Require, need) {
			say(Path{"require"}, "a close need not be %s any more", strings.TrimSpace(need.Evidence+" "+need.For))
		}
	}
	if len(task.OutsideOf(now.Guards, was.Guards)) > 0 || len(now.Guards) > 0 && len(was.Guards) == 0 {
		say(Path{"guards"}, "checks stand on other files than before: %s", strings.Join(now.Guards, ", "))
	}
	if was.Flow.Initial != now.Flow.Initial && now.Flow.Known(was.Flow.Initial) == nil {
		say(Path{"initial"}, "%s is left without asking for dependencies", was.Flow.Initial)
	}
	for _, c := range task.Dropped(was.Flow.Defaults, now.Flow.Defaults) {
		say(Path{"default_checks"}, "new tasks need not pass %q", c.Desc)
	}
	for _, name := range slices.Sorted(maps.Keys(was.Repos)) {
		if at := now.Repos[name]; at != was.Repos[name] {
			say(Path{"repos"}, "the repository %s, in which checks have passed, is at %q, and was at %q", name, at, was.Repos[name])
		}
	}
	for _, rule := range r.rules() {
		f := Finding{Rule: rule.ID, Severity: rule.Severity}
		if before, after := was.severity(f), now.severity(f); rank(after) < rank(before) {
			say(Path{"rules", string(rule.ID)}, "%s is %s, and was %s", rule.ID, after, before)
		}
	}
}

// joined reports who comes into a group of which an approval is asked, and who into any without an entry that says so.
func (r trustRules) joined() {
	asked, base := map[string]bool{}, map[string]ledger.Actor{}
	for _, records := range [][]*RecordFile{r.Records, r.change.Base.Records} {
		clear(base) // the last are those of the base
		for _, f := range records {
			switch v := f.Value.(type) {
			case ledger.Actor:
				base[v.Ref.ID] = v
			case ledger.Handoff:
				for _, to := range v.To {
					asked[to.Group()] = asked[to.Group()] || v.Type == ledger.Approval && !v.Closed()
				}
			}
		}
	}
	for _, f := range r.Records {
		now, _ := f.Value.(ledger.Actor)
		was := base[f.Ref.ID]
		if now.Group == "" || now.Status == ledger.ActorGone || was.Group == now.Group && was.Status != ledger.ActorGone {
			continue
		}
		before := was.Log.Hashes()
		told := was.Group == now.Group || slices.ContainsFunc(now.Log, func(e record.Entry) bool {
			return !before[e.Hash()] && ledger.PutsInGroup(e)
		})
		switch {
		case !told:
			r.report(ConfigLoosened, &f.File, Path{"group"}, "%s is in the group %s, and no entry says who put it there", f.Ref.ID, now.Group)
		case asked[now.Group]:
			r.report(ConfigLoosened, &f.File, Path{"group"}, "%s comes into the group %s, of which an approval is asked", f.Ref.ID, now.Group)
		}
	}
}

// signers reports how the change alters whose signatures count.
func (r trustRules) signers() {
	was, now := &r.change.Base.Signers, &r.Signers
	file := now.File
	if file.Path == "" {
		file.Path = was.Path
	}
	differ := func(of, other *SignersFile, format string) {
		for _, l := range of.Grants {
			if slices.ContainsFunc(other.Grants, func(o SignersLine) bool { return o.Text == l.Text }) {
				continue
			}
			if got := r.report(SignersChanged, &file, nil, format, l.Text); of == now {
				got.Line = l.Line
			}
		}
	}
	differ(now, was, "signatures will count by %s")
	differ(was, now, "signatures will count no more by %s")
}
