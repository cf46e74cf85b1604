package runner

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// looked is the index of a manual check of the task.
const looked = 1

// newReviewed is newField with a manual check beside the command, and a second task, a decision, a handoff and a note.
func newReviewed(t *testing.T) *field {
	f := newField(t)
	checks := []tasks.CheckIn{{Desc: "the file is good", Cmd: "grep -q good file"}, {Desc: "somebody looked at it"}}
	if _, err := verb.Do(f.Context(), f.w, tasks.Update, tasks.UpdateIn{ID: verb.RecordID(theTask), Checks: &checks}); err != nil {
		t.Fatal(err)
	}
	f.create("PROJ-2", tasks.CheckIn{Desc: "somebody looked at it"})
	f.settle()
	return f
}

// as calls a verb in a folder of the clone, in somebody's name.
func (f *field) as(who record.Actor, dir, name string, in verbtest.Args) {
	f.Helper()
	w := *f.w
	w.Dir, w.Actor = dir, verb.As(who)
	if _, err := verbtest.Call[any](f.T, &w, name, in); err != nil {
		f.Error(err)
	}
}

// unwritten makes the clone forget what it wrote meanwhile, so that the files are as if somebody had written them by
// hand.
func (f *field) unwritten(do func()) {
	f.Helper()
	journals := f.s.Live.Journals()
	before := storetest.Files(f, journals)
	do()
	for name := range storetest.Files(f, journals) {
		if text, ok := before[name]; ok {
			storetest.WriteFile(f, filepath.Join(journals, name), text)
		} else {
			storetest.Remove(f, filepath.Join(journals, name))
		}
	}
}

// good makes the file good.
func (f *field) good(dir string) { storetest.WriteFile(f, filepath.Join(dir, "file"), "good\n") }

// An executor writes a pass of the command for the files as they are, in its own name, as docs/format.md says it. The
// supervisor runs the command, and so it is told what fails.
func TestSlowSupervisorRunsTheChecksItself(t *testing.T) {
	slowtest.Skip(t)
	for name, forge := range map[string]func(task.Task, *task.Run, record.Stamp) task.Task{
		"an entry checked": func(now task.Task, run *task.Run, s record.Stamp) task.Task {
			now, _, _ = task.RecordRun(now, run, s)
			return now
		},
		"an entry finished with results": func(now task.Task, run *task.Run, s record.Stamp) task.Task {
			e := s.Entry(record.Noted)
			e.Text, e.Results, e.Tree, e.Commit = "I ran it", run.Results, run.Tree, run.Commit
			now = now.With(e)
			now.Checks[0].Result = record.Pass
			return now
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newField(t)
			f.agent.line = "true"
			f.agent.does = func(r executor.Run) {
				there := f.open(r.Dir)
				tree := gates.Fingerprint(gates.WorkTree(t.Context(), there))
				storetest.Forge(t, there, kind.Tasks, theTask, func(now task.Task) task.Task {
					run := &task.Run{Results: []record.CheckResult{{Check: now.Checks[0].Key(theTask), Result: record.Pass}}, Tree: tree, Commit: there.Head(t.Context()).Commit}
					return forge(now, run, record.Stamp{Who: "agent:mine-1", At: time.Now()})
				})
			}
			one := f.run(func(s *job.Spec) { s.Attempts = 0 })
			if one.Status.State == job.Succeeded {
				t.Fatalf("it succeeded: %s", f.events(one.Spec.Job))
			}
		})
	}
}

// What a job's branch says that others wrote ends the job, whatever kind of record it is, unless cairn wrote it in this
// clone.
func TestSlowWhatAJobBringsInTheNamesOfOthers(t *testing.T) {
	slowtest.Skip(t)
	type deed func(f *field, dir string)
	call := func(who record.Actor, name string, in verbtest.Args) deed {
		return func(f *field, dir string) { f.as(who, dir, name, in) }
	}
	for name, does := range map[string]deed{
		"a person's attestation":  call("human:lee", "attest", verbtest.Args{"id": theTask, "check": "1", "pass": true}),
		"a person's rejection":    call("human:lee", "attest", verbtest.Args{"id": theTask, "check": "1", "pass": false, "text": "no"}),
		"a person's note":         call("human:lee", "note", verbtest.Args{"id": theTask, "text": "looks fine"}),
		"another agent's note":    call("agent:mine-2", "note", verbtest.Args{"id": theTask, "text": "looks fine"}),
		"a person's approval":     call("human:lee", "review_apply", verbtest.Args{"id": "PROJ-2", "action": "approve"}),
		"a person's new title":    call("human:lee", "update", verbtest.Args{"id": theTask, "title": "make it fair"}),
		"a claim of another task": call("agent:other", "claim", verbtest.Args{"id": "PROJ-2"}),
		"another task moved":      call("human:lee", "transition", verbtest.Args{"id": "PROJ-2", "to": "in_progress"}),
		"a task of a person's":    call("human:lee", "create", verbtest.Args{"title": "another"}),
		"an accepted decision":    call("human:lee", "decision_log", verbtest.Args{"title": "t", "choice": "c", "rationale": "r", "status": "accepted"}),
		"an agent's decision":     call("agent:other", "decision_log", verbtest.Args{"title": "t", "choice": "c", "rationale": "r"}),
		"a handoff":               call("human:lee", "handoff_create", verbtest.Args{"title": "t", "type": "question", "to": []string{"agent:mine-1"}, "body": "do"}),
		"a note of what is known": call("human:lee", "knowledge_write", verbtest.Args{"title": "t", "body": "b"}),
		"another agent's session": call("agent:other", "begin", verbtest.Args{"id": "PROJ-2", "expected_actor": "agent:other", "idempotency_key": "k"}),
		"its name, in another session": func(f *field, dir string) {
			storetest.Forge(f, f.open(dir), kind.Tasks, theTask, func(now task.Task) task.Task {
				s := record.Stamp{Who: "agent:mine-1", At: time.Now(), Text: "x", Session: "ses-of-another"}
				now, _, _ = task.Note(now, s)
				return now
			})
		},
		"a session without entries": func(f *field, dir string) {
			storetest.WriteFile(f, filepath.Join(dir, ".cairn", "sessions", "ses-0a.yaml"), "id: ses-0a\ntask: PROJ-2\nactor: human:lee\nstatus: finished\nstarted_at: 2026-01-02T03:04:05Z\nended_at: 2026-01-02T03:04:05Z\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, byHand := range []bool{true, false} {
				f := newReviewed(t)
				f.agent.line = "true"
				f.agent.does = func(r executor.Run) {
					f.good(r.Dir)
					if byHand {
						f.unwritten(func() { does(f, r.Dir) })
					} else {
						does(f, r.Dir)
					}
				}
				one := f.run()
				alwaysByHand := name == "its name, in another session" || name == "a session without entries"
				if byHand || alwaysByHand {
					f.want(one, job.Failed, job.Policy)
					f.clean(one)
				} else {
					f.want(one, job.Succeeded, "")
				}
			}
		})
	}
}

// Nor is it believed in another place: once more, from a commit that the job made, or written by a check.
func TestSlowOtherWaysToBringTheWordsOfOthers(t *testing.T) {
	slowtest.Skip(t)
	attest := verbtest.Args{"id": theTask, "check": "1", "pass": true}
	t.Run("the same entry once more", func(t *testing.T) {
		f := newReviewed(t)
		f.as("human:lee", f.s.Root, "attest", attest)
		f.as("human:lee", f.s.Root, "attest", verbtest.Args{"id": theTask, "check": "1", "pass": false, "text": "no"})
		f.settle()
		f.agent.line = "true"
		f.agent.does = func(r executor.Run) {
			f.good(r.Dir)
			storetest.Forge(t, f.open(r.Dir), kind.Tasks, theTask, func(now task.Task) task.Task {
				e, _ := now.Provenance.Newest(func(e record.Entry) bool {
					return e.Did == record.Attested && e.Results[0].Result == record.Pass
				})
				now.Checks[looked].Result = record.Pass
				return now.With(e)
			})
		}
		if one := f.run(); one.Status.State == job.Succeeded {
			t.Errorf("it succeeded")
		}
	})
	t.Run("on a branch that it calls fetched", func(t *testing.T) {
		f := newReviewed(t)
		f.agent.line = "git add -A && git commit -qm x && git update-ref refs/remotes/origin/main HEAD"
		f.agent.does = func(r executor.Run) {
			f.good(r.Dir)
			f.unwritten(func() { f.as("human:lee", r.Dir, "attest", attest) })
		}
		f.want(f.run(), job.Failed, job.Policy)
		f.agent.line, f.agent.does = "true", nil // nor does the next job
		f.want(f.run(), job.Failed, job.Policy)
	})
	t.Run("written by a check", func(t *testing.T) {
		f := newReviewed(t)
		f.agent.line = "echo good >file"
		checks := []tasks.CheckIn{{Desc: "it writes", Cmd: `grep -q good file && sed -i 's/^\( *- \)\({who: .human:lee[^}]*did: created.*\)$/\1\2\n\1{who: human:lee, at: 2026-01-02T03:04:05Z, did: noted, text: fine}/' .cairn/tasks/PROJ-1.md`}}
		if _, err := verb.Do(f.Context(), f.w, tasks.Update, tasks.UpdateIn{ID: verb.RecordID(theTask), Checks: &checks}); err != nil {
			t.Fatal(err)
		}
		f.settle()
		if one := f.run(); one.Status.State == job.Succeeded {
			t.Errorf("it succeeded: %s", storetest.ReadFile(t, filepath.Join(one.Status.Worktree, ".cairn/tasks/PROJ-1.md")))
		}
	})
}

// A rejection that was given here is not lost by what a job does with git.
func TestSlowAJobThatLosesARejection(t *testing.T) {
	slowtest.Skip(t)
	for name, line := range map[string]string{
		"checked out":  "git checkout -q HEAD^ -- .cairn && git commit -qm x",
		"reset":        "git reset -q --soft HEAD^ && git checkout -q HEAD -- .cairn",
		"amended":      "git checkout -q HEAD^ -- .cairn && git commit -q --amend --allow-empty -m x",
		"reverted":     "git add -A && git commit -qm began && git revert --no-edit -X theirs HEAD^ >/dev/null",
		"from scratch": "git reset -q --hard main",
		"by hand":      "perl -0pi -e 's/^ *- \\{[^\\n]*did: rejected[^\\n]*\\n//m' .cairn/tasks/PROJ-1.md",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newField(t)
			one := f.run()
			f.want(one, job.Succeeded, "")
			f.as("human:ann", f.s.Root, "review_apply", verbtest.Args{"id": theTask, "action": "reject", "text": "no roof"})
			f.git(one.Status.Worktree, "add", "--all")
			f.git(one.Status.Worktree, "commit", "-qm", "sent back")
			if f.agent.line = line + "; echo good >file"; name == "reset" || name == "from scratch" {
				f.agent.line += "; git add -A; git commit -qm again"
			}
			one = f.run() // what git took away is written again; what a hand took out refuses the job
			record := f.git(f.s.Root, "show", "cairn/PROJ-1:.cairn/tasks/PROJ-1.md")
			if one.Status.State == job.Succeeded && !strings.Contains(record, "no roof") {
				t.Errorf("it succeeded, and its record is\n%s", record)
			}
		})
	}
}

// What others committed while a job ran comes with the base, or with what was fetched.
func TestSlowAJobThatFollowsItsBase(t *testing.T) {
	slowtest.Skip(t)
	for name, ref := range map[string]string{"the base": "refs/heads/main", "what was fetched": "refs/remotes/origin/main"} {
		t.Run(name, func(t *testing.T) {
			f := newReviewed(t)
			other := storetest.LinkWorktree(t, f.s.Root)
			f.agent.does = func(executor.Run) {
				f.unwritten(func() {
					f.as("human:ann", other, "attest", verbtest.Args{"id": "PROJ-2", "check": "0", "pass": true})
					f.as("human:ann", other, "decision_log", verbtest.Args{"title": "t", "choice": "c", "rationale": "r", "status": string(ledger.Accepted)})
				})
				f.git(other, "add", "--all")
				f.git(other, "commit", "-qm", "of others")
				f.git(other, "update-ref", ref, "HEAD")
			}
			f.agent.line = "git merge -q " + ref + " && echo good >file"
			f.want(f.run(), job.Succeeded, "")
		})
	}
}
