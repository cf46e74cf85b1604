package cmd

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/mcpserver"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/progress"
	"github.com/urfave/cli/v3"
)

// serveCommand is cairn serve.
type serveCommand struct{ *program }

func (p serveCommand) command() *cli.Command {
	return &cli.Command{
		Name:     "serve",
		Usage:    "Serve the verbs to a coding agent, as an MCP server on stdin and stdout.",
		Category: "workspace",
		Description: "Who acts is fixed here: --actor agent:NAME (or CAIRN_ACTOR) is required. It serves until the end of input, and starts\n" +
			"outside a workspace too, so that one entry in a client's configuration works in every project. SIGTERM counts as the\n" +
			"end of input. It logs to stderr; CAIRN_LOG says how much: debug, info, warn, error or off, warn by default.\n" +
			"With --http it serves the clients on this machine that connect to an address, many at once; all act under that one name.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "client", Local: true, Usage: "name of the program that connects"},
			&cli.StringFlag{Name: "profile", Local: true, Value: verb.Operator.String(), Usage: "what the actor may do: viewer, planner, pair_worker, operator or maintainer; operator by default"},
			&cli.StringFlag{Name: "scope", Local: true, Usage: "let the actor change one task only, as `task:ID`"},
			&cli.BoolFlag{Name: "readonly", Local: true, Usage: "let the actor change nothing"},
			&cli.StringFlag{Name: "http", Local: true, Usage: "serve Streamable HTTP on the loopback `ADDRESS` instead, on the path /mcp; port 0 takes a free one"},
			&cli.BoolFlag{Name: "projects", Local: true, Usage: "let project_open take the server to another workspace of this machine; the tool is in the toolset jobs"},
			&cli.StringFlag{Name: "toolsets", Local: true, Usage: "tools to offer: core, edit, plan, history, admin, ledger, team, jobs, or all, with commas between them; core by default, and plan for a planner"},
		},
		Action: p.runServe,
	}
}

func (p serveCommand) runServe(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if c.Root().String("actor") == "" && p.Getenv("CAIRN_ACTOR") == "" {
		return usage("needs --actor").WithHint("cairn serve --actor agent:NAME; every client that connects acts under that name")
	}
	w, err := p.workspace(ctx, c)
	if err != nil {
		return err
	}
	w.Client, w.Progress = c.String("client"), nil
	ctx = progress.With(ctx, nil) // clients hear of waits, and standard error is the log's
	if s, err := w.Open(); err == nil {
		projects.Note(ctx, w, s)
	}
	if w.Rights, err = p.rights(ctx, w, c); err != nil {
		return err
	}
	errs := newSink(p.Stderr)
	defer errs.close()
	log, err := p.log(errs)
	if err != nil {
		return err
	}
	defer outlivePipe()()
	if err := mayChangeProjects(c); err != nil {
		return err
	}
	s := mcpserver.New(*w, log)
	if c.Bool("projects") {
		s.ChangeProjects()
	}
	if c.IsSet("http") {
		return p.serveHTTP(ctx, s, c.String("http"))
	}
	return connection(s.Serve(ctx, p.Stdin, p.Stdout))
}

// mayChangeProjects returns an error for a server that cannot go to another workspace: all its clients would, or its
// scope is a task of this one.
func mayChangeProjects(c *cli.Command) error {
	if c.Bool("projects") && (c.IsSet("http") || c.IsSet("scope")) {
		return usage("--projects goes with neither --http nor --scope").WithHint("start a server for each workspace")
	}
	return nil
}

// serveHTTP serves until ctx ends, and prints its address on stderr.
func (p serveCommand) serveHTTP(ctx context.Context, s *mcpserver.Server, addr string) error {
	l, err := mcpserver.Listen(addr)
	if err != nil {
		return err
	}
	screen.Fprintf(p.Stderr, "cairn: serving on http://%s/mcp\n", l.Addr())
	return connection(s.ServeListener(ctx, l))
}

// connection gives a code to the error that ended the serving, if any.
func connection(err error) error {
	if err != nil {
		return record.Errorf(record.IO, "the connection: %w", err)
	}
	return nil
}

// rights are what the flags let the actor do. A scope must name a task that is there.
func (p serveCommand) rights(ctx context.Context, w *verb.Workspace, c *cli.Command) (verb.Rights, error) {
	r := verb.Rights{ReadOnly: c.Bool("readonly")}
	var err error
	if r.Profile, err = verb.ParseProfile(c.String("profile")); err != nil {
		return r, err
	}
	r.Toolsets = r.Profile.Toolsets()
	if c.IsSet("toolsets") {
		if r.Toolsets, err = verb.ParseToolsets(c.String("toolsets")); err != nil {
			return r, err
		}
	}
	if scope := c.String("scope"); scope != "" {
		part, ok := strings.CutPrefix(scope, "task:")
		if !ok || part == "" {
			return r, usage("--scope %q is not of the form task:ID", scope).WithHint("cairn serve --scope task:PROJ-7 ...")
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
	return r, nil
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
