package ledger_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/task"
	"pgregory.net/rapid"
)

// actors are two recipients of a handoff, who asked it, and a stranger.
var actors = []task.Actor{"human:ada", "agent:b", "agent:a", "agent:x"}

// act makes one write at random. What is refused changes nothing.
func act(t *rapid.T, h ledger.Handoff, at time.Time) ledger.Handoff {
	s := task.Stamp{Who: rapid.SampledFrom(actors).Draw(t, "who"), At: at, Text: rapid.SampledFrom([]string{"", "yes"}).Draw(t, "text")}
	var next ledger.Handoff
	var err error
	switch rapid.SampledFrom([]string{"claim", "take over", "release", "respond", "resolve", "cancel"}).Draw(t, "verb") {
	case "claim":
		if h.Status == ledger.HandoffClaimed {
			return h // session.Holder refuses it
		}
		next, err = h.Claim(false, groups, s)
	case "take over":
		next, err = h.Claim(true, groups, s)
	case "release":
		next, err = h.Release(s)
	case "respond":
		next, err = h.Respond(ledger.Answer{Option: "red"}, groups, s)
	case "resolve":
		next, err = h.Resolve(ledger.HandoffResolved, s)
	case "cancel":
		next, err = h.Resolve(ledger.HandoffCanceled, s)
	}
	if err != nil {
		return h
	}
	return next
}

// A handoff is what its entries make of it, whatever verbs were called.
func TestAHandoffIsItsEntries(t *testing.T) {
	first := asked(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		h, at := first, asks("", "").At
		for range rapid.IntRange(0, 12).Draw(t, "writes") {
			at = at.Add(time.Minute)
			h = act(t, h, at)
		}
		in := task.Rules{Groups: groups}
		got, follow := ledger.HandoffLife.Fold(h, task.Header{Ref: h.Ref, Status: ledger.HandoffOpen}, h.Log, in)
		if !follow || got.Status != h.Status || got.Assignee != h.Assignee || len(got.Log) != len(h.Log) {
			t.Fatalf("%+v\nfolds to %s, held by %q; they follow: %v", h, got.Status, got.Assignee, follow)
		}
	})
}

// What two branches did to a handoff counts as far as it can.
func TestEntriesOfTwoBranches(t *testing.T) {
	h := asked(t, nil)
	entry := func(who task.Actor, did task.Did, from, to task.Status, holder string) task.Entry {
		e := task.Entry{Who: who, Did: did, From: from, To: to}
		if holder != "-" {
			a := task.Actor(holder)
			e.Assignee = &a
		}
		return e
	}
	claim := func(who task.Actor) task.Entry {
		return entry(who, task.Claimed, ledger.HandoffOpen, ledger.HandoffClaimed, string(who))
	}
	release := func(who task.Actor) task.Entry {
		return entry(who, task.Released, ledger.HandoffClaimed, ledger.HandoffOpen, "")
	}
	answer := func(who task.Actor, from task.Status) task.Entry {
		return entry(who, task.Responded, from, ledger.HandoffResponded, "-").Saying(task.Detail{Option: "red"})
	}
	end := func(from, to task.Status) task.Entry { return entry("agent:a", task.Resolved, from, to, "-") }
	const ada, b = task.Actor("human:ada"), task.Actor("agent:b")
	for name, tt := range map[string]struct {
		entries []task.Entry
		status  task.Status
		holder  task.Actor
	}{
		"the first claim stands":                    {[]task.Entry{claim(b), claim(ada)}, ledger.HandoffClaimed, b},
		"a claim that lost is given up":             {[]task.Entry{claim(b), claim(ada), release(ada)}, ledger.HandoffClaimed, b},
		"and made again":                            {[]task.Entry{claim(b), claim(ada), release(ada), claim(ada)}, ledger.HandoffClaimed, b},
		"a claim that won is given up":              {[]task.Entry{claim(ada), claim(b), release(ada)}, ledger.HandoffClaimed, b},
		"who lost answers":                          {[]task.Entry{claim(ada), claim(b), answer(b, ledger.HandoffClaimed)}, ledger.HandoffResponded, b},
		"claimed once it was answered":              {[]task.Entry{answer(ada, ledger.HandoffOpen), claim(b)}, ledger.HandoffResponded, b},
		"answered once it was canceled":             {[]task.Entry{end(ledger.HandoffOpen, ledger.HandoffCanceled), answer(b, ledger.HandoffOpen)}, ledger.HandoffCanceled, ""},
		"canceled, and dealt with":                  {[]task.Entry{end(ledger.HandoffOpen, ledger.HandoffCanceled), end(ledger.HandoffOpen, ledger.HandoffResolved)}, ledger.HandoffResolved, ""},
		"dealt with, and canceled":                  {[]task.Entry{end(ledger.HandoffOpen, ledger.HandoffResolved), end(ledger.HandoffOpen, ledger.HandoffCanceled)}, ledger.HandoffResolved, ""},
		"a stranger's release of what somebody has": {[]task.Entry{claim(ada), claim(b), release("agent:x")}, ledger.HandoffClaimed, ada},
		"an entry of a newer cairn":                 {[]task.Entry{claim(ada), entry(ada, "delegated", "", "", string(b))}, ledger.HandoffClaimed, ada},
	} {
		got, follow := ledger.HandoffLife.Fold(h, h.Header, tt.entries, task.Rules{Granted: true})
		if follow || got.Status != tt.status || got.Assignee != tt.holder {
			t.Errorf("%s: %s, held by %q; they follow: %v", name, got.Status, got.Assignee, follow)
		}
	}
}

// Whatever entries a file has, folding and judging them ends, and leaves no state that none of them names.
func TestHostileEntries(t *testing.T) {
	h := asked(t, nil)
	lives := map[string]task.Life{"handoff": ledger.HandoffLife, "decision": ledger.DecisionLife, "plain": task.Plain(ledger.FeedbackStates...), "without states": task.Plain()}
	dids := []task.Did{"", "delegated", task.Created, task.Claimed, task.TakenOver, task.Released, task.Responded, task.Resolved, task.Transitioned, task.Updated, task.Noted}
	states := []task.Status{"", "open", "claimed", "responded", "resolved", "canceled", "accepted", "nonsense"}
	rapid.Check(t, func(t *rapid.T) {
		known := map[task.Status]bool{"": true, h.Status: true}
		var entries []task.Entry
		for range rapid.IntRange(0, 8).Draw(t, "entries") {
			e := task.Entry{Who: rapid.SampledFrom(append(actors, "")).Draw(t, "who"), Did: rapid.SampledFrom(dids).Draw(t, "did")}
			e.From, e.To = rapid.SampledFrom(states).Draw(t, "from"), rapid.SampledFrom(states).Draw(t, "to")
			if holder := rapid.SampledFrom([]task.Actor{"-", "", "human:ada", "agent:x"}).Draw(t, "holder"); holder != "-" {
				e.Assignee = &holder
			}
			entries = append(entries, e)
			known[e.To] = true
		}
		for _, s := range []task.Status{ledger.HandoffClaimed, ledger.HandoffOpen, ledger.HandoffResponded} {
			known[s] = true // which claims, releases and answers bring, whatever they say
		}
		for name, life := range lives {
			for _, v := range []any{h, nil, "no record"} {
				got, _ := life.Fold(v, h.Header, entries, task.Rules{})
				if !known[got.Status] || len(got.Log) != len(h.Log)+len(entries) {
					t.Fatalf("%s: %v fold to %s", name, entries, got.Status)
				}
				for _, e := range entries {
					_ = life.Judge(v, got, e, task.Rules{})
				}
			}
		}
	})
}
