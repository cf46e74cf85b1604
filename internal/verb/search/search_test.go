package search_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/search"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

func find(t *testing.T, w *verb.Workspace, in verbtest.Args) search.Out {
	t.Helper()
	out, err := verbtest.Call[search.Out](t, w, "search", in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func ids(out search.Out) []string {
	var all []string
	for _, item := range out.Items.Items {
		all = append(all, item.ID)
	}
	return all
}

// Pages follow one another without a gap, the best first, and a cursor is refused for another query.
func TestPages(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	want := map[string]bool{}
	for i := range 45 {
		made := verbtest.Must(t, w, "create", verbtest.Args{"title": fmt.Sprintf("Lay brick %d", i), "body": strings.Repeat("filler ", i)})
		want[made.ID] = true
	}
	var got []string
	last, cursor := 1e9, ""
	for range 3 {
		in := verbtest.Args{"q": "bricks"}
		if cursor != "" {
			in["cursor"] = cursor
		}
		out := find(t, w, in)
		for _, item := range out.Items.Items {
			if item.Rank > last {
				t.Errorf("%s has rank %v, behind %v", item.ID, item.Rank, last)
			}
			last = item.Rank
		}
		if out.Total != 45 {
			t.Errorf("total is %d", out.Total)
		}
		got, cursor = append(got, ids(out)...), out.NextCursor
		if cursor != "" {
			if _, err := verbtest.Call[search.Out](t, w, "search", verbtest.Args{"q": "filler", "cursor": cursor}); record.CodeOf(err) != record.InvalidInput {
				t.Errorf("in another search the cursor is taken: %v", err)
			}
		}
	}
	slices.Sort(got)
	if len(slices.Compact(got)) != 45 || cursor != "" {
		t.Errorf("found %d, and the cursor is %q", len(got), cursor)
	}
}

// A file that cannot be read is named, and hides nothing else. Text from files comes as one harmless line.
func TestWhatFilesSay(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	made := verbtest.Must(t, w, "create", verbtest.Args{"title": "A brick", "body": "Before.\n\nA brick\twith\n\n# a heading."})
	tasks := filepath.Join(w.Dir, ".cairn", "tasks")
	if err := os.WriteFile(filepath.Join(tasks, "PROJ-1.md"), []byte("---\nid: [\n---\nbrick"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := find(t, w, verbtest.Args{"q": "brick heading"})
	if !slices.Equal(ids(out), []string{made.ID}) || len(out.Problems.Problems) != 1 {
		t.Errorf("found %v and %v", ids(out), out.Problems)
	}
	if got := out.Items.Items[0].Snippet; got != "Before. A brick with # a heading." {
		t.Errorf("the snippet is %q", got)
	}
}

// In a server, whatever was written before the call is found.
func TestSearchInAServer(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	w.Reads = &verb.SharedReads{}
	for i := range 5 {
		made := verbtest.Must(t, w, "create", verbtest.Args{"title": fmt.Sprintf("Title%d", i)})
		if got := ids(find(t, w, verbtest.Args{"q": fmt.Sprintf("title%d", i)})); !slices.Contains(got, made.ID) {
			t.Fatalf("found %v", got)
		}
		verbtest.Must(t, w, "note", verbtest.Args{"id": made.ID, "text": fmt.Sprintf("remark%d", i)})
		if got := ids(find(t, w, verbtest.Args{"q": fmt.Sprintf("remark%d", i)})); !slices.Equal(got, []string{made.ID}) {
			t.Fatalf("found %v", got)
		}
	}
}

func TestBelow(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	top := verbtest.Must(t, w, "create", verbtest.Args{"title": "The house of brick"})
	wall := verbtest.Must(t, w, "create", verbtest.Args{"title": "A wall of brick", "parent": top.ID})
	course := verbtest.Must(t, w, "create", verbtest.Args{"title": "A course of brick", "parent": wall.ID})
	verbtest.Must(t, w, "create", verbtest.Args{"title": "Another brick"})
	got := ids(find(t, w, verbtest.Args{"q": "brick", "parent": top.ID}))
	want := []string{top.ID, wall.ID, course.ID}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	if _, err := verbtest.Call[search.Out](t, w, "search", verbtest.Args{"q": "brick", "parent": "PROJ-404"}); record.CodeOf(err) != record.NotFound {
		t.Errorf("below nothing: %v", err)
	}
}
