package task

import (
	"slices"
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

// Stricter is the one of two defaults for who settles a manual check that lets fewer: signed before human before anyone.
func Stricter(a, b string) string {
	for _, by := range []string{BySigned, ByHuman} {
		if a == by || b == by {
			return by
		}
	}
	return a
}

// settledBy is who may attest a manual check: BySigned, ByHuman, ByAnyone, one actor, or BySigned and one actor.
func (f Flow) settledBy(c Check) string {
	switch {
	case c.By != "":
		return c.By
	case f.Settles != "":
		return f.Settles
	default:
		return ByHuman
	}
}

func (f Flow) maySettle(c Check, who Actor) bool {
	by, _ := signedBy(f.settledBy(c))
	return by == ByAnyone || by == ByHuman && who.Human() || by == string(who)
}

func (f Flow) mayAttest(t Task, i int, who Actor) error {
	c := t.Checks[i]
	if f.maySettle(c, who) {
		return nil
	}
	if by, _ := signedBy(f.settledBy(c)); by != ByHuman {
		return Errorf(Forbidden, "check %d (%s) is settled by %s", i, c.Desc, by).WithHint("ask %s to attest it", by)
	}
	return Errorf(Forbidden, "check %d (%s) is settled by a person", i, c.Desc).
		WithHint("a person runs %s in a terminal, having looked at it", f.attestCall(t, i))
}

// MustSign reports whether a pass of a check counts only with a signature.
func (f Flow) MustSign(c Check) bool {
	_, sign := signedBy(f.settledBy(c))
	return c.Manual() && sign
}

// Signs reports whether one of the checks needs a signature.
func (f Flow) Signs(checks []Check) bool { return slices.ContainsFunc(checks, f.MustSign) }

// settled reports whether the attestation of a manual check is by whoever may make it, and signed where it has to be. A
// signature that does not hold makes any attestation worthless.
func (f Flow) settled(t Task, i int, ev Evidence) bool {
	c := t.Checks[i]
	switch signed := t.Provenance[ev.Entry].Sig != ""; {
	case signed && f.Signature(t, ev.Entry) != nil, !signed && f.MustSign(c):
		return false
	default:
		return f.maySettle(c, ev.Who)
	}
}

// attestCall returns the call by which a person settles a check.
func (f Flow) attestCall(t Task, i int) Call {
	call := CallTo("attest", "id", t.ID, "check", i, "pass", Either)
	if f.MustSign(t.Checks[i]) {
		call.Args = append(call.Args, Arg{Name: "sign", Value: true})
	}
	return call.ByPerson()
}

func (f Flow) mustSign(t Task, i int) error {
	return Errorf(Forbidden, "check %d (%s) passes with a signature only", i, t.Checks[i].Desc).
		WithHint("a person runs %s in a terminal", f.attestCall(t, i))
}

func verdict(pass bool) Result {
	if pass {
		return Pass
	}
	return Fail
}

// Attest settles a manual check. Who may is said by the check's By, else by the flow: FORBIDDEN for anybody else. Saying
// again what was attested, without text, changes nothing.
func (f Flow) Attest(t Task, i int, pass bool, s Stamp) (Task, *Entry, error) {
	c := t.Checks[i]
	if !c.Manual() {
		return t, nil, Errorf(InvalidInput, "check %d (%s) is settled by running it", i, c.Desc).
			WithHint("%s", CallTo("run_checks", "id", t.ID, "only", []int{i}))
	}
	if err := f.mayAttest(t, i, s.Who); err != nil {
		return t, nil, err
	}
	if pass && f.MustSign(c) {
		return t, nil, f.mustSign(t, i)
	}
	result := verdict(pass)
	if ev, ok := t.Evidence(i); ok && ev.Result == result && c.Result == result && s.Text == "" {
		return t, nil, nil
	}
	t.Checks = slices.Clone(t.Checks)
	t.Checks[i].Result = result
	e := s.entry(Attested)
	e.Results = []CheckResult{{Check: c.Key(t.ID), Result: result}}
	return commit(t, e)
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
			WithHint("%s says what signing needs; %s shows whose keys count", CallTo("doctor"), CallTo("trust signer list"))
	}
	next.Checks = slices.Clone(t.Checks)
	next.Checks[i].Result = a.Result
	last := next.Provenance.Last()
	return next, &last, nil
}
