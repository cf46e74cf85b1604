package proof

import (
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// trust lists what whoever reads the change should look at: commands that are new, and gates that get wider.
func (j *judge) trust() {
	if j.change == nil {
		return
	}
	j.commands()
	j.signers()
	if j.Config.Sound() && j.change.Base.Config.Sound() {
		j.loosened()
	}
}

// commands lists those that no task and no config of the base runs.
func (j *judge) commands() {
	type command struct{ cmd, folder string }
	known := map[command]bool{}
	isKnown := func(c task.Check) bool { return c.Manual() || known[command{c.Cmd, c.Folder()}] }
	know := func(checks []task.Check) {
		for _, c := range checks {
			known[command{c.Cmd, c.Folder()}] = true
		}
	}
	for i := range j.change.Base.Tasks {
		know(j.change.Base.Tasks[i].Task.Checks)
	}
	know(j.change.Base.Config.Flow.Defaults)
	for n, c := range j.Config.Flow.Defaults {
		if !isKnown(c) {
			j.report(CommandChanged, &j.Config.File, Path{"default_checks", n, "cmd"}, "new tasks will run %s", shown(c))
		}
	}
	for _, p := range j.change.pairs {
		for n, c := range p.now.Task.Checks {
			if !isKnown(c) {
				j.reportTask(CommandChanged, p.now, Path{"checks", n, "cmd"}, "the check %q runs %s", c.Desc, shown(c))
			}
		}
	}
}

// mostShown is how much of a command a message shows, in bytes.
const mostShown = 200

func shown(c task.Check) string {
	cmd := strings.Join(strings.Fields(c.Cmd), " ")
	if len(cmd) > mostShown {
		cmd = strings.ToValidUTF8(cmd[:mostShown], "") + "…"
	}
	if c.Folder() != "." {
		return fmt.Sprintf("%s in %s", cmd, c.Folder())
	}
	return cmd
}

var settledNow = map[string]string{
	task.ByHuman:  "manual checks pass without a signature",
	task.ByAnyone: "anyone may settle manual checks",
}

// loosened lists what the config of the base asked for and that of the change does not.
func (j *judge) loosened() {
	was, now := j.change.Base.Config, j.Config
	say := func(at Path, format string, args ...any) {
		j.report(ConfigLoosened, &j.Config.File, at, format, args...)
	}
	for _, s := range unclosed(was.Flow, now.Flow) {
		say(Path{"closed"}, "%s is no closed state any more", s)
	}
	for _, s := range now.Flow.Abandoned {
		if !was.Flow.IsAbandoned(s) {
			say(Path{"abandoned"}, "%s can be entered without passing any check", s)
		}
	}
	if task.Stricter(was.Flow.Settles, now.Flow.Settles) != now.Flow.Settles {
		say(Path{"attest"}, "%s", settledNow[now.Flow.Settles])
	}
	if was.Flow.GateReview && !now.Flow.GateReview {
		say(Path{"gate_review"}, "the review is entered without passing any check")
	}
	if was.Flow.Initial != now.Flow.Initial && now.Flow.Known(was.Flow.Initial) == nil {
		say(Path{"initial"}, "%s is left without asking for dependencies", was.Flow.Initial)
	}
	for _, c := range task.Dropped(was.Flow.Defaults, now.Flow.Defaults) {
		say(Path{"default_checks"}, "new tasks need not pass %q", c.Desc)
	}
	for _, rule := range Rules {
		f := Finding{Rule: rule.ID, Severity: rule.Severity}
		if before, after := set(was, f), set(now, f); rank(after) < rank(before) {
			say(Path{"rules", string(rule.ID)}, "%s is %s, and was %s", rule.ID, after, before)
		}
	}
}
