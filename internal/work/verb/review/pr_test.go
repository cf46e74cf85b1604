package review_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/review"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// fakeHosts puts gh and glab on the PATH: programs that know the pull requests in a folder, which a test may change.
// They note how they were called.
type fakeHosts struct{ dir string }

const fakeGH = `#!/bin/sh
echo "gh $*" >>"$HOSTS/calls"
case "$1 $2" in
"pr view")
	test -f "$HOSTS/gh" || { echo 'no pull requests found for branch "x"' >&2; exit 1; }
	echo "{\"number\": 7, \"url\": \"https://github.com/o/r/pull/7\", \"state\": \"$(cat "$HOSTS/gh")\"}" ;;
"pr create") echo OPEN >"$HOSTS/gh"; echo https://github.com/o/r/pull/7 ;;
*) exit 2 ;;
esac
`

const fakeGLab = `#!/bin/sh
echo "glab $*" >>"$HOSTS/calls"
case "$1 $2" in
"mr view")
	test -f "$HOSTS/glab" || { echo 'no open merge request available for "x"' >&2; exit 1; }
	echo "{\"iid\": 9, \"web_url\": \"https://gitlab.com/o/r/-/merge_requests/9\", \"state\": \"$(cat "$HOSTS/glab")\"}" ;;
"mr create") echo opened >"$HOSTS/glab" ;;
*) exit 2 ;;
esac
`

func newHosts(t *testing.T) fakeHosts {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fakes are POSIX shell")
	}
	f := fakeHosts{t.TempDir()}
	for name, text := range map[string]string{"gh": fakeGH, "glab": fakeGLab} {
		if err := os.MkdirAll(filepath.Join(f.dir, "bin"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(f.dir, "bin", name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOSTS", f.dir)
	t.Setenv("PATH", filepath.Join(f.dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return f
}

func (f fakeHosts) set(t *testing.T, program, state string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, program), []byte(state), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (f fakeHosts) calls(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(f.dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withRemote gives a repository a remote that takes pushes, and has the address of a host.
func (h home) withRemote(url string) string {
	h.Helper()
	bare := filepath.Join(h.TempDir(), "remote.git")
	h.git(h.Dir, "init", "-q", "--bare", bare)
	h.git(h.Dir, "remote", "add", "origin", url)
	h.git(h.Dir, "config", "url."+bare+".pushInsteadOf", url)
	return bare
}

// A pull request is opened with the program of the host: the branch is pushed, the task refers to it, and the last job
// says which it is. Called again it finds the one that is there. What the host makes of it is recorded, and the next
// step named.
func TestSlowPullRequest(t *testing.T) {
	slowtest.Skip(t)
	for program, host := range map[string]struct{ remote, url, merged, closed string }{
		"gh":   {"https://github.com/o/r.git", "https://github.com/o/r/pull/7", "MERGED", "CLOSED"},
		"glab": {"https://gitlab.com/o/r.git", "https://gitlab.com/o/r/-/merge_requests/9", "merged", "closed"},
	} {
		t.Run(program, func(t *testing.T) {
			hosts := newHosts(t)
			h := newHome(t)
			bare := h.withRemote(host.remote)
			id := h.create(args{"title": "Add a roof", "body": "With tiles."})
			tree := h.work(id, map[string]string{"roof": "tiles\n"})
			ended := h.endedJob(id)
			out, err := h.apply(id, "pr", nil)
			h.wantCode(err, "")
			if out.PR == nil || out.PR.URL != host.url || out.PR.Status != "open" {
				t.Fatalf("the pull request is %+v", out.PR)
			}
			if got, want := h.git(bare, "rev-parse", tree.Branch), h.git(tree.Path, "log", "-1", "--format=%H", "--", "roof"); !strings.Contains(h.git(bare, "log", "--format=%H", tree.Branch), want) {
				t.Errorf("the remote has the branch at %s, without %s", got, want)
			}
			ref := h.in(tree.Root).here(id).Refs
			if len(ref) != 1 || ref[0].Type != record.PullRef || ref[0].URL != host.url || ref[0].State != "open" {
				t.Errorf("the references are %+v", ref)
			}
			var kept job.PR
			src, err := os.ReadFile(work.Jobs(h.store()).File(ended, "pr.json"))
			if err != nil || json.Unmarshal(src, &kept) != nil || kept.URL != host.url {
				t.Errorf("the job says %s, %v", src, err)
			}
			if _, err := h.apply(id, "pr", nil); err != nil || strings.Count(hosts.calls(t), " create ") != 1 {
				t.Errorf("again: %v\n%s", err, hosts.calls(t))
			}

			hosts.set(t, program, host.merged)
			synced, err := verbtest.Call[review.SyncOut](t, h.Workspace, "review_sync", args{})
			if err != nil || len(synced.Items) != 1 || synced.Items[0].Was != "open" || synced.Items[0].Status != "merged" || !strings.Contains(synced.Items[0].Next, "git pull") {
				t.Errorf("after the merge: %+v, %v", synced, err)
			}
			if branch, unmerged, err := trees.Unmerged(t.Context(), h.Workspace, h.store(), h.in(tree.Root).here(id)); unmerged || err != nil {
				t.Errorf("%s is not merged: %v", branch, err)
			}
			h.write(tree.Path, "roof", "and a chimney\n")
			h.git(tree.Path, "commit", "-qam", "more")
			if _, unmerged, err := trees.Unmerged(t.Context(), h.Workspace, h.store(), h.in(tree.Root).here(id)); !unmerged || err != nil {
				t.Errorf("what was committed after the pull request counts as merged: %v", err)
			}
			hosts.set(t, program, host.closed)
			synced, err = verbtest.Call[review.SyncOut](t, h.Workspace, "review_sync", args{"id": id})
			if err != nil || len(synced.Items) != 1 || synced.Items[0].Status != "closed" || !strings.Contains(synced.Items[0].Next, "cairn review reject") {
				t.Errorf("after it was closed: %+v, %v", synced, err)
			}
			if ref := h.in(tree.Root).here(id).Refs; len(ref) != 1 || ref[0].State != "closed" {
				t.Errorf("the references are %+v", ref)
			}
		})
	}
}

// endedJob makes a job of a task that has ended, and returns its id.
func (h home) endedJob(id record.ID) string {
	h.Helper()
	spec := job.Spec{
		Job: "job-01j8x2k7q7f3az", Task: id, Executor: "mine", Priority: job.P1, TTL: 3600, Timeout: 1800, Output: "edits", Attempts: 2,
		By: "human:lee", CreatedAt: time.Now().UTC(),
	}
	one, _, err := work.Jobs(h.store()).Create(h.Context(), spec, func([]job.Job) (*job.Job, error) { return nil, nil })
	if err != nil {
		h.Fatal(err)
	}
	owned, err := work.Jobs(h.store()).Own(one.Spec.Job)
	if err == nil {
		err = owned.Change(func(s *job.Status) { s.State, s.Reason, s.Actor = job.Failed, job.ExecutorError, "agent:fake-1" })
	}
	if err == nil {
		err = owned.Release()
	}
	if err != nil {
		h.Fatal(err)
	}
	return one.Spec.Job
}

// Without the program of the host the refusal says how it is installed, and nothing was pushed. What the program says
// when it fails is told.
func TestSlowPullRequestThatCannotBeOpened(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	bare := h.withRemote("https://github.com/o/r.git")
	id := h.create(args{"title": "Add a roof"})
	h.work(id, map[string]string{"roof": "tiles\n"})

	bin := t.TempDir() // git, and what the shell needs, without gh and glab
	for _, name := range []string{"git", "sh"} {
		path := storetest.RealPath(t, lookPath(t, name))
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Skip(err)
		}
	}
	t.Setenv("PATH", bin)
	_, err := h.apply(id, "pr", nil)
	h.wantCode(err, record.ExecutorMissing)
	if !strings.Contains(err.Error(), "gh") || h.git(bare, "branch", "--list") != "" {
		t.Errorf("the refusal is %v, and the remote has %q", err, h.git(bare, "branch", "--list"))
	}
	if err := os.WriteFile(filepath.Join(bin, "gh"), []byte("#!/bin/sh\necho 'gh auth login: you are not logged in' >&2\nexit 4\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = h.apply(id, "pr", nil)
	h.wantCode(err, record.IO)
	if !strings.Contains(err.Error(), "you are not logged in") {
		t.Errorf("the refusal is %v", err)
	}
}

// Where the program of one host is missing, the pull requests of others are asked about all the same.
func TestSlowSyncGoesOnWithoutOneHost(t *testing.T) {
	slowtest.Skip(t)
	hosts := newHosts(t)
	h := newHome(t)
	h.withRemote("https://github.com/o/r.git")
	there := h.create(args{"title": "Add a roof"})
	h.work(there, map[string]string{"roof": "tiles\n"})
	_, err := h.apply(there, "pr", nil)
	h.wantCode(err, "")
	gone := h.create(args{"title": "Add a door"})
	_, err = verbtest.Call[any](t, h.Workspace, "ref_add", args{
		"id": gone, "type": "pr", "repo": "gitlab.com/o/r", "url": "https://gitlab.com/o/r/-/merge_requests/9", "state": "open",
	})
	h.wantCode(err, "")
	if err := os.Remove(filepath.Join(hosts.dir, "bin", "glab")); err != nil {
		t.Fatal(err)
	}
	hosts.set(t, "gh", "MERGED")
	synced, err := verbtest.Call[review.SyncOut](t, h.Workspace, "review_sync", args{})
	h.wantCode(err, "")
	for _, one := range synced.Items {
		if one.Task == there && one.Status != "merged" || one.Task == gone && one.Error == "" {
			t.Errorf("it says %+v", one)
		}
	}
	if len(synced.Items) != 2 {
		t.Errorf("it says %+v", synced.Items)
	}
}

func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(err)
	}
	return path
}
