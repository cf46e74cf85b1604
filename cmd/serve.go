package cmd

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/cairn-tasks/cairn/mcpserver"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/urfave/cli/v3"
)

func (p *program) serveCommand() *cli.Command {
	return &cli.Command{
		Name:     "serve",
		Usage:    "Serve the verbs to a coding agent, as an MCP server on stdin and stdout.",
		Category: "workspace",
		Description: "Who acts is fixed here: --actor agent:NAME (or CAIRN_ACTOR) is required. It serves until the end of input, and starts\n" +
			"outside a workspace too, so that one entry in a client's configuration works in every project. SIGTERM counts as the\n" +
			"end of input. It logs to stderr; CAIRN_LOG says how much: debug, info, warn, error or off, warn unless told.\n" +
			"With --http it serves the clients on this machine that connect to an address, many at once; all act under that one name.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "client", Local: true, Usage: "name of the program that connects"},
			&cli.StringFlag{Name: "profile", Local: true, Value: verb.Operator.String(), Usage: "what the actor may do: viewer, planner, pair_worker, operator or maintainer; operator unless told"},
			&cli.StringFlag{Name: "scope", Local: true, Usage: "let the actor change one task only, as `task:ID`"},
			&cli.BoolFlag{Name: "readonly", Local: true, Usage: "let the actor change nothing"},
			&cli.StringFlag{Name: "http", Local: true, Usage: "serve Streamable HTTP on the loopback `ADDRESS` instead, on the path /mcp; port 0 takes a free one"},
			&cli.StringFlag{Name: "toolsets", Local: true, Usage: "tools to offer: core, edit, plan, history, admin, or all, with commas between them; core unless told, and plan for a planner"},
		},
		Action: p.runServe,
	}
}

func (p *program) runServe(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if c.Root().String("actor") == "" && p.Getenv("CAIRN_ACTOR") == "" {
		return usage("needs --actor").WithHint("cairn serve --actor agent:NAME; whoever connects acts under that name")
	}
	w, err := p.workspace(ctx, c)
	if err != nil {
		return err
	}
	w.Client = c.String("client")
	if w.Rights, err = p.rights(w, c); err != nil {
		return err
	}
	errs := newSink(p.Stderr)
	defer errs.close()
	log, err := p.log(errs)
	if err != nil {
		return err
	}
	defer outlivePipe()()
	s := mcpserver.New(*w, log)
	if c.IsSet("http") {
		return p.serveHTTP(ctx, s, c.String("http"))
	}
	return connection(s.Serve(ctx, p.Stdin, p.Stdout))
}

// serveHTTP serves until ctx ends, and says on stderr where.
func (p *program) serveHTTP(ctx context.Context, s *mcpserver.Server, addr string) error {
	l, err := mcpserver.Listen(addr)
	if err != nil {
		return err
	}
	fprintf(p.Stderr, "cairn: serving on http://%s/mcp\n", l.Addr())
	return connection(s.ServeListener(ctx, l))
}

// connection gives a code to what ended the serving too early.
func connection(err error) error {
	if err != nil {
		return task.Errorf(task.IO, "the connection: %w", err)
	}
	return nil
}

// rights are what the flags let the actor do. A scope must name a task that is there.
func (p *program) rights(w *verb.Workspace, c *cli.Command) (verb.Rights, error) {
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
		id, err := completeID(w, "task", part)
		if err != nil {
			return r, err
		}
		s, err := w.Open()
		if err != nil {
			return r, err
		}
		t, err := s.Get(task.ID(id))
		r.Scope = t.ID
		return r, err
	}
	return r, nil
}

// outlivePipe keeps the process alive when the client stops listening: by default the first write to a closed standard
// output kills it, and what it had started would run on. The function that it returns ends that.
func outlivePipe() (end func()) {
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGPIPE) // rather than signal.Ignore, which checks would inherit
	return func() { signal.Stop(ignored) }
}

// log is the server's log, from the level in CAIRN_LOG upwards.
func (p *program) log(to io.Writer) (*slog.Logger, error) {
	level := slog.LevelWarn
	switch name := p.Getenv("CAIRN_LOG"); name {
	case "":
	case "off":
		return slog.New(slog.DiscardHandler), nil
	case "debug", "info", "warn", "error":
		_ = level.UnmarshalText([]byte(name)) // it reads these four
	default:
		return nil, usage("CAIRN_LOG is %q", name).WithHint("it is debug, info, warn, error or off; warn unless told")
	}
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: level})), nil
}
