package index

import (
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
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

// Of a folder at rest not each file is looked at while the folder is the same; what comes, goes or is replaced shows at
// once.
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

// A file at rest that is written in place is found by the sample sooner or later, and at once if each file is looked
// at.
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

// However files at rest come, go and are replaced, under whatever clock, a look finds what the files say. Those that
// changed in place are for the sample.
func TestFolderAtRestIsNeverWrong(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := newPlace(t)
		c := &changer{place: p, T: r}
		var server *View
		for range rapid.IntRange(3, 12).Draw(r, "steps") {
			c.change()
			s := p.source()
			s.Resting = true
			off := rapid.SampledFrom([]time.Duration{0, 0, -time.Hour, time.Hour}).Draw(r, "the clock is off by")
			s.now = func() time.Time { return time.Now().Add(off) }
			want := look(r, p.cold())
			if got := look(r, s); !reflect.DeepEqual(rowsOf(got), rowsOf(want)) || !reflect.DeepEqual(got.Problems(), want.Problems()) {
				r.Fatalf("the index says\n%v\n%v\nand the files say\n%v\n%v", rowsOf(got), got.Problems(), rowsOf(want), want.Problems())
			}
			var err error
			if server, err = s.LookAfter(t.Context(), server, nil); err != nil {
				r.Fatal(err)
			}
			if !reflect.DeepEqual(rowsOf(server), rowsOf(want)) {
				r.Fatalf("a server has\n%v\nand the files say\n%v", rowsOf(server), rowsOf(want))
			}
		}
	})
}
