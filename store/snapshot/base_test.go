package snapshot_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// forked makes a workspace on a branch that parted from main: main has the commits A and B, the branch C on top of A.
// The clone that is returned has the branch checked out, and knows main as origin/main only.
func forked(t *testing.T, args ...string) (s *store.Store, a string) {
	t.Helper()
	origin := recorded(t)
	a = storetest.CommitOf(t, origin.Root, "HEAD")
	storetest.Git(t, origin.Root, "switch", "-q", "-c", "topic")
	storetest.WriteTask(t, origin, "PROJ-2")
	storetest.CommitAll(t, origin)
	storetest.Git(t, origin.Root, "switch", "-q", "main")
	storetest.WriteTask(t, origin, "PROJ-3")
	storetest.CommitAll(t, origin)
	dir := t.TempDir()
	storetest.Git(t, dir, append([]string{"clone", "-q", "--branch", "topic"}, append(args, "file://"+filepath.ToSlash(origin.Root), "clone")...)...)
	clone := filepath.Join(dir, "clone")
	storetest.Git(t, clone, "config", "user.name", "Test User")
	storetest.Git(t, clone, "config", "user.email", "test@example.com")
	return storetest.Open(t, clone), a
}

// Who names the base: the caller, else the system that runs the check, else the clone.
func TestBaseIsNamed(t *testing.T) {
	s, a := forked(t)
	head := storetest.CommitOf(t, s.Root, "HEAD")
	for _, row := range []struct {
		name string
		base string
		env  map[string]string
		want string // the commit
		by   string
	}{
		{"nobody but the clone", "", nil, a, "origin/HEAD"},
		{"the caller, by a remote branch", "origin/main", nil, a, "--base origin/main"},
		{"the caller, by a commit", a, nil, a, "--base " + a},
		{"the caller, whatever runs it", "HEAD", map[string]string{"GITHUB_BASE_REF": "main"}, head, "--base HEAD"},
		{"GitHub", "", map[string]string{"GITHUB_BASE_REF": "main"}, a, "GITHUB_BASE_REF (main)"},
		{"GitHub, for what is no pull request", "", map[string]string{"GITHUB_BASE_REF": ""}, a, "origin/HEAD"},
		{"GitLab", "", map[string]string{"CI_MERGE_REQUEST_DIFF_BASE_SHA": a}, a, "CI_MERGE_REQUEST_DIFF_BASE_SHA (" + a + ")"},
		{"GitLab, for the merged result", "", map[string]string{
			"CI_MERGE_REQUEST_DIFF_BASE_SHA": head, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": a,
		}, a, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA (" + a + ")"},
		{"Bitbucket", "", map[string]string{"BITBUCKET_PR_DESTINATION_BRANCH": "main"}, a, "BITBUCKET_PR_DESTINATION_BRANCH (main)"},
		{"Jenkins", "", map[string]string{"CHANGE_TARGET": "main", "JENKINS_URL": "https://ci.example.com/"}, a, "CHANGE_TARGET (main)"},
		{"not Jenkins", "", map[string]string{"CHANGE_TARGET": "elsewhere"}, a, "origin/HEAD"},
		{"Buildkite", "", map[string]string{"BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main"}, a, "BUILDKITE_PULL_REQUEST_BASE_BRANCH (main)"},
		{"Azure Pipelines", "", map[string]string{"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main"}, a, "SYSTEM_PULLREQUEST_TARGETBRANCH (refs/heads/main)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := check(t, s, snapshot.CheckOptions{Base: row.base, Getenv: func(name string) string { return row.env[name] }})
			if c.Base != row.want || c.BaseName != row.by || c.Head != head {
				t.Errorf("compares with %s, named by %s (%s)", c.Base, c.BaseName, c.Note)
			}
		})
	}
}

// What a base is in the histories that there are. Where there is none the note says why.
func TestBaseOfAHistory(t *testing.T) {
	for _, row := range []struct {
		name string
		make func(t *testing.T) (*store.Store, snapshot.CheckOptions)
		want string // a name of the commit; "" if nothing is compared
		note string
	}{
		{"HEAD is detached", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s, _ := forked(t)
			storetest.Git(t, s.Root, "switch", "-q", "--detach")
			return s, snapshot.CheckOptions{}
		}, "HEAD~1", ""},
		{"the base is what is checked out", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s, _ := forked(t)
			return s, snapshot.CheckOptions{Base: "HEAD"}
		}, "HEAD", "only what is not committed"},
		{"the base is the commit that is judged", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s, _ := forked(t)
			return s, snapshot.CheckOptions{Base: "HEAD", Commit: "HEAD"}
		}, "HEAD", "no change to judge"},
		{"a merge of the base into the branch", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s, _ := forked(t)
			storetest.Git(t, s.Root, "merge", "-q", "--no-edit", "origin/main")
			return s, snapshot.CheckOptions{}
		}, "origin/main", ""},
		{"a merge made by the system that runs the check", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s, _ := forked(t)
			storetest.Git(t, s.Root, "switch", "-q", "--detach", "origin/main")
			storetest.Git(t, s.Root, "merge", "-q", "--no-edit", "origin/topic")
			return s, snapshot.CheckOptions{}
		}, "origin/main", ""},
		{"a clone without a remote", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			return recorded(t), snapshot.CheckOptions{}
		}, "", "no origin/HEAD"},
		{"a branch that adds the record", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			dir := storetest.NewRepo(t)
			s := storetest.NewAt(t, dir)
			storetest.CommitAll(t, s)
			return s, snapshot.CheckOptions{Base: "HEAD~1"}
		}, "", "--base HEAD~1 has no record"},
		{"no commit yet", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			dir := t.TempDir()
			storetest.Git(t, dir, "init", "-q")
			return storetest.NewAt(t, dir), snapshot.CheckOptions{}
		}, "", "nobody names a base"},
		{"staged, before the first commit", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			dir := t.TempDir()
			storetest.Git(t, dir, "init", "-q")
			s := storetest.NewAt(t, dir)
			storetest.Git(t, dir, "add", "-A")
			return s, snapshot.CheckOptions{Staged: true}
		}, "", "no commit yet"},
		{"outside git", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			return storetest.NewAt(t, t.TempDir()), snapshot.CheckOptions{}
		}, "", "no git repository"},
		{"asked for none", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s, _ := forked(t)
			return s, snapshot.CheckOptions{NoBase: true}
		}, "", "as was asked for"},
		{"a clone that is shallow, and deep enough", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s, _ := forked(t, "--depth=2", "--no-single-branch")
			return s, snapshot.CheckOptions{Base: "origin/main"}
		}, "HEAD~1", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, opts := row.make(t)
			c := check(t, s, opts)
			want := ""
			if row.want != "" {
				want = storetest.CommitOf(t, s.Root, row.want)
			}
			if c.Base != want || !strings.Contains(c.Note, row.note) || row.note == "" && c.Note != "" {
				t.Errorf("got base %q, want %q; note %q", c.Base, want, c.Note)
			}
			if len(c.Findings) > 0 {
				t.Errorf("finds %s", report(c.Findings))
			}
		})
	}
}

// A base that is named and cannot be compared with is never passed over.
func TestNoBase(t *testing.T) {
	github := func(name string) string { return map[string]string{"GITHUB_BASE_REF": "main"}[name] }
	for _, row := range []struct {
		name string
		make func(t *testing.T) (*store.Store, snapshot.CheckOptions)
		says string
		hint string
	}{
		{"a base that does not exist", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			return recorded(t), snapshot.CheckOptions{Base: "origin/main"}
		}, "--base origin/main: this clone has no such commit", "git fetch origin main"},
		{"a base that is an option", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			return recorded(t), snapshot.CheckOptions{Base: "--all"}
		}, "is not the name of one commit", "name a branch"},
		{"a branch that was not fetched", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s, _ := forked(t, "--single-branch")
			return s, snapshot.CheckOptions{Getenv: github}
		}, "GITHUB_BASE_REF (main): this clone has no such commit", "git fetch origin main"},
		{"a clone of one commit", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s, _ := forked(t, "--depth=1")
			return s, snapshot.CheckOptions{Getenv: github}
		}, "no such commit", "fetch-depth: 0"},
		{"a clone too shallow to hold where the branch began", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s, _ := forked(t, "--depth=1", "--no-single-branch")
			return s, snapshot.CheckOptions{}
		}, "too shallow to tell where it parted from origin/HEAD", "fetch-depth: 0"},
		{"a history of its own", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s := recorded(t)
			storetest.Git(t, s.Root, "switch", "-q", "--orphan", "alone")
			storetest.Git(t, s.Root, "commit", "-q", "--allow-empty", "-m", "begin anew")
			return storetest.Open(t, storetest.NewAt(t, s.Root).Root), snapshot.CheckOptions{Base: "main"}
		}, "no history in common", "name another base"},
		{"a record that a new workspace hides", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s := recorded(t)
			part := filepath.Join(s.Root, "part")
			if err := os.Mkdir(part, 0o755); err != nil {
				t.Fatal(err)
			}
			return storetest.Open(t, storetest.NewAt(t, part).Root), snapshot.CheckOptions{Base: "main"}
		}, "has no record in part, and one in the top folder", "docs/ci.md"},
		{"a record that was a link", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			dir := storetest.NewRepo(t)
			storetest.Link(t, t.TempDir(), filepath.Join(dir, layout.Folder))
			storetest.Git(t, dir, "add", "-A")
			storetest.Git(t, dir, "commit", "-q", "-m", "a link")
			storetest.Remove(t, filepath.Join(dir, layout.Folder))
			s := storetest.NewAt(t, dir)
			storetest.CommitAll(t, s)
			return s, snapshot.CheckOptions{Base: "HEAD~1"}
		}, "the record of --base HEAD~1 cannot be read: .cairn is a link", "docs/ci.md"},
		{"a clone too shallow to tell whether it parted twice", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			return crossed(t, true), snapshot.CheckOptions{Base: "main"}
		}, "too shallow to tell", "fetch-depth: 0"},
		{"an origin/HEAD that names a branch that is gone", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s, _ := forked(t)
			storetest.Git(t, s.Root, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/master")
			return s, snapshot.CheckOptions{}
		}, "origin/HEAD names refs/remotes/origin/master, which is not there", "git remote set-head origin --auto"},
		{"no commit yet", func(t *testing.T) (*store.Store, snapshot.CheckOptions) {
			s := recorded(t)
			storetest.Git(t, s.Root, "switch", "-q", "--orphan", "alone")
			return storetest.Open(t, storetest.NewAt(t, s.Root).Root), snapshot.CheckOptions{Base: "main"}
		}, "no commit yet", "leave the base out"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, opts := row.make(t)
			_, err := snapshot.Check(t.Context(), s.Layout, opts)
			storetest.WantMessage(t, err, record.NoBase, row.says)
			if hint := problem.Hint(err); !strings.Contains(hint, row.hint) {
				t.Errorf("the hint is %q", hint)
			}
		})
	}
}
