package cmd

import (
	"context"
	"github.com/cairn-tasks/cairn/internal/record"
	"os/exec"
	"runtime"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/store/progress"
	"github.com/cairn-tasks/cairn/store/watch"
	"github.com/cairn-tasks/cairn/web"
)

// webIn is what the board in a browser takes.
type webIn struct {
	Port     int    `json:"port,omitempty" doc:"of a server, in place of a free one" cli:"value=PORT"`
	ReadOnly bool   `json:"readonly,omitempty" doc:"in a browser: change nothing, as for a screen on the wall"`
	NoOpen   bool   `json:"no_open,omitempty" doc:"print the link, and open no browser"`
	Static   string `json:"static,omitempty" doc:"write the board, the list, the graph and the tasks as plain files into DIR, and end" cli:"value=DIR"`
}

func webCommands() []command {
	return []command{declare(command{
		name:  "web",
		usage: "Show the board in a browser.",
		group: "tasks",
		about: "It serves this machine alone, until it is ended, and prints a link that lets one browser in, once.\n" +
			"docs/web.md says what it shows and why no other page can use it.",
	}, func(ctx context.Context, c *call, in webIn) error { return webCommand{c, in}.run(ctx) })}
}

type webCommand struct {
	*call
	webIn
}

func (p webCommand) run(ctx context.Context) error {
	if p.json {
		return usage("a board is for people").WithHint("%s lists the same tasks for programs", "cairn list --json")
	}
	if p.Port < 0 || p.Port > 65535 {
		return usage("--port is %d", p.Port).WithHint("1024 to 65535; without it a free one is taken")
	}
	w, _, err := p.open(ctx)
	if err != nil {
		return err
	}
	w.Progress, w.ReadOnly = nil, w.ReadOnly || p.ReadOnly || p.Static != ""
	watcher := &watch.Watcher{}
	w.Watcher, w.Reads = watcher, verb.NewSharedReads(watcher)
	defer w.Reads.Close()
	p.meter.Stop()
	ctx = progress.With(ctx, nil)
	errs := newSink(p.Stderr)
	defer errs.close()
	log, err := serveCommand{call: p.call}.log(errs)
	if err != nil {
		return err
	}
	o := web.Options{Log: log, Person: p.person}
	if p.Static != "" {
		return p.writeFiles(ctx, web.New(*w, o))
	}
	if o.Listener, err = web.Listen(p.Port); err != nil {
		return err
	}
	awake, sleep := context.WithCancel(ctx)
	defer sleep()
	if !w.ReadOnly {
		go jobs.KeepAwake(awake, w)
	}
	s := web.New(*w, o)
	link := s.Link()
	p.printf("The board is at %s\n", link)
	if _, seen := terminal.Is(p.Stdout); seen && !p.NoOpen && p.personHere("open a browser") == nil {
		openLink(ctx, link)
	}
	return connection(s.Serve(ctx))
}

// person returns why nobody at this server can confirm what only a person may do. A server has no say over who sends its
// requests, so it takes no more than the terminal in which it was started would.
func (p webCommand) person() error {
	if err := p.personHere("confirm what a person has to"); err != nil {
		return err
	}
	t, err := p.terminal()
	if err != nil {
		return record.Errorf(record.Forbidden, "this server was started without a terminal, and confirms nothing").
			WithHint("do it in a terminal, or start the server in one")
	}
	return t.Close()
}

// writeFiles writes the board as plain files.
func (p webCommand) writeFiles(ctx context.Context, s *web.Server) error {
	dir := p.abs(p.Static)
	if err := notInside(dir, p.Static); err != nil {
		return err
	}
	n, err := s.Write(ctx, dir)
	if err == nil {
		screen.Fprintf(p.out, "%d files in %s\n", n, p.Static)
	}
	return err
}

// openLink opens a link in the browser of the person. Where there is none, they have the link.
func openLink(ctx context.Context, link string) {
	line := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if line == nil {
		line = []string{"xdg-open"}
	}
	c := exec.CommandContext(context.WithoutCancel(ctx), line[0], append(line[1:], link)...)
	if c.Start() == nil {
		go func() { _ = c.Wait() }()
	}
}
