package runner

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// say says something to a job, and returns when its executor is told.
func (f *field) say(id, text string) string {
	f.Helper()
	out, err := verb.Do(f.Context(), f.w, jobs.Say, jobs.SayIn{Job: id, Text: text})
	if err != nil {
		f.Fatal(err)
	}
	return out.Told
}

// hints reports whether the hint of an error has some words.
func hints(err error, words string) bool {
	var e *record.Error
	return errors.As(err, &e) && strings.Contains(e.Hint.String(), words)
}

// What is said to a job at work is told with the next prompt, once, and there is a next round for it. It is a note of
// the task, in the work tree that is reviewed.
func TestSlowWhatIsSaidToAJob(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.resumes = true
	f.agent.does = func(executor.Run) {
		if len(f.agent.runs) == 1 {
			if told := f.say("job-1", "use tabs"); told != "next_round" {
				t.Errorf("it is told %s", told)
			}
		}
	}
	id := f.make()
	f.say(id, "mind the gap") // it waits for its first round
	one := f.runIt(id)
	f.want(one, job.Succeeded, "")
	got := f.agent.prompts()
	if len(got) != 2 || strings.Count(got[0], "mind the gap") != 1 || strings.Contains(got[1], "mind the gap") || !strings.Contains(got[1], "human:lee: use tabs") {
		t.Fatalf("%d prompts: %q", len(got), got)
	}
	if one.Status.Given != 2 || one.Status.Heard != 2 || strings.Count(f.events(id), "said   human:lee: ") != 2 {
		t.Errorf("the state is %+v\n%s", one.Status, f.events(id))
	}
	var notes []string
	for _, c := range verb.Comments(f.task(one).Provenance) {
		notes = append(notes, c.Text)
	}
	if strings.Join(notes, ", ") != "mind the gap, use tabs" {
		t.Errorf("the notes are %q", notes)
	}
	f.clean(one)
	_, err := verb.Do(t.Context(), f.w, jobs.Say, jobs.SayIn{Job: id, Text: "too late"})
	if record.CodeOf(err) != record.AlreadyTerminal || !hints(err, "job_start") {
		t.Errorf("after its end: %v", err)
	}
}

// What an executor can be told while it works it is told at once, and there is no round for it; what it did not take is
// told with the prompt of the next.
func TestSlowWhatIsSaidToAnExecutorThatHears(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.resumes = true
	var told []string
	f.agent.does = func(r executor.Run) {
		if len(f.agent.runs) > 1 {
			return
		}
		f.say("job-1", "use tabs")
		f.say("job-1", "and no blanks")
		for range 2 { // the second time there is nothing left
			r.Words(func(text string) bool { told = append(told, text); return true })
		}
		f.agent.missed = 1
	}
	one := f.runIt(f.make())
	f.want(one, job.Succeeded, "")
	if len(told) != 2 || !strings.Contains(told[0], "human:lee: use tabs") || strings.Contains(told[1], "use tabs") {
		t.Errorf("it was told %q", told)
	}
	got := f.agent.prompts()
	if len(got) != 2 || strings.Contains(got[1], "use tabs") || strings.Count(got[1], "and no blanks") != 1 {
		t.Errorf("%d prompts: %q", len(got), got)
	}
	if one.Status.Given != 2 || one.Status.Heard != 2 {
		t.Errorf("the state is %+v", one.Status)
	}
}

// What was said to a job is told by the supervisor that goes on with it, if the one before was killed.
func TestSlowWhatIsSaidToAJobOutlivesItsSupervisor(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	ctx, stop := context.WithCancel(t.Context())
	f.agent.does = func(r executor.Run) {
		if len(f.agent.runs) == 1 {
			f.say("job-1", "use tabs")
			kim := *f.w
			kim.Actor = verb.As("agent:kim")
			_, err := verb.Do(t.Context(), &kim, tasks.Claim, tasks.ClaimIn{ID: verb.RecordID(theTask)})
			if record.CodeOf(err) != record.AlreadyClaimed || !strings.Contains(err.Error(), ", in job-1") || !hints(err, "job_poll") {
				t.Errorf("claimed beside it: %v", err)
			}
			storetest.WriteFile(t, filepath.Join(r.Dir, "half"), "done\n")
			stop()
		}
	}
	id := f.make()
	if err := f.runner().Run(ctx, f.w, id); err != nil || f.get(id).Status.State != job.Stale {
		t.Fatal(err, f.get(id).Status)
	}
	_, err := verb.Do(t.Context(), f.w, trees.Remove, trees.RemoveIn{ID: theTask})
	if record.CodeOf(err) != record.Conflict || !hints(err, "job retry with job-1") {
		t.Errorf("its work tree is removed: %v", err)
	}
	f.say(id, "and no blanks")
	f.want(f.runIt(id), job.Succeeded, "")
	got := f.agent.prompts()
	if len(got) != 2 || strings.Count(got[1], "use tabs") != 1 || strings.Count(got[1], "and no blanks") != 1 {
		t.Errorf("%d prompts: %q", len(got), got)
	}
}
