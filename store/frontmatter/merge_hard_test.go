package frontmatter

import (
	"strings"
	"testing"
)

// Whatever a file looks like: what both sides wrote into it is there afterwards, merged or between markers.
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

// written is a document with a key and an entry that a side added, as far as its shape lets it.
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
