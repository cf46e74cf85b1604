package index

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// restingPlace is a folder of twenty records at rest, whose index is written.
func restingPlace(t *testing.T) (place, Source) {
	t.Helper()
	p := newPlace(t)
	var ids []string
	for n := range 20 {
		ids = append(ids, fmt.Sprintf("T-%02d", n))
	}
	aged(t, p, ids...)
	s := p.source()
	s.Resting, s.coarse, s.step = true, nil, time.Millisecond
	look(t, s)
	return p, s
}

// Of a folder at rest not each file is looked at while the folder is the same; what comes, goes or is replaced shows at once.
func TestFolderAtRest(t *testing.T) {
	p, s := restingPlace(t)
	s, parsed := counting(s)
	if v := look(t, s); len(v.Rows()) != 20 || *parsed != 0 {
		t.Fatalf("%d records, %d parsed", len(v.Rows()), *parsed)
	}
	if known := s.known(); known.folder == (known.entries[0].stamp) || known.folder.Inode == 0 {
		t.Fatalf("the index has no stamp of the folder: %+v", known.folder)
	}
	if err := os.Remove(p.file("T-03")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.file("T-04")+".new", []byte(text("T-04", "two")), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(p.file("T-04")+".new", p.file("T-04")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.file("T-99"), []byte(text("T-99", "six")), 0o644); err != nil {
		t.Fatal(err)
	}
	v := look(t, s)
	if v.Find("T-03") != nil || v.Find("T-04").Labels[0] != "two" || v.Find("T-99") == nil || len(v.Rows()) != 20 {
		t.Errorf("it has %v", rowsOf(v))
	}
}

// A file at rest that is written in place is found by the sample sooner or later, and at once if each file is looked at.
func TestFileAtRestWrittenInPlace(t *testing.T) {
	p, s := restingPlace(t)
	if err := os.WriteFile(p.file("T-07"), []byte(text("T-07", "two")), 0o644); err != nil {
		t.Fatal(err)
	}
	whole := s
	whole.Resting = false
	whole.File = "" // it must not tell the other
	if look(t, whole).Find("T-07").Labels[0] != "two" {
		t.Error("with a look at each file the change is not seen")
	}
	for range 1000 {
		if look(t, s).Find("T-07").Labels[0] == "two" {
			return
		}
	}
	t.Error("no sample of a thousand has the file")
}
