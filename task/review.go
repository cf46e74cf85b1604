package task

import (
	"cmp"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
)

// The review of a task asks for the approval of its reviewer: a manual check that this actor alone settles
// (ReviewerCheck). An approval that names the state of the files, as review_apply makes it, counts only for that state:
// what is committed later has not been approved. One without, as attest makes it, counts until it is taken back.

// reviewed is the fingerprint of the files that an approval must have been given for.
func (p Proof) reviewed() string { return cmp.Or(p.Reviewed, p.Tree) }

// Bound reports whether evidence for a check is an approval of its reviewer for one state of the files. Checks that
// must be signed have a rule of their own.
func (a Attesters) Bound(c Check, ev Evidence) bool {
	return c.Reviewer() != "" && ev.Tree != "" && !a.MustSign(c)
}

// ReviewCheck returns the index of the check that stands for a reviewer, or -1 if the task has none. Of several it is
// the one that the actor settles, or else the first.
func (t Task) ReviewCheck(who record.Actor) int {
	if i := slices.IndexFunc(t.Checks, func(c Check) bool { return c.Reviewer() == who && who != "" }); i >= 0 {
		return i
	}
	return slices.IndexFunc(t.Checks, func(c Check) bool { return c.Reviewer() != "" })
}

// ApproveReview approves a task for a state of the files: the commit that is checked out, and the fingerprint of the
// tree. Where the task has a reviewer that is the attestation of the reviewer's check; FORBIDDEN is returned to anybody
// else. Where it has none an entry approved is appended, which gates nothing. To approve the same files again, without
// text, changes nothing.
//
// A closed task is TASK_CLOSED: there is nothing left to approve.
func (f Flow) ApproveReview(t Task, s record.Stamp, head, tree string) (Task, *record.Entry, error) {
	if f.IsClosed(t.Status) {
		return t, nil, closedError(t)
	}
	i := t.ReviewCheck(s.Who)
	if i < 0 {
		if last, ok := t.Approval(); ok && s.Text == "" && last.Who == s.Who && last.Tree == tree {
			return t, nil, nil
		}
		e := s.Entry(record.Approved)
		e.Commit, e.Tree = head, tree
		return commit(t, e)
	}
	v, err := f.verdict(t, i, true, s, head, tree)
	if err != nil || v.again && v.last.Tree == tree {
		return t, nil, err
	}
	if err := f.passesUnsigned(t, i); err != nil {
		return t, nil, err
	}
	return commit(v.task, v.entry)
}

// Approval returns the newest approval of the task that nothing took back since: of its reviewers, or of anybody where
// it has none.
func (t Task) Approval() (record.Entry, bool) {
	for _, e := range slices.Backward(t.Provenance) {
		switch {
		case e.Did == record.Rejected, e.Did == record.Attested && judges(e, t, record.Fail):
			return record.Entry{}, false
		case e.Did == record.Approved, e.Did == record.Attested && judges(e, t, record.Pass):
			return e, true
		}
	}
	return record.Entry{}, false
}

// DeclaredBy returns who declared the checks as the task has them, and whether the work was approved before that. Where
// the newest declaration is of another list, nobody did, and any approval came before.
func (t Task) DeclaredBy() (who record.Actor, approved bool) {
	then := t
	last := t.Provenance.LastIndex(func(e record.Entry) bool { return e.Checks != nil })
	if last >= 0 && slices.Equal(t.Provenance[last].Checks, t.CheckHashes()) {
		who, then.Provenance = t.Provenance[last].Who, t.Provenance[:last]
	}
	_, approved = then.Approval()
	return who, approved
}

// judges reports whether an entry gives a check of a reviewer of the task this result.
func judges(e record.Entry, t Task, result record.Result) bool {
	return slices.ContainsFunc(e.Results, func(r record.CheckResult) bool {
		return r.Result == result && slices.ContainsFunc(t.Checks, func(c Check) bool { return c.Reviewer() != "" && c.Key(t.ID) == r.Check })
	})
}

// Reject sends a task back to work with a reason, which must not be empty. A task in review moves to the working state;
// an open one that is not in review stays where it is, and the reason is recorded. The reviewer's rejection is the
// attestation that the check fails; that of anybody else is an entry rejected, which takes back no approval of the
// reviewer but shows beside it. A closed task is TASK_CLOSED.
func (f Flow) Reject(t Task, s record.Stamp) (Task, *record.Entry, error) {
	if err := record.RequiredText("text", s.Text, "say what is missing: whoever goes on with the task is given it"); err != nil {
		return t, nil, err
	}
	if f.IsClosed(t.Status) {
		return t, nil, closedError(t)
	}
	if i := t.ReviewCheck(s.Who); i >= 0 && t.Checks[i].Reviewer() == s.Who {
		return f.Attest(t, i, false, s)
	}
	e := s.Entry(record.Rejected)
	if f.Working != "" && f.Review != "" && t.Status == f.Review {
		t, e = moved(t, f.Working, e)
	}
	return commit(t, e)
}

// SentBack returns the rejection that stands: nobody has handed the task over again since, or approved it.
func (t Task) SentBack() (record.Entry, bool) {
	for _, e := range slices.Backward(t.Provenance) {
		switch {
		case e.Rejection():
			return e, true
		case e.Did == record.Finished, approves(e, t):
			return record.Entry{}, false
		}
	}
	return record.Entry{}, false
}

// Unfinished reports whether a task is in the working state, and nobody has handed it over or approved the work since
// somebody began it.
func (f Flow) Unfinished(t Task) bool {
	if f.Working == "" || t.Status != f.Working || f.HandedOver(t) {
		return false
	}
	last, _ := t.Provenance.Newest(func(e record.Entry) bool {
		return e.Rejection() || e.To == f.Working || e.OfAttempt() || approves(e, t)
	})
	return !approves(last, t)
}

func approves(e record.Entry, t Task) bool {
	return e.Did == record.Approved || e.Did == record.Attested && judges(e, t, record.Pass)
}

// stillApproved reports whether an approval that is bound to a state of the files was given for those that are judged.
func stillApproved(ev Evidence, p Proof) bool { return ev.Tree == p.reviewed() }

// bindsReview reports whether a check of the task counts for one state of the files only, because its reviewer approved
// that one.
func (f Flow) bindsReview(t Task, to record.Status) bool {
	evidence := t.EvidenceIndex()
	for i, c := range t.Checks {
		if c.Reviewer() == "" || !f.needs(t, to, c) {
			continue
		}
		if ev, ok := evidence.Evidence(i); ok && f.Bound(c, ev) {
			return true
		}
	}
	return false
}
