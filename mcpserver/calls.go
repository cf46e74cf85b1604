package mcpserver

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// calls are the requests in flight. Each can be canceled from the moment it was read.
type calls struct {
	mu   sync.Mutex
	byID map[string]*inflight
	idle chan struct{} // closed while there are none
}

type inflight struct {
	id       json.RawMessage
	cancel   context.CancelCauseFunc
	waits    bool // for something to happen, so that it can be interrupted at any time
	canceled bool // by the client, which then gets no answer
}

func newCalls() *calls {
	c := &calls{byID: map[string]*inflight{}, idle: make(chan struct{})}
	close(c.idle)
	return c
}

// begin records a request before anything is done for it. It returns false if its id is in use.
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

// end records that a request has ended, and sends its answer, unless the client canceled the request or has an answer
// already. The answer is sent before wait returns.
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

// interrupt ends the contexts of the requests that only wait, or of all. They still get an answer.
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
	select {
	case <-idle:
	case <-time.After(limit):
	}
}

// left returns the ids of the requests in flight.
func (c *calls) left() []json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []json.RawMessage
	for _, call := range c.byID {
		out = append(out, call.id)
	}
	return out
}
