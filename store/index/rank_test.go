package index

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/store/index/terms"
	"pgregory.net/rapid"
)

// rank ranks the records of a view.
func rank(t interface{ Fatal(args ...any) }, s Source, v *View, known *Terms, q string) Ranking {
	part, err := s.Searchable(context.Background(), v, known)
	if err != nil {
		t.Fatal(err)
	}
	return Rank(terms.Parse(q), []*Searchable{part})
}

// scores is what a ranking says, for comparison.
func scores(r Ranking) string {
	var b strings.Builder
	for _, f := range r.Best() {
		fmt.Fprintf(&b, "%s %.9f\n", f.Row.ID, f.Score)
	}
	fmt.Fprint(&b, r.Near)
	return b.String()
}

// wantRanked holds rankings by postings against those of files that were just read.
func (c *changer) wantRanked(s Source, v *View, known *Terms) {
	q := rapid.SampledFrom([]string{"one", "two bodies", "noted elven", "t 1", "absent", "seve"}).Draw(c.T, "query")
	cold := c.cold()
	want := scores(rank(c.T, cold, look(c.T, cold), &Terms{}, q))
	for name, known := range map[string]*Terms{"in memory": known, "on disk": {}} {
		if got := scores(rank(c.T, s, v, known, q)); got != want {
			c.Fatalf("%q %s finds\n%s\nand the files say\n%s", q, name, got, want)
		}
	}
}

// searchAll reads everything in postings.
func searchAll(p *postings) {
	for i := range p.terms() {
		_ = p.term(i)
		p.each(i, func(record int, _ uint32) { _ = p.docs[record] })
	}
	p.find("b")
	p.containing("b", func(record int) { _ = p.docs[record] })
	keep := func(int) bool { return true }
	encodePostings(header{}, p, keep, nil)
}

// saying writes tasks, each with a title and a body.
func saying(t *testing.T, titles map[string][2]string) Source {
	t.Helper()
	p := newPlace(t)
	for id, says := range titles {
		src := fmt.Sprintf("---\nid: %s\ntitle: %s\nstatus: backlog\nprovenance: []\n---\n\n%s\n", id, says[0], says[1])
		if err := os.WriteFile(p.file(id), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return p.source()
}

func found(r Ranking) []string {
	ids := []string{}
	for _, f := range r.Best() {
		ids = append(ids, f.Row.ID)
	}
	return ids
}

func TestRank(t *testing.T) {
	long := strings.Repeat("many other words about nothing of interest ", 40)
	s := saying(t, map[string][2]string{
		"T-1": {"Rotate the signing keys", "Every quarter."},
		"T-2": {"Quarterly report", "It mentions that keys were rotated. " + long},
		"T-3": {"The zebra enclosure", "func readLoyaltyCard(id string)"},
		"T-4": {"Unrelated", long},
		"T-5": {"Retry", "key"},
		"T-6": {"日本語の検索", "全文検索"},
	})
	for _, c := range []struct {
		q, about string
		want     []string
	}{
		{"rotating keys", "other forms of a word, and more words before fewer", []string{"T-1", "T-2", "T-5"}},
		{"the retries", "a word that every text has is no word of the query", []string{"T-5"}},
		{"loyalty", "a part of an identifier", []string{"T-3"}},
		{"read_loyalty_card", "an identifier in another notation", []string{"T-3"}},
		{"zebar", "letters in another order", []string{"T-3"}},
		{"enclo", "the beginning of a word", []string{"T-3"}},
		{"enclosured", "a word that goes on", []string{"T-3"}},
		{"T-3", "an id", []string{"T-3"}},
		{"検索", "writing without blanks", []string{"T-6"}},
		{"xylophone", "nothing is near", []string{}},
		{"", "no word", []string{}},
	} {
		if got := found(rank(t, s, look(t, s), &Terms{}, c.q)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q finds %v, want %v", c.about, c.q, got, c.want)
		}
	}
	if near := rank(t, s, look(t, s), &Terms{}, "zebar keys").Near; len(near) != 1 || !slices.Contains(near["zebar"], "zebra") {
		t.Errorf("near words are %v", near)
	}
}

// The records of all parts are one collection: a word that one kind is full of counts for little in all of them.
func TestRankOverKinds(t *testing.T) {
	full := map[string][2]string{}
	for i := range 20 {
		full[fmt.Sprintf("T-1%02d", i)] = [2]string{"Common", "Common"}
	}
	a, b := saying(t, full), saying(t, map[string][2]string{"T-1": {"Common", "x"}, "T-2": {"Seldom", "x"}})
	var parts []*Searchable
	for _, s := range []Source{a, b} {
		part, err := s.Searchable(t.Context(), look(t, s), &Terms{})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	if got := found(Rank(terms.Parse("common seldom"), parts)); len(got) != 22 || got[0] != "T-2" {
		t.Errorf("finds %v", got)
	}
	alone, both := Rank(terms.Parse("seldom"), parts[1:]), Rank(terms.Parse("seldom"), parts)
	if want := math.Log(1+(22-1+0.5)/1.5) / math.Log(1+(2-1+0.5)/1.5); both.Found[0].Score < alone.Found[0].Score*want*0.9 {
		t.Errorf("among many the score is %v, alone %v", both.Found[0].Score, alone.Found[0].Score)
	}
}

// Only files that changed are read again, by a process that keeps nothing too.
func TestRankReadsWhatChanged(t *testing.T) {
	p := newPlace(t)
	aged(t, p, "T-1", "T-2", "T-3")
	s, parsed := counting(p.source())
	rank(t, s, look(t, s), &Terms{}, "one")
	if *parsed != 6 {
		t.Fatalf("%d files were parsed at first: each for its row and for its terms", *parsed)
	}
	rank(t, s, look(t, s), &Terms{}, "one")
	if *parsed != 6 {
		t.Errorf("%d files were parsed again", *parsed-6)
	}
	if err := os.WriteFile(p.file("T-2"), []byte(text("T-2", "two")), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := found(rank(t, s, look(t, s), &Terms{}, "two")); *parsed != 8 || !slices.Equal(got, []string{"T-2"}) {
		t.Errorf("after one change %d files were parsed, and %v found", *parsed-6, got)
	}
}

// Postings that came along with a copied folder are not believed.
func TestPostingsOfAnotherFolder(t *testing.T) {
	p, copied := newPlace(t), newPlace(t)
	aged(t, p, "T-1")
	rank(t, p.source(), look(t, p.source()), &Terms{}, "one")
	src, err := os.ReadFile(filepath.Join(p.live, "terms"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(copied.live, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied.live, "terms"), src, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := (searcher{copied.source(), asTerms}).load(); len(got.docs) != 0 {
		t.Error("they were believed")
	}
	if got := (searcher{p.source(), asTerms}).load(); len(got.docs) != 1 {
		t.Error("those of the folder itself were not believed")
	}
}

func BenchmarkRank(b *testing.B) {
	_, s := many(b, 10000)
	s.eager = false
	view := look(b, s)
	b.Run("first build", func(b *testing.B) {
		none := s
		none.Postings = ""
		for b.Loop() {
			if _, err := none.Searchable(b.Context(), view, &Terms{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	rank(b, s, view, &Terms{}, "word7")
	if disk.StampOf(s.Postings) == (disk.Stamp{}) {
		b.Fatal("they were not written")
	}
	for _, q := range []string{"word7", "body noted word7", "wrod7"} {
		b.Run("on disk/"+q, func(b *testing.B) {
			for b.Loop() {
				rank(b, s, view, &Terms{}, q)
			}
		})
		b.Run("in memory/"+q, func(b *testing.B) {
			known := &Terms{}
			for b.Loop() {
				rank(b, s, view, known, q)
			}
		})
	}
}
