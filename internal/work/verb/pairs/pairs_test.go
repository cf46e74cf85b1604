package pairs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work/verb/pairs"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// field is a person in a trusted repository with one task.
func field(t *testing.T) (*verb.Workspace, record.ID) {
	t.Helper()
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Lee", "GIT_AUTHOR_EMAIL": "lee@example.com", "GIT_COMMITTER_NAME": "Lee", "GIT_COMMITTER_EMAIL": "lee@example.com",
	} {
		t.Setenv(name, value)
	}
	w := verbtest.NewWorkspace(t)
	dir := filepath.Join(w.Dir, "repo") // its work trees lie beside it
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.Dir = dir
	if _, _, err := store.Init(dir, "PROJ"); err != nil {
		t.Fatal(err)
	}
	verbtest.PrepareJobs(t, w)
	return w, record.ID(verbtest.Must(t, w, "create", verbtest.Args{"title": "Build", "mode": "pair"}).ID)
}

func open(t *testing.T, w *verb.Workspace, in verbtest.Args) pairs.Pair {
	t.Helper()
	out, err := verbtest.Call[pairs.Pair](t, w, "pair_open", in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A pair gets a work tree and a session of its own, in which the agent acts under a name that says with whom. Opened
// again it is the same one.
func TestAPairIsOpenedOnce(t *testing.T) {
	w, id := field(t)
	if none, err := verbtest.Call[pairs.Pair](t, w, "pair_read", verbtest.Args{"id": id}); err != nil || none.Exists {
		t.Fatalf("before: %+v, %v", none, err)
	}
	got := open(t, w, verbtest.Args{"id": id, "executor": "mine"})
	if !got.Exists || got.Reused || got.Actor != "agent:mine-lee" || got.Branch != "cairn/"+string(id) || got.Base != "main" {
		t.Errorf("opened %+v", got)
	}
	at, err := store.Open(got.Root, w.StateDir)
	if err != nil || at.Worktree != got.Worktree || at.Worktree == w.Dir {
		t.Fatalf("the work tree is %+v, %v", at, err)
	}
	ses, err := kind.Sessions.Get(at, got.Session)
	if err != nil || ses.Role != "pair" || ses.Actor != got.Actor || ses.Status != session.Active {
		t.Errorf("the session is %+v, %v", ses, err)
	}
	for _, name := range []string{"CAIRN_SESSION", "CAIRN_ACTOR", "CAIRN_PORT", "CAIRN_TASK", "CAIRN_EXECUTOR"} {
		if got.Environment[name] == "" || !strings.Contains(got.Command, name+"="+got.Environment[name]) {
			t.Errorf("%s is %q, and the command %s", name, got.Environment[name], got.Command)
		}
	}
	again := open(t, w, verbtest.Args{"id": id})
	if !again.Reused || again.Session != got.Session || again.Environment["CAIRN_PORT"] != got.Environment["CAIRN_PORT"] {
		t.Errorf("opened again %+v", again)
	}
	if _, err := verbtest.Call[pairs.Pair](t, w, "pair_open", verbtest.Args{"id": id, "reuse": false}); record.CodeOf(err) != record.SessionLive {
		t.Errorf("without reuse: %v", err)
	}
	if read, err := verbtest.Call[pairs.Pair](t, w, "pair_read", verbtest.Args{"id": id}); err != nil || !read.Exists || read.Session != got.Session || read.Root != got.Root {
		t.Errorf("read %+v, %v", read, err)
	}
}

// The command that starts the agent does start it, in the work tree and with the environment of the pair.
func TestTheCommandOfAPair(t *testing.T) {
	w, id := field(t)
	verbtest.WriteExecutor(t, w, "mine", `[sh, -c, 'echo "$CAIRN_ACTOR $CAIRN_TASK"; pwd', "it's"]`)
	got := open(t, w, verbtest.Args{"id": id, "executor": "mine"})
	out, err := exec.Command("sh", "-c", got.Command).Output()
	if want := string(got.Actor) + " " + string(id) + "\n" + got.Root + "\n"; err != nil || string(out) != want {
		t.Errorf("%s\nprints %q, %v, want %q", got.Command, out, err, want)
	}
	if argv := got.Argv(); !slices.Equal(argv[:2], []string{"sh", "-c"}) {
		t.Errorf("the program is %q", argv)
	}
}

// A pair is closed by handing over or by giving the task back. What is not merged stays where it is.
func TestSlowAPairIsClosed(t *testing.T) {
	slowtest.Skip(t)
	w, id := field(t)
	got := open(t, w, verbtest.Args{"id": id})
	if err := os.WriteFile(filepath.Join(got.Root, "wall.txt"), []byte("brick\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	other := *w
	other.Actor, other.Rights = verb.As("agent:other"), verb.Rights{Profile: verb.PairWorker}
	if _, err := verbtest.Call[pairs.Pair](t, &other, "pair_close", verbtest.Args{"id": id}); record.CodeOf(err) != record.NotYours {
		t.Errorf("another agent closes it: %v", err)
	}
	closed, err := verbtest.Call[pairs.Pair](t, w, "pair_close", verbtest.Args{"id": id, "summary": "a wall"})
	if err != nil || closed.Exists || closed.Status != session.Finished || closed.Removed || closed.Kept == "" {
		t.Fatalf("closed %+v, %v", closed, err)
	}
	if _, err := os.Stat(filepath.Join(got.Root, "wall.txt")); err != nil {
		t.Errorf("what was not committed is gone: %v", err)
	}
	at, err := store.Open(got.Root, w.StateDir)
	if err != nil {
		t.Fatal(err)
	}
	if there, err := kind.Tasks.Get(at, id); err != nil || there.Status != at.Config.Flow.Review {
		t.Errorf("the task is %s, %v", there.Status, err)
	}
	again := open(t, w, verbtest.Args{"id": id}) // from the review it goes back to work
	if again.Reused || again.Session == got.Session || again.Root != got.Root {
		t.Errorf("opened again %+v", again)
	}
	given, err := verbtest.Call[pairs.Pair](t, w, "pair_close", verbtest.Args{"id": id})
	if err != nil || given.Status != session.Canceled {
		t.Errorf("given back %+v, %v", given, err)
	}
}

// Closing runs the checks, says what is in no commit, and commits it where a message is given.
func TestClosingAPairRunsTheChecksAndCommits(t *testing.T) {
	w, id := field(t)
	verbtest.Must(t, w, "update", verbtest.Args{"id": id, "checks": []verbtest.Args{{"desc": "a wall", "cmd": "test -f wall.txt"}, {"desc": "a roof", "cmd": "test -f roof.txt"}}})
	verbtest.ApproveAll(t, w)
	got := open(t, w, verbtest.Args{"id": id})
	if err := os.WriteFile(filepath.Join(got.Root, "wall.txt"), []byte("brick\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	closed, err := verbtest.Call[pairs.Pair](t, w, "pair_close", verbtest.Args{"id": id})
	if err != nil || len(closed.Checks) != 2 || closed.Checks[0].Result != record.Pass || closed.Checks[1].Result != record.Fail {
		t.Fatalf("closed with %+v, %v", closed.Checks, err)
	}
	if !closed.Uncommitted || closed.Commit != "" || closed.Removed {
		t.Errorf("closed %+v", closed)
	}
	closed, err = verbtest.Call[pairs.Pair](t, w, "pair_close", verbtest.Args{"id": id, "commit": "A wall"})
	if err != nil || closed.Uncommitted || closed.Commit == "" || closed.Removed {
		t.Errorf("committed %+v, %v", closed, err)
	}
	out, err := exec.Command("git", "-C", got.Root, "log", "-1", "--format=%H %s", "--", "wall.txt").Output()
	if err != nil || string(out) != closed.Commit+" A wall\n" {
		t.Errorf("the branch has %q, %v", out, err)
	}
}

// Where nothing was done, closing leaves neither a work tree nor a branch. What was said there is something.
func TestSlowAPairInWhichNothingWasDoneLeavesNothing(t *testing.T) {
	slowtest.Skip(t)
	w, id := field(t)
	if out, err := exec.Command("sh", "-c", "cd "+w.Dir+" && git add --all && git commit --quiet --message task").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	got := open(t, w, verbtest.Args{"id": id})
	branches := func() string {
		out, _ := exec.Command("git", "-C", w.Dir, "branch", "--list", "cairn/*").Output()
		return string(out)
	}
	if branches() == "" {
		t.Fatal("it has no branch")
	}
	closed, err := verbtest.Call[pairs.Pair](t, w, "pair_close", verbtest.Args{"id": id})
	if err != nil || !closed.Nothing || !closed.Removed || closed.Status != session.Canceled {
		t.Errorf("closed %+v, %v", closed, err)
	}
	if _, err := os.Stat(got.Worktree); !os.IsNotExist(err) || branches() != "" {
		t.Errorf("left: %v, %s", err, branches())
	}
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	if there, err := kind.Tasks.Get(s, id); err != nil || there.Status != s.Config.Flow.Initial {
		t.Errorf("the task is %s, %v", there.Status, err)
	}
	open(t, w, verbtest.Args{"id": id})
	verbtest.Must(t, w, "note", verbtest.Args{"id": id, "text": "the ground is wet"})
	closed, err = verbtest.Call[pairs.Pair](t, w, "pair_close", verbtest.Args{"id": id})
	if err != nil || closed.Nothing || closed.Removed {
		t.Errorf("closed after a note %+v, %v", closed, err)
	}
}

// A pair works where nobody else does: not beside a job, not in a clone that is not trusted, and not on a closed task.
func TestWhereNoPairIsOpened(t *testing.T) {
	w, id := field(t)
	if _, err := verbtest.Call[pairs.Pair](t, w, "pair_close", verbtest.Args{"id": id}); record.CodeOf(err) != record.NotFound {
		t.Errorf("without a pair: %v", err)
	}
	verbtest.Must(t, w, "update", verbtest.Args{"id": id, "mode": ""})
	verbtest.Must(t, w, "job_start", verbtest.Args{"id": id, "executor": "mine"})
	if _, err := verbtest.Call[pairs.Pair](t, w, "pair_open", verbtest.Args{"id": id}); record.CodeOf(err) != record.AlreadyClaimed {
		t.Errorf("beside a job: %v", err)
	}
	if _, err := verbtest.Call[pairs.Pair](t, w, "pair_close", verbtest.Args{"id": id}); record.CodeOf(err) != record.Busy {
		t.Errorf("closed while a job works: %v", err)
	}
	stranger := *w
	stranger.StateDir = t.TempDir()
	if _, err := verbtest.Call[pairs.Pair](t, &stranger, "pair_open", verbtest.Args{"id": id}); record.CodeOf(err) != record.Untrusted {
		t.Errorf("in a clone that is not trusted: %v", err)
	}
	done := record.ID(verbtest.Must(t, w, "create", verbtest.Args{"title": "Done"}).ID)
	verbtest.Must(t, w, "transition", verbtest.Args{"id": done, "to": "canceled"})
	if _, err := verbtest.Call[pairs.Pair](t, w, "pair_open", verbtest.Args{"id": done}); record.CodeOf(err) != record.TaskClosed {
		t.Errorf("on a closed task: %v", err)
	}
}

// A pair may work in a work tree that a person made. It is never taken away.
func TestAWorkTreeOfAPersons(t *testing.T) {
	w, id := field(t)
	got := open(t, w, verbtest.Args{"id": id, "worktree": "."})
	if !got.Exists || got.Root != w.Dir || got.Branch != "main" {
		t.Errorf("opened %+v", got)
	}
	closed, err := verbtest.Call[pairs.Pair](t, w, "pair_close", verbtest.Args{"id": id})
	if err != nil || closed.Exists || closed.Removed || closed.Kept == "" {
		t.Errorf("closed %+v, %v", closed, err)
	}
	elsewhere := verbtest.NewWorkspace(t).Dir
	if _, err := verbtest.Call[pairs.Pair](t, w, "pair_open", verbtest.Args{"id": id, "worktree": elsewhere}); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("in another clone: %v", err)
	}
}

// The set-up command runs in the new work tree; where it fails no session begins, and the work tree stays to be looked
// at.
func TestTheSetUpOfAPair(t *testing.T) {
	w, id := field(t)
	config := filepath.Join(w.Dir, ".cairn", "config.yaml")
	src, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	set := func(command string) {
		t.Helper()
		if err := os.WriteFile(config, append(slices.Clone(src), "worktree_setup: "+command+"\n"...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set("echo broken; exit 3")
	if _, err = verbtest.Call[pairs.Pair](t, w, "pair_open", verbtest.Args{"id": id}); record.CodeOf(err) != record.Untrusted {
		t.Errorf("a set-up that nobody approved: %v", err)
	}
	verbtest.ApproveAll(t, w)
	_, err = verbtest.Call[pairs.Pair](t, w, "pair_open", verbtest.Args{"id": id})
	if record.CodeOf(err) != record.IO || !strings.Contains(err.Error(), "exit 3") {
		t.Fatalf("a set-up that fails: %v", err)
	}
	if read, err := verbtest.Call[pairs.Pair](t, w, "pair_read", verbtest.Args{"id": id}); err != nil || read.Exists || read.Root == "" {
		t.Errorf("afterwards %+v, %v", read, err)
	}
}
