package ledger_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
)

func asks(who record.Actor, text string) record.Stamp {
	return record.Stamp{Who: who, At: time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC), Text: text}
}

// groups is a team in which agent:b is a painter.
func groups(who record.Actor) []string {
	if who == "agent:b" {
		return []string{"painters"}
	}
	return nil
}

// asked is a handoff of agent:a to human:ada and the painters.
func asked(t *testing.T, change func(*ledger.Handoff)) ledger.Handoff {
	t.Helper()
	h := ledger.Handoff{Header: record.Header{Title: "Which color?"}, To: []ledger.Recipient{"human:ada", "group:painters", "human:ada"}, Options: []string{"red", "blue"}}
	if change != nil {
		change(&h)
	}
	h, err := ledger.NewHandoff(h, "1", asks("agent:a", ""))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestNewHandoff(t *testing.T) {
	h := asked(t, nil)
	if h.Ref.ID != "HO-1" || h.Status != ledger.HandoffOpen || h.Type != ledger.Handover || len(h.To) != 2 || h.From() != "agent:a" || h.Log[0].Said().Content != h.ContentHash() {
		t.Errorf("got %+v", h)
	}
	for name, change := range map[string]func(*ledger.Handoff){
		"nobody is asked":                      func(h *ledger.Handoff) { h.To = nil },
		"a recipient who is no actor":          func(h *ledger.Handoff) { h.To = []ledger.Recipient{"ada"} },
		"a group without a name":               func(h *ledger.Handoff) { h.To = []ledger.Recipient{"group:"} },
		"a group that is a path":               func(h *ledger.Handoff) { h.To = []ledger.Recipient{"group:../x"} },
		"a type of its own":                    func(h *ledger.Handoff) { h.Type = "order" },
		"options alone, and none":              func(h *ledger.Handoff) { h.OptionsOnly, h.Options = true, nil },
		"one option twice":                     func(h *ledger.Handoff) { h.Options = []string{"red", "red"} },
		"an option of two lines":               func(h *ledger.Handoff) { h.Options = []string{"red\nblue"} },
		"no title":                             func(h *ledger.Handoff) { h.Title = "" },
		"a fingerprint of two lines":           func(h *ledger.Handoff) { h.Fingerprint = "a\nb" },
		"a fingerprint that is too long":       func(h *ledger.Handoff) { h.Fingerprint = strings.Repeat("x", 501) },
		"more options than anybody would read": func(h *ledger.Handoff) { h.Options = strings.Split(strings.Repeat("x,", 51)+"y", ",") },
	} {
		bad := ledger.Handoff{Header: record.Header{Title: "Which color?"}, To: []ledger.Recipient{"human:ada"}}
		change(&bad)
		if _, err := ledger.NewHandoff(bad, "1", asks("agent:a", "")); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s: got %v, want INVALID_INPUT", name, err)
		}
	}
}

// Whatever a handoff asks is in the hash of its content, and nothing else is.
func TestContentOfAHandoff(t *testing.T) {
	h := asked(t, nil)
	for name, change := range map[string]func(*ledger.Handoff){
		"title":       func(h *ledger.Handoff) { h.Title += "?" },
		"type":        func(h *ledger.Handoff) { h.Type = ledger.Review },
		"to":          func(h *ledger.Handoff) { h.To = h.To[:1] },
		"options":     func(h *ledger.Handoff) { h.Options = []string{"redblue"} },
		"text":        func(h *ledger.Handoff) { h.OptionsOnly = true },
		"due":         func(h *ledger.Handoff) { h.Due = "2027-01-01" },
		"about":       func(h *ledger.Handoff) { h.About = []string{"T-1"} },
		"fingerprint": func(h *ledger.Handoff) { h.Fingerprint = "f" },
		"body":        func(h *ledger.Handoff) { h.Body = "b" },
	} {
		other := h
		change(&other)
		if other.ContentHash() == h.ContentHash() {
			t.Errorf("another %s has the same hash", name)
		}
	}
	other := h
	other.Status, other.Assignee, other.Labels = ledger.HandoffClaimed, "human:ada", []string{"x"}
	if other.ContentHash() != h.ContentHash() {
		t.Error("a claim changes the hash")
	}
}

func TestClaimOfAHandoff(t *testing.T) {
	h := asked(t, nil)
	for who, code := range map[record.Actor]record.Code{"human:ada": "", "agent:b": "", "agent:a": record.Forbidden, "agent:x": record.Forbidden} {
		got, err := h.Claim(false, groups, asks(who, ""))
		if record.CodeOf(err) != code {
			t.Errorf("%s: got %v, want %q", who, err, code)
		}
		if e := got.Log.Last(); code == "" && (got.Assignee != who || got.Status != ledger.HandoffClaimed || e.Did != record.Claimed || *e.Assignee != who) {
			t.Errorf("%s: got %+v", who, got)
		}
	}
	if _, err := h.Claim(false, nil, asks("agent:b", "")); record.CodeOf(err) != record.Forbidden {
		t.Errorf("without groups: got %v", err)
	}
	ada, _ := h.Claim(false, groups, asks("human:ada", ""))
	if again, err := ada.Claim(false, groups, asks("human:ada", "")); err != nil || len(again.Log) != len(ada.Log) {
		t.Errorf("claimed twice: %+v, %v", again, err)
	}
	over, err := ada.Claim(true, groups, asks("agent:b", ""))
	if err != nil || over.Assignee != "agent:b" || over.Log.Last().Did != record.TakenOver || over.Log.Last().To != "" {
		t.Errorf("taken over: %+v, %v", over, err)
	}
	if _, err := ada.Release(asks("agent:b", "")); record.CodeOf(err) != record.NotYours {
		t.Errorf("released by another: %v", err)
	}
	if free, err := ada.Release(asks("human:lee", "ill")); err != nil || free.Status != ledger.HandoffOpen || free.Assignee != "" {
		t.Errorf("released by a person: %+v, %v", free, err)
	}
}

func TestAnswerOfAHandoff(t *testing.T) {
	open, only := asked(t, nil), asked(t, func(h *ledger.Handoff) { h.OptionsOnly = true })
	for name, tt := range map[string]struct {
		h      ledger.Handoff
		who    record.Actor
		option string
		text   string
		code   record.Code
	}{
		"an option":                    {open, "human:ada", "red", "", ""},
		"a text":                       {open, "agent:b", "", "green", ""},
		"both":                         {only, "agent:b", "blue", "as the sky", ""},
		"neither":                      {open, "human:ada", "", " ", record.InvalidInput},
		"an option that there is not":  {open, "human:ada", "green", "", record.InvalidInput},
		"a text where options must be": {only, "human:ada", "", "green", record.InvalidInput},
		"by a stranger":                {open, "agent:x", "red", "", record.Forbidden},
		"by who asked":                 {open, "agent:a", "red", "", record.Forbidden},
		"a text that is too long":      {open, "human:ada", "red", strings.Repeat("x", record.MaxText+1), record.InvalidInput},
	} {
		got, err := tt.h.Respond(ledger.Answer{Option: tt.option}, groups, asks(tt.who, tt.text))
		if record.CodeOf(err) != tt.code || tt.code == "" && (got.Status != ledger.HandoffResponded || !got.Answered(tt.who)) {
			t.Errorf("%s: got %+v, %v; want %q", name, got, err, tt.code)
		}
	}
	first, _ := open.Respond(ledger.Answer{Option: "red"}, groups, asks("human:ada", ""))
	second, err := first.Respond(ledger.Answer{Option: "blue"}, groups, asks("agent:b", ""))
	if e, ok := second.Response(); err != nil || !ok || e.Said().Option != "blue" || e.To != "" {
		t.Errorf("a second answer: %+v, %v", second, err)
	}
	if _, err := first.Claim(false, groups, asks("agent:b", "")); record.CodeOf(err) != record.Conflict {
		t.Errorf("claimed when it is answered: %v", err)
	}
}

func TestEndOfAHandoff(t *testing.T) {
	h := asked(t, nil)
	claimed, _ := h.Claim(false, groups, asks("agent:b", ""))
	answered, _ := h.Respond(ledger.Answer{Option: "red"}, groups, asks("human:ada", ""))
	for name, tt := range map[string]struct {
		h    ledger.Handoff
		who  record.Actor
		as   record.Status
		code record.Code
	}{
		"by who asked":                   {h, "agent:a", ledger.HandoffCanceled, ""},
		"by a recipient who did nothing": {h, "human:ada", ledger.HandoffResolved, record.Forbidden},
		"by who claimed":                 {claimed, "agent:b", ledger.HandoffResolved, ""},
		"by who answered":                {answered, "human:ada", ledger.HandoffResolved, ""},
		"by a stranger":                  {answered, "human:lee", ledger.HandoffResolved, record.Forbidden},
		"as no end":                      {h, "agent:a", ledger.HandoffOpen, record.InvalidInput},
	} {
		got, err := tt.h.Resolve(tt.as, asks(tt.who, ""))
		if record.CodeOf(err) != tt.code || tt.code == "" && (got.Status != tt.as || got.Log.Last().Did != record.Resolved) {
			t.Errorf("%s: got %+v, %v; want %q", name, got, err, tt.code)
		}
		if tt.code != "" {
			continue
		}
		if again, err := got.Resolve(tt.as, asks(tt.who, "")); err != nil || len(again.Log) != len(got.Log) {
			t.Errorf("%s, again: %+v, %v", name, again, err)
		}
		if _, err := got.Respond(ledger.Answer{Option: "red"}, groups, asks("human:ada", "")); record.CodeOf(err) != record.Conflict {
			t.Errorf("%s: answered when it is over: %v", name, err)
		}
	}
}
