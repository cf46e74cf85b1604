package index

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
	"pgregory.net/rapid"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// tick is the step of the clock of the file system that the tests pretend to have: two writes within it have equal
// stamps.
const tick = 5 * time.Millisecond

// place is a folder of tasks, and its index.
type place struct{ tasks, live string }

func newPlace(t interface {
	TempDir() string
	Fatal(args ...any)
}) place {
	dir := t.TempDir()
	p := place{filepath.Join(dir, "tasks"), filepath.Join(dir, "live")}
	if err := os.Mkdir(p.tasks, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func parse(id string, src []byte) (any, error) {
	doc, err := format.Parse(src, format.Markdown)
	if err != nil {
		return nil, err
	}
	v, err := kind.Tasks.Decode(doc)
	if err == nil && string(v.ID) != id {
		return nil, kind.Tasks.WrongName(doc, id, string(v.ID))
	}
	return v, err
}

// source reads the place through its index, which is written at every occasion, on a file system with a slow clock.
func (p place) source() Source {
	return Source{
		Kind: kind.Tasks.Kind, Dir: p.tasks, File: filepath.Join(p.live, "index"), Words: filepath.Join(p.live, "words"),
		Postings: filepath.Join(p.live, "terms"),
		Parse:    parse, eager: true, Prepare: func() error { return os.MkdirAll(p.live, 0o755) }, step: 2 * tick, coarse: slowClock,
	}
}

func slowClock(s disk.Stamp) disk.Stamp {
	s.Modified -= s.Modified % int64(tick)
	s.Changed -= s.Changed % int64(tick)
	return s
}

// cold reads every file.
func (p place) cold() Source {
	return Source{Kind: kind.Tasks.Kind, Dir: p.tasks, Fresh: true, Parse: parse}
}

func (p place) file(id string) string { return filepath.Join(p.tasks, id+".md") }

// text is the text of a task. Texts with words of one length have one length.
func text(id, word string) string {
	return fmt.Sprintf("---\nid: %s\ntitle: about %s\nstatus: backlog\nlabels: [%s]\nprovenance:\n"+
		"  - {who: 'human:ada', at: 2026-01-02T03:04:05Z, did: created, text: noted %s}\n---\n\nA body with %s in it.\n", id, word, word, word, word)
}

// rowsOf is what a view says, for comparison.
func rowsOf(v *View) []kind.Row {
	out := []kind.Row{}
	for _, r := range v.Rows() {
		out = append(out, *r)
	}
	return out
}

func look(t interface{ Fatal(args ...any) }, s Source) *View {
	v, err := s.Look(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// However files are changed, and whatever becomes of the index, a look finds what the files say.
func TestSlowIndexIsNeverWrong(t *testing.T) {
	slowtest.Skip(t)
	rapid.Check(t, func(r *rapid.T) {
		p := newPlace(t)
		c := &changer{place: p, T: r, inPlace: true}
		server, words, terms := (*View)(nil), &Terms{}, &Terms{}
		for range rapid.IntRange(3, 12).Draw(r, "steps") {
			for range rapid.IntRange(1, 4).Draw(r, "changes") {
				c.change()
			}
			s := p.source()
			s.Fresh = rapid.IntRange(0, 2).Draw(r, "fresh") == 0
			off := rapid.SampledFrom([]time.Duration{0, 0, -time.Hour, time.Hour}).Draw(r, "the clock is off by")
			s.now = func() time.Time { return time.Now().Add(off) }
			want := look(r, p.cold())
			if got := look(r, s); !reflect.DeepEqual(rowsOf(got), rowsOf(want)) || !reflect.DeepEqual(got.Problems(), want.Problems()) {
				r.Fatalf("the index says\n%v\n%v\nand the files say\n%v\n%v", rowsOf(got), got.Problems(), rowsOf(want), want.Problems())
			}
			var err error
			if server, err = s.LookAfter(context.Background(), server, nil); err != nil {
				r.Fatal(err)
			}
			if !reflect.DeepEqual(rowsOf(server), rowsOf(want)) {
				r.Fatalf("a server has\n%v\nand the files say\n%v", rowsOf(server), rowsOf(want))
			}
			c.wantFound(s, server, words)
			c.wantRanked(s, server, terms)
		}
	})
}

// changer changes files in the ways in which people, editors and git do.
type changer struct {
	place
	*rapid.T
	inPlace bool // files may be written in place
}

func (c *changer) change() {
	id := rapid.SampledFrom([]string{"T-1", "T-2", "T-3", "T-4"}).Draw(c.T, "id")
	word := rapid.SampledFrom([]string{"one", "two", "six", "eleven"}).Draw(c.T, "word")
	path := c.file(id)
	info, _ := os.Lstat(path)
	ways := map[string]func(){
		"write in place": func() { _ = os.WriteFile(path, []byte(text(id, word)), 0o644) },
		"write in place and restore the times": func() {
			_ = os.WriteFile(path, []byte(text(id, word)), 0o644)
			if info != nil {
				_ = os.Chtimes(path, info.ModTime(), info.ModTime())
			}
		},
		"rename another over it": func() {
			_ = os.WriteFile(path+".new", []byte(text(id, word)), 0o644)
			_ = os.Rename(path+".new", path)
		},
		"delete":              func() { _ = os.RemoveAll(path) },
		"delete and recreate": func() { _ = os.RemoveAll(path); _ = os.WriteFile(path, []byte(text(id, word)), 0o644) },
		"move to another id":  func() { _ = os.Rename(path, c.file("T-2")) },
		"break it":            func() { _ = os.WriteFile(path, []byte("---\nid: [\n---\n"), 0o644) },
		"put a folder there":  func() { _ = os.RemoveAll(path); _ = os.Mkdir(path, 0o755) },
		"put a link there":    func() { _ = os.RemoveAll(path); _ = os.Symlink("T-1.md", path) },
		"date it back":        func() { at := time.Now().Add(-time.Hour); _ = os.Chtimes(path, at, at) },
		"date it ahead":       func() { at := time.Now().Add(time.Hour); _ = os.Chtimes(path, at, at) },
		"check out": func() {
			for _, id := range []string{"T-1", "T-2", "T-3"} {
				_ = os.RemoveAll(c.file(id))
				_ = os.WriteFile(c.file(id), []byte(text(id, word)), 0o644)
			}
		},
		"nothing":                      func() {},
		"let time pass":                func() { time.Sleep(3 * tick) },
		"cut the index":                func() { _ = os.Truncate(filepath.Join(c.live, "index"), 70) },
		"write over a byte of indexes": c.damage,
		"delete the live state":        func() { _ = os.RemoveAll(c.live) },
	}
	if !c.inPlace {
		delete(ways, "write in place")
		delete(ways, "write in place and restore the times")
		delete(ways, "break it")
	}
	ways[rapid.SampledFrom(slices.Sorted(maps.Keys(ways))).Draw(c.T, "way")]()
}

// damage changes one byte of each file of live state.
func (c *changer) damage() {
	for _, name := range []string{"index", "words", "terms"} {
		path := filepath.Join(c.live, name)
		src, err := os.ReadFile(path)
		if err != nil || len(src) == 0 {
			continue
		}
		src[rapid.IntRange(0, len(src)-1).Draw(c.T, "byte")] ^= byte(rapid.IntRange(1, 255).Draw(c.T, "bits"))
		_ = os.WriteFile(path, src, 0o644)
	}
}

// wantFound holds searches against the texts of the files.
func (c *changer) wantFound(s Source, v *View, words *Terms) {
	parts := rapid.SampledFrom([][]string{{"one"}, {"TWO"}, {"o"}, {"body", "six"}, {"t-1"}, {"ele", "ven"}, {"absent"}}).Draw(c.T, "parts")
	for _, known := range []*Terms{words, {}} {
		got, err := s.Search(context.Background(), v, known, parts)
		if err != nil {
			c.Fatal(err)
		}
		for i, r := range v.Rows() {
			src, err := os.ReadFile(c.file(r.ID))
			if err != nil {
				c.Fatal(err)
			}
			value, err := parse(r.ID, src)
			if err != nil {
				c.Fatal(err)
			}
			said := strings.ToLower(kind.Tasks.Text(value))
			want := true
			for _, part := range parts {
				want = want && strings.Contains(said, strings.ToLower(part))
			}
			if got[i] != want {
				c.Fatalf("%q in %s: %v", parts, r.ID, got[i])
			}
		}
	}
}

// counting counts the files that a source parses.
func counting(s Source) (Source, *int) {
	n := new(int)
	parse := s.Parse
	s.Parse = func(id string, src []byte) (any, error) { *n++; return parse(id, src) }
	return s, n
}

// aged writes tasks and waits until their stamps can be believed.
func aged(t *testing.T, p place, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := os.WriteFile(p.file(id), []byte(text(id, "one")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if disk.StampOf(p.file(ids[0])) == (disk.Stamp{}) {
		t.Skip("the system tells too little of files")
	}
	time.Sleep(4 * tick)
}

func TestUnchangedFilesAreNotRead(t *testing.T) {
	p := newPlace(t)
	aged(t, p, "T-1", "T-2")
	s, parsed := counting(p.source())
	if look(t, s); *parsed != 2 {
		t.Fatalf("%d files were parsed at first", *parsed)
	}
	if look(t, s); *parsed != 2 {
		t.Errorf("with an index %d files were parsed", *parsed-2)
	}
	if err := os.WriteFile(p.file("T-2"), []byte(text("T-2", "two")), 0o644); err != nil {
		t.Fatal(err)
	}
	if look(t, s); *parsed != 3 {
		t.Errorf("after one change %d files were parsed", *parsed-2)
	}
}

// A file whose stamp is new may change again under the same stamp. It is compared by content, which parses nothing if
// it is the same.
func TestYoungFilesAreCompared(t *testing.T) {
	p := newPlace(t)
	aged(t, p, "T-1")
	s, parsed := counting(p.source())
	s.step = time.Hour
	look(t, s)
	if look(t, s); *parsed != 1 {
		t.Errorf("a young file that is the same was parsed %d times", *parsed)
	}
	same := disk.StampOf(p.file("T-1"))
	s.coarse = func(disk.Stamp) disk.Stamp { return same } // the clock stands still
	if err := os.WriteFile(p.file("T-1"), []byte(text("T-1", "two")), 0o644); err != nil {
		t.Fatal(err)
	}
	if v := look(t, s); v.Find("T-1").Labels[0] != "two" {
		t.Error("a change under an equal stamp was not seen")
	}
}

// An index that was written for another folder is not believed, since it may have come along with a copy.
func TestIndexOfAnotherFolder(t *testing.T) {
	p, copied := newPlace(t), newPlace(t)
	aged(t, p, "T-1")
	look(t, p.source())
	aged(t, copied, "T-1")
	if err := os.Mkdir(copied.live, 0o755); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(filepath.Join(p.live, "index"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied.live, "index"), src, 0o644); err != nil {
		t.Fatal(err)
	}
	s, parsed := counting(copied.source())
	if look(t, s); *parsed != 1 {
		t.Error("the index of another folder was believed")
	}
}

// Whatever the bytes are, reading an index neither fails nor takes more memory than they are worth.
func FuzzDecode(f *testing.F) {
	row := kind.Row{ID: "T-1", Title: "a", Labels: []string{"x"}, Deps: nil}
	good := encodeFile(kind.Tasks.Kind, sum{}, disk.Stamp{}, []entry{{row: &row}})
	f.Add(good)
	h := header{asTerms.magic, asTerms.form, sum{}, sum{}, 0}
	v := asTerms.vocabulary()
	said := []*counted{
		v.count(doc{id: "T-1"}, kind.Tasks.Kind, task.Task{ID: "T-1", Title: "a b"}),
		v.count(doc{id: "T-2"}, kind.Tasks.Kind, task.Task{ID: "T-2", Body: "b"}),
	}
	f.Add(encodePostings(h, noPostings, nil, said))
	f.Fuzz(func(_ *testing.T, src []byte) {
		_, _, _ = decodeFile(reseal(src), kind.Tasks.Kind, sum{})
		if p, err := decodePostings(reseal(src), h); err == nil {
			searchAll(p)
		}
	})
}

// reseal makes the length and the checksum of a damaged file right, so that what lies behind them is tried too.
func reseal(src []byte) []byte {
	if len(src) < headerSize {
		return src
	}
	out := append([]byte{}, src...)
	seal(out)
	return out
}

// A file that changes while it is read is read again by the next look.
func TestFileThatChangesWhileItIsRead(t *testing.T) {
	p := newPlace(t)
	aged(t, p, "T-1")
	s := p.source()
	s.step = time.Nanosecond
	s.Parse = func(id string, src []byte) (any, error) {
		v, err := parse(id, src)
		if err := os.WriteFile(p.file(id), []byte(text(id, "two")), 0o644); err != nil {
			t.Fatal(err)
		}
		return v, err
	}
	if v := look(t, s); v.Find("T-1").Labels[0] != "one" {
		t.Fatal("it had not changed yet")
	}
	if v := look(t, p.source()); v.Find("T-1").Labels[0] != "two" {
		t.Error("the change is not seen")
	}
}

// A process that is killed while it writes the index leaves a temporary file. Another one removes it once it is old.
func TestIndexRemovesWhatAKilledOneLeft(t *testing.T) {
	p := newPlace(t)
	aged(t, p, "T-1")
	look(t, p.source())
	old, young := atomicfile.TempName(p.source().File), atomicfile.TempName(p.source().File)
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, hourAgo, hourAgo); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(p.source().File); err != nil {
		t.Fatal(err)
	}
	look(t, p.source())
	if _, err := os.Lstat(old); !os.IsNotExist(err) {
		t.Errorf("the old one is there: %v", err)
	}
	if _, err := os.Lstat(young); err != nil {
		t.Errorf("the young one may be in use: %v", err)
	}
}
