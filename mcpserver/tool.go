package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/store"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// tool returns a verb as clients see it, in a workspace with the fields that own describes. Of the annotations those are
// left out that say what the protocol says of one that is missing, or that it has no meaning for what only reads.
func tool(v verb.Verb, own string) mcp.Tool {
	t := mcp.NewToolWithRawSchema(v.Name, v.Summary+" "+v.When, v.SchemaIn(own))
	t.Title = v.Title
	if t.Annotations.OpenWorldHint = &v.Runs; v.Kind == verb.Read {
		t.Annotations.ReadOnlyHint = mcp.ToBoolPtr(true)
		return t
	}
	t.Annotations.DestructiveHint = mcp.ToBoolPtr(v.Kind == verb.Destructive)
	if v.Idempotent {
		t.Annotations.IdempotentHint = mcp.ToBoolPtr(true)
	}
	return t
}

// handler calls a verb for a client.
func (s *Server) handler(v verb.Verb, call caller) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, stop := endable(ctx)
		defer stop()
		input, whole := wantsWhole(v, arguments(req))
		report, client := s.progress(ctx, req), clientName(ctx, req)
		run := func(ctx context.Context, report func(verb.Progress)) (any, error) {
			return s.call(ctx, v, call, report, input, client)
		}
		var out any
		var err error
		if v.Runs {
			out, err = s.long.do(ctx, v, input, report, run)
		} else {
			out, err = run(ctx, report)
		}
		if errors.Is(err, context.Canceled) {
			err = record.Errorf(record.IO, "%s: canceled before it was done", v.Name).WithHint("call it again, if it is still wanted")
		}
		if err != nil { // as a result, which the model sees: protocol errors are shown to few of them
			return result(s.failure(err), true)
		}
		if !whole {
			out = v.Short(out)
		}
		return result(verb.Leading(out, s.offers), false)
	}
}

// fullArgument asks any tool for its answer as it is at the command line, where it would be short; no schema names it.
const fullArgument = "full"

// wantsWhole takes that argument out of an input.
func wantsWhole(v verb.Verb, input []byte) (rest []byte, whole bool) {
	if !bytes.Contains(input, []byte(`"`+fullArgument+`"`)) {
		return input, false
	}
	args, err := verb.ReadObject(input)
	if err != nil || slices.ContainsFunc(v.Fields(), func(f verb.Field) bool { return f.Name == fullArgument }) {
		return input, false
	}
	whole, ok := args[fullArgument].(bool)
	if !ok {
		return input, false // refused, or a value that holds the word
	}
	delete(args, fullArgument)
	rest, err = json.Marshal(args)
	return rest, whole && err == nil
}

// call runs the verb. A panic is a bug in the server; it must not end the server, nor show the client a stack.
func (s *Server) call(ctx context.Context, v verb.Verb, call caller, report func(verb.Progress), input []byte, client string) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", "tool", v.Name, "panic", p, "stack", string(debug.Stack()))
			err = record.Errorf(record.IO, "%s: internal error: %v", v.Name, p).WithHint("report it; nothing was half-written")
		}
	}()
	end, err := s.turn(ctx, v)
	if err != nil {
		return nil, err
	}
	defer end()
	defer s.use.begin()()
	w := s.workspace()
	w.Progress, w.Patience = report, s.long.patience
	w.Client = cmp.Or(w.Client, client)
	if !v.Opens {
		w.Session = cmp.Or(w.Session, s.attempts.current())
	}
	noting, writes := store.NoteWrites(ctx)
	out, err = call(noting, &w, input)
	for _, line := range work.Autocommit(ctx, writes, w.StateDir, w.Now) {
		s.log.Warn(line, "tool", v.Name)
	}
	if err == nil {
		s.attempts.learn(v, out)
	}
	return out, err
}

const longestClient = 64 // characters of a client's name

// clientName returns the name that a client gives itself, in the request or at its initialization, in a form that is
// safe to show. Nothing proves it. A name that the server was started with has precedence.
func clientName(ctx context.Context, req mcp.CallToolRequest) string {
	name := ""
	if info := req.Params.Meta.ClientInfo(); info != nil {
		name = info.Name
	} else if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		name = session.GetClientInfo().Name
	}
	runes := []rune(harmless.Line(name))
	return string(runes[:min(len(runes), longestClient)])
}

// turn waits until a verb may begin; see atOnce. Verbs that wait or run commands take no turn, because they would keep
// it for minutes.
func (s *Server) turn(ctx context.Context, v verb.Verb) (end func(), err error) {
	if v.Waits || v.Runs {
		return func() {}, nil
	}
	turns := s.writes
	if v.Kind == verb.Read {
		turns = s.reads
	}
	select {
	case turns <- struct{}{}:
		return func() { <-turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// progress returns where a call reports its progress, or nil if the client did not ask for it.
func (s *Server) progress(ctx context.Context, req mcp.CallToolRequest) func(verb.Progress) {
	if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
		return nil
	}
	token := req.Params.Meta.ProgressToken
	var mu sync.Mutex
	var before, last float64 // what earlier parts of the call came to, and what was sent last: a client is told numbers that only grow
	return func(p verb.Progress) {
		if ctx.Err() != nil {
			return // the client has given the call up
		}
		mu.Lock()
		defer mu.Unlock()
		if before+p.Done < last {
			before = last
		}
		p.Done, p.Total = p.Done+before, p.Total+before
		last = p.Done
		_ = s.notify(ctx, fmt.Sprintf("%T %v", token, token), "notifications/progress", map[string]any{
			"progressToken": token, "progress": p.Done, "total": p.Total, "message": harmless.Line(p.String()),
		}) // one that is lost is replaced by the next
	}
}

// notify sends a notification to the client of a context. On standard output a newer notification with the same key
// replaces one that is not written yet. Over HTTP mcp-go queues it, and notify returns an error if there is no more
// room.
func (s *Server) notify(ctx context.Context, key, method string, params map[string]any) error {
	if session, ok := server.ClientSessionFromContext(ctx).(*clientSession); ok {
		session.out.notify(key, method, params)
		return nil
	}
	return s.mcp.SendNotificationToClient(ctx, method, params)
}

// arguments returns the JSON that the client sent, unchanged if mcp-go has kept it, and nothing for null.
func arguments(req mcp.CallToolRequest) []byte {
	raw := req.Params.RawArguments
	if len(raw) == 0 {
		var err error
		if raw, err = json.Marshal(req.Params.Arguments); err != nil {
			return nil
		}
	}
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// result returns a value both as structured content and as text. Texts with hidden characters are listed in it.
func result(v any, isError bool) (*mcp.CallToolResult, error) {
	text, err := encode(v)
	if err != nil {
		return nil, fmt.Errorf("the result does not make JSON: %w", err)
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{mcp.NewTextContent(string(text))},
		StructuredContent: json.RawMessage(text),
		IsError:           isError,
	}, nil
}
