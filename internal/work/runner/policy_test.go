package runner

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

func TestSlowWhatAJobMayNotChange(t *testing.T) {
	slowtest.Skip(t)
	for name, tt := range map[string]struct {
		line   string
		paths  []string
		reason job.Reason // "" for none
	}{
		"a file outside of its paths":        {"echo good >file; echo x >other", []string{"file"}, job.Policy},
		"a name that is a pattern":           {"echo good >file; mkdir '**'; echo x >'**/other'", []string{"file"}, job.Policy},
		"a file that it takes away":          {"echo good >file; git rm -q README", []string{"file"}, job.Policy},
		"what it committed itself":           {"echo good >file; echo x >other; git add -A; git commit -qm x", []string{"file"}, job.Policy},
		"the base moved onto its work":       {"echo good >file; git add file; git commit -qm x; git update-ref refs/heads/main HEAD", nil, job.Policy},
		"a base that others moved on":        {"git update-ref refs/heads/main $(git commit-tree -p main -m other main^{tree}); git merge -q main; echo good >file", []string{"file"}, ""},
		"files within its paths":             {"echo good >file; mkdir -p src; echo x >src/a", []string{"file", "src"}, ""},
		"a check that asks for less":         {"sed -i 's/grep -q good file/true/' .cairn/tasks/PROJ-1.md", nil, job.Policy},
		"a check that is gone":               {"perl -0pi -e 's/^checks:\\n(  .*\\n|- .*\\n)+//m' .cairn/tasks/PROJ-1.md", nil, job.Policy},
		"an entry that is gone":              {"echo good >file; perl -0pi -e 's/^ *- \\{[^\\n]*did: created[^\\n]*\\n//m' .cairn/tasks/PROJ-1.md", nil, job.Policy},
		"the task moved to done":             {"echo good >file; sed -i 's/^status: .*/status: done/' .cairn/tasks/PROJ-1.md", nil, job.Policy},
		"the rules by which it is judged":    {"echo good >file; echo 'attest: anyone' >>.cairn/config.yaml", nil, job.Policy},
		"the keys whose signatures count":    {"echo good >file; echo 'x ssh-ed25519 AAAA' >.cairn/allowed_signers", nil, job.Policy},
		"a file that git does not look at":   {"echo bad >file; git add file; git commit -qm x; git update-index --skip-worktree file; echo good >file", nil, job.ChecksFailed},
		"a file that is taken for unchanged": {"echo bad >file; git add file; git commit -qm x; git update-index --assume-unchanged file; echo good >file", nil, job.ChecksFailed},
		"another task that it takes away":    {"echo good >file; rm .cairn/tasks/PROJ-2.md", nil, job.Policy},
		"another task moved to done":         {"echo good >file; sed -i 's/^status: .*/status: done/' .cairn/tasks/PROJ-2.md", nil, job.Policy},
		"the checks of another task":         {"echo good >file; sed -i 's/grep -q good file/true/' .cairn/tasks/PROJ-2.md", nil, job.Policy},
		"a result that it wrote into a file": {"sed -i 's/result: pending/result: pass/' .cairn/tasks/PROJ-1.md", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newField(t)
			f.create("PROJ-2", tasks.CheckIn{Desc: "the file is good", Cmd: "grep -q good file"})
			f.settle()
			f.agent.line = tt.line
			before := f.git(f.s.Root, "show", "HEAD:.cairn/tasks/PROJ-1.md")
			one := f.run(func(s *job.Spec) { s.Scope.Paths, s.Attempts = tt.paths, 0 })
			switch {
			case tt.reason == job.Policy:
				f.want(one, job.Failed, job.Policy)
				f.clean(one)
				if strings.Contains(f.events(one.Spec.Job), string(job.Checking)) {
					t.Error("its checks were run")
				}
			case tt.reason == job.ChecksFailed:
				f.want(one, job.Failed, job.ChecksFailed)
			case strings.Contains(tt.line, "good"):
				f.want(one, job.Succeeded, "")
			default:
				f.want(one, job.Failed, job.ChecksFailed)
			}
			moved := strings.Contains(tt.line, "refs/heads/main HEAD") // by the agent, with what begins the job
			if !moved && f.git(f.s.Root, "show", "HEAD:.cairn/tasks/PROJ-1.md") != before {
				t.Error("the base changed")
			}
		})
	}
}

// The task may be closed by the gates, and not by the one whose work it is.
func TestSlowAJobThatClosesItsTask(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.handsOver, f.agent.line = true, "true"
	hand := f.finishes("")
	f.agent.does = func(r executor.Run) {
		hand(r)
		w := *f.w
		w.Dir, w.Actor, w.Profile = r.Dir, verb.As("agent:mine-1"), verb.PairWorker
		if _, err := verb.Do(t.Context(), &w, tasks.Transition, tasks.TransitionIn{ID: theTask, To: "done"}); err != nil {
			t.Error(err)
		}
	}
	f.want(f.run(), job.Failed, job.Policy)
}

// What one job weakened another does not take for the task as it is.
func TestSlowALaterJobDoesNotProfitFromAWeakenedCheck(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = "sed -i 's/grep -q good file/true/' .cairn/tasks/PROJ-1.md"
	f.want(f.run(), job.Failed, job.Policy)
	f.agent.line = "true"
	f.want(f.run(), job.Failed, job.Policy)
}

// An error that the base has already is not the job's.
func TestSlowWhatTheBaseHasAlreadyIsNotTheJobs(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.create("PROJ-2")
	f.git(f.s.Root, "add", "-A")
	path := f.s.Root + "/.cairn/tasks/PROJ-2.md"
	replace(t, path, "status: backlog", "status: done")
	f.settle()
	f.want(f.run(), job.Succeeded, "")
}
