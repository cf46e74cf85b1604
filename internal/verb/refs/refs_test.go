package refs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/refs"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

type args = verbtest.Args

// inGit is a workspace in a repository with one commit, a tag v1, and a remote.
func inGit(t *testing.T) (w *verb.Workspace, git func(...string) string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w = verbtest.NewWorkspace(t)
	git = func(more ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com"}, more...)...)
		cmd.Dir = w.Dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", more, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "--quiet", "--template=", "--initial-branch=main")
	git("add", "--all")
	git("commit", "--quiet", "--message=begin")
	git("tag", "v1")
	git("remote", "add", "origin", "https://me:secret@github.com/o/r.git")
	return w, git
}

func addTo(t *testing.T, w *verb.Workspace, in args) (record.Reference, error) {
	t.Helper()
	out, err := verbtest.Call[any](t, w, "ref_add", in)
	if err != nil {
		return record.Reference{}, err
	}
	all := out.(verb.Task).Refs
	return all[len(all)-1], nil
}

// What is left out comes from what is checked out; of another repository nothing is known, and nothing is looked up.
func TestDefaults(t *testing.T) {
	w, git := inGit(t)
	head := git("rev-parse", "HEAD")
	id := verbtest.Must(t, w, "create", args{"title": "One"}).ID
	other := strings.Repeat("ab", 20)
	for name, tt := range map[string]struct {
		in   args
		want record.Reference
	}{
		"the commit":            {args{"type": "commit"}, record.Reference{Sha: head, Branch: "main", Repo: "github.com/o/r"}},
		"a branch":              {args{"type": "branch"}, record.Reference{Branch: "main", Repo: "github.com/o/r"}},
		"a tag":                 {args{"type": "tag", "target": "v1"}, record.Reference{Target: "v1", Sha: head, Repo: "github.com/o/r"}},
		"a compare":             {args{"type": "compare", "target": "v1...main"}, record.Reference{Target: "v1...main", Repo: "github.com/o/r"}},
		"a pull request":        {args{"type": "pr", "number": 7}, record.Reference{Number: 7, Repo: "github.com/o/r"}},
		"a pull request by url": {args{"type": "pr", "url": "https://me:secret@gitlab.com/g/s/r/-/merge_requests/9/diffs"}, record.Reference{Number: 9, Repo: "gitlab.com/g/s/r", URL: "https://gitlab.com/g/s/r/-/merge_requests/9/diffs"}},
		"a commit elsewhere":    {args{"type": "commit", "sha": other, "repo": "git@example.com:o/other.git"}, record.Reference{Sha: other, Repo: "example.com/o/other"}},
		"a branch elsewhere":    {args{"type": "branch", "branch": "gone", "repo": "example.com/o/other"}, record.Reference{Branch: "gone", Repo: "example.com/o/other"}},
	} {
		tt.in["id"] = id
		got, err := addTo(t, w, tt.in)
		got.Ref, got.Type, got.By, got.At, tt.want.Title = "", "", "", tt.want.At, got.Title
		if err != nil || got != tt.want {
			t.Errorf("%s: got %+v, %v\nwant %+v", name, got, err, tt.want)
		}
	}
	if _, err := addTo(t, w, args{"id": id, "type": "commit", "sha": "v1", "title": "by a name", "repo": "https://github.com/o/r"}); record.CodeOf(err) != record.Conflict {
		t.Errorf("a commit by a name here, which is there without a title: %v", err)
	}
	if got, err := addTo(t, w, args{"id": id, "type": "compare", "target": "v1...HEAD"}); err != nil || got.Target != "v1..."+head[:12] {
		t.Errorf("what is compared with HEAD: %+v, %v", got, err)
	}
	for name, in := range map[string]args{
		"a commit that is not there": {"type": "commit", "sha": "0123456"},
		"a branch that is not there": {"type": "branch", "branch": "gone"},
		"a tag that is not there":    {"type": "tag", "target": "v2"},
		"a short hash elsewhere":     {"type": "commit", "sha": "v1", "repo": "example.com/o/other"},
		"an option for git":          {"type": "commit", "sha": "--all"},
	} {
		in["id"] = id
		if _, err := addTo(t, w, in); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s: %v", name, err)
		}
	}
	src, err := os.ReadFile(filepath.Join(w.Dir, ".cairn", "tasks", id+".md"))
	if err != nil || strings.Contains(string(src), "secret") {
		t.Errorf("the file holds a secret (%v):\n%s", err, src)
	}
}

// Of two who expect one revision one changes the record, and a write that would change nothing writes nothing.
func TestExpectedRev(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	id := verbtest.Must(t, w, "create", args{"title": "One"}).ID
	first, err := verbtest.Call[any](t, w, "ref_add", args{"id": id, "type": "link", "url": "https://example.com/"})
	if err != nil {
		t.Fatal(err)
	}
	was := first.(verb.Task)
	again, err := verbtest.Call[any](t, w, "ref_add", args{"id": id, "type": "link", "url": "https://example.com/", "expected_rev": was.Rev})
	if err != nil || again.(verb.Task).Rev != was.Rev {
		t.Errorf("added again: %v", err)
	}
	for _, in := range []args{{"title": "a"}, {"title": "b"}} {
		in["id"], in["ref"], in["expected_rev"] = id, was.Refs[0].Ref, was.Rev
		_, err = verbtest.Call[any](t, w, "ref_update", in)
	}
	if record.CodeOf(err) != record.Conflict {
		t.Errorf("the second change: %v", err)
	}
	if _, err := verbtest.Call[any](t, w, "ref_remove", args{"id": id, "ref": was.Refs[0].Ref, "expected_rev": was.Rev}); record.CodeOf(err) != record.Conflict {
		t.Errorf("the removal: %v", err)
	}
}

// A query pages through the references of all records, the newest first, and reads none twice.
func TestQueryPages(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	now := w.Now()
	for _, title := range []string{"One", "Two", "Three"} {
		id := verbtest.Must(t, w, "create", args{"title": title}).ID
		for _, n := range []string{"1", "2"} {
			now = now.Add(time.Second)
			at := now
			w.Now = func() time.Time { return at }
			verbtest.Must(t, w, "ref_add", args{"id": id, "type": "link", "url": "https://example.com/" + title + n})
		}
	}
	var got []string
	cursor := ""
	for {
		page, err := verbtest.Call[verb.Items[refs.Item]](t, w, "ref_query", args{"type": "link", "limit": 4, "cursor": cursor})
		if err != nil || page.Total != 6 {
			t.Fatal(page.Total, err)
		}
		for _, item := range page.Items {
			got = append(got, strings.TrimPrefix(item.URL, "https://example.com/"))
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if want := "Three2 Three1 Two2 Two1 One2 One1"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if page, err := verbtest.Call[verb.Items[refs.Item]](t, w, "ref_query", args{"type": "file"}); err != nil || page.Total != 0 || page.Items == nil {
		t.Errorf("of files: %+v, %v", page, err)
	}
}
