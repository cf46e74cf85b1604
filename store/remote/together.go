package remote

import (
	"context"
	"iter"
	"slices"

	"github.com/cairn-tasks/cairn/internal/git"
)

// Together makes n calls, such as the claims of one command. They run one after another, each until it ends or has to
// ask the remote. Then those that wait go on: what they tell the remote is one push, and what they ask it one fetch. Each
// has its own outcome: where one record is somebody else's, the others are taken all the same.
//
// A call must not hold a lock while it asks that another one waits for, and runs what goes on beside it under Alone.
func Together(ctx context.Context, n int, call func(ctx context.Context, i int)) {
	var shared *turn
	var waiting []waiter
	goOn := func(resume func() (*question, bool)) {
		if q, asks := resume(); asks {
			waiting = append(waiting, waiter{q, resume})
		}
	}
	for i := range n {
		resume, stop := iter.Pull(func(yield func(*question) bool) {
			call(context.WithValue(ctx, callKey{}, &callOf{&shared, yield}), i)
		})
		defer stop()
		goOn(resume)
	}
	for len(waiting) > 0 {
		var answered []waiter
		answered, waiting = answerSome(ctx, waiting)
		for _, w := range answered {
			goOn(w.resume)
		}
	}
}

// Alone is ctx for what runs beside a call that is made together with others.
func Alone(ctx context.Context) context.Context {
	return context.WithValue(ctx, callKey{}, (*callOf)(nil))
}

type callKey struct{}

// callOf is one of several calls that are made together.
type callOf struct {
	turn  **turn // of all of them
	yield func(*question) bool
}

func callIn(ctx context.Context) *callOf {
	c, _ := ctx.Value(callKey{}).(*callOf)
	return c
}

// ask has a question answered together with those of the other calls.
func (c *callOf) ask(q *question) (answer, error) {
	if !c.yield(q) {
		return answer{}, context.Canceled
	}
	return q.answer, q.err
}

// question is what a call tells the remote, or without updates that it asks what the remote has.
type question struct {
	ctx     context.Context
	turn    *turn
	updates []git.RefUpdate
	atomic  bool
	answer  answer
	err     error
}

// waiter is a call that waits for an answer.
type waiter struct {
	*question
	resume func() (*question, bool)
}

// answerSome answers all who push, or if nobody does, all who fetch. Who fetches after a push learns what came of it.
func answerSome(ctx context.Context, waiting []waiter) (answered, still []waiter) {
	var updates []git.RefUpdate
	for _, w := range waiting {
		if updates = append(updates, w.updates...); w.ctx.Done() == nil {
			ctx = context.WithoutCancel(ctx)
		}
	}
	t := waiting[0].turn
	if len(updates) == 0 {
		err := t.fetch(ctx)
		for _, w := range waiting {
			w.err = err
		}
		return waiting, nil
	}
	for _, w := range waiting {
		if len(w.updates) > 0 {
			answered = append(answered, w)
		} else {
			still = append(still, w)
		}
	}
	got, err := t.push(ctx, updates, len(answered) == 1 && answered[0].atomic)
	for _, w := range answered {
		w.answer, w.err = got, err
		n := min(len(w.updates), len(got.results))
		w.answer.results, got.results = slices.Clip(got.results[:n]), got.results[n:]
	}
	return answered, still
}
