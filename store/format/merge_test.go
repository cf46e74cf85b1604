package format

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var mergeSchema = Schema{Order: order, Fields: map[string]Rule{
	"labels":     {Kind: Texts},
	"checks":     {Kind: Keyed, Key: "desc", Derived: []string{"result"}},
	"provenance": {Kind: Log, Key: "at"},
}}

func mergeFront(base, ours, theirs string) (string, bool) {
	m := Merge([]byte(base), []byte(ours), []byte(theirs), YAML, mergeSchema, Markers{Ours: "o", Theirs: "t"})
	return string(m.Bytes()), m.Clean()
}

// Documents in odd shapes, as some editors write them, merge too.
func TestMergeOddShapes(t *testing.T) {
	for name, c := range map[string]struct{ base, ours, theirs, want string }{
		"a lone label becomes a list":    {"id: T\n", "id: T\nlabels: a\n", "id: T\nlabels: b\n", "id: T\nlabels: [a, b]\n"},
		"a list where ours says nothing": {"id: T\nlabels: [a]\n", "id: T\nlabels: ~\nx: 1\n", "id: T\nlabels: [a, b]\n", "id: T\nlabels: [b]\nx: 1\n"},
		"labels that are no list": {"labels: {a: 1}\n", "labels: {a: 2}\n", "labels: {a: 3}\n",
			"<<<<<<< o\nlabels: {a: 2}\n=======\nlabels: {a: 3}\n>>>>>>> t\n"},
		"a log that is no list": {"id: T\n", "id: T\nprovenance: none\n", "id: T\nprovenance:\n  - {at: 1}\n",
			"id: T\n<<<<<<< o\nprovenance: none\n=======\nprovenance:\n  - {at: 1}\n>>>>>>> t\n"},
		"entries on several lines go on one": {"provenance: []\n", "provenance:\n  - {at: 1}\n", "provenance:\n  - at: 2\n    did: x\n",
			"provenance:\n  - {at: 1}\n  - {at: 2, did: x}\n"},
		"an entry that our side took out": {"provenance:\n  - {at: 1}\n  - {at: 2}\n", "provenance:\n  - {at: 2}\n", "provenance:\n  - {at: 1}\n  - {at: 2}\n  - {at: 3}\n",
			"provenance:\n  - {at: 1}\n  - {at: 2}\n  - {at: 3}\n"},
		"checks without names": {"checks: [{cmd: a}]\n", "checks: [{cmd: b}]\n", "checks: [{cmd: c}]\n",
			"<<<<<<< o\nchecks: [{cmd: b}]\n=======\nchecks: [{cmd: c}]\n>>>>>>> t\n"},
		"a conflict between braces takes the whole file": {"{id: a}\n", "{id: b}\n", "{id: c}\n", "<<<<<<< o\n{id: b}\n=======\n{id: c}\n>>>>>>> t\n"},
		"a merge between braces":                         {"{id: a, x: 1}\n", "{id: b, x: 1}\n", "{id: a, x: 2}\n", "{id: b, x: 2}\n"},
		"an alias is copied as what it stands for":       {"a: &v 1\nb: 1\nc: 5\n", "a: &v 1\nb: 2\nc: 5\n", "a: &v 1\nb: 1\nc: *v\n", "a: &v 1\nb: 2\nc: 1\n"},
		"a tag of its own stays with its side": {"a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: !x 1\n",
			"a: 2\n<<<<<<< o\nb: 1\n=======\nb: !x 1\n>>>>>>> t\n"},
		"a last line without an end": {"a: 1\nb: 1", "a: 1\nb: 2", "a: 1\nb: 3", "a: 1\n<<<<<<< o\nb: 2\n=======\nb: 3\n>>>>>>> t\n"},
		"nested values keep their shape": {"a: 1\nx: 1\n", "a: 2\nx: 1\n", "a: 1\nx:\n  - {b: [1, '2']}\n  - c:\n      d: 2026-01-01\n      e: [no, \"no\"]\n",
			"a: 2\nx:\n  - {b: [1, '2']}\n  - c:\n      d: 2026-01-01\n      e: ['no', 'no']\n"},
		"a comment on a line that both change": {"a: 1\n", "a: 2 # ours\n", "a: 3 # theirs\n",
			"<<<<<<< o\na: 2 # ours\n=======\na: 3 # theirs\n>>>>>>> t\n"},
		"a comment inside a list that both change": {"labels:\n  - a\n", "labels:\n  - a\n  - b # b\n", "labels:\n  - a\n  - c # c\n",
			"# c\nlabels:\n  - a\n  - b # b\n  - c\n"},
		"two block scalars": {"a: |\n  x\nb: 1\n", "a: |\n  y\nb: 1\n", "a: |\n  z\nb: 2\n",
			"<<<<<<< o\na: |\n  y\n=======\na: |\n  z\n>>>>>>> t\nb: 2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, clean := mergeFront(c.base, c.ours, c.theirs)
			if got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
			if clean == strings.Contains(got, "<<<<<<< ") {
				t.Errorf("clean is %v", clean)
			}
		})
	}
}

// Markers have the size that the caller asks for.
func TestMergeMarkerSize(t *testing.T) {
	m := Merge([]byte("a: 1\n"), []byte("a: 2\n"), []byte("a: 3\n"), YAML, Schema{}, Markers{Size: 9})
	want := "<<<<<<<<< ours\na: 2\n=========\na: 3\n>>>>>>>>> theirs\n"
	if got := string(m.Bytes()); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// Each line that a side added is in the result, and a side without changes changes nothing.
func TestMergeLinesLosesNoNewLine(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", ""}), 0, 12)
	join := func(ls []string) []byte { return []byte(strings.Join(append(ls, ""), "\n")) }
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs := lines.Draw(t, "base"), lines.Draw(t, "ours"), lines.Draw(t, "theirs")
		b, o := join(base), join(ours)
		for _, v := range [][3][]byte{{b, o, b}, {b, b, o}, {b, o, o}} {
			if got, clean := mergeLines(v[0], v[1], v[2], Markers{}); string(got) != string(o) || !clean {
				t.Fatalf("%q of %q", got, v)
			}
		}
		ours, theirs = append(ours, "only ours"), append([]string{"only theirs"}, theirs...)
		got, _ := mergeLines(b, join(ours), join(theirs), Markers{})
		if !strings.Contains(string(got), "only ours\n") || !strings.Contains(string(got), "only theirs\n") {
			t.Fatalf("a line is lost: %q", got)
		}
	})
}

// Long texts with next to nothing in common become one conflict, without being compared line by line.
func TestMergeLinesOfStrangers(t *testing.T) {
	text := func(prefix string) []byte {
		var b strings.Builder
		for i := range 20_000 {
			b.WriteString(prefix + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + "\n")
		}
		return []byte(b.String())
	}
	got, clean := mergeLines(text("b"), text("o"), text("t"), Markers{})
	if clean || strings.Count(string(got), "\n") != 40_003 {
		t.Errorf("clean is %v, %d lines", clean, strings.Count(string(got), "\n"))
	}
}

// In files of every shape, what both sides wrote is in the result, merged or between markers.
func TestMergeOfHardFilesKeepsBothSides(t *testing.T) {
	merged := 0
	for name, src := range fixtures(t) {
		for variant, change := range variants {
			base := change(src)
			d, err := Parse([]byte(base), Markdown)
			if err != nil {
				continue
			}
			ours, theirs := written(d, "ours"), written(d, "theirs")
			m := Merge([]byte(base), ours, theirs, Markdown, mergeSchema, Markers{})
			got := string(m.Bytes())
			for _, side := range []string{string(ours), string(theirs)} {
				for _, word := range []string{"note-ours", "note-theirs", "entry ours", "entry theirs"} {
					if strings.Contains(side, word) && !strings.Contains(got, word) {
						t.Errorf("%s/%s: %s is lost:\n%s", name, variant, word, got)
					}
				}
			}
			if _, err := Parse(m.Bytes(), Markdown); m.Clean() {
				merged++
				if err != nil {
					t.Errorf("%s/%s: %v", name, variant, err)
				}
			}
		}
	}
	if merged == 0 {
		t.Error("nothing was merged")
	}
}

// written returns a document with a key and an entry that a side added, as far as its shape allows.
func written(d *Doc, side string) []byte {
	if next, err := d.Edit(order, Set(Path{"note-" + side}, String(side))); err == nil {
		d = next
	}
	list, _ := itemsOf(d.Get("provenance"))
	var items []Item
	for i := range list {
		items = append(items, Old(i))
	}
	entry := Flow{Map{{"at", Plain("2030-01-01T00:00:00Z")}, {"text", String("entry " + side)}}}
	if next, err := d.Edit(order, SetSeq(Path{"provenance"}, append(items, NewItem(entry))...)); err == nil {
		d = next
	}
	return d.Bytes()
}
