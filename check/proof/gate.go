package proof

import (
	"fmt"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// gateRules judge whether the evidence of every task supports the state that it is in. An abandoned task claims
// nothing. Evidence counts as it was when the task was closed: whether it is still fresh is for the gate that the next
// close meets.
type gateRules struct {
	*judge
	approvals *approvalRules
}

func (r gateRules) apply() {
	if !r.Config.Sound() {
		return
	}
	fresh := r.brought
	for _, f := range r.Tasks {
		if !f.Sound() || r.flow.IsAbandoned(f.Task.Status) {
			continue
		}
		evidence := f.Task.EvidenceIndex()
		for n := range f.Task.Checks {
			r.result(f, n, evidence, fresh[f.ID()])
		}
		if !r.flow.Evidenced(f.Task) {
			r.report(EvidenceMissing, &f.File, Path{"requires_evidence"}, "is %s, and has no evidence: no commit, no pull request, and no command check that passed", f.Task.Status).
				fix("name the commit that is checked out: cairn ref add %s commit", f.ID())
		}
		if r.flow.HasLeft(f.Task) && !f.Task.ChecksExplained() {
			r.unexplained(f)
		}
	}
}

// result judges the result of one check. fresh are the entries that the change brings.
func (r gateRules) result(f *TaskFile, n int, evidence *task.EvidenceIndex, fresh map[int]bool) {
	t, c := f.Task, f.Task.Checks[n]
	closed := r.flow.IsClosed(t.Status)
	var ev task.Evidence
	if c.Result == record.Pass {
		ev, _ = evidence.Evidence(n)
	}
	switch {
	case c.Result != record.Pass && closed:
		r.report(ClosedUnpassed, &f.File, resultOf(n), "is %s, and the check %q is %s", t.Status, c.Desc, c.Result).
			fix("%s", r.anew(t, n))
	case c.Result != record.Pass:
	case evidence.Recorded(r.flow, n) != record.Pass && r.approvals.unsigned(f, n, evidence, fresh):
	case evidence.Recorded(r.flow, n) != record.Pass && ev.Result == record.Pass && !ev.Hashed && !fresh[ev.Entry]:
		r.unsettled(EvidenceUnhashed, f, n, "the check %q was passed by %s, who may not say so now", c.Desc, ev.Who)
	case evidence.Recorded(r.flow, n) != record.Pass:
		r.unproven(f, n, evidence).warnIf(!closed)
	case closed && !ev.Hashed && fresh[ev.Entry]:
		r.unsettled(NoEvidence, f, n, "the check %q has passed by an entry that this change brings and that does not say what was run", c.Desc)
	case closed && !ev.Hashed:
		r.report(EvidenceUnhashed, &f.File, resultOf(n), "the check %q passed before entries said what they ran", c.Desc)
	}
}

// unproven reports why the provenance does not support a pass.
func (r gateRules) unproven(f *TaskFile, n int, evidence *task.EvidenceIndex) *found {
	c := f.Task.Checks[n]
	ev, ok := evidence.Evidence(n)
	stray := evidence.Unclaimed(n)
	switch {
	case ok && ev.Result == record.Pass:
		return r.unsettled(NoEvidence, f, n, "the check %q was passed by %s, who may not say so", c.Desc, ev.Who)
	case ok:
		return r.unsettled(NoEvidence, f, n, "the check %q is marked pass, and the newest entry about it says %s", c.Desc, ev.Result)
	case stray >= 0:
		return r.unsettled(EvidenceMismatch, f, n, "the check %q is marked pass, and what passed (entry %d) was another check", c.Desc, stray+1)
	default:
		return r.unsettled(NoEvidence, f, n, "the check %q is marked pass, and no entry says so", c.Desc)
	}
}

// unsettled reports the result of a check, which a recorded one would settle.
func (j *judge) unsettled(rule Rule, f *TaskFile, n int, format string, args ...any) *found {
	return j.report(rule, &f.File, resultOf(n), format, args...).fix("%s%s", looking(f.Task, n), settle(f.Task, n))
}

// unexplained reports a list of checks that no entry of the provenance declared.
func (r gateRules) unexplained(f *TaskFile) {
	t := f.Task
	closed := r.flow.IsClosed(t.Status)
	got := r.report(ChecksUnexplained, &f.File, Path{"checks"}, "no entry declares this list of checks").
		fix("look in git who changed the list; if it is right, a person gives it to cairn update %s once more, with a reason", t.ID)
	if closed {
		got.fix("look in git who changed the list; if it is right, a person moves the task back (cairn transition %s %s), "+
			"gives the list to cairn update once more with a reason, and closes it again", t.ID, r.Config.Flow.Initial)
	}
	got.warnIf(!closed)
}

// resultOf is the path of the result of a check.
func resultOf(n int) Path { return Path{"checks", n, "result"} }

// anew returns how a closed task gets a recorded pass of a check: it is opened, settled and closed again.
func (r gateRules) anew(t task.Task, n int) string {
	return fmt.Sprintf("%scairn transition %s %s; %s; cairn transition %s %s",
		looking(t, n), t.ID, r.Config.Flow.Initial, settle(t, n), t.ID, t.Status)
}

// looking says who settles a manual check, before the command that does.
func looking(t task.Task, n int) string {
	if t.Checks[n].Manual() {
		return "somebody who may say so looks, and if it is so: "
	}
	return ""
}

// settle returns the command that gives a check a recorded pass.
func settle(t task.Task, n int) string {
	if t.Checks[n].Manual() {
		return fmt.Sprintf("cairn attest %s %d --pass", t.ID, n)
	}
	return fmt.Sprintf("cairn run-checks %s --only %d", t.ID, n)
}
