package proof

import (
	"fmt"

	"github.com/cairn-tasks/cairn/task"
)

// gates asks of every task whether its checks bear out the state it is in. An abandoned task claims nothing. Evidence is
// that of the moment of the close: whether it is fresh is for the gate that the next close meets.
func (j *judge) gates() {
	if !j.Config.Sound() {
		return
	}
	fresh := j.freshEntries()
	for i := range j.Tasks {
		f := &j.Tasks[i]
		if !f.Sound() || j.flow.IsAbandoned(f.Task.Status) {
			continue
		}
		evidence := f.Task.EvidenceIndex()
		for n := range f.Task.Checks {
			j.check(f, n, evidence, fresh[f.Name])
		}
		if j.flow.HasLeft(f.Task) && !f.Task.ChecksExplained() {
			j.unexplained(f)
		}
	}
}

// check judges the result of one check. fresh are the entries that the change brings.
func (j *judge) check(f *TaskFile, n int, evidence *task.EvidenceIndex, fresh map[int]bool) {
	t, c := f.Task, f.Task.Checks[n]
	closed := j.flow.IsClosed(t.Status)
	var ev task.Evidence
	if c.Result == task.Pass {
		ev, _ = evidence.Evidence(n)
	}
	switch {
	case c.Result != task.Pass && closed:
		j.reportTask(ClosedUnpassed, f, resultOf(n), "is %s, and the check %q is %s", t.Status, c.Desc, c.Result).
			mend("cairn transition %s %s; %s; then close it again", t.ID, j.Config.Flow.Initial, settle(t, n))
	case c.Result != task.Pass:
	case evidence.Recorded(j.flow, n) != task.Pass && j.unsealed(f, n, fresh):
	case evidence.Recorded(j.flow, n) != task.Pass && ev.Result == task.Pass && !ev.Hashed && !fresh[ev.Entry]:
		j.reportTask(EvidenceUnhashed, f, resultOf(n), "the check %q was attested by %s, who may not settle it now", c.Desc, ev.Who).
			mend("%s", settle(t, n))
	case evidence.Recorded(j.flow, n) != task.Pass:
		j.unproven(f, n, evidence).warnIf(!closed)
	case closed && !ev.Hashed && fresh[ev.Entry]:
		j.reportTask(NoEvidence, f, resultOf(n), "the check %q has passed by an entry that this change brings and that does not say what was run", c.Desc).
			mend("%s", settle(t, n))
	case closed && !ev.Hashed:
		j.reportTask(EvidenceUnhashed, f, resultOf(n), "the check %q passed before entries said what they ran", c.Desc)
	}
}

// unproven says why the record does not vouch for a pass.
func (j *judge) unproven(f *TaskFile, n int, evidence *task.EvidenceIndex) *found {
	t, c := f.Task, f.Task.Checks[n]
	ev, ok := evidence.Evidence(n)
	stray := evidence.Unclaimed(n)
	switch {
	case ok && ev.Result == task.Pass:
		return j.reportTask(NoEvidence, f, resultOf(n), "the check %q was attested by %s, who may not settle it", c.Desc, ev.Who).
			mend("%s", settle(t, n))
	case ok:
		return j.reportTask(NoEvidence, f, resultOf(n), "the check %q is marked pass, and the newest entry about it says %s", c.Desc, ev.Result).
			mend("%s", settle(t, n))
	case stray >= 0:
		return j.reportTask(EvidenceMismatch, f, resultOf(n), "the check %q is marked pass, and what passed (entry %d) was another check", c.Desc, stray+1).
			mend("%s", settle(t, n))
	default:
		return j.reportTask(NoEvidence, f, resultOf(n), "the check %q is marked pass, and no entry says so", c.Desc).
			mend("%s", settle(t, n))
	}
}

// warnIf makes a warning of a finding about an open task: the checks gate has yet to be passed.
func (f *found) warnIf(open bool) {
	if open {
		f.Severity = Warning
	}
}

func (j *judge) unexplained(f *TaskFile) {
	t := f.Task
	closed := j.flow.IsClosed(t.Status)
	got := j.reportTask(ChecksUnexplained, f, Path{"checks"}, "the list of checks is not the one that the record tells of").
		mend("look in git who changed the list; if it is right, a person gives it to cairn update %s once more, with a reason", t.ID)
	if closed {
		got.mend("look in git who changed the list; if it is right, a person moves the task back (cairn transition %s %s), "+
			"gives the list to cairn update once more with a reason, and closes it again", t.ID, j.Config.Flow.Initial)
	}
	got.warnIf(!closed)
}

func resultOf(n int) Path { return Path{"checks", n, "result"} }

// settle is the command that gives a check a result with a record.
func settle(t task.Task, n int) string {
	if t.Checks[n].Manual() {
		return fmt.Sprintf("cairn attest %s %d, by whoever may settle it, once they have looked", t.ID, n)
	}
	return fmt.Sprintf("cairn run-checks %s --only %d", t.ID, n)
}
