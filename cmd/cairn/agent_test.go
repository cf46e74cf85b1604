//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/session"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// object is a JSON object as a client sends it.
type object = map[string]any

// agent is a coding agent: a server process of its own, and the official client at the other end of its pipes.
type agent struct {
	w      workspace
	name   record.Actor
	server *exec.Cmd
	errs   bytes.Buffer // what the server says on stderr; to be read when it has ended
	cs     *mcp.ClientSession
	log    *worklog

	mu    sync.Mutex
	calls []string // in flight, for the message of a test that hangs
	last  string   // that ended
}

// worklog is what agents and people did by their own account, noted after each successful call.
type worklog struct {
	mu   sync.Mutex
	said map[record.ID][]string
}

func (l *worklog) add(id record.ID, who record.Actor, did record.Did, session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.said == nil {
		l.said = map[record.ID][]string{}
	}
	l.said[id] = append(l.said[id], line(who, did, session))
}

func line(who record.Actor, did record.Did, session string) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", who, did, session))
}

// hire starts a server and connects to it.
func hire(t testing.TB, w workspace, log *worklog, name record.Actor) *agent {
	t.Helper()
	a := &agent{w: w, name: name, log: log, server: w.command(t, "serve", "--actor", string(name))}
	a.server.Stderr = &a.errs
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: a.server}, nil)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, &a.errs)
	}
	t.Cleanup(func() { _ = cs.Close() })
	a.cs = cs
	return a
}

// call calls a tool and decodes its result into out. A tool error is a refusal.
func (a *agent) call(ctx context.Context, tool string, args object, out any) error {
	name := fmt.Sprint(tool, " ", args)
	a.enter(name)
	defer a.leave(name)
	result, err := a.cs.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err == nil {
		err = read(result, out)
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", a.name, name, err)
	}
	return nil
}

func read(result *mcp.CallToolResult, out any) error {
	answer, err := json.Marshal(result.StructuredContent)
	if err != nil || !result.IsError {
		return errors.Join(err, json.Unmarshal(answer, out))
	}
	var no catalogue.Failure
	if err := json.Unmarshal(answer, &no); err != nil {
		return err
	}
	return refusal{no.Error}
}

// refusal is a tool error.
type refusal struct{ catalogue.FailureBody }

func (r refusal) Error() string { return r.Message + "; hint: " + r.Hint }

func (a *agent) enter(call string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, call)
}

func (a *agent) leave(call string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := slices.Index(a.calls, call)
	a.calls, a.last = slices.Delete(a.calls, at, at+1), call
}

// standing is the calls of the agent that are in flight.
func (a *agent) standing() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return fmt.Sprintf("%s is in %q, after %s", a.name, a.calls, a.last)
}

// work does one task after another, and waits if there is none, until built ends or the agent is killed.
func (a *agent) work(ctx, built context.Context, do func(context.Context, verb.Task) error) error {
	for {
		var found tasks.Work
		err := a.call(ctx, "next", object{}, &found)
		switch {
		case err != nil:
		case found.Task != nil:
			err = do(ctx, *found.Task)
		default:
			if err = a.await(built, object{"ready": true}, new(activity.Waited)); built.Err() != nil {
				return context.Cause(ctx)
			}
		}
		if errors.Is(err, errFell) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// await waits, and fails if the time is up first.
func (a *agent) await(ctx context.Context, args object, out *activity.Waited) error {
	args["timeout_seconds"] = longestWait.Seconds()
	err := a.call(ctx, "wait", args, out)
	if err == nil && out.Code == activity.WaitTimeout {
		return fmt.Errorf("%s: nothing happened in %v: %v", a.name, longestWait, args)
	}
	return err
}

// do begins and completes a task that the agent holds.
func (a *agent) do(ctx context.Context, one verb.Task) error {
	ses, err := a.begin(ctx, one.ID, false)
	if err != nil {
		return err
	}
	return a.complete(ctx, one, ses)
}

// begin begins a session on a task, and sends a heartbeat.
func (a *agent) begin(ctx context.Context, id record.ID, takeover bool) (ses verb.Session, err error) {
	args := object{"id": id, "expected_actor": a.name, "idempotency_key": fmt.Sprint(a.name, " on ", id), "takeover": takeover}
	if err := a.call(ctx, "begin", args, &ses); err != nil {
		return ses, err
	}
	a.log.add(id, a.name, map[bool]record.Did{false: record.Began, true: record.TakenOver}[takeover], ses.ID)
	return ses, a.call(ctx, "heartbeat", object{"session": ses.ID, "progress": "a stone at a time"}, new(verb.Session))
}

// complete makes the stone, finishes the session, and closes the task unless a person has to. It fails if the stone
// exists.
func (a *agent) complete(ctx context.Context, one verb.Task, ses verb.Session) error {
	stone, err := os.OpenFile(filepath.Join(a.w.dir, one.Title), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("%s does what is done: %w", a.name, err)
	}
	if err := stone.Close(); err != nil {
		return err
	}
	if err := a.call(ctx, "finish", object{"session": ses.ID, "summary": "it lies"}, new(verb.Short)); err != nil {
		return err
	}
	a.log.add(one.ID, a.name, record.Finished, ses.ID)
	if slices.Contains(one.Labels, forReview) {
		return nil
	}
	if err := a.call(ctx, "transition", object{"id": one.ID, "to": "done"}, new(verb.Task)); err != nil {
		return err
	}
	a.log.add(one.ID, a.name, record.Transitioned, "")
	return nil
}

// errFell says that an agent was killed.
var errFell = errors.New("fell")

// fallingAt does tasks until it has begun the nth, and is killed then. The session that it leaves is sent to fell.
func (a *agent) fallingAt(n int, fell chan<- verb.Session) func(context.Context, verb.Task) error {
	return func(ctx context.Context, one verb.Task) error {
		if n--; n > 0 {
			return a.do(ctx, one)
		}
		ses, err := a.begin(ctx, one.ID, false)
		if err != nil {
			return err
		}
		if err := a.server.Process.Kill(); err != nil {
			return err
		}
		a.enter("no call any more: it was killed")
		fell <- ses
		return errFell
	}
}

// inherit waits until the session of a killed agent stalls, and does its task. Without takeover that is refused, with a
// hint that names it.
func (a *agent) inherit(ctx context.Context, fell <-chan verb.Session) error {
	var left verb.Session
	select {
	case left = <-fell:
	case <-ctx.Done():
		return nil
	}
	var seen activity.Waited
	if err := a.call(ctx, "wait", object{"session": left.ID, "timeout_seconds": 0}, &seen); err != nil {
		return err
	}
	for seen.Session.Health != session.Stalled {
		if err := a.await(ctx, object{"session": left.ID, "cursor": seen.Cursor}, &seen); err != nil {
			return err
		}
	}
	var no refusal
	_, err := a.begin(ctx, left.Task, false)
	if !errors.As(err, &no) || no.Code != record.AlreadyClaimed || !strings.Contains(no.Hint, "takeover: true") {
		return fmt.Errorf("%s begins the task of another: %w", a.name, err)
	}
	var one verb.Task
	if err := a.call(ctx, "get", object{"id": left.Task}, &one); err != nil {
		return err
	}
	ses, err := a.begin(ctx, left.Task, true)
	if err != nil {
		return err
	}
	return a.complete(ctx, one, ses)
}

// resign closes the input of the server, which must exit with 0 and an empty log.
func (a *agent) resign(t *testing.T) {
	t.Helper()
	if err := a.cs.Close(); err != nil || a.errs.Len() > 0 {
		t.Errorf("the server of %s ends with %v\n%s", a.name, err, &a.errs)
	}
}
