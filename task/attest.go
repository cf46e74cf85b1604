package task

import (
	"slices"
	"strconv"
	"strings"
)

// FindCheck resolves an index, a description, or a part of exactly one description to the index of a check.
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
	return 0, Errorf(InvalidInput, "%s %q", which, clip(ref, 60)).
		WithHint("name a check by its index, from 0, or by its description; %s lists them", CallTo("get", "id", t.ID))
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
