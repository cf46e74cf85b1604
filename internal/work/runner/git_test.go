package runner

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
)

// What an agent may do with git in its work tree. The file is good when it has handed over, and that is what the branch
// of the task has in the end, with the whole record.
var withGit = []struct{ name, line string }{
	{"stash all", "echo bad >file && git stash -q -u && echo good >file"},
	{"reset and clean", "git reset -q --hard && git clean -qfdx && echo good >file"},
	{"reset to before the job", "git reset -q --hard main && git clean -qfdx && echo good >file"},
	{"reset to before the base", "git reset -q --hard main~1 && git clean -qfdx && echo good >file"},
	{"checkout of all", "git checkout -q . && echo good >file"},
	{"checkout of the base's files", "git checkout -q main -- . && git rm -rq --cached --ignore-unmatch .cairn/sessions; rm -rf .cairn/sessions; echo good >file"},
	{"rebase onto a base that moved", "git -C $OTHER commit -q --allow-empty -m more && echo good >file && git add -A && git commit -qm good && git rebase -q main"},
	{"amend", "echo good >file && git add -A && git commit -q --amend -m 'all of it'"},
	{"a branch of its own", "git switch -q -c mine && echo good >file && git add -A && git commit -qm mine"},
	{"a branch of its own from the base", "git switch -q -c mine main && echo good >file && git add -A && git commit -qm mine"},
	{"a branch of its own, uncommitted", "git switch -q -c mine && echo good >file"},
	{"a renamed branch", "git branch -m mine && echo good >file"},
	{"detached", "git checkout -q --detach && echo good >file && git add -A && git commit -qm mine"},
	{"detached at the base", "echo good >file && git add -A && git commit -qm good && git checkout -q --detach main"},
	{"the branch deleted", "git checkout -q --detach && git branch -qD cairn/PROJ-1 && echo good >file"},
	{"an orphan", "git checkout -q --orphan fresh && echo good >file"},
	{"squashed", "echo good >file && git add -A && git commit -qm good && git reset -q --soft main && git commit -qm 'all of it'"},
	{"bisect", "git bisect start -q HEAD main~1 >/dev/null; git bisect reset -q; echo good >file"},
	{"bisect left open", "git bisect start -q HEAD main~1 >/dev/null; echo good >file"},
	{"the records deleted", "rm -rf .cairn/sessions .cairn/tasks && echo good >file"},
	{"the records deleted and committed", "git rm -rq .cairn/tasks .cairn/sessions && git commit -qm 'no records' && echo good >file"},
	{"the index gone", `rm "$(git rev-parse --git-dir)/index" && echo good >file`},
}

func TestSlowGitByTheAgent(t *testing.T) {
	slowtest.Skip(t)
	for _, one := range withGit {
		t.Run(one.name, func(t *testing.T) { t.Parallel(); handsOverWith(t, one.line) })
	}
}

func TestSlowABranchOfTheAgentsOwn(t *testing.T) {
	slowtest.Skip(t)
	handsOverWith(t, "git switch -q -c mine main && git clean -qfdx && echo good >file && git add -A && git commit -qm mine")
}

// handsOverWith has an executor do something with git, and hand over: the job succeeds, and so does another one on the
// task that was sent back.
func handsOverWith(t *testing.T, line string) {
	f := newField(t)
	f.git(f.s.Root, "commit", "-q", "--allow-empty", "-m", "more")
	f.agent.line = "export OTHER=" + f.s.Root + "; " + line + "; echo done"
	one := f.run()
	f.want(one, job.Succeeded, "")
	if text := f.git(f.s.Root, "show", "cairn/PROJ-1:file"); text != "good" {
		t.Errorf("the branch has %q\n%s", text, f.events("job-1"))
	}
	if got := f.task(one); got.Status != f.s.Config.Flow.Review {
		t.Errorf("the task is %s", got.Status)
	}
	if _, err := kind.Sessions.Get(f.there(one), one.Status.Session); err != nil {
		t.Error(err)
	}
	f.clean(one)
	f.agent.line = "echo good >file; echo done"
	f.want(f.run(), job.Succeeded, "")
}

// What git was left in the middle of goes back to the agent, and ends with the job: another one can begin.
func TestSlowAnAgentThatLeavesARebase(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = "echo mine >file && git add -A && git commit -qm mine && cd " + f.s.Root +
		" && echo theirs >file && git add -A && git commit -qm theirs && cd - >/dev/null; git rebase -q main >/dev/null 2>&1; echo half >file; echo done"
	one := f.run(func(s *job.Spec) { s.Attempts = 0 })
	f.want(one, job.Failed, job.Policy)
	if !strings.Contains(one.Status.Message, "a rebase is under way") {
		t.Error(one.Status.Message)
	}
	if text := f.git(f.s.Root, "show", "cairn/PROJ-1.1:file"); text != "half" {
		t.Errorf("what it had is %q", text)
	}
	f.clean(one)
	f.agent.line = "echo good >file; echo done"
	f.want(f.run(), job.Succeeded, "")
}

// An agent that deletes its own work tree loses what was in no commit, and the job goes on.
func TestSlowAnAgentThatDeletesItsWorkTree(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = `echo good >file && git add -A && git commit -qm good && rm -rf "$PWD"`
	f.want(f.run(), job.Succeeded, "")
}

// One that deletes the workspace has changed by what rules its work is judged. Its session ends nevertheless, and the
// next job goes on in the work tree.
func TestSlowAnAgentThatDeletesTheWorkspace(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = "git rm -rq .cairn && git commit -qm 'no cairn' && echo good >file"
	one := f.run()
	f.want(one, job.Failed, job.Policy)
	f.clean(one)
	if ses, err := kind.Sessions.Get(f.there(one), one.Status.Session); err != nil || ses.Status != session.Failed {
		t.Errorf("its session is %q, %v\n%s", ses.Status, err, f.events("job-1"))
	}
	f.agent.line = "echo good >file; echo done"
	f.want(f.run(), job.Succeeded, "")
}
