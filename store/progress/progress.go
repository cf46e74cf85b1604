// Package progress says how far long work has come, to whoever wants to know. Both front-ends hear it by the same way:
// the command line draws a line on a terminal, and the MCP server sends notifications to a client that asked for them.
//
// Work that counts its parts makes a Count by Start, adds to it, and ends it. Where nobody wants to know that is nil,
// whose methods do nothing and allocate nothing. Work that is soon done says nothing.
package progress

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Report is how far a call has come.
type Report struct {
	Done    float64       // grows with each report of the same work
	Total   float64       // what Done will be at the end
	Message string        // what it is doing, without how long
	Took    time.Duration // how long it has been doing that; 0 if it has just begun
	Counts  bool          // Done and Total are numbers of things, which a reader is shown
	Wait    time.Duration // how long it waits for others, as far as that is known; 0 if it works
}

// String is the message, and for how long that has been going on.
func (r Report) String() string {
	if r.Took < time.Second {
		return r.Message
	}
	return fmt.Sprintf("%s, %.0f s", r.Message, r.Took.Seconds())
}

type key struct{}

// With is a context in which reports go to a function, or for nil to nobody. It may be called by several goroutines,
// and must not block.
func With(ctx context.Context, to func(Report)) context.Context {
	if to == nil && Of(ctx) == nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, to)
}

// Of returns where the reports of a context go, or nil.
func Of(ctx context.Context) func(Report) {
	to, _ := ctx.Value(key{}).(func(Report))
	return to
}

const (
	// Quiet is how long work may take before it is worth a word.
	Quiet = 500 * time.Millisecond
	// Long is how long a wait for others may last before also a reader who is shown no work, such as an agent in a shell,
	// is told of it.
	Long  = 2 * time.Second
	every = 250 * time.Millisecond // between two reports of one count
)

// Waiting says to whoever wants to know that a call waits for others: once it does so for a while, and again once that
// is long. The caller ends it, and hears nothing of it afterwards.
func Waiting(ctx context.Context, message string) (end func()) {
	to := Of(ctx)
	if to == nil {
		return func() {}
	}
	var mu sync.Mutex
	ended := false
	after := func(d time.Duration) *time.Timer {
		return time.AfterFunc(d, func() {
			mu.Lock()
			defer mu.Unlock()
			if !ended {
				to(Report{Message: message, Took: d, Wait: d})
			}
		})
	}
	quiet, long := after(Quiet), after(Long)
	return func() {
		quiet.Stop()
		long.Stop()
		mu.Lock()
		defer mu.Unlock()
		ended = true
	}
}

// Count counts the parts of long work that are done. Its methods may be called by several goroutines, and on nil.
type Count struct {
	to    func(Report)
	what  string
	total int
	began time.Time
	done  atomic.Int64
	next  atomic.Int64 // when the next report is due, in nanoseconds after began
}

// Start begins to count. What says what is being done, as in "importing tasks". It returns nil if nobody wants to know.
func Start(ctx context.Context, what string, total int) *Count {
	to := Of(ctx)
	if to == nil || total <= 0 {
		return nil
	}
	c := &Count{to: to, what: what, total: total, began: time.Now()}
	c.next.Store(int64(Quiet))
	return c
}

// Add counts n more parts. It reports when there was no report for a while, and not in the beginning.
func (c *Count) Add(n int) {
	if c == nil {
		return
	}
	done, took := c.done.Add(int64(n)), time.Since(c.began)
	due := c.next.Load()
	if int64(took) < due || !c.next.CompareAndSwap(due, int64(took+every)) {
		return
	}
	c.to(Report{Done: float64(done), Total: float64(c.total), Message: c.what, Took: took, Counts: true})
}

// End says that all is done, if anything was said.
func (c *Count) End() {
	if c == nil || c.next.Load() == int64(Quiet) {
		return
	}
	c.to(Report{Done: float64(c.total), Total: float64(c.total), Message: c.what, Took: time.Since(c.began), Counts: true})
}
