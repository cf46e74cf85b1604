package mcpserver

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

const (
	patience = 45 * time.Second // how long a caller without progress reports waits; many clients give up after 60
	keepTime = 2 * time.Minute  // how long a result is kept for a caller that was asked to call again
)

// longCalls are calls that may take longer than a client waits. Equal calls share one run. A run is canceled when its
// last caller gives it up, unless a caller was asked to call again.
type longCalls struct {
	patience time.Duration

	mu   sync.Mutex
	runs map[string]*longCall // by what was called, with what
}

type longCall struct {
	cancel  context.CancelCauseFunc
	done    chan struct{}
	callers []*waiter
	awaited bool // by a caller that was asked to call again
	last    verb.Progress
	out     any // with err, set before done is closed
	err     error
}

// waiter is a request that waits for a run.
type waiter struct {
	progress func(verb.Progress) // nil if it wants no reports
}

// longRun makes the call.
type longRun func(ctx context.Context, progress func(verb.Progress)) (any, error)

// do runs a call, or joins the run of an equal one, and returns its result. A caller without progress reports gets
// CHECKS_RUNNING after patience; the run goes on, and its result is kept for the next equal call. If ctx ends, do
// returns its error; if there is no other caller, it cancels the run and waits for it to end first.
func (l *longCalls) do(ctx context.Context, v verb.Verb, input []byte, progress func(verb.Progress), run longRun) (any, error) {
	c, key := &waiter{progress}, callKey(v, input)
	r := l.join(ctx, key, c, run)
	var enough <-chan time.Time
	if progress == nil {
		enough = time.After(l.patience)
	}
	select {
	case <-r.done:
		l.leave(key, r, c)
		return r.out, r.err
	case <-enough:
		return nil, comeBack(v, input, l.patience, l.detach(r, c))
	case <-ctx.Done():
		if l.leave(key, r, c) {
			r.cancel(context.Cause(ctx))
			<-r.done
		}
		return nil, ctx.Err()
	}
}

// join returns the run of an equal call, or starts one. A run outlives the request that started it.
func (l *longCalls) join(ctx context.Context, key string, c *waiter, run longRun) *longCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.runs[key]; r != nil {
		r.callers = append(r.callers, c)
		return r
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	r := &longCall{cancel: cancel, done: make(chan struct{}), callers: []*waiter{c}}
	l.runs[key] = r
	go func() {
		defer cancel(nil)
		r.out, r.err = run(ctx, func(p verb.Progress) { l.report(r, p) })
		l.ended(key, r)
	}()
	return r
}

// leave removes a caller from a run and reports whether it was the last one. Then the run and its result are forgotten.
func (l *longCalls) leave(key string, r *longCall, c *waiter) (last bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.drop(c)
	if len(r.callers) > 0 {
		return false
	}
	l.forget(key, r)
	return true
}

func (r *longCall) drop(c *waiter) {
	r.callers = slices.DeleteFunc(r.callers, func(other *waiter) bool { return other == c })
}

// forget lets the next equal call start a run of its own. It is called under the lock.
func (l *longCalls) forget(key string, r *longCall) {
	if l.runs[key] == r {
		delete(l.runs, key)
	}
}

// detach removes a caller from a run that goes on without it, and returns the progress of the run.
func (l *longCalls) detach(r *longCall, c *waiter) verb.Progress {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.drop(c)
	r.awaited = true
	return r.last
}

// ended gives the result to the callers that wait, or keeps it for one that was asked to call again.
func (l *longCalls) ended(key string, r *longCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(r.done)
	if !r.awaited || len(r.callers) > 0 {
		l.forget(key, r)
		return
	}
	time.AfterFunc(keepTime, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.forget(key, r)
	})
}

func (l *longCalls) report(r *longCall, p verb.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.last = p
	for _, c := range r.callers {
		if c.progress != nil {
			c.progress(p)
		}
	}
}

// stop cancels every run, and returns when all have ended or after limit.
func (l *longCalls) stop(cause error, limit time.Duration) {
	l.mu.Lock()
	var running []*longCall
	for _, r := range l.runs {
		r.cancel(cause)
		running = append(running, r)
	}
	l.mu.Unlock()
	over := time.After(limit)
	for _, r := range running {
		select {
		case <-r.done:
		case <-over:
			return
		}
	}
}

// callKey is equal for calls of one verb with equal arguments, in whatever order and spacing.
func callKey(v verb.Verb, input []byte) string {
	var args any
	if json.Unmarshal(input, &args) != nil {
		return v.Name + " " + string(input)
	}
	return v.Name + " " + string(marshal(args))
}

// comeBack returns the error that asks a caller to make the same call again.
func comeBack(v verb.Verb, input []byte, after time.Duration, last verb.Progress) error {
	args := map[string]any{}
	_ = json.Unmarshal(input, &args) // the verb says what is wrong with it
	err := record.Errorf(record.ChecksRunning, "still at work after %v", after)
	if last.Message != "" {
		err.Msg += ": " + last.String()
	}
	err.Op = v.Name
	err.ID, _ = args["id"].(string)
	again := record.Call{Verb: v.Name}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		again.Args = append(again.Args, record.Arg{Name: name, Value: args[name]})
	}
	return err.WithHint("make the same call again: it joins the run and gets its result").WithNext(again)
}
