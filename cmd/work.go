package cmd

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/store"
	"github.com/urfave/cli/v3"
)

// workCommand is cairn work.
type workCommand struct{ *program }

func (p workCommand) command() *cli.Command {
	return &cli.Command{
		Name:     "work",
		Usage:    "Start jobs on the tasks that are ready, one after another, until there are none left.",
		Category: "jobs",
		Description: "It takes the most urgent task first, each one once, and none that is for a pair or that somebody holds. It shows the jobs while they\n" +
			"run, and exits with 4 if one of them did not succeed. The jobs are processes of their own: Ctrl-C ends this command, and they live on.\n" +
			"A task that waits for another becomes ready when that one is closed, which is after its review.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "jobs", Local: true, Usage: "how many run at once; by default as many as jobs_max allows"},
			&cli.StringFlag{Name: "executor", Local: true, Usage: "the program that does the work, such as claude; the workspace's config may name the usual one"},
			&cli.StringFlag{Name: "label", Local: true, Usage: "only tasks with this label"},
			&cli.BoolFlag{Name: "watch", Local: true, Usage: "go on for ever: take tasks as they become ready"},
		},
		Action: p.run,
	}
}

// look is how often the jobs are looked at, and lookForTasks how often new tasks are looked for while nothing ended.
const (
	look         = 200 * time.Millisecond
	lookForTasks = 2 * time.Second
)

func (p workCommand) run(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	w, s, err := p.open(ctx, c)
	if err != nil {
		return err
	}
	w.Progress = nil // the jobs are shown instead
	l := &labor{program: p.program, w: w, s: s, most: c.Int("jobs"), executor: c.String("executor"), label: c.String("label"), watch: c.Bool("watch"), tried: map[record.ID]string{}}
	if l.most == 0 {
		l.most = s.Config.JobsMax
	}
	if l.most < 1 {
		return usage("--jobs is %d", l.most).WithHint("1 or more")
	}
	_, l.live = isTerminal(p.Stdout)
	l.live = l.live && !p.json && p.Getenv("TERM") != "dumb"
	err = l.run(ctx)
	switch {
	case err != nil:
	case p.json:
		p.printJSON(map[string]any{"jobs": verb.NoNil(l.done)})
	default:
		l.next()
	}
	if err == nil && slices.ContainsFunc(l.done, func(j jobs.Job) bool { return j.State != job.Succeeded }) {
		p.exit = p.soften(verb.ExitCheckFailed)
	}
	return err
}

// labor is a run of cairn work.
type labor struct {
	*program
	w        *verb.Workspace
	s        *store.Store
	most     int
	executor string
	label    string
	watch    bool
	live     bool // the jobs are shown on a terminal, over what was shown of them before

	running []jobs.Job
	done    []jobs.Job
	tried   map[record.ID]string // the title of each task that was given to a job, or left alone
	shown   int                  // lines on the terminal that show running jobs
}

// run starts jobs until no task is ready and no job of its own runs; if it watches, until ctx ends.
func (l *labor) run(ctx context.Context) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	next := time.Time{}
	for {
		ended, err := l.see()
		if err != nil {
			return l.left(err)
		}
		if now := time.Now(); ended || !now.Before(next) {
			next = now.Add(lookForTasks)
			if err := l.take(ctx); err != nil && ctx.Err() == nil {
				return l.left(err)
			}
		}
		if len(l.running) == 0 && !l.watch && ctx.Err() == nil {
			l.close()
			return nil
		}
		select {
		case <-ctx.Done():
			return l.left(ctx.Err())
		case <-tick.C:
		}
	}
}

// see looks at the running jobs, and reports whether one ended.
func (l *labor) see() (ended bool, err error) {
	still := []jobs.Job{}
	for _, was := range l.running {
		now, err := l.poll(was.Job)
		if err != nil {
			return ended, err
		}
		if now.State != was.State || now.Phase != was.Phase || now.Attempt != was.Attempt {
			l.say(now)
		}
		if now.State.Live() {
			still = append(still, now)
			continue
		}
		ended = true
		l.done = append(l.done, now)
	}
	l.running = still
	l.show()
	return ended, nil
}

func (l *labor) poll(id string) (jobs.Job, error) {
	out, err := call[jobs.Polled](context.Background(), l.w, "job_poll", map[string]any{"job": id})
	return out.Job, err
}

// take starts jobs on tasks that are ready, as many as have room.
func (l *labor) take(ctx context.Context) error {
	tried := func(id record.ID) bool { _, tried := l.tried[id]; return tried }
	for len(l.running) < l.most {
		ready, err := jobs.Ready(ctx, l.w, l.label, l.most-len(l.running), tried)
		if err != nil || len(ready) == 0 {
			return err
		}
		for _, row := range ready {
			if ctx.Err() != nil {
				return nil
			}
			l.tried[row.ID] = row.Title
			if err := l.start(ctx, row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *labor) start(ctx context.Context, row verb.Row) error {
	in := map[string]any{"id": row.ID}
	if l.executor != "" {
		in["executor"] = l.executor
	}
	started, err := call[jobs.Job](ctx, l.w, "job_start", in)
	if jobs.LeftAlone(err) {
		l.clear()
		l.printf("%s  left alone: %s\n", row.ID, record.MessageOf(err))
		return nil
	}
	if err != nil {
		return err
	}
	l.running = append(l.running, started)
	l.say(started)
	l.show()
	return nil
}

// call calls a verb with an input, and returns its result.
func call[Out any](ctx context.Context, w *verb.Workspace, name string, in map[string]any) (Out, error) {
	var none Out
	v, ok := catalogue.Named(name)
	if !ok {
		return none, record.Errorf(record.IO, "there is no verb %s", name)
	}
	src, err := json.Marshal(in)
	if err != nil {
		return none, err
	}
	out, err := v.Call(ctx, w, src)
	if err != nil {
		return none, err
	}
	got, ok := out.(Out)
	if !ok {
		return none, record.Errorf(record.IO, "%s answers with a %T", name, out)
	}
	return got, nil
}
