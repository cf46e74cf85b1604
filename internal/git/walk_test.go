package git

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The commits of a change come after their parents, and each pair of trees has the files in which it differs.
func TestSteps(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	write := func(name, text string) string {
		r.write(name, text)
		r.commit()
		return r.git("rev-parse", "HEAD")
	}
	base := write("f", "1\n")
	old := write("d/main", "1\n")
	r.git("switch", "-q", "-c", "side", base)
	one := write("d/side", "1\n")
	r.git("merge", "-q", "--no-edit", "main")
	merge := r.git("rev-parse", "HEAD")
	r.remove("f")
	r.commit()
	gone := r.git("rev-parse", "HEAD")
	h := r.open().History()
	steps, around, err := h.Steps(t.Context(), old, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	trees := map[string]string{}
	for _, s := range around {
		trees[s.ID] = s.Tree
	}
	var pairs []Pair
	for _, s := range steps {
		got, trees[s.ID] = append(got, s.ID), s.Tree
		for _, parent := range s.Parents {
			pairs = append(pairs, Pair{trees[parent], s.Tree})
		}
	}
	if want := []string{one, merge, gone}; !slices.Equal(got, want) || len(around) != 2 || trees[base] == "" || trees[old] == "" {
		t.Errorf("got %q, want %q, and around them %v", got, want, around)
	}
	pairs = append(pairs, Pair{"", trees[base]}, Pair{trees[base], trees[base]}, Pair{trees[base], ""})
	for _, row := range []struct {
		below []string
		want  string
	}{
		{nil, "0 d/side, 1 d/main, 2 d/side, 3 f gone, 4 f, 6 f gone"},
		{[]string{"d"}, "0 d/side, 1 d/main, 2 d/side"},
	} {
		var all []string
		err := h.Differences(t.Context(), pairs, row.below, func(pair int, c FileChange) {
			text := fmt.Sprint(pair, " ", c.Path)
			if c.Now.ID == "" {
				text += " gone"
			}
			all = append(all, text)
		})
		if got := strings.Join(all, ", "); err != nil || got != row.want {
			t.Errorf("got %q (%v), want %q", got, err, row.want)
		}
	}
}

// Fingerprints that are made one from another are those of the commits.
func TestFingerprints(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	var trees, want []string
	o := r.open().Objects()
	commit := func() {
		r.commit()
		f, err := o.Fingerprint(t.Context(), "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		trees, want = append(trees, r.git("rev-parse", "HEAD^{tree}")), append(want, f)
	}
	r.write(".cairn/config.yaml", "\n")
	commit()
	r.write("a", "1\n")
	r.write("b c/d", "1\n")
	commit()
	r.write(".cairn/config.yaml", "more\n")
	commit()
	r.write("a", "2\n")
	r.remove("b c")
	r.write("b c", "a file\n")
	commit()
	r.git("update-index", "--chmod=+x", "a")
	r.git("commit", "-q", "-m", "x")
	commit()
	f, err := r.open().History().Fingerprints(t.Context(), trees)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range trees {
		if got, err := f.Next(); err != nil || got != want[i] {
			t.Errorf("%d: got %s (%v), want %s", i, got, err, want[i])
		}
	}
}

// A reader reads one content after the other, also after one that is not there.
func TestReader(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("f", "text\n")
	r.commit()
	reader := r.open().Objects().Reader(t.Context())
	defer reader.Close()
	for _, row := range []struct{ name, want string }{
		{r.git("rev-parse", "HEAD:f"), "text\n"}, {strings.Repeat("1", 40), ""}, {"HEAD:f", "text\n"},
	} {
		if got, err := reader.Blob(row.name, 100); err != nil || string(got.Content) != row.want {
			t.Errorf("%s: %q, %v", row.name, got.Content, err)
		}
	}
}
