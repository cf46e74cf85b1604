package jobs

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// SayIn is the input of Say.
type SayIn struct {
	Job  string `json:"job" doc:"job to tell" cli:"arg" from:"jobs"`
	Text string `json:"text" doc:"what its program is to know; 4 KiB at most" cli:"arg"`
	verb.Once
}

// Said is what became of words that were said to a job.
type Said struct {
	Job      string    `json:"job"`
	Task     record.ID `json:"task"`
	State    job.State `json:"state"`
	Told     string    `json:"told"` // now, or next_round: with the prompt of the round that follows
	Replayed bool      `json:"replayed,omitempty"`
}

const (
	toldNow  = "now"
	toldNext = "next_round"
)

// Say tells the program of a job something while the job lives. It is kept as a note of the task, and given to the
// program while it works if that can be, and else with the prompt of its next round: if the job would end, it has one
// more for that.
//
// It returns ALREADY_TERMINAL for a job that has ended, and otherwise what a note is refused with.
func Say(ctx context.Context, w *verb.Workspace, s *store.Store, in SayIn) (Said, error) {
	one, err := work.Jobs(s).Get(in.Job)
	if err == nil {
		err = w.InScope(one.Spec.Task)
	}
	if err == nil {
		err = work.Jobs(s).Hears(in.Job)
	}
	if err != nil {
		return Said{}, verb.WithID(err, record.ID(in.Job))
	}
	word := jobs.Word{By: w.Actor(), Text: in.Text, At: w.Now().UTC()}
	if err := keep(ctx, w, one, &word); err != nil {
		return Said{}, err
	}
	if _, err := work.Jobs(s).Say(ctx, in.Job, word); err != nil {
		return Said{}, verb.WithID(err, record.ID(in.Job))
	}
	if err := w.RememberCall(ctx, s, session.Key{Session: in.Job}); err != nil {
		return Said{}, err
	}
	return saidNow(ctx, w, s, one)
}

// tellPatience is how long it is waited for the program of a job to be told, if it can be while it works.
const tellPatience = 2 * time.Second

// saidNow is what became of words that were just said to a job.
func saidNow(ctx context.Context, w *verb.Workspace, s *store.Store, one job.Job) (Said, error) {
	table, err := executor.Load(w.ConfigDir)
	if err != nil {
		return said(s, one.Spec.Job)
	}
	ex, err := table.Get(one.Spec.Executor)
	for until := time.Now().Add(tellPatience); ; time.Sleep(tellPatience / 20) {
		out, bad := said(s, one.Spec.Job)
		hears := err == nil && ex.Hears() && one.Status.Phase == job.Working
		if bad != nil || !hears || out.Told == toldNow || ctx.Err() != nil || time.Now().After(until) {
			return out, bad
		}
	}
}

// keep makes words a note of the task of a job, where the newest record of that lies, and takes the time of the note.
func keep(ctx context.Context, w *verb.Workspace, one job.Job, word *jobs.Word) error {
	at, err := trees.OnTask(ctx, w, one.Spec.Task)
	if err == nil {
		_, err = verb.Do(ctx, at.W.WithoutKey(), tasks.Note, tasks.NoteIn{ID: verb.RecordID(one.Spec.Task), Text: word.Text})
	}
	if err != nil {
		return err
	}
	t, err := kind.Tasks.Get(at.S, one.Spec.Task)
	if err == nil {
		word.At = t.Provenance.NewestBy(word.By)
	}
	return err
}

func said(s *store.Store, id string) (Said, error) {
	one, err := work.Jobs(s).Get(id)
	if err != nil {
		return Said{}, err
	}
	all, err := work.Jobs(s).Words(id)
	out := Said{Job: id, Task: one.Spec.Task, State: one.Status.State, Told: toldNext}
	if one.Status.Given >= len(all) {
		out.Told = toldNow
	}
	return out, err
}

// Replay says whether all that was said to the job has been told by now.
func (Said) Replay(_ *verb.Workspace, s *store.Store, made session.Key) (any, error) {
	out, err := said(s, made.Session)
	out.Replayed = true
	return out, verb.NotHere(err, made.Session)
}
