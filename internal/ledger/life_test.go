package ledger_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
	"pgregory.net/rapid"
)

// actors are two recipients of a handoff, who asked it, and a stranger.
var actors = []record.Actor{"human:ada", "agent:b", "agent:a", "agent:x"}

// act makes one write at random. What is refused changes nothing.
func act(t *rapid.T, h ledger.Handoff, at time.Time) ledger.Handoff {
	s := record.Stamp{Who: rapid.SampledFrom(actors).Draw(t, "who"), At: at, Text: rapid.SampledFrom([]string{"", "yes"}).Draw(t, "text")}
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
		got, follow := ledger.HandoffLife.Fold(h, record.Header{Ref: h.Ref, Status: ledger.HandoffOpen}, h.Log, in)
		if !follow || got.Status != h.Status || got.Assignee != h.Assignee || len(got.Log) != len(h.Log) {
			t.Fatalf("%+v\nfolds to %s, held by %q; they follow: %v", h, got.Status, got.Assignee, follow)
		}
	})
}

// What two branches did to a handoff counts as far as it can.
func TestEntriesOfTwoBranches(t *testing.T) {
	h := asked(t, nil)
	entry := func(who record.Actor, did record.Did, from, to record.Status, holder string) record.Entry {
		e := record.Entry{Who: who, Did: did, From: from, To: to}
		if holder != "-" {
			a := record.Actor(holder)
			e.Assignee = &a
		}
		return e
	}
	claim := func(who record.Actor) record.Entry {
		return entry(who, record.Claimed, ledger.HandoffOpen, ledger.HandoffClaimed, string(who))
	}
	release := func(who record.Actor) record.Entry {
		return entry(who, record.Released, ledger.HandoffClaimed, ledger.HandoffOpen, "")
	}
	answer := func(who record.Actor, from record.Status) record.Entry {
		return entry(who, record.Responded, from, ledger.HandoffResponded, "-").Saying(record.Detail{Option: "red"})
	}
	end := func(from, to record.Status) record.Entry { return entry("agent:a", record.Resolved, from, to, "-") }
	const ada, b = record.Actor("human:ada"), record.Actor("agent:b")
	for name, tt := range map[string]struct {
		entries []record.Entry
		status  record.Status
		holder  record.Actor
	}{
		"the first claim stands":                    {[]record.Entry{claim(b), claim(ada)}, ledger.HandoffClaimed, b},
		"a claim that lost is given up":             {[]record.Entry{claim(b), claim(ada), release(ada)}, ledger.HandoffClaimed, b},
		"and made again":                            {[]record.Entry{claim(b), claim(ada), release(ada), claim(ada)}, ledger.HandoffClaimed, b},
		"a claim that won is given up":              {[]record.Entry{claim(ada), claim(b), release(ada)}, ledger.HandoffClaimed, b},
		"who lost answers":                          {[]record.Entry{claim(ada), claim(b), answer(b, ledger.HandoffClaimed)}, ledger.HandoffResponded, b},
		"claimed once it was answered":              {[]record.Entry{answer(ada, ledger.HandoffOpen), claim(b)}, ledger.HandoffResponded, b},
		"answered once it was canceled":             {[]record.Entry{end(ledger.HandoffOpen, ledger.HandoffCanceled), answer(b, ledger.HandoffOpen)}, ledger.HandoffCanceled, ""},
		"canceled, and dealt with":                  {[]record.Entry{end(ledger.HandoffOpen, ledger.HandoffCanceled), end(ledger.HandoffOpen, ledger.HandoffResolved)}, ledger.HandoffResolved, ""},
		"dealt with, and canceled":                  {[]record.Entry{end(ledger.HandoffOpen, ledger.HandoffResolved), end(ledger.HandoffOpen, ledger.HandoffCanceled)}, ledger.HandoffResolved, ""},
		"a stranger's release of what somebody has": {[]record.Entry{claim(ada), claim(b), release("agent:x")}, ledger.HandoffClaimed, ada},
		"an entry of a newer cairn":                 {[]record.Entry{claim(ada), entry(ada, "delegated", "", "", string(b))}, ledger.HandoffClaimed, ada},
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
	dids := []record.Did{"", "delegated", record.Created, record.Claimed, record.TakenOver, record.Released, record.Responded, record.Resolved, record.Transitioned, record.Updated, record.Noted}
	states := []record.Status{"", "open", "claimed", "responded", "resolved", "canceled", "accepted", "nonsense"}
	rapid.Check(t, func(t *rapid.T) {
		known := map[record.Status]bool{"": true, h.Status: true}
		var entries []record.Entry
		for range rapid.IntRange(0, 8).Draw(t, "entries") {
			e := record.Entry{Who: rapid.SampledFrom(append(actors, "")).Draw(t, "who"), Did: rapid.SampledFrom(dids).Draw(t, "did")}
			e.From, e.To = rapid.SampledFrom(states).Draw(t, "from"), rapid.SampledFrom(states).Draw(t, "to")
			if holder := rapid.SampledFrom([]record.Actor{"-", "", "human:ada", "agent:x"}).Draw(t, "holder"); holder != "-" {
				e.Assignee = &holder
			}
			entries = append(entries, e)
			known[e.To] = true
		}
		for _, s := range []record.Status{ledger.HandoffClaimed, ledger.HandoffOpen, ledger.HandoffResponded} {
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
