package where_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb/where"
)

// card is what the filters of these tests are about.
type card struct {
	title  string
	state  string
	labels []string
	rank   float64
	due    time.Time
	idle   time.Duration
	ready  bool
}

var now = time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)

func table() where.Table[card] {
	return where.Table[card]{Now: now, Keys: []where.Key[card]{
		{Name: "title", Type: where.Text, Texts: func(c card) []string { return []string{c.title} }},
		{Name: "state", Type: where.Word, Texts: func(c card) []string { return []string{c.state} }, Read: func(v string) (string, error) {
			return v, record.OneOf("state", v, []string{"open", "done"})
		}},
		{Name: "label", Type: where.Words, Texts: func(c card) []string { return c.labels }},
		{Name: "rank", Type: where.Number, Number: func(c card) (float64, bool) { return c.rank, c.rank >= 0 }},
		{Name: "due_by", Type: where.Time, Number: func(c card) (float64, bool) { return where.Seconds(c.due), !c.due.IsZero() }},
		{Name: "made", Type: where.Time, Past: true, Number: func(c card) (float64, bool) { return where.Seconds(c.due), !c.due.IsZero() }},
		{Name: "idle", Type: where.Span, Number: func(c card) (float64, bool) { return c.idle.Seconds(), c.idle > 0 }},
		{Name: "ready", Type: where.Flag, Flag: func(c card) bool { return c.ready }},
	}}
}

func TestFilters(t *testing.T) {
	roof := card{title: `Put on the "roof", and so`, state: "open", labels: []string{"wood", "high"}, rank: 2, due: now.AddDate(0, 0, 3), idle: 50 * time.Hour, ready: true}
	bare := card{title: "Walls", state: "done", rank: -1}
	for _, tt := range []struct {
		filter     string
		roof, bare bool
	}{
		{"", true, true},
		{"  ", true, true},
		{"state=open", true, false},
		{"state==open", true, false},
		{"state!=open", false, true},
		{"state=open,done", true, true},
		{"state!=open,done", false, false},
		{"title~ROOF", true, false},
		{"title!~roof", false, true},
		{`title~"the \"roof\", and"`, true, false},
		{`title~'the "roof"'`, true, false},
		{"title=walls", false, true},
		{"label=wood", true, false},
		{"label=stone,high", true, false},
		{"label!=wood", false, true},
		{"label~oo", true, false},
		{"label", true, false},
		{"not label", false, true},
		{"rank<=2", true, false},
		{"rank<2", false, false},
		{"rank>1.5 and rank<3", true, false},
		{"rank=1,2", true, false},
		{"rank!=2", false, true},
		{"rank", true, false},
		{"due-by<7d", true, false},
		{"due_by<2d", false, false},
		{"due_by>=2026-06-24", true, false},
		{"due_by>2026-06-24", false, false},
		{"due_by=2026-06-24", true, false},
		{"due_by<=2026-06-23", false, false},
		{"due_by=2026-06-24T10:00:00Z", true, false},
		{"due_by<tomorrow or not due_by", false, true},
		{"due_by>today", true, false},
		{"due_by=wed", true, false}, // now is a Sunday
		{"due_by>tuesday and due_by<Thu", true, false},
		{"made>sat", true, false}, // the one before
		{"due_by<1mo and due_by>1d12h", true, false},
		{"idle>2d", true, false},
		{"idle<49h", false, false},
		{"idle>2d1h30m and idle>0d", true, false},
		{"ready", true, false},
		{"ready=yes", true, false},
		{"ready=no", false, true},
		{"ready!=true", false, true},
		{"not ready", false, true},
		{"NOT not ready", true, false},
		{"state=done or state=open and label=stone", false, true}, // and binds closer
		{"(state=done or state=open) and label=wood", true, false},
		{"not (state=done or label=stone)", true, false},
		{"not state=done and ready", true, false},
	} {
		f, err := table().Parse(tt.filter)
		if err != nil {
			t.Errorf("%s: %v", tt.filter, err)
			continue
		}
		if f.Fits(roof) != tt.roof || f.Fits(bare) != tt.bare {
			t.Errorf("%s: %v and %v, want %v and %v", tt.filter, f.Fits(roof), f.Fits(bare), tt.roof, tt.bare)
		}
	}
	if f, err := table().Parse("ready or label=x"); err != nil || !f.Names("state", "label") || f.Names("state") {
		t.Errorf("it names other keys: %v", err)
	}
}

// A mistake is named with its column, and with the key that was probably meant.
func TestMistakes(t *testing.T) {
	for _, tt := range []struct{ filter, message, hint string }{
		{"lable=wood", `where: column 1: there is no key "lable"`, "did you mean label?"},
		{"ready and colour=red", `where: column 11: there is no key "colour"`, "the keys are title, state"},
		{"state=opened", `where: column 7: state is "opened"`, "open"},
		{"state<open", "where: column 6: state does not take <", "it is a word and takes =, !=, ~, !~"},
		{"rank~2", "where: column 5: rank does not take ~", "takes =, !=, <"},
		{"rank=two", `where: column 6: rank is a number, and "two" is none`, "such as rank=1"},
		{"due_by<soon", `where: column 8: due_by is a time, and "soon" is none`, "7d or -2w"},
		{"made<7d", `where: column 6: made is never in the future, and "7d" is`, "-7d is as long ago"},
		{"idle>-3d", `where: column 6: idle is a length of time, and "-3d" is none`, "90m"},
		{"ready=maybe", `where: column 7: ready is yes or no, and not "maybe"`, "not ready"},
		{"state=", "where: column 7: the end is here, and not a value", "such as"},
		{"state=open,", "where: column 12: the end is here, and not a value", "such as"},
		{"state open", `where: column 7: a word "open" is here, and not and, or, or the end`, "such as"},
		{"(ready", "where: column 7: the end is here, and not and, or, or )", "such as"},
		{"ready)", "where: column 6: ) is here, and not and, or, or the end", "such as"},
		{"and ready", `where: column 1: there is no key "and"`, "the keys"},
		{"=open", `where: column 1: an operator "=" is here, and not a key`, "such as"},
		{"state=>open", `where: column 6: there is no operator "=>"`, ">="},
		{"title~'roof", "where: column 7: the quote that begins here does not end", "close it with '"},
		{"title~ÄÖ and x", `where: column 14: there is no key "x"`, "the keys"},
		{"title~\xff", "where is no text in UTF-8", ""},
		{strings.Repeat("(", 30) + "ready" + strings.Repeat(")", 30), "where: column 22: more than 20 levels of brackets", "fewer"},
		{strings.Repeat("not ", 30) + "ready", "where: column 85: more than 20 levels of brackets", "fewer"},
		{strings.Repeat("ready or ", 100) + "ready", "where: column 901: more than 100 tests", "ask twice"},
		{"label=" + strings.Repeat("a,", 100) + "a", "where: column 207: more than 100 values", "ask twice"},
		{strings.Repeat(" ", 2001) + "ready", "where has 2006 bytes, and a filter at most 2000", "ask twice"},
	} {
		_, err := table().Parse(tt.filter)
		var e *record.Error
		if err == nil || record.CodeOf(err) != record.InvalidInput || !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%.60s: %v, want %s", tt.filter, err, tt.message)
			continue
		}
		if !errors.As(err, &e) || !strings.Contains(fmt.Sprint(e.Hint), tt.hint) {
			t.Errorf("%.60s: the hint is %s, want %s", tt.filter, e.Hint, tt.hint)
		}
	}
}

// Whatever is written is a filter or an error with a code, soon; and what is a filter can be asked, and means the
// opposite behind not.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "state=open and (label=wood or rank<=1) and due_by<7d and not idle and title~discount", `title~"a \" b"`, "not (not ready)",
		"((((", "label=a,b,'c d'", "rank>=-1e9", "due_by=9999-12-31", "idle<100y", "made>-1mo", "=", "state!~o", "state==open,", "\x00", "ready=no or ready=yes",
	} {
		f.Add(seed)
	}
	items := []card{{}, {title: "x", state: "open", labels: []string{"wood"}, rank: 1, due: now, idle: time.Hour, ready: true}}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := table().Parse(text)
		if err != nil {
			if record.CodeOf(err) != record.InvalidInput {
				t.Errorf("%q: %v has no code", text, err)
			}
			return
		}
		if strings.TrimSpace(text) == "" {
			return
		}
		negated, err := table().Parse("not (" + text + ")")
		if err != nil { // it was as deep, or as long, as can be
			return
		}
		for _, item := range items {
			if filter.Fits(item) == negated.Fits(item) {
				t.Errorf("%q and its opposite agree about %+v", text, item)
			}
		}
	})
}
