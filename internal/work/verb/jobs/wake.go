package jobs

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
)

// Wake has each job go on that waits for an answer and has one by now, under its id, in the name of whoever asked for it,
// and returns those. One that has a process of its own wakes by itself. What keeps one asleep is told by its retry.
func Wake(ctx context.Context, w *verb.Workspace, s *store.Store) (woken []Job) {
	woken, _ = wake(ctx, w, s)
	return woken
}

// wake also counts the jobs that wait.
func wake(ctx context.Context, w *verb.Workspace, s *store.Store) (woken []Job, waiting int) {
	if w.Supervise == nil || w.Job != "" || s.Repo == nil { // what a job starts would end with it
		return nil, 0
	}
	all, err := work.Jobs(s).Peek()
	if err != nil {
		return nil, 0
	}
	for _, one := range all {
		if one.Status.State != job.Waiting {
			continue
		}
		if waiting++; work.Jobs(s).Sleeps(one.Spec.Job) {
			continue
		}
		asker := w.At(one.Spec.Root).InNameOf(one.Spec.By).WithoutKey()
		at, err := asker.Open()
		if err != nil {
			asker, at = w.InNameOf(one.Spec.By).WithoutKey(), s
		}
		if _, settled := work.Outcome(at, one, w.Now()); !settled {
			continue
		}
		if now, err := goOn(ctx, asker, at, one); err == nil {
			woken = append(woken, now)
		}
	}
	return woken, waiting
}

// wakeEvery is how often who serves looks for answers that came from elsewhere.
const wakeEvery = 2 * time.Second

// KeepAwake calls Wake again and again until ctx ends, for a process that serves for long. While no job waits it reads one
// small file.
func KeepAwake(ctx context.Context, w *verb.Workspace) {
	tick := time.NewTicker(wakeEvery)
	defer tick.Stop()
	last, waiting := "", 0
	for {
		if s, err := w.Open(); err == nil {
			if now := work.Jobs(s).Version(); now != last || waiting > 0 {
				last = now
				_, waiting = wake(ctx, w, s)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
