package mcpserver

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// calls are the requests in flight, so that each can be canceled from the moment it was read.
type calls struct {
	mu   sync.Mutex
	byID map[string]*inflight
	idle chan struct{} // closed while there are none
}

type inflight struct {
	id       json.RawMessage
	cancel   context.CancelCauseFunc
	waits    bool // for something to happen, and has nothing to finish
	canceled bool // by the client, which wants no answer any more
}

func newCalls() *calls {
	c := &calls{byID: map[string]*inflight{}, idle: make(chan struct{})}
	close(c.idle)
	return c
}

// begin takes note of a request before anything is done for it. It returns false if its id is in use.
func (c *calls) begin(ctx context.Context, id json.RawMessage, waits bool) (context.Context, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID[idKey(id)] != nil {
		return nil, false
	}
	if len(c.byID) == 0 {
		c.idle = make(chan struct{})
	}
	ctx, cancel := context.WithCancelCause(ctx)
	c.byID[idKey(id)] = &inflight{id: id, cancel: cancel, waits: waits}
	return ctx, true
}

// end is called once for a request that was begun, with what answers it. The answer goes out before anybody who waits for
// the calls to end is told; it does not go out if the client canceled the request, or got an answer already.
func (c *calls) end(id json.RawMessage, answer func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	call := c.byID[idKey(id)]
	if call == nil {
		return
	}
	call.cancel(nil)
	if !call.canceled {
		answer()
	}
	delete(c.byID, idKey(id))
	if len(c.byID) == 0 {
		close(c.idle)
	}
}

// cancel ends a request that the client gave up.
func (c *calls) cancel(id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if call := c.byID[idKey(id)]; call != nil {
		call.canceled = true
		call.cancel(nil)
	}
}

// interrupt ends the contexts of those requests that only wait, or of all. They still get an answer.
func (c *calls) interrupt(all bool, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range c.byID {
		if all || call.waits {
			call.cancel(cause)
		}
	}
}

// wait waits until no request is in flight, or until the time is up.
func (c *calls) wait(limit time.Duration) {
	c.mu.Lock()
	idle := c.idle
	c.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
}

// left are the ids of the requests in flight.
func (c *calls) left() []json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []json.RawMessage
	for _, call := range c.byID {
		out = append(out, call.id)
	}
	return out
}
