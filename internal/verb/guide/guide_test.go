package guide_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/store/kind"
)

const maxPage = 2560 // bytes

var (
	span     = regexp.MustCompile("`([^`\n]+)`")
	call     = regexp.MustCompile(`^([a-z_]+)\((.*)\)$`)
	word     = regexp.MustCompile(`^[a-z]+(?:_[a-z]+)*$`)
	code     = regexp.MustCompile(`^[A-Z]+(?:_[A-Z]+)*$`)
	argument = regexp.MustCompile(`^([a-z_]+)(?:: (.+))?$`)
)

// meanings are words in the code of the pages that are neither verbs nor arguments: keys of answers, and values.
var meanings = []string{
	"code", "message", "hint", "retryable", "next_tool", "next_arguments", "total", "problems", "rev", "replayed", "reused", "source", "me", "unassigned",
	"human", "anyone", "signed", "workspace", "user", "proposed", "canceled", "succeeded", "failed", "cmd", "cwd", "timeout", "desc", "by", "next_cursor",
}

// The pages stay true: each call in them is that of a verb with arguments that it has, and other words in code are
// verbs, arguments, keys of answers, codes of errors or commands.
func TestPagesNameWhatExists(t *testing.T) {
	known := slices.Clone(meanings)
	for _, v := range catalogue.All {
		known = append(known, v.Name)
		for _, f := range v.Fields() {
			known = append(known, f.Name)
		}
	}
	calls := 0
	for _, topic := range guide.Topics {
		text, err := guide.Text(topic)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range span.FindAllStringSubmatch(text, -1) {
			said := m[1]
			if c := call.FindStringSubmatch(said); c != nil {
				calls++
				checkCall(t, topic, c[1], c[2])
				continue
			}
			switch {
			case word.MatchString(said) && !slices.Contains(known, said):
				t.Errorf("%s: %q is no verb, no argument and no key", topic, said)
			case code.MatchString(said) && said != "CAIRN_SESSION" && !slices.ContainsFunc(record.Codes, func(i record.CodeInfo) bool { return string(i.Code) == said }):
				t.Errorf("%s: %s is no code of an error", topic, said)
			}
		}
	}
	if calls < 60 {
		t.Errorf("the pages have %d calls", calls)
	}
}

// checkCall judges a call such as list(ready: true).
func checkCall(t *testing.T, topic, name, args string) {
	t.Helper()
	v, ok := catalogue.Named(name)
	if !ok {
		t.Errorf("%s: there is no verb %s", topic, name)
		return
	}
	for one := range strings.SplitSeq(args, ", ") {
		if one == "" {
			continue
		}
		m := argument.FindStringSubmatch(one)
		i := -1
		if m != nil {
			i = slices.IndexFunc(v.Fields(), func(f verb.Field) bool { return f.Name == m[1] })
		}
		switch {
		case i < 0:
			t.Errorf("%s: %s takes no argument %q", topic, name, one)
		case m[2] != "" && word.MatchString(m[2]) && len(v.Fields()[i].Values) > 0 && !slices.ContainsFunc(v.Fields()[i].Values, func(v verb.Value) bool { return v.Text == m[2] }):
			t.Errorf("%s: %s of %s cannot be %s", topic, m[1], name, m[2])
		}
	}
}

// Each topic has a page that is short enough to be read on the way, and the list names them all.
func TestTopics(t *testing.T) {
	w := verbtest.EmptyFolder(t, verb.Viewer)
	list, err := verbtest.Call[any](t, w, "guide", verbtest.Args{})
	index, _ := list.(guide.Index)
	if err != nil || len(index.Topics) != len(guide.Topics) || len(guide.Topics) != 18 {
		t.Fatalf("got %+v, %v", list, err)
	}
	for _, h := range index.Topics {
		page, err := verbtest.Call[any](t, w, "guide", verbtest.Args{"topic": h.Topic})
		text := page.(guide.Page).Text
		if err != nil || !strings.HasPrefix(text, "# "+h.Title+"\n") || h.Title == "" || len(text) > maxPage {
			t.Errorf("%s: %d bytes, %v", h.Topic, len(text), err)
		}
		for _, topic := range regexp.MustCompile(`the topic ([a-z-]+)`).FindAllStringSubmatch(text, -1) {
			if !slices.Contains(guide.Topics, topic[1]) {
				t.Errorf("%s refers to the topic %s", h.Topic, topic[1])
			}
		}
	}
	_, err = verbtest.Call[any](t, w, "guide", verbtest.Args{"topic": "skils"})
	if next := catalogue.FailureOf(err, w.Rights, catalogue.CommandLine).Error; next.Code != record.NotFound || !strings.Contains(next.Hint, "did you mean skills?") {
		t.Errorf("got %+v", next)
	}
}

// Every kind of record that an agent meets is on the page about records.
func TestRecordsAreNamed(t *testing.T) {
	text, err := guide.Text("records")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kind.Kinds() {
		if !strings.Contains(text, "| "+k.Name+" |") {
			t.Errorf("the page does not name the kind %s", k.Name)
		}
	}
}
