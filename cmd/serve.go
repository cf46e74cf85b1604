package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/mcpserver"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/progress"
)

type serveCommand struct {
	*call
	serveIn
}

type serveIn struct {
	Client   string `json:"client,omitempty" doc:"name of the program that connects"`
	Profile  string `json:"profile,omitempty" doc:"what the actor may do: viewer, planner, pair_worker, job, operator or maintainer; operator by default, job in a job" values:"viewer,planner,pair_worker,job,operator,maintainer"`
	Scope    string `json:"scope,omitempty" doc:"let the actor change one task only, as task:ID" cli:"value=task:ID" from:"scopes"`
	ReadOnly bool   `json:"readonly,omitempty" doc:"let the actor change nothing"`
	HTTP     string `json:"http,omitempty" doc:"serve Streamable HTTP on the loopback ADDRESS instead, on the path /mcp; port 0 takes a free one" cli:"value=ADDRESS"`
	Projects bool   `json:"projects,omitempty" doc:"let project_open take the server to another workspace of this machine; the tool is in the toolset jobs"`
	Toolsets string `json:"toolsets,omitempty" doc:"tools to offer: core, edit, plan, history, admin, ledger, team, jobs, or all, with commas between them; core by default, and plan for a planner" from:"toolsets"`
}

func serveCommands() []command {
	return []command{declare(command{
		name:  "serve",
		usage: "Serve the verbs to a coding agent, as an MCP server on stdin and stdout.",
		group: "workspace",
		about: "Who acts is fixed here: --actor agent:NAME (or CAIRN_ACTOR) is required. Another server of the clone under the same name acts\n" +
			"as NAME-2, so that two windows of one client cannot take one another's claims. It serves until the end of input, and starts\n" +
			"outside a workspace too, so that one entry in a client's configuration works in every project. SIGTERM counts as the\n" +
			"end of input. It logs to stderr; CAIRN_LOG says how much: debug, info, warn, error or off, warn by default.\n" +
			"With --http it serves the clients on this machine that connect to an address, many at once; all act under that one name.",
	}, func(ctx context.Context, c *call, in serveIn) error { return serveCommand{c, in}.run(ctx) })}
}

func (p serveCommand) run(ctx context.Context) error {
	if p.line.Root().String("actor") == "" && p.Getenv("CAIRN_ACTOR") == "" {
		return usage("needs --actor").WithHint("cairn serve --actor agent:NAME; every client that connects acts under that name")
	}
	w, err := p.workspace(ctx)
	if err != nil {
		return err
	}
	w.Client, w.Progress = p.Client, nil
	ctx = progress.With(ctx, nil) // clients hear of waits, and standard error is the log's
	if s, err := w.Open(); err == nil {
		projects.Note(ctx, w, s)
	}
	job := w.Scope // of the job in whose shell somebody starts it
	if w.Rights, err = p.rights(ctx, w); err != nil {
		return err
	}
	if job != "" {
		w.Profile, w.Scope = min(w.Profile, verb.InJob), job
	}
	own, leave := p.window(ctx, w)
	defer leave()
	w.Actor = own
	errs := newSink(p.Stderr)
	defer errs.close()
	log, err := p.log(errs)
	if err != nil {
		return err
	}
	defer outlivePipe()()
	http := p.line.IsSet("http")
	if p.Projects && (http || p.line.IsSet("scope")) { // all its clients would go elsewhere, or its scope is a task of this workspace
		return usage("--projects goes with neither --http nor --scope").WithHint("start a server for each workspace")
	}
	awake, sleep := context.WithCancel(ctx)
	defer sleep()
	go jobs.KeepAwake(awake, w)
	s := mcpserver.New(*w, log)
	if p.Projects {
		s.ChangeProjects()
	}
	if !http {
		return connection(s.Serve(ctx, p.Stdin, p.Stdout))
	}
	l, err := mcpserver.Listen(p.HTTP)
	if err != nil {
		return err
	}
	screen.Fprintf(p.Stderr, "cairn: serving on http://%s/mcp\n", l.Addr())
	return connection(s.ServeListener(ctx, l))
}

const (
	windowsMost     = 100
	windowsPatience = time.Second // a client that starts its server anew may do so before the old one has ended
)

// window is who the server acts as: where another server of the clone acts under the same name, NAME-2 and so on, so
// that the windows of one client are actors of their own. The lowest name that is free is taken, until leave is called
// or the process ends. The server of a job or a pair keeps its name, since that is its session's, and so does one that
// changes nothing.
func (p serveCommand) window(ctx context.Context, w *verb.Workspace) (own func() record.Actor, leave func()) {
	named, leave := w.Actor(), func() {}
	l, err := layout.Find(w.Dir)
	if err != nil || named.Human() || w.Job != "" || w.Session != "" || w.ReadOnly || l.MakeServers() != nil {
		return w.Actor, leave
	}
	lock, err := filelock.AcquireWithin(ctx, l.Live.Server(named), windowsPatience)
	name, free := named, err == nil
	for n := 2; !free && n <= windowsMost; n++ {
		name = record.Actor(fmt.Sprintf("%s-%d", named, n))
		if lock, free, err = filelock.TryAcquire(l.Live.Server(name)); err != nil {
			return w.Actor, leave
		}
	}
	if free {
		return verb.As(name), func() { _ = lock.Release() }
	}
	return w.Actor, leave
}

func connection(err error) error {
	if err != nil {
		return record.Errorf(record.IO, "the connection: %w", err)
	}
	return nil
}

// rights are what the flags let the actor do. A scope must name a task that is there.
func (p serveCommand) rights(ctx context.Context, w *verb.Workspace) (r verb.Rights, err error) {
	r.ReadOnly = p.ReadOnly
	profile := p.Profile
	if !p.line.IsSet("profile") {
		profile = verb.Operator.String()
		if w.Job != "" {
			profile = verb.InJob.String()
		}
	}
	if r.Profile, err = verb.ParseProfile(profile); err != nil {
		return r, err
	}
	r.Toolsets = r.Profile.Toolsets()
	if p.line.IsSet("toolsets") {
		if r.Toolsets, err = verb.ParseToolsets(p.Toolsets); err != nil {
			return r, err
		}
	}
	if p.Scope == "" {
		return r, nil
	}
	part, ok := strings.CutPrefix(p.Scope, "task:")
	if !ok || part == "" {
		return r, usage("--scope %q is not of the form task:ID", p.Scope).WithHint("cairn serve --scope task:PROJ-7 ...")
	}
	id, err := completeID(ctx, w, verb.Field{Names: record.TaskKind}, part)
	if err != nil {
		return r, err
	}
	s, err := w.Open()
	if err != nil {
		return r, err
	}
	t, err := kind.Tasks.Get(s, record.ID(id))
	r.Scope = t.ID
	return r, err
}

// outlivePipe keeps the process alive after the client closes standard output. By default the next write kills the
// process, and the commands that it started would run on. The function that it returns restores the default.
func outlivePipe() (end func()) {
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGPIPE) // not signal.Ignore, which the commands of checks would inherit
	return func() { signal.Stop(ignored) }
}

// log is the server's log, from the level in CAIRN_LOG on.
func (p serveCommand) log(to io.Writer) (*slog.Logger, error) {
	level := slog.LevelWarn
	switch name := p.Getenv("CAIRN_LOG"); name {
	case "":
	case "off":
		return slog.New(slog.DiscardHandler), nil
	case "debug", "info", "warn", "error":
		_ = level.UnmarshalText([]byte(name)) // it reads these four
	default:
		return nil, usage("CAIRN_LOG is %q", name).WithHint("it is debug, info, warn, error or off; warn by default")
	}
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: level})), nil
}

const (
	sinkSize  = 256                    // lines that wait to be written
	sinkGrace = 200 * time.Millisecond // for writing the last of them
)

// sink writes lines in the background, and Write never blocks. Some clients do not read a server's standard error:
// lines for which there is no more room are dropped.
type sink struct {
	lines   chan []byte
	dropped atomic.Int64
	quit    chan struct{}
	done    chan struct{} // closed when the last line is written
}

func newSink(to io.Writer) *sink {
	s := &sink{lines: make(chan []byte, sinkSize), quit: make(chan struct{}), done: make(chan struct{})}
	go s.run(to)
	return s
}

// Write accepts one line, and always succeeds.
func (s *sink) Write(line []byte) (int, error) {
	select {
	case s.lines <- bytes.Clone(line):
	default:
		s.dropped.Add(1)
	}
	return len(line), nil
}

func (s *sink) run(to io.Writer) {
	defer close(s.done)
	for {
		select {
		case line := <-s.lines:
			_, _ = to.Write(line) // there is nowhere to say that it failed
			if n := s.dropped.Swap(0); n > 0 {
				screen.Fprintf(to, "cairn: %d lines of the log were not read in time, and dropped\n", n)
			}
		case <-s.quit:
			if len(s.lines) == 0 {
				return
			}
		}
	}
}

// close waits for a moment until the lines before it are written. Later lines are dropped.
func (s *sink) close() {
	close(s.quit)
	select {
	case <-s.done:
	case <-time.After(sinkGrace):
	}
}
