package git

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// A small history: A on main, B on main, and C on a side branch from A.
func TestHistory(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("f", "a\n")
	r.commit()
	a := r.git("rev-parse", "HEAD")
	r.git("switch", "-q", "-c", "side")
	r.write("f", "c\n")
	r.commit()
	c := r.git("rev-parse", "HEAD")
	r.git("switch", "-q", "main")
	r.write("g", "b\n")
	r.commit()
	b := r.git("rev-parse", "HEAD")
	found := r.open()

	for name, want := range map[string]string{"main": b, "side": c, "main~1": a, a: a, "nowhere": "", "": "", "--all": "", "HEAD:f": ""} {
		if got, err := found.Commit(t.Context(), name); err != nil || got != want {
			t.Errorf("%q is %q, %v", name, got, err)
		}
	}
	if got, err := found.History().MergeBases(t.Context(), b, c); err != nil || !slices.Equal(got, []string{a}) {
		t.Errorf("main and side parted at %q, %v", got, err)
	}
	r.git("merge", "-q", "-m", "merge", "side")
	r.write("f", "d\n")
	r.commit()
	landed, err := found.History().Landings(t.Context(), r.git("rev-parse", "HEAD"), "f")
	if want := []string{r.git("rev-parse", "HEAD"), r.git("rev-parse", "HEAD~1"), a}; err != nil || !slices.Equal(stepIDs(landed), want) {
		t.Errorf("f came with %v, %v, want %v", landed, err, want)
	} else if at, err := found.History().Time(t.Context(), a); err != nil || !landed[2].At.Equal(at) {
		t.Errorf("it came at %s and not at %s, %v", landed[2].At, at, err)
	}
	if got, err := found.History().Between(t.Context(), a, c, 10); err != nil || !slices.Equal(got, []string{c}) {
		t.Errorf("side has %q, %v", got, err)
	}
	if got, err := found.History().Between(t.Context(), a, a, 10); err != nil || len(got) != 0 {
		t.Errorf("nothing is %q, %v", got, err)
	}
	if found.History().Shallow() {
		t.Error("a whole clone is shallow")
	}
	r.git("switch", "-q", "--orphan", "alone")
	r.commit()
	if got, err := found.History().MergeBases(t.Context(), "alone", b); err != nil || len(got) != 0 {
		t.Errorf("histories of their own parted at %q, %v", got, err)
	}
}

func stepIDs(steps []Step) (ids []string) {
	for _, s := range steps {
		ids = append(ids, s.ID)
	}
	return ids
}

// All contents that the files of a folder ever had are found, on every branch, whatever settings the clone has for git
// log.
func TestVersions(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.git("config", "log.showSignature", "true")
	r.git("config", "log.showRoot", "false")
	r.git("config", "log.follow", "true")
	r.write("d/f f", "one\n")
	r.commit()
	first := r.git("rev-parse", "HEAD")
	r.git("switch", "-q", "-c", "side")
	r.write("d/f f", "two\n")
	r.commit()
	r.write("d/f f", "one\n")
	r.write("d/g", "other\n")
	r.commit()
	r.git("switch", "-q", "main")
	r.write("h", "")
	r.commit()
	r.git("merge", "-q", "--no-edit", "side")
	r.remove("d/f f")
	r.commit()
	for _, row := range []struct {
		name          string
		since, commit string
		want          string
	}{
		{"ever", "", "HEAD", "one other two"},
		{"since the first commit", first, "HEAD", "one other two"},
		{"before", "", first, "one"},
		{"of now", "HEAD~1", "HEAD", "one"},
	} {
		seen := map[string]bool{}
		err := r.open().History().Versions(t.Context(), row.since, row.commit, []string{"d"}, func(path, id string) {
			if path != "d/f f" && path != "d/g" {
				t.Errorf("%s: %q was not asked for", row.name, path)
			}
			seen[strings.TrimSpace(r.git("cat-file", "blob", id))] = true
		})
		var got []string
		for text := range seen {
			got = append(got, text)
		}
		slices.Sort(got)
		if err != nil || strings.Join(got, " ") != row.want {
			t.Errorf("%s: %q, %v", row.name, got, err)
		}
	}
}

// Where work is compared from: where it began, or the newest commit that it took in of the branch that it goes to.
func TestWorkFrom(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	commit := func(path, text string) string {
		r.write(path, text)
		r.commit()
		return r.git("rev-parse", "HEAD")
	}
	from := func(head, began, into, want string) {
		t.Helper()
		if got, err := r.open().History().WorkFrom(t.Context(), head, began, into); err != nil || got != want {
			t.Errorf("work on %.7s that began at %.7s is compared with %.7s, %v, want %.7s", head, began, got, err, want)
		}
	}
	began := commit("f", "a\n")
	from(began, began, "", began)
	own := commit("f", "b\n")
	from(own, began, "", began)

	r.git("switch", "-q", "-c", "work")
	work := commit("g", "c\n")
	r.git("switch", "-q", "main")
	others := commit("h", "d\n")
	r.git("switch", "-q", "work")
	from(work, own, "", own)
	r.git("merge", "-q", "-m", "merge", "main")
	merged := r.git("rev-parse", "HEAD")
	from(merged, own, "", others)
	from(merged, own, "main", others)
	from(merged, own, "nowhere", others)

	r.git("branch", "-q", "-f", "main", "work") // all of it has landed
	from(merged, own, "main", own)
	r.git("config", "user.email", "another@example.com")
	from(merged, own, "main", merged)
}

// The newest commit at a time, on the branch itself.
func TestAt(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("f", "a\n")
	r.commit()
	head := r.git("rev-parse", "HEAD")
	h := r.open().History()
	at, err := h.Time(t.Context(), head)
	if err != nil {
		t.Fatal(err)
	}
	for when, want := range map[time.Time]string{at: head, at.Add(time.Hour): head, at.Add(-time.Second): ""} {
		if got, err := h.At(t.Context(), head, when); err != nil || got != want {
			t.Errorf("at %v it is %q, %v, want %q", when, got, err, want)
		}
	}
}

// The commit by which a branch got another is the first of its own line that has it.
func TestBroughtBy(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("file", "1")
	r.commit()
	main := r.git("symbolic-ref", "--short", "HEAD")
	r.git("checkout", "-q", "-b", "work")
	r.write("other", "1")
	r.commit()
	work := r.git("rev-parse", "HEAD")
	r.git("checkout", "-q", main)
	r.write("file", "2")
	r.commit()
	if got, err := r.open().History().BroughtBy(t.Context(), "refs/heads/"+main, work); err != nil || got != "" {
		t.Errorf("before the merge it is %q, %v", got, err)
	}
	r.git("merge", "-q", "--no-ff", "-m", "merge", "work")
	merge := r.git("rev-parse", "HEAD")
	r.write("file", "3")
	r.commit()
	if got, err := r.open().History().BroughtBy(t.Context(), "refs/heads/"+main, work); err != nil || got != merge {
		t.Errorf("it is %q, %v; want %s", got, err, merge)
	}
}
