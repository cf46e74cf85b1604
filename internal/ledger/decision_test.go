package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

var noon = time.Date(2026, 6, 21, 12, 0, 0, 0, time.UTC)

func by(who record.Actor, text string) record.Stamp {
	return record.Stamp{Who: who, At: noon, Text: text}
}

func none(ledger.DecisionID) (ledger.Decision, bool) { return ledger.Decision{}, false }

func locks() ledger.Decision {
	return ledger.Decision{Header: record.Header{Title: "Locks"}, Choice: "A file lock"}
}

func TestWhoAcceptsDecisions(t *testing.T) {
	anyone := task.Flow{Attesters: task.Attesters{Ratify: task.ByAnyone}}
	human := task.Flow{Attesters: task.Attesters{Ratify: task.ByHuman}}
	for name, tt := range map[string]struct {
		flow   task.Flow
		who    record.Actor
		asked  record.Status
		status record.Status
		code   record.Code
	}{
		"a person's is accepted":               {human, "human:ada", "", ledger.Accepted, ""},
		"unless told":                          {human, "human:ada", ledger.Proposed, ledger.Proposed, ""},
		"an agent's is proposed":               {human, "agent:a", "", ledger.Proposed, ""},
		"an agent's may be rejected":           {human, "agent:a", ledger.Rejected, ledger.Rejected, ""},
		"an agent may not accept":              {human, "agent:a", ledger.Accepted, "", record.Forbidden},
		"nor may a service":                    {task.Flow{}, "service:bot", ledger.Accepted, "", record.Forbidden},
		"where anyone may, an agent may":       {anyone, "agent:a", ledger.Accepted, ledger.Accepted, ""},
		"and its own is still a proposal":      {anyone, "agent:a", "", ledger.Proposed, ""},
		"a state that there is not is refused": {anyone, "human:ada", "done", "", record.InvalidInput},
	} {
		d := locks()
		d.Status = tt.asked
		got, err := ledger.NewDecision(tt.flow, d, "1", none, by(tt.who, ""))
		if record.CodeOf(err) != tt.code || err == nil && got.Status != tt.status {
			t.Errorf("%s: got %s, %v", name, got.Status, err)
		}
		if err != nil {
			continue
		}
		if first := got.Log.First(); got.Ref.ID != "DEC-1" || first.To != tt.status || first.Said().Content != got.ContentHash() || ledger.RecordedHash(got.Log) != got.ContentHash() {
			t.Errorf("%s: the entry is %+v of %s", name, first, got.Ref)
		}
		if asks := got.Asks(tt.flow, "", by(tt.who, "")); (len(asks) > 0) != (tt.who.Human() && tt.status == ledger.Accepted && tt.flow.Ratify != task.ByAnyone) {
			t.Errorf("%s: the person is asked %+v", name, asks)
		}
	}
}

func TestStatusOfADecision(t *testing.T) {
	flow := task.Flow{}
	for _, tt := range []struct {
		from, to record.Status
		who      record.Actor
		reason   string
		code     record.Code
		did      record.Did // of the new entry
	}{
		{ledger.Proposed, ledger.Accepted, "human:ada", "", "", record.Transitioned},
		{ledger.Proposed, ledger.Accepted, "agent:a", "", record.Forbidden, ""},
		{ledger.Proposed, ledger.Rejected, "agent:a", "no", "", record.Transitioned},
		{ledger.Accepted, ledger.Rejected, "agent:a", "no", record.Forbidden, ""},
		{ledger.Accepted, ledger.Proposed, "agent:a", "", record.Forbidden, ""},
		{ledger.Accepted, ledger.Proposed, "human:ada", "", "", record.Transitioned},
		{ledger.Accepted, ledger.Accepted, "agent:a", "", "", ""},
		{ledger.Accepted, ledger.Accepted, "agent:a", "indeed", "", record.Noted},
		{ledger.Proposed, "open", "human:ada", "", record.InvalidInput, ""},
		{ledger.Proposed, ledger.Rejected, "human:ada", strings.Repeat("x", 5000), record.InvalidInput, ""},
	} {
		d := locks()
		d.Status = tt.from
		got, err := d.SetStatus(flow, tt.to, by(tt.who, tt.reason))
		if record.CodeOf(err) != tt.code || err == nil && got.Status != tt.to || got.Log.Last().Did != tt.did {
			t.Errorf("%s to %s by %s: got %s, %+v, %v", tt.from, tt.to, tt.who, got.Status, got.Log, err)
		}
		if e := got.Log.Last(); e.Did == record.Transitioned && (e.From != tt.from || e.To != tt.to) {
			t.Errorf("%s to %s: the entry is %+v", tt.from, tt.to, e)
		}
	}
	forged := record.Entry{Who: "agent:a", Did: record.Created, To: ledger.Accepted}.Saying(record.Detail{Content: "0123456789abcdef"})
	if err := ledger.DecisionLife.Judge(locks(), record.Header{}, forged, task.Rules{}); record.CodeOf(err) != record.Forbidden {
		t.Errorf("an agent's entry accepts a decision: %v", err)
	}
}

func TestDecisionsThatThereMayNotBe(t *testing.T) {
	for name, change := range map[string]func(*ledger.Decision){
		"no title":             func(d *ledger.Decision) { d.Title = "" },
		"no choice":            func(d *ledger.Decision) { d.Choice = " " },
		"a long choice":        func(d *ledger.Decision) { d.Choice = strings.Repeat("x", 4097) },
		"a scope above":        func(d *ledger.Decision) { d.Scope = []string{"../x"} },
		"too many globs":       func(d *ledger.Decision) { d.Scope = slices.Repeat([]string{"a"}, 101) },
		"too many ids":         func(d *ledger.Decision) { d.About = slices.Repeat([]string{"T-1"}, 101) },
		"too many options":     func(d *ledger.Decision) { d.Options = make([]ledger.Option, 51) },
		"an option of nothing": func(d *ledger.Decision) { d.Options = []ledger.Option{{Summary: "x"}} },
		"an option twice":      func(d *ledger.Decision) { d.Options = []ledger.Option{{Label: "a"}, {Label: "a"}} },
		"long reasons against": func(d *ledger.Decision) { d.Options = []ledger.Option{{Label: "a", Cons: strings.Repeat("x", 5000)}} },
		"a body with a NUL":    func(d *ledger.Decision) { d.Body = "a\x00b" },
		"a label on two lines": func(d *ledger.Decision) { d.Labels = []string{"a\nb"} },
	} {
		d := locks()
		change(&d)
		if _, err := ledger.NewDecision(task.Flow{}, d, "1", none, by("human:ada", "")); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestWhatADecisionSupersedes(t *testing.T) {
	known := map[ledger.DecisionID]ledger.DecisionID{"DEC-a": "", "DEC-b": "DEC-a", "DEC-x": "DEC-y", "DEC-y": "DEC-x", "DEC-z": "DEC-x", "DEC-g": "DEC-gone"}
	find := func(id ledger.DecisionID) (ledger.Decision, bool) {
		before, ok := known[id]
		return ledger.Decision{Supersedes: before}, ok
	}
	for id, code := range map[ledger.DecisionID]record.Code{
		"": "", "DEC-a": "", "DEC-b": "", "DEC-g": "", "DEC-none": record.NotFound, "DEC-new": record.InvalidInput, "DEC-x": record.InvalidInput, "DEC-z": "",
	} {
		d := locks()
		d.Supersedes = id
		if _, err := ledger.NewDecision(task.Flow{}, d, "new", find, by("human:ada", "")); record.CodeOf(err) != code {
			t.Errorf("%q: got %v, want %q", id, err, code)
		}
	}
}

// Everything that never changes is in the hash, and what moves is not.
func TestContentHash(t *testing.T) {
	d := ledger.Decision{
		Header: record.Header{Ref: record.Ref{ID: "DEC-1"}, Title: "Locks"}, Choice: "A file lock", Supersedes: "DEC-0",
		Options: []ledger.Option{{"a", "b", "c", "d"}}, Scope: []string{"x", "y"}, About: []string{"T-1"}, Body: "why",
	}
	hash := d.ContentHash()
	for name, change := range map[string]func(*ledger.Decision){
		"id":         func(d *ledger.Decision) { d.Ref.ID = "DEC-2" },
		"title":      func(d *ledger.Decision) { d.Title = "Lock" },
		"choice":     func(d *ledger.Decision) { d.Choice = "None" },
		"supersedes": func(d *ledger.Decision) { d.Supersedes = "" },
		"options":    func(d *ledger.Decision) { d.Options = []ledger.Option{{"a", "b", "", "cd"}} },
		"scope":      func(d *ledger.Decision) { d.Scope, d.About = []string{"x"}, []string{"y", "T-1"} },
		"about":      func(d *ledger.Decision) { d.About = nil },
		"body":       func(d *ledger.Decision) { d.Body = "" },
	} {
		other := d
		change(&other)
		if other.ContentHash() == hash {
			t.Errorf("%s is not in the hash", name)
		}
		if name != "id" && !slices.Contains(other.Changed(d), name) {
			t.Errorf("%s is not among what changed: %q", name, other.Changed(d))
		}
	}
	d.Status, d.Labels, d.Log = ledger.Accepted, []string{"new"}, record.Log{{Who: "human:ada"}}
	if d.ContentHash() != hash {
		t.Error("what may change is in the hash")
	}
}

func TestSectionsOfADecision(t *testing.T) {
	for name, tt := range map[string]struct{ body, context, rationale string }{
		"as they are written": {ledger.DecisionBody("Two writers.\n\n### Which\n\nBoth.", "It is simple."), "Two writers.\n\n### Which\n\nBoth.", "It is simple."},
		"the reasons alone":   {ledger.DecisionBody(" ", "It is simple."), "", "It is simple."},
		"nothing":             {ledger.DecisionBody("", ""), "", ""},
		"as MADR has them": {
			"# Locks\n\n## Context and Problem Statement\n\nTwo writers.\n\n## Considered Options\n\n* none\n\n## Decision Outcome\n\nChosen: a lock.\n\n### Consequences\n\nSlow.\n",
			"Two writers.", "Chosen: a lock.\n\n### Consequences\n\nSlow.",
		},
		"a block of code": {"## Context\n\n```\n## Rationale\n```\n\n## Rationale ##\n\nSo.", "```\n## Rationale\n```", "So."},
	} {
		d := ledger.Decision{Body: tt.body}
		if d.Context() != tt.context || d.Rationale() != tt.rationale {
			t.Errorf("%s: got %q and %q", name, d.Context(), d.Rationale())
		}
	}
}

func TestSuccession(t *testing.T) {
	a, p, r := ledger.Accepted, ledger.Proposed, ledger.Rejected
	d := func(id, supersedes ledger.DecisionID, s record.Status, at int64) ledger.Successor {
		return ledger.Successor{ID: id, Supersedes: supersedes, Status: s, Created: at}
	}
	for name, tt := range map[string]struct {
		all     []ledger.Successor
		governs []ledger.DecisionID
		by      map[ledger.DecisionID]ledger.DecisionID // superseded by which
	}{
		"alone":                       {[]ledger.Successor{d("A", "", a, 1), d("B", "", p, 2), d("C", "", r, 3)}, []ledger.DecisionID{"A"}, nil},
		"a successor":                 {[]ledger.Successor{d("A", "", a, 1), d("B", "A", a, 2)}, []ledger.DecisionID{"B"}, map[ledger.DecisionID]ledger.DecisionID{"A": "B"}},
		"one that is only proposed":   {[]ledger.Successor{d("A", "", a, 1), d("B", "A", p, 2)}, []ledger.DecisionID{"A"}, nil},
		"one that was rejected":       {[]ledger.Successor{d("A", "", a, 1), d("B", "A", r, 2)}, []ledger.DecisionID{"A"}, nil},
		"a chain":                     {[]ledger.Successor{d("C", "B", a, 3), d("A", "", a, 1), d("B", "A", a, 2)}, []ledger.DecisionID{"C"}, map[ledger.DecisionID]ledger.DecisionID{"A": "C", "B": "C"}},
		"a chain over a proposed one": {[]ledger.Successor{d("A", "", a, 1), d("B", "A", p, 2), d("C", "B", a, 3)}, []ledger.DecisionID{"C"}, map[ledger.DecisionID]ledger.DecisionID{"A": "C", "B": "C"}},
		"two successors":              {[]ledger.Successor{d("A", "", a, 1), d("C", "A", a, 3), d("B", "A", a, 2)}, []ledger.DecisionID{"C"}, map[ledger.DecisionID]ledger.DecisionID{"A": "C", "B": "C"}},
		"two of one second":           {[]ledger.Successor{d("A", "", a, 1), d("C", "A", a, 2), d("B", "A", a, 2)}, []ledger.DecisionID{"C"}, map[ledger.DecisionID]ledger.DecisionID{"A": "C", "B": "C"}},
		"two, of which one is not accepted": {
			[]ledger.Successor{d("A", "", a, 1), d("B", "A", a, 2), d("C", "A", p, 3)}, []ledger.DecisionID{"B"}, map[ledger.DecisionID]ledger.DecisionID{"A": "B"},
		},
		"a successor with an early clock": {[]ledger.Successor{d("A", "", a, 9), d("B", "A", a, 2)}, []ledger.DecisionID{"B"}, map[ledger.DecisionID]ledger.DecisionID{"A": "B"}},
		"the predecessor is gone":         {[]ledger.Successor{d("B", "A", a, 2)}, []ledger.DecisionID{"B"}, nil},
		"a circle":                        {[]ledger.Successor{d("A", "B", a, 1), d("B", "A", a, 2), d("C", "B", p, 3)}, []ledger.DecisionID{"B"}, map[ledger.DecisionID]ledger.DecisionID{"A": "B"}},
		"one that supersedes itself":      {[]ledger.Successor{d("A", "A", a, 1)}, []ledger.DecisionID{"A"}, nil},
	} {
		order := ledger.Succeed(tt.all)
		for _, one := range tt.all {
			if got, want := order.Governs(one.ID), slices.Contains(tt.governs, one.ID); got != want {
				t.Errorf("%s: %s governs: %v", name, one.ID, got)
			}
			if got := order.SupersededBy(one.ID); got != tt.by[one.ID] {
				t.Errorf("%s: %s is superseded by %q", name, one.ID, got)
			}
		}
	}
	if ledger.Succeed(nil).Governs("") || ledger.Succeed(nil).Governs("A") {
		t.Error("what does not exist governs")
	}
}

// A line of very many decisions, which somebody has made to keep others waiting, is followed once.
func TestSuccessionOfVeryMany(t *testing.T) {
	id := func(n int) ledger.DecisionID { return ledger.DecisionID(fmt.Sprintf("DEC-%05d", n)) }
	for name, first := range map[string]ledger.DecisionID{"a line": "", "a circle": id(29_999)} {
		all := []ledger.Successor{{ID: id(0), Supersedes: first, Status: ledger.Accepted}}
		for n := 1; n < 30_000; n++ {
			all = append(all, ledger.Successor{ID: id(n), Supersedes: id(n - 1), Status: ledger.Accepted, Created: int64(n)})
		}
		begun := time.Now()
		if order := ledger.Succeed(all); !order.Governs(id(29_999)) || order.Governs(id(0)) {
			t.Errorf("%s: the newest does not govern", name)
		}
		if took := time.Since(begun); took > 3*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}
