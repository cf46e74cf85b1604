package kind_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

const withRefs = `---
id: T-1
title: Refer
status: backlog
refs:
  - {ref: 11111111, type: commit, sha: 1234567, theirs: kept} # the first
  # a pull request
  - ref: 22222222
    type: pr
    number: 7
    state: open
    url: "https://example.com/7"
unknown: {kept: true}
---
`

func parseRefs(t *testing.T, src string) (*format.Doc, task.Task) {
	t.Helper()
	doc, err := format.Parse([]byte(src), format.Markdown)
	if err != nil {
		t.Fatal(err)
	}
	got, err := kind.Tasks.Decode(doc)
	if err != nil {
		t.Fatal(err)
	}
	return doc, got
}

// A change of the references touches the lines that it is about, and no others.
func TestRefsAreEditedLineByLine(t *testing.T) {
	at := time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		change   func([]record.Reference) []record.Reference
		old, new string
	}{
		"one is added": {
			func(l []record.Reference) []record.Reference {
				return append(l, record.Reference{Ref: "33333333", Type: record.LinkRef, URL: "https://example.com/a?b=c#d", By: "agent:x", At: at, Title: "It's: here"})
			},
			`    url: "https://example.com/7"` + "\n",
			`    url: "https://example.com/7"` + "\n" + `  - {ref: '33333333', type: link, url: 'https://example.com/a?b=c#d', by: 'agent:x', at: 2026-06-21T10:00:00Z, title: 'It''s: here'}` + "\n",
		},
		"a member of one on a line changes": {
			func(l []record.Reference) []record.Reference { l[0].Sha = "7654321"; return l },
			"sha: 1234567", "sha: '7654321'",
		},
		"a member of one on a line comes": {
			func(l []record.Reference) []record.Reference { l[0].Title = "first"; return l },
			"theirs: kept}", "theirs: kept, title: first}",
		},
		"a member of one on lines changes": {
			func(l []record.Reference) []record.Reference { l[1].State = "merged"; return l },
			"state: open", "state: merged",
		},
		"one is taken away": {
			func(l []record.Reference) []record.Reference { return l[1:] },
			"  - {ref: 11111111, type: commit, sha: 1234567, theirs: kept} # the first\n", "  # the first\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc, was := parseRefs(t, withRefs)
			now := was
			now.Refs = tt.change(append([]record.Reference(nil), was.Refs...))
			next, err := kind.Tasks.Edit(doc, was, now)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := string(next.Bytes()), strings.Replace(withRefs, tt.old, tt.new, 1); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if _, got := parseRefs(t, string(next.Bytes())); !kind.Tasks.Same(got.Refs, now.Refs) {
				t.Errorf("read back %+v, want %+v", got.Refs, now.Refs)
			}
		})
	}
}

// The last reference goes with the key, and the first comes with it.
func TestRefsComeAndGo(t *testing.T) {
	const bare = "---\nid: T-1\ntitle: Refer\nstatus: backlog\n---\n"
	doc, was := parseRefs(t, bare)
	now := was
	now.Refs = []record.Reference{{Ref: "00000001", Type: record.RecordRef, Target: "T-2"}}
	next, err := kind.Tasks.Edit(doc, was, now)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(next.Bytes()), strings.Replace(bare, "backlog\n", "backlog\nrefs:\n  - {ref: '00000001', type: record, target: T-2}\n", 1); got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	_, with := parseRefs(t, string(next.Bytes()))
	last, err := kind.Tasks.Edit(next, with, was)
	if err != nil || string(last.Bytes()) != bare {
		t.Errorf("%v, got\n%s", err, last.Bytes())
	}
}

// A list that is none is refused with its line; values of the wrong form are read, for cairn check to report.
func TestRefsWrittenByHand(t *testing.T) {
	for name, tt := range map[string]struct{ refs, refused string }{
		"texts":           {"refs: [one]", "each of refs must be a mapping"},
		"without a ref":   {"refs: [{type: link}]", "a reference needs a ref"},
		"without a type":  {"refs: [{ref: 12345678}]", "a reference needs a type"},
		"a wrong number":  {"refs: [{ref: 12345678, type: pr, number: one}]", "number must be a whole number"},
		"a wrong time":    {"refs: [{ref: 12345678, type: pr, at: now}]", "at must be a time"},
		"a merge key":     {"refs: [{ref: 12345678, type: pr, <<: {number: 1}}]", "merge keys"},
		"of another type": {"refs: [{ref: 12345678, type: song}]", ""},
		"none":            {"refs:", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := kind.Tasks.Parse([]byte("---\nid: T-1\ntitle: x\nstatus: backlog\n" + tt.refs + "\n---\n"))
			if tt.refused == "" && err != nil || tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused) || !strings.Contains(err.Error(), "5")) {
				t.Errorf("got %v, want %q in line 5", err, tt.refused)
			}
		})
	}
}

// References merge by their ref, in the files of every kind.
func TestMergeOfRefs(t *testing.T) {
	for k, form := range map[string]struct{ path, head, tail string }{
		"task":     {".cairn/tasks/T-1.md", "---\nid: T-1\ntitle: x\nstatus: backlog\n", "---\n"},
		"session":  {".cairn/sessions/ses-1.yaml", "id: ses-1\nactor: agent:a\nstatus: active\n", ""},
		"proposal": {".cairn/plans/plan-1.yaml", "id: plan-1\nsummary: x\ntasks: []\n", ""},
	} {
		file := func(refs ...string) []byte {
			if len(refs) == 0 {
				return []byte(form.head + form.tail)
			}
			return []byte(form.head + "refs:\n  - " + strings.Join(refs, "\n  - ") + "\n" + form.tail)
		}
		const (
			one     = "{ref: 11111111, type: link, url: 'https://a.example/', by: 'agent:a', at: 2026-06-21T10:00:00Z}"
			oneToo  = "{ref: 11111111, type: link, url: 'https://a.example/', by: 'agent:b', at: 2026-06-21T11:00:00Z}"
			two     = "{ref: 22222222, type: pr, number: 7, state: open}"
			merged  = "{ref: 22222222, type: pr, number: 7, state: merged}"
			closed  = "{ref: 22222222, type: pr, number: 7, state: closed}"
			another = "{ref: 33333333, type: record, target: T-2}"
		)
		for name, tt := range map[string]struct {
			base, ours, theirs, want []byte
		}{
			"both add one":                  {file(), file(one), file(two), file(one, two)},
			"both add one to some":          {file(another), file(another, one), file(another, two), file(another, one, two)},
			"both add the same":             {file(), file(one), file(oneToo), file(one)},
			"one goes and another changes":  {file(one, two), file(two), file(one, merged), file(merged)},
			"one goes and another comes":    {file(one), file(), file(one, two), file(two)},
			"both change one in two ways":   {file(two), file(merged), file(closed), nil},
			"one side takes what one moved": {file(two), file(), file(merged), nil},
		} {
			got, clean := kind.Merge(form.path, tt.base, tt.ours, tt.theirs, task.Flow{}, format.Markers{Size: 7})
			if clean != (tt.want != nil) || tt.want != nil && string(got) != string(tt.want) {
				t.Errorf("%s, %s: clean is %v, got\n%s\nwant\n%s", k, name, clean, got, tt.want)
			}
		}
	}
}
