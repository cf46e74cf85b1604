package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime/debug"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/mark3labs/mcp-go/mcp"
)

// Clients that close the input wait about as long for the server to end. Within the sum of these times every request
// has an answer, and every process that was started for one has ended.
const (
	finishTime = 1500 * time.Millisecond // for calls in flight at the end of input, before they are canceled
	cancelTime = 400 * time.Millisecond  // for canceled calls to end, and for the client to read the answers
)

// Serve answers requests until the end of input, which the end of ctx counts as, and returns within 2 seconds of it.
// Every request that was read by then is answered. Calls that wait for something are interrupted at once; the others
// have 1.5 seconds to finish, and are then answered as canceled. Nothing but MCP is written to out.
//
// It returns the error that ended the reading or the writing, if there was one.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	c := &conn{Server: s, load: newLoad(s.limits.load), calls: newCalls()}
	c.out = newWriter(out, c.load)
	s.attempts.keep()
	session := newClientSession(c.out)
	if err := s.mcp.RegisterSession(ctx, session); err != nil {
		return err
	}
	defer s.mcp.UnregisterSession(ctx, session.SessionID())
	c.ctx = s.mcp.WithContext(context.WithoutCancel(ctx), session)

	s.log.Info("serving", "actor", s.w.Actor(), "dir", s.w.Dir)
	told, kept := s.tellMemory(), s.keepClaims()
	err := c.receive(ctx, in)
	s.log.Info("end of input", "cause", err)
	c.finish()
	kept()
	told()
	s.w.Reads.Close()
	return err
}

// conn is a client at the other end of two streams.
type conn struct {
	*Server
	ctx   context.Context // of its requests; outlives the input
	out   *writer
	load  *load
	calls *calls
}

// receive reads lines until the input or ctx ends, or the client can no longer be written to. No request holds up the
// next line, so a cancellation always arrives.
func (c *conn) receive(ctx context.Context, in io.Reader) error {
	stop := make(chan struct{})
	defer close(stop)
	inputs := feed(in, c.limits.line, stop)
	for {
		next := inputs
		if c.load.full() {
			next = nil // until the client has read some of its answers
		}
		select {
		case <-ctx.Done():
			return nil
		case <-c.out.broken:
			return c.out.err
		case <-c.load.freed:
		case input := <-next:
			switch {
			case errors.Is(input.err, io.EOF):
				return nil
			case errors.Is(input.err, errTooLong):
				c.refuse(refusal(nil, mcp.INVALID_REQUEST, "the line is longer than %d bytes", c.limits.line))
			case input.err != nil:
				return input.err
			default:
				c.take(input.line)
			}
		}
	}
}

func (c *conn) refuse(refusal *mcp.JSONRPCError) {
	c.log.Warn("refused", "id", refusal.ID.Value(), "why", refusal.Error.Message)
	c.out.send(*refusal)
}

// take serves a line, or starts to.
func (c *conn) take(line []byte) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	m, refusal := parse(line)
	switch {
	case refusal != nil:
		c.refuse(refusal)
	case m.method == "":
		c.log.Debug("an answer to nothing that was asked")
	case m.id != nil:
		c.begin(m)
	case m.method == string(mcp.MethodNotificationCancelled):
		c.log.Debug("canceled", "id", m.cancels())
		c.calls.cancel(m.cancels())
	default:
		c.mcp.HandleMessage(c.ctx, m.raw)
	}
}

// begin serves a request in a goroutine of its own.
func (c *conn) begin(m message) {
	ctx, ok := c.calls.begin(c.ctx, m.id, c.waits(m))
	if !ok { // the client could not tell the two answers apart
		c.refuse(refusal(nil, mcp.INVALID_REQUEST, "the id %s is that of a request in flight", m.id))
		return
	}
	c.load.add(len(m.raw))
	go func() {
		defer c.load.add(-len(m.raw))
		started := time.Now()
		answer := c.serve(ctx, m)
		c.log.Debug("served", "id", m.id, "method", m.method, "tool", m.tool(), "took", time.Since(started))
		c.calls.end(m.id, func() { c.out.send(withID(answer, m.id)) })
	}()
}

// waits reports whether a request only waits for something to happen.
func (c *conn) waits(m message) bool {
	return m.method == string(mcp.MethodSubscriptionsListen) || c.tools[m.tool()].Waits
}

// serve has mcp-go answer a request. A panic is a bug in the server; it must not end the server, nor show the client a
// stack.
func (c *conn) serve(ctx context.Context, m message) (answer mcp.JSONRPCMessage) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("panic", "method", m.method, "tool", m.tool(), "panic", p, "stack", string(debug.Stack()))
			answer = *refusal(m.id, mcp.INTERNAL_ERROR, "internal error: %v", p)
		}
	}()
	if no := c.unknownTool(m); no != nil {
		return *no
	}
	return c.mcp.HandleMessage(c.subscribing(ctx, m), m.raw)
}

// finish ends the calls in flight and the writer at the end of input.
func (c *conn) finish() {
	c.drain(c.calls)
	for _, id := range c.calls.left() {
		c.log.Warn("did not end in time", "id", id)
		c.calls.end(id, func() { c.out.send(*refusal(id, mcp.INTERNAL_ERROR, "canceled: %v", verb.ErrEndOfInput)) })
	}
	c.out.close()
	select {
	case <-c.out.done:
	case <-time.After(cancelTime / 2):
		c.log.Warn("the client did not read all answers")
	}
}

// drain ends the calls in flight: those that wait at once, the others after finishTime. It returns when all have ended,
// or those that remain had half of cancelTime to do so.
func (s *Server) drain(c *calls) {
	c.interrupt(false, verb.ErrEndOfInput)
	c.wait(finishTime)
	c.interrupt(true, verb.ErrEndOfInput)
	s.long.stop(verb.ErrEndOfInput, cancelTime/4)
	c.wait(cancelTime / 4)
}
