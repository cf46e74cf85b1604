package task

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Attesters is the configuration of who settles manual checks and accepts decisions, and of whose signatures count.
type Attesters struct {
	Ratify  string  // who accepts decisions: ByHuman or ByAnyone; "" is ByHuman
	Settles string  // who settles manual checks that name nobody: BySigned, ByHuman or ByAnyone; "" is ByHuman
	Prefix  string  // of the workspace's ids, which signed approvals name
	Signers Signers // whose signatures count; nil for nobody's
}

// Who may attest a manual check that names nobody in particular.
const (
	BySigned = "signed" // a person who signs it; with an actor behind it, that actor
	ByHuman  = "human"
	ByAnyone = "anyone"
)

// Stricter returns the one of two defaults for who settles manual checks that admits fewer: signed, then human, then
// anyone.
func Stricter(a, b string) string {
	for _, by := range []string{BySigned, ByHuman} {
		if a == by || b == by {
			return by
		}
	}
	return a
}

// settledBy returns who may attest a manual check, and whether that must be signed: ByHuman, ByAnyone, or one actor.
func (a Attesters) settledBy(c Check) (who string, sign bool) {
	by := c.By
	if by == "" {
		by = a.Settles
	}
	if by == "" {
		return ByHuman, false
	}
	if by == BySigned {
		return ByHuman, true
	}
	return strings.CutPrefix(by, BySigned+" ")
}

// MaySettle reports whether an actor may attest a manual check.
func (a Attesters) MaySettle(c Check, who record.Actor) bool {
	by, _ := a.settledBy(c)
	return by == ByAnyone || by == ByHuman && who.Human() || by == string(who)
}

// mayAttest returns FORBIDDEN, naming who may attest the check, if the actor may not.
func (a Attesters) mayAttest(t Task, i int, who record.Actor) error {
	c := t.Checks[i]
	if a.MaySettle(c, who) {
		return nil
	}
	if by, _ := a.settledBy(c); by != ByHuman {
		return record.Errorf(record.Forbidden, "check %d (%s) is for %s to pass or fail", i, c.Desc, by).WithHint("ask %s to run %s, having looked at it", by, a.attestCall(t, i))
	}
	return record.Errorf(record.Forbidden, "check %d (%s) is for a person to pass or fail", i, c.Desc).
		WithHint("a person runs %s in a terminal, having looked at it", a.attestCall(t, i))
}

// MustSign reports whether a pass of a check counts only with a signature.
func (a Attesters) MustSign(c Check) bool {
	_, sign := a.settledBy(c)
	return c.Manual() && sign
}

// Signs reports whether one of the checks needs a signature.
func (a Attesters) Signs(checks []Check) bool { return slices.ContainsFunc(checks, a.MustSign) }

// attestCall returns the call by which a person settles a check.
func (a Attesters) attestCall(t Task, i int) record.Call {
	call := record.CallTo("attest", "id", t.ID, "check", i, "pass", record.Either)
	if a.MustSign(t.Checks[i]) {
		call.Args = append(call.Args, record.Arg{Name: "sign", Value: true})
	}
	return call.ByPerson()
}

// settled reports whether the attestation of a manual check is by an actor who may make it, and signed where it must
// be. An attestation with a signature that does not hold is worthless, also where none was needed.
func (a Attesters) settled(t Task, i int, ev Evidence) bool {
	c := t.Checks[i]
	switch signed := t.Provenance[ev.Entry].Sig != ""; {
	case signed && a.Signature(t, ev.Entry) != nil, !signed && a.MustSign(c):
		return false
	default:
		return a.MaySettle(c, ev.Who)
	}
}

// whyUnsettled says why an attested check does not count at the gate, as " (attested, and not signed)". It returns ""
// where a signature is not the reason.
func (a Attesters) whyUnsettled(t Task, i int, p Proof, x *EvidenceIndex) string {
	c := t.Checks[i]
	if !c.Manual() || c.Result != record.Pass {
		return ""
	}
	ev, ok := x.Evidence(i)
	if !ok || ev.Result != record.Pass {
		return ""
	}
	signed := t.Provenance[ev.Entry].Sig != ""
	flaw := a.Signature(t, ev.Entry)
	switch {
	case signed && flaw != nil:
		return " (the signature does not count: " + flaw.Msg + ")"
	case !signed && a.MustSign(c):
		return " (attested, and not signed)"
	case a.Bound(c, ev) && p.reviewed() == "":
		return " (approved, and the state of the files is not known now)"
	case a.Bound(c, ev) && !stillApproved(ev, p):
		return " (approved for another state of the files)"
	case signed && a.MustSign(c) && p.Tree == "":
		return " (signed, and the state of the files is not known now)"
	case signed && a.MustSign(c) && p.Tree != ev.Tree:
		return " (signed for another state of the files)"
	default:
		return ""
	}
}

// Attest settles a manual check. The check's By, or else the configuration, says who may; it returns FORBIDDEN for
// anybody else, and for a pass that must be signed. Attesting again what was attested, without text, changes nothing.
//
// If the reviewer of a task that is in review rejects it, the same entry moves the task back to the working state: what
// is missing is work. A rejection has a text, which says what that is.
func (f Flow) Attest(t Task, i int, pass bool, s record.Stamp) (Task, *record.Entry, error) {
	v, err := f.verdict(t, i, pass, s, "", "")
	if err == nil && pass {
		err = f.passesUnsigned(t, i)
	}
	if err != nil || v.again {
		return t, nil, err
	}
	if f.Rejects(t, i, pass, s.Who) {
		if err := record.RequiredText("text", s.Text, "say what is missing: the task goes back to "+string(f.Working)+" with it"); err != nil {
			return t, nil, err
		}
		v.task, v.entry = moved(v.task, f.Working, v.entry)
	}
	return commit(v.task, v.entry)
}

// Rejects reports whether an attestation is the rejection of a task in review by its reviewer.
func (f Flow) Rejects(t Task, i int, pass bool, who record.Actor) bool {
	return !pass && f.Review != "" && f.Working != "" && t.Status == f.Review && t.Checks[i].Reviewer() == who
}

// verdict is an attestation of a manual check.
type verdict struct {
	task  Task         // with the result, and without the entry
	entry record.Entry // without a signature
	last  Evidence     // of the check until then
	again bool         // the check has this result already, and there is no text
}

// verdict prepares an attestation, of a state of the files or of none. It refuses those who may not settle the check.
func (a Attesters) verdict(t Task, i int, pass bool, s record.Stamp, commit, tree string) (verdict, error) {
	c := t.Checks[i]
	if !c.Manual() {
		return verdict{}, record.Errorf(record.InvalidInput, "check %d (%s) passes or fails by running it", i, c.Desc).
			WithHint("%s", record.CallTo("run_checks", "id", t.ID, "only", []int{i}))
	}
	if err := a.mayAttest(t, i, s.Who); err != nil {
		return verdict{}, err
	}
	result := record.Fail
	if pass {
		result = record.Pass
	}
	v := verdict{task: t, entry: s.Entry(record.Attested)}
	v.last, v.again = t.Evidence(i)
	v.again = v.again && v.last.Result == result && c.Result == result && s.Text == ""
	v.task.Checks = slices.Clone(t.Checks)
	v.task.Checks[i].Result = result
	v.entry.Results = []record.CheckResult{{Check: c.Key(t.ID), Result: result}}
	v.entry.Commit, v.entry.Tree = commit, tree
	return v, nil
}

// passesUnsigned returns FORBIDDEN for a check that passes with a signature only.
func (a Attesters) passesUnsigned(t Task, i int) error {
	if !a.MustSign(t.Checks[i]) {
		return nil
	}
	return record.Errorf(record.Forbidden, "check %d (%s) passes with a signature only", i, t.Checks[i].Desc).
		WithHint("a person runs %s in a terminal", a.attestCall(t, i))
}

// Approve prepares a signed attestation. It returns the approval that is to be signed, with the time that the entry
// will have, and refuses as Attest does. It returns false if there is nothing to sign: the check has this result
// already, signed for this state of the files.
func (a Attesters) Approve(t Task, i int, pass bool, s record.Stamp, commit, tree string) (Approval, bool, error) {
	v, err := a.verdict(t, i, pass, s, commit, tree)
	if err != nil || v.again && v.last.Tree == tree && a.Signature(t, v.last.Entry) == nil {
		return Approval{}, false, err
	}
	return a.approval(t.ID, t.Checks[i], t.With(v.entry).Provenance.Last()), true, nil
}

// AttestSigned settles a manual check with the signature of an approval that Approve prepared. It returns CONFLICT if
// the task changed since, so that another approval would have to be signed, and FORBIDDEN if the signature does not
// hold.
func (a Attesters) AttestSigned(t Task, i int, approved Approval, sig string, s record.Stamp) (Task, *record.Entry, error) {
	s.At = approved.At
	v, err := a.verdict(t, i, approved.Result == record.Pass, s, approved.Commit, approved.Tree)
	if err != nil {
		return t, nil, err
	}
	v.entry.Sig = sig
	next, entry, _ := commit(v.task, v.entry)
	if a.approval(t.ID, t.Checks[i], *entry) != approved {
		return t, nil, record.Errorf(record.Conflict, "the task changed while the approval was signed").WithHint("sign it again")
	}
	if flaw := a.Signature(next, len(next.Provenance)-1); flaw != nil {
		return t, nil, record.Errorf(record.Forbidden, "the signature does not count: %s", flaw.Msg).
			WithHint("%s says what signing needs; %s shows whose keys count", record.CallTo("doctor"), record.CallTo("trust signer list"))
	}
	return next, entry, nil
}
