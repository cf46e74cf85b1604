package format

import (
	"slices"
	"testing"
)

// Entries that say the same have the same meaning, however they are written. Any other value has another.
func TestMeanings(t *testing.T) {
	of := func(entries string) []string {
		d, err := Parse([]byte("---\nid: A-1\nlog:"+entries+"\n---\n"), Markdown)
		if err != nil {
			t.Fatal(err)
		}
		return d.Meanings("log", Values{})
	}
	plain := of("\n  - {who: 'a', did: noted, n: 7}\n  - {who: b}")
	if len(plain) != 2 || plain[0] == plain[1] {
		t.Errorf("two entries mean %q", plain)
	}
	for _, same := range []string{"\n- who: a # he\n  did: \"noted\"\n  n: 7\n- who: b", " [{who: a, did: noted, n: 7}, {who: b}]"} {
		if got := of(same); !slices.Equal(got, plain) {
			t.Errorf("%s means %q", same, got)
		}
	}
	for _, other := range []string{"\n  - {who: a, did: noted, n: '7'}\n  - {who: b}", "\n  - {who: a, did: noted}\n  - {who: b}"} {
		if got := of(other); slices.Equal(got, plain) {
			t.Errorf("%s has the same meaning", other)
		}
	}
	for _, none := range []string{"", " text"} {
		if got := of(none); len(got) != 0 {
			t.Errorf("%q holds %q", none, got)
		}
	}
}

// Members that Values names are compared as instants and as texts. The others are compared by type and text.
func TestMeaningsByValue(t *testing.T) {
	of := func(entry string) string {
		t.Helper()
		d := mustParse(t, "---\nx: &x done\nlog:\n  - "+entry+"\n---\n")
		return d.Meanings("log", Values{Texts: []string{"did", "sum", "results"}, Times: []string{"at"}})[0]
	}
	plain := of("{at: 2026-06-01T08:00:00Z, did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}")
	for _, same := range []string{
		"{at: '2026-06-01T08:00:00Z', did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00.000Z, did: 'done', sum: '012', n: {a: 1, b: [2]}, results: [{check: '3e4', result: pass}]}",
		"{at: !!timestamp 2026-06-01T10:00:00+02:00, did: !!str done, sum: !!str 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: !!str 2026-06-01T08:00:00+00:00, did: *x , sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"results: [{result: \"pass\", check: \"3e4\"}]\n    n:\n      b:\n        - 2\n      a: 1\n    did: >-\n      done\n    sum: 012\n    at: 2026-06-01T08:00:00Z",
	} {
		if got := of(same); got != plain {
			t.Errorf("%s\nmeans %s\nand not %s", same, got, plain)
		}
	}
	for _, other := range []string{
		"{at: 2026-06-01T08:00:01Z, did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00.001Z, did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01, did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00Z, did: Done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00Z, did: done, sum: 12, n: {a: 1, b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00Z, did: done, sum: 012, n: {a: '1', b: [2]}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00Z, did: done, sum: 012, n: {a: 1, b: [2], c: 3}, results: [{check: 3e4, result: pass}]}",
		"{at: 2026-06-01T08:00:00Z, did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4, result: fail}]}",
		"{at: 2026-06-01T08:00:00Z, did: done, sum: 012, n: {a: 1, b: [2]}, results: [{check: 3e4}, {result: pass}]}",
		"{at: 2026-06-01T08:00:00Z, did: done, sum: 012, n: {a: 1, b: [2]}}",
	} {
		if of(other) == plain {
			t.Errorf("%s has the same meaning", other)
		}
	}
}
