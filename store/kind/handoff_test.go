package kind_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
	"pgregory.net/rapid"
)

// handoffFile is a handoff in a state, claimed by an actor at a minute; "" for nobody.
func handoffFile(status, who, minute string) []byte {
	claim, entry := "", ""
	if who != "" {
		claim = "assignee: '" + who + "'\n"
		entry = "  - {who: '" + who + "', at: 2026-06-21T10:" + minute + ":00Z, did: claimed, from: open, to: claimed, assignee: '" + who + "'}\n"
	}
	return []byte("---\nid: HO-1\ntitle: Color\nstatus: " + status + "\ntype: question\nto: ['human:ada', 'agent:b']\n" + claim +
		"unknown: {kept: true}\nprovenance:\n  - {who: 'agent:a', at: 2026-06-21T10:00:00Z, did: created, content: '0123456789abcdef'}\n" + entry + "---\n")
}

// Two versions of a handoff merge without a conflict, and in the same way from either side: the one that was carried
// further counts.
func TestHandoffsMerge(t *testing.T) {
	base := handoffFile("open", "", "")
	for name, tt := range map[string]struct {
		base, ours, theirs []byte
		status, holder     string
	}{
		"claimed twice, at different times": {base, handoffFile("claimed", "human:ada", "02"), handoffFile("claimed", "agent:b", "01"), "claimed", "agent:b"},
		"claimed twice, at one time":        {base, handoffFile("claimed", "human:ada", "01"), handoffFile("claimed", "agent:b", "01"), "claimed", "agent:b"},
		"claimed first, and answered":       {base, handoffFile("claimed", "human:ada", "01"), handoffFile("responded", "agent:b", "02"), "responded", "agent:b"},
		"answered, and canceled":            {base, handoffFile("responded", "human:ada", "01"), handoffFile("canceled", "", ""), "canceled", "human:ada"},
		"canceled, and dealt with":          {base, handoffFile("canceled", "", ""), handoffFile("resolved", "agent:b", "01"), "resolved", "agent:b"},
		"released, and taken over":          {handoffFile("claimed", "human:ada", "01"), handoffFile("open", "", ""), handoffFile("claimed", "agent:b", "03"), "claimed", "agent:b"},
	} {
		for _, sides := range [][2][]byte{{tt.ours, tt.theirs}, {tt.theirs, tt.ours}} {
			merged, clean := kind.Merge(".cairn/handoffs/HO-1.md", tt.base, sides[0], sides[1], task.Flow{}, format.Markers{Size: 7})
			h, err := kind.Handoffs.Parse(merged)
			if !clean || err != nil || string(h.Status) != tt.status || string(h.Assignee) != tt.holder || !strings.Contains(string(merged), "unknown: {kept: true}\n") {
				t.Errorf("%s: clean is %v (%v), got\n%s", name, clean, err, merged)
			}
		}
	}
}

// Whatever verbs two branches call, their handoffs merge without a conflict, in the same way from either side, to what
// the entries of both make of the base.
func TestMergedHandoffsAreTheirEntries(t *testing.T) {
	actors := []record.Actor{"human:ada", "agent:b", "agent:a"}
	rapid.Check(t, func(t *rapid.T) {
		minute := 0
		act := func(h ledger.Handoff) ledger.Handoff {
			minute += rapid.IntRange(0, 1).Draw(t, "minutes")
			s := record.Stamp{Who: rapid.SampledFrom(actors).Draw(t, "who"), At: time.Date(2026, 6, 21, 10, minute, 0, 0, time.UTC), Text: "yes"}
			next, err := h, error(nil)
			switch rapid.SampledFrom([]string{"claim", "take over", "release", "respond", "resolve", "cancel"}).Draw(t, "verb") {
			case "claim", "take over":
				next, err = h.Claim(h.Status == ledger.HandoffClaimed, nil, s)
			case "release":
				next, err = h.Release(s)
			case "respond":
				next, err = h.Respond(ledger.Answer{}, nil, s)
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
		branch := func(h ledger.Handoff) (ledger.Handoff, []byte) {
			for range rapid.IntRange(0, 4).Draw(t, "writes") {
				h = act(h)
			}
			doc, err := kind.Handoffs.Create(h)
			if err != nil {
				t.Fatal(err)
			}
			return h, doc.Bytes()
		}
		h, err := ledger.NewHandoff(ledger.Handoff{Header: record.Header{Title: "Color"}, To: []ledger.Recipient{"human:ada", "agent:b"}}, "1", record.Stamp{Who: "agent:a"})
		if err != nil {
			t.Fatal(err)
		}
		base, src := branch(h)
		from := minute
		_, ours := branch(base)
		minute = from
		_, theirs := branch(base)
		one, clean1 := kind.Merge(".cairn/handoffs/HO-1.md", src, ours, theirs, task.Flow{}, format.Markers{Size: 7})
		two, clean2 := kind.Merge(".cairn/handoffs/HO-1.md", src, theirs, ours, task.Flow{}, format.Markers{Size: 7})
		if !clean1 || !clean2 || !bytes.Equal(one, two) {
			t.Fatalf("one way (%v)\n%s\nthe other (%v)\n%s", clean1, one, clean2, two)
		}
		merged, err := kind.Handoffs.Parse(one)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := ledger.HandoffLife.Fold(merged, base.Header, merged.Log.Since(len(base.Log)), task.Rules{})
		if merged.Status != want.Status || merged.Assignee != want.Assignee {
			t.Fatalf("merged to %s, held by %q; its entries make %s, held by %q:\nbase\n%s\nours\n%s\ntheirs\n%s\nmerged\n%s",
				merged.Status, merged.Assignee, want.Status, want.Assignee, src, ours, theirs, one)
		}
	})
}

// The row of a handoff has what lists and inboxes ask for, so that they read no file.
func TestRowOfAHandoff(t *testing.T) {
	h, err := kind.Handoffs.Parse(handoffFile("claimed", "agent:b", "01"))
	if err != nil {
		t.Fatal(err)
	}
	h.Log = h.Log.Add(record.Entry{Who: "agent:b", At: h.Log.Last().At, Did: record.Responded}.Saying(record.Detail{Option: "red"}))
	h.Log = h.Log.Add(record.Entry{Who: "human:ada", At: h.Log.Last().At, Did: record.Noted}.Saying(record.Detail{Mentions: []record.Actor{"agent:a"}}))
	r := kind.Handoffs.Row(h)
	for name, want := range map[string]string{kind.TypeFact: "question", kind.FromFact: "agent:a", kind.OptionFact: "red", kind.AnsweredFact: "agent:b"} {
		if got := r.Fact(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := r.All(kind.ToFact); !slices.Equal(got, []string{"human:ada", "agent:b"}) {
		t.Errorf("to is %q", got)
	}
	answer, mention := r.Said(kind.AnswerFact), r.Said(kind.MentionFact)
	if len(answer) != 1 || answer[0].Who != "agent:b" || answer[0].Hash != h.Log[2].ShortHash() || !answer[0].At.Equal(h.Log[2].At) {
		t.Errorf("the answers are %+v", answer)
	}
	if len(mention) != 1 || mention[0].Who != "human:ada" || mention[0].More != "agent:a" {
		t.Errorf("the mentions are %+v", mention)
	}
	if r.Assignee != "agent:b" || len(r.Said(kind.AssignedFact)) != 0 {
		t.Errorf("the assignee is %s, assigned by %+v", r.Assignee, r.Said(kind.AssignedFact))
	}
}

// What a row keeps of entries is bounded, and is the newest.
func TestRowsKeepTheNewestMentions(t *testing.T) {
	h := record.Header{Ref: kind.Tasks.Ref("T-1")}
	for range 40 {
		h.Log = h.Log.Add(record.Entry{Who: "agent:a", Did: record.Noted}.Saying(record.Detail{Mentions: []record.Actor{"agent:b", "agent:c"}}))
	}
	r := kind.RowOf(h)
	if got := r.Said(kind.MentionFact); len(got) != 32 || got[31].More != "agent:c" {
		t.Errorf("got %d, the last %+v", len(got), got[len(got)-1])
	}
}
