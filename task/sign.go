package task

import (
	"slices"
	"strconv"
	"strings"
)

// signedBy splits who settles a check into who that is, ByHuman, ByAnyone or one actor, and whether they have to sign.
func signedBy(by string) (who string, sign bool) {
	if by == BySigned {
		return ByHuman, true
	}
	if who, ok := strings.CutPrefix(by, BySigned+" "); ok {
		return who, true
	}
	return by, false
}

// MustSign reports whether a pass of a check counts only with a signature.
func (f Flow) MustSign(c Check) bool {
	_, sign := signedBy(f.settledBy(c))
	return c.Manual() && sign
}

// Signs reports whether one of the checks needs a signature.
func (f Flow) Signs(checks []Check) bool { return slices.ContainsFunc(checks, f.MustSign) }

// Stricter is the one of two defaults for who settles a manual check that lets fewer: signed before human before anyone.
func Stricter(a, b string) string {
	for _, by := range []string{BySigned, ByHuman} {
		if a == by || b == by {
			return by
		}
	}
	return a
}

// attestCommand is the command with which whoever may settles a check.
func (f Flow) attestCommand(t Task, i int) string {
	command := "cairn attest " + string(t.ID) + " " + strconv.Itoa(i) + " --pass|--fail"
	if f.MustSign(t.Checks[i]) {
		command += " --sign"
	}
	return command
}

func (f Flow) mustSign(t Task, i int) error {
	return Errorf(Forbidden, "check %d (%s) passes with a signature only", i, t.Checks[i].Desc).
		WithHint("a person runs %s in a terminal", f.attestCommand(t, i))
}

func verdict(pass bool) Result {
	if pass {
		return Pass
	}
	return Fail
}

// Approve prepares a signed attestation: the approval that is to be signed, whose time is that of the entry to come. It returns
// what Attest returns for whoever may not settle the check. Where the check stands so already, signed for this state of the
// files, there is nothing to sign, and it returns false.
func (f Flow) Approve(t Task, i int, pass bool, s Stamp, commit, tree string) (Approval, bool, error) {
	e, err := f.signable(t, i, pass, s, commit, tree)
	if err != nil {
		return Approval{}, false, err
	}
	if ev, ok := t.Evidence(i); ok && s.Text == "" && ev.Result == e.Results[0].Result && t.Checks[i].Result == ev.Result &&
		ev.Tree == tree && f.Signature(t, ev.Entry) == nil {
		return Approval{}, false, nil
	}
	return f.approval(t.ID, t.Checks[i], t.With(e).Provenance.Last()), true, nil
}

// signable is the entry of a signed attestation before it is signed.
func (f Flow) signable(t Task, i int, pass bool, s Stamp, commit, tree string) (Entry, error) {
	if !t.Checks[i].Manual() {
		_, _, err := f.Attest(t, i, pass, s) // which says what settles it
		return Entry{}, err
	}
	if err := f.mayAttest(t, i, s.Who); err != nil {
		return Entry{}, err
	}
	e := s.entry(Attested)
	e.Results = []CheckResult{{Check: t.Checks[i].Key(t.ID), Result: verdict(pass)}}
	e.Commit, e.Tree = commit, tree
	return e, nil
}

// AttestSigned settles a manual check with the signature of an approval that Approve prepared. It returns CONFLICT if the
// record or the check moved on meanwhile, so that the approval would have to be another, and FORBIDDEN if the signature does
// not hold.
func (f Flow) AttestSigned(t Task, i int, a Approval, sig string, s Stamp) (Task, *Entry, error) {
	s.At = a.At
	e, err := f.signable(t, i, a.Result == Pass, s, a.Commit, a.Tree)
	if err != nil {
		return t, nil, err
	}
	e.Sig = sig
	next := t.With(e)
	if f.approval(t.ID, t.Checks[i], next.Provenance.Last()) != a {
		return t, nil, Errorf(Conflict, "the task changed while the approval was signed").WithHint("sign it again")
	}
	if flaw := f.Signature(next, len(next.Provenance)-1); flaw != nil {
		return t, nil, Errorf(Forbidden, "the signature does not count: %s", flaw.Msg).
			WithHint("cairn doctor says what signing needs; cairn trust signer list shows whose keys count")
	}
	next.Checks = slices.Clone(t.Checks)
	next.Checks[i].Result = a.Result
	last := next.Provenance.Last()
	return next, &last, nil
}

// unsealed says, behind the name of a check that is attested, why that does not count at the gate: " (not signed)".
func (f Flow) unsealed(t Task, i int, p Proof) string {
	c := t.Checks[i]
	if !c.Manual() || c.Result != Pass {
		return ""
	}
	ev, ok := t.Evidence(i)
	if !ok || ev.Result != Pass {
		return ""
	}
	sealed := t.Provenance[ev.Entry].Sig != ""
	flaw := f.Signature(t, ev.Entry)
	switch {
	case sealed && flaw != nil:
		return " (the signature does not count: " + flaw.Msg + ")"
	case !sealed && f.MustSign(c):
		return " (attested, and not signed)"
	case sealed && f.MustSign(c) && p.Tree == "":
		return " (signed, and the state of the files is not known now)"
	case sealed && f.MustSign(c) && p.Tree != ev.Tree:
		return " (signed for another state of the files)"
	default:
		return ""
	}
}

// AsksTree reports whether a move depends on what the files are now because of a check that has to be signed.
func (f Flow) AsksTree(t Task, to Status) bool {
	return slices.ContainsFunc(t.Checks, func(c Check) bool { return f.gates(t, to, c) && f.MustSign(c) })
}
