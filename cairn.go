// Package cairn is cairn for other Go programs: it opens a workspace, calls verbs in it, tells when it changes, and
// takes kinds of record that the program brings. It is all that a program outside of this module needs, and the only
// package that it should import: what lies below internal/ cannot be imported, and the other packages may change with
// any version.
//
//	w, err := cairn.Open(dir, cairn.As("service:bot"))
//	var task cairn.Task
//	err = w.Call(ctx, "create", cairn.Args{"title": "Say hello"}, &task)
//
// The verbs, with their inputs and outputs, are in docs/verbs.md; `cairn help VERB` shows one. Inputs and outputs are
// JSON, as over MCP. examples/embed is a whole program; examples/kind adds a kind.
package cairn

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/cairn-tasks/cairn/cmd"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/watch"
)

// Args is the input of a verb, by the names in docs/verbs.md.
type Args = map[string]any

// Task is a task, as verbs return it.
type Task = verb.Task

// Record is a record of any other kind, as verbs return it.
type Record = verb.Record

// Error is every error of this package that a caller can act on.
type Error = record.Error

// Code is what programs decide by, and stable, such as DEPS_OPEN; docs/errors.md lists all.
type Code = record.Code

// Profile is what a caller may do. Each holds those before it.
type Profile = verb.Profile

// The profiles.
const (
	Viewer     = verb.Viewer
	Planner    = verb.Planner
	PairWorker = verb.PairWorker
	Operator   = verb.Operator
	Maintainer = verb.Maintainer
)

// Workspace is an open workspace, for one actor. Its methods may be called by several goroutines at once. Close it at
// the end.
type Workspace struct {
	call    verb.Workspace
	watcher *watch.Watcher
}

// Option says more of how a workspace is opened.
type Option func(*verb.Workspace)

// As names who acts: human:NAME, agent:NAME or service:NAME. Without it nobody does, and verbs that write are refused.
func As(who string) Option {
	return func(w *verb.Workspace) { w.Actor = verb.As(record.Actor(who)) }
}

// With gives the caller the rights of a profile. Without it they are those of an Operator.
func With(profile Profile) Option {
	return func(w *verb.Workspace) { w.Profile = profile }
}

// Under names the folder of this user in which cairn keeps whether the commands of a clone may run. Without it no
// command of a check runs.
func Under(stateDir string) Option {
	return func(w *verb.Workspace) { w.StateDir = stateDir }
}

// Clock is where the time and random bytes come from, for tests.
func Clock(now func() time.Time, random io.Reader) Option {
	return func(w *verb.Workspace) { w.Now, w.Rand = now, random }
}

// Init makes a folder a workspace, whose ids begin with a prefix; of "" one is made from the folder's name. It
// overwrites no file, and does nothing in a workspace that is complete.
func Init(dir, prefix string) error {
	_, _, err := store.Init(dir, prefix)
	return err
}

// Open opens the workspace at a folder, or the nearest above it. It returns NO_WORKSPACE if there is none, and
// INVALID_INPUT for an actor that is none.
func Open(dir string, options ...Option) (*Workspace, error) {
	w := &Workspace{watcher: &watch.Watcher{}}
	w.call = verb.Workspace{
		Dir: dir, Actor: verb.As(""), Rights: verb.Rights{Profile: verb.Operator}, Now: time.Now, Rand: rand.Reader, Watcher: w.watcher,
		Reads: verb.NewSharedReads(w.watcher),
	}
	for _, option := range options {
		option(&w.call)
	}
	if who := w.call.Actor(); who != "" {
		if _, err := record.ParseActor(string(who)); err != nil {
			return nil, err
		}
	}
	if _, err := w.call.Open(); err != nil {
		return nil, err
	}
	return w, nil
}

// Close ends what the workspace follows. Calls under way end as they would.
func (w *Workspace) Close() { w.call.Reads.Close() }

// Call calls a verb. Unless out is nil, it points to a value into which the JSON of the result is read. Errors are
// *Error: INVALID_INPUT for a name or an input that does not fit, FORBIDDEN where the profile does not suffice, else
// one of docs/errors.md; an error of encoding/json says that out does not fit, after the verb was done. What only a
// person may do is refused. A refused call has written nothing, but for the results of checks that it ran.
func (w *Workspace) Call(ctx context.Context, name string, in Args, out any) error {
	v, ok := catalogue.Named(name)
	if !ok {
		return record.Errorf(record.InvalidInput, "there is no verb %q", name)
	}
	if in == nil {
		in = Args{}
	}
	input, err := json.Marshal(in)
	if err != nil {
		return record.Errorf(record.InvalidInput, "the input of %s: %w", name, err)
	}
	call := w.call
	noting, writes := store.NoteWrites(ctx)
	got, err := v.Call(noting, &call, input)
	_ = work.Autocommit(ctx, writes, call.StateDir, call.Now) // the write stands; the next one commits it too
	if err != nil || out == nil {
		return err
	}
	src, err := json.Marshal(got)
	if err != nil {
		return err
	}
	return json.Unmarshal(src, out)
}

// Watch returns a channel that ticks when a record or a claim may have changed, whoever changed it, and at least every
// two seconds. Ticks that were not received yet are merged into one. Call stop once.
func (w *Workspace) Watch() (ticks <-chan struct{}, stop func(), err error) {
	s, err := w.call.Open()
	if err != nil {
		return nil, nil, err
	}
	ticks, stop = w.watcher.Watch(s.Layout)
	return ticks, stop, nil
}

// CodeOf is the code of an error of a call, or "" for any other error and for nil.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// Main is the cairn command, with the kinds that the program added. It ends the process.
func Main() {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt) // for as long as the process lives
	dir, _ := os.Getwd()
	os.Exit(cmd.Main(ctx, cmd.Env{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Dir: dir, Now: time.Now, Rand: rand.Reader,
	}))
}
