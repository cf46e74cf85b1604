package pairs_test

import (
	"os/exec"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// What an agent may do with git where it works. The session and its task may be in no commit.
var withGit = map[string]string{
	"stash all":                   "git stash -q -u",
	"reset and clean":             "git reset -q --hard && git clean -qfd",
	"checkout of all and clean":   "git checkout -q . && git clean -qfd",
	"restore":                     "git restore --staged --worktree . && git clean -qfd",
	"amend":                       "git add -A && git commit -q --amend --no-edit",
	"commit, and reset":           "git add -A && git commit -qm all && git reset -q --hard HEAD~1",
	"rebase":                      "git add -A && git commit -qm all && git rebase -q --onto HEAD~1 HEAD~1",
	"a branch of its own":         "git switch -q -c own && git add -A && git commit -qm own",
	"stash on a branch":           "git switch -q -c own && git stash -q -u",
	"stash, and a branch":         "git stash -q -u && git switch -q -c own",
	"detached":                    "git checkout -q --detach && git stash -q -u",
	"sessions deleted":            "rm -rf .cairn/sessions",
	"records deleted":             "rm -rf .cairn/sessions .cairn/tasks",
	"records deleted, and staged": "git add -A && git rm -rqf .cairn/sessions .cairn/tasks",
	"the index gone":              `rm "$(git rev-parse --git-dir)/index"`,
}

// Whatever an agent does with git, it finishes its session: in the work tree of a pair, and in a checkout without one.
func TestSlowGitBesideASession(t *testing.T) {
	slowtest.Skip(t)
	for name, line := range withGit {
		t.Run("pair/"+name, func(t *testing.T) {
			w, id := committed(t)
			pair := open(t, w, verbtest.Args{"id": id})
			agent := w.At(pair.Root).InNameOf(pair.Actor)
			finishesAfter(t, agent, id, pair.Session, line)
		})
		t.Run("checkout/"+name, func(t *testing.T) {
			w, id := committed(t)
			agent := w.InNameOf("agent:a")
			begun := verbtest.Must(t, agent, "begin", verbtest.Args{"id": id, "expected_actor": "agent:a", "idempotency_key": "1"})
			finishesAfter(t, agent, id, begun.ID, line)
		})
	}
}

// committed is a field with its task committed.
func committed(t *testing.T) (*verb.Workspace, record.ID) {
	t.Helper()
	w, id := field(t)
	run(t, w.Dir, "git add -A && git commit -qm task")
	return w, id
}

func finishesAfter(t *testing.T, agent *verb.Workspace, id record.ID, ses, line string) {
	t.Helper()
	verbtest.Must(t, agent, "note", verbtest.Args{"id": id, "text": "half of it"})
	run(t, agent.Dir, line)
	if _, err := verbtest.CallAny(t, agent, "finish", verbtest.Args{"session": ses, "summary": "all of it"}); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(agent.Dir, agent.StateDir)
	if err != nil {
		t.Fatal(err)
	}
	if ended, err := kind.Sessions.Get(s, ses); err != nil || ended.Status != session.Finished {
		t.Errorf("the session is %q, %v", ended.Status, err)
	}
	there, err := kind.Tasks.Get(s, id)
	noted := there.Provenance.LastIndex(func(e record.Entry) bool { return e.Text == "half of it" })
	if err != nil || there.Status != s.Config.Flow.Review || noted < 0 {
		t.Errorf("the task is %q, its note at %d, %v", there.Status, noted, err)
	}
}

func run(t *testing.T, dir, line string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}
