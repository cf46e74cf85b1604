package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/cmd/background"
	"github.com/cairn-tasks/cairn/cmd/render"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	joblist "github.com/cairn-tasks/cairn/internal/work/jobs"
	"github.com/cairn-tasks/cairn/internal/work/runner"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/internal/work/verb/review"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/remote"
)

// startIn is what the commands that start a job take beside the fields of the verb.
type startIn struct {
	Foreground bool `json:"foreground,omitempty" doc:"run the job in this process, and return when it has ended"`
	Wait       bool `json:"wait,omitempty" doc:"return when the job has ended; it exits with 4 if that was no success"`
}

// The flags of startIn.
const (
	foregroundFlag = "foreground"
	waitFlag       = "wait"
)

type jobIn struct {
	Job string `json:"job" doc:"the job" cli:"arg" from:"jobs"`
}

type jobShowIn struct {
	jobIn
	File string `json:"file,omitempty" doc:"a file that it left" cli:"arg" values:"patch.diff,out.md,logs.txt,pr.json"`
}

type jobLogsIn struct {
	jobIn
	Follow bool `json:"follow,omitempty" doc:"go on until the job has ended" cli:"also=f"`
}

type jobRetryIn struct {
	jobIn
	startIn
	Fresh bool `json:"fresh,omitempty" doc:"begin anew at the base, and keep what earlier attempts left on a branch of its own"`
}

func jobCommands() []command {
	return []command{
		declare(command{
			name: "job show", usage: "Show a job with its story, or one of the files that it left.", prints: "job_poll",
			about: "FILE is patch.diff, out.md, logs.txt or pr.json.",
		}, jobShow),
		declare(command{name: "job logs", usage: "Print what happened in a job, line by line."}, jobLogs),
		declare(command{
			name: "job retry", prints: "job_start",
			usage: "Try a job again in the same work tree: one that lost its process goes on, of one that ended a new one begins.",
		}, jobRetry),
		declare(command{name: "job supervise", usage: "Run a job in this process; cairn starts it so for each job.", hidden: true}, superviseJob),
		declare(command{name: "job connect", usage: "Speak to the MCP server of a job; its program starts it so in a sandbox.", hidden: true}, connectJob),
	}
}

// awaiting starts the supervisor of a job, and returns when the job has ended.
func awaiting(start func(context.Context, *verb.Workspace, string) error) func(context.Context, *verb.Workspace, string) error {
	return func(ctx context.Context, w *verb.Workspace, id string) error {
		if err := start(ctx, w, id); err != nil {
			return err
		}
		s, err := w.Open()
		if err != nil {
			return err
		}
		return untilEnded(ctx, s, id, func() error { return nil })
	}
}

// lookEvery is how often a job is looked at that somebody follows.
const lookEvery = 200 * time.Millisecond

// untilEnded calls a function again and again until a job is not at work any more, and once after that.
func untilEnded(ctx context.Context, s *store.Store, id string, each func() error) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		one, err := work.Jobs(s).Get(id) // before the call, so that what comes before the end is seen
		if err == nil {
			err = each()
		}
		if err != nil || !one.Status.State.Live() {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (c *call) namedJob(ctx context.Context, in jobIn) (*verb.Workspace, *store.Store, job.Job, error) {
	w, s, err := c.open(ctx)
	if err != nil {
		return nil, nil, job.Job{}, err
	}
	id, err := work.Jobs(s).Resolve(in.Job)
	if err != nil {
		return nil, nil, job.Job{}, err
	}
	one, err := work.Jobs(s).Get(id)
	return w, s, one, err
}

const storyLength = 20 // events of a job that show prints

func jobShow(ctx context.Context, c *call, in jobShowIn) error {
	_, s, one, err := c.namedJob(ctx, in.jobIn)
	if err != nil {
		return err
	}
	if in.File != "" {
		i := slices.IndexFunc(job.Artifacts, func(a job.Artifact) bool { return a.Name == in.File })
		if i < 0 {
			return usage("there is no file %q of a job", in.File).WithHint("patch.diff, out.md, logs.txt or pr.json")
		}
		parts, err := work.Jobs(s).Artifact(one, job.Artifacts[i])
		if err != nil {
			return err
		}
		for _, part := range parts {
			src, err := part.Read(maxInput)
			if err != nil {
				return err
			}
			c.printf("%s", screen.Lines(src))
		}
		return nil
	}
	_, total, err := work.Jobs(s).Events(one.Spec.Job, 0, 0)
	if err != nil {
		return err
	}
	first := max(total-storyLength, 0)
	events, total, err := work.Jobs(s).Events(one.Spec.Job, first, storyLength)
	if err != nil {
		return err
	}
	more, next := false, first+len(events)
	out := jobs.Polled{Job: jobs.View(s, one, c.Now()), Events: events, Total: &total, HasMore: &more, NextOffset: &next}
	return c.result(ctx, verb.Verb{Noun: "job"}, nil, out)
}

func jobLogs(ctx context.Context, c *call, in jobLogsIn) error {
	_, s, one, err := c.namedJob(ctx, in.jobIn)
	if err != nil {
		return err
	}
	shown := 0
	more := func() error {
		for {
			events, _, err := work.Jobs(s).Events(one.Spec.Job, shown, 500)
			if err != nil || len(events) == 0 {
				return err
			}
			for _, e := range events {
				if !c.json {
					c.renderer(verb.Verb{}).Show(e)
				} else if err := json.NewEncoder(c.out).Encode(e); err != nil {
					return err
				}
			}
			shown += len(events)
		}
	}
	if !in.Follow {
		return more()
	}
	return untilEnded(ctx, s, one.Spec.Job, more)
}

func jobRetry(ctx context.Context, c *call, in jobRetryIn) error {
	w, s, one, err := c.namedJob(ctx, in.jobIn)
	if err != nil {
		return err
	}
	out, err := jobs.Retry(ctx, w, one.Spec.Job, in.Fresh)
	if err != nil {
		return err
	}
	if now, err := work.Jobs(s).Get(out.Job); err == nil {
		out = jobs.View(s, now, c.Now())
	}
	c.exit = c.soften(jobs.ExitOfEnd(out))
	return c.result(ctx, verb.Verb{Noun: "job"}, nil, out)
}

// superviseJob is cairn job supervise, the process that runs one job. Cairn starts it; no person types it.
func superviseJob(ctx context.Context, p *call, in jobIn) error {
	id, err := job.ParseID(in.Job)
	if err != nil {
		return err
	}
	w, err := p.workspace(ctx)
	if err != nil {
		return err
	}
	// What this process starts is found by the name of the job, this process itself is not: its own environment began
	// without it.
	if err := os.Setenv(proc.JobVariable, id); err != nil {
		return err
	}
	r := jobRunner
	r.Owned = func() {
		p.printf("%s%s\n", background.Running, id)
		if out, ok := p.Stdout.(io.Closer); ok {
			_ = out.Close() // who started it waits for that, and nobody reads any more
		}
	}
	return r.Run(ctx, w, id)
}

type connectIn struct {
	Socket string `json:"socket" doc:"at which cairn serves the program of a job" cli:"arg"`
}

// connectJob is cairn job connect, by which a program in a sandbox speaks to the MCP server outside. No person types it.
func connectJob(ctx context.Context, p *call, in connectIn) error {
	c, err := new(net.Dialer).DialContext(ctx, "unix", in.Socket)
	if err != nil {
		return connection(err)
	}
	defer func() { _ = c.Close() }()
	go func() {
		_, _ = io.Copy(c, p.Stdin)
		if out, ok := c.(*net.UnixConn); ok {
			_ = out.CloseWrite()
		}
	}()
	_, err = io.Copy(p.Stdout, c)
	return connection(err)
}

// jobRunner is how this program runs jobs.
var jobRunner = runner.Runner{OpenPR: review.OpenPR}

// jobOf are the job and the executor in whose environment the program runs, "" for none.
func (p Env) jobOf() (id, executor string) {
	id, err := job.ParseID(p.Getenv(proc.JobVariable))
	if err != nil {
		return "", ""
	}
	return id, record.NameOf(p.Getenv("CAIRN_EXECUTOR"))
}

// jobRights are the rights of a command in the shell of a job's agent, by what the clone knows of the job. It reports
// false elsewhere, and for the process that runs a job.
func (c *call) jobRights(dir string) (verb.Rights, bool) {
	id, _ := c.jobOf()
	l, err := layout.Find(dir)
	if err != nil || id == "" || c.line.Name == "supervise" {
		return verb.Rights{}, false
	}
	all, _ := joblist.In(l.Live).Peek()
	for _, one := range all {
		if one.Spec.Job == id && one.Spec.Task != "" {
			return verb.Rights{Profile: verb.InJob, Scope: one.Spec.Task, Shell: true}, true
		}
	}
	return verb.Rights{}, false
}

// backgroundVariable set to off keeps commands from starting a process that tells the git remote of claims; then cairn
// remote sync does.
const backgroundVariable = "CAIRN_CLAIMS_BACKGROUND"

// keepClaims has a process of its own tell the git remote what it does not know yet, and ask it what is old, after a
// command that wrote. The command does not wait for it. It is started at most every ten seconds, and not while another
// process asks the remote.
func keepClaims(p *program, w *verb.Workspace) {
	if p.Getenv(backgroundVariable) == "off" {
		return
	}
	s, err := w.Open()
	if err != nil || !s.Shares() || !remote.Of(s, w.Actor(), w.Now).WantsSync() {
		return
	}
	self, err := os.Executable()
	if err != nil {
		return
	}
	cmd := background.Command([]string{self}, []string{"--json", "-C", s.Root, "--actor", string(w.Actor()), "remote", "keep"}, s.Root)
	if cmd.Start() == nil {
		_ = cmd.Process.Release()
	}
}

// asksBeside keeps claims at the git remote, and asks what other clones hold, while a command waits for what may depend
// on that, until the function that it returns is called.
func asksBeside(ctx context.Context, p *program, w *verb.Workspace) (stop func()) {
	if p.Getenv(backgroundVariable) == "off" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		verb.KeepClaims(ctx, func() *verb.Workspace { return w.WithoutKey() }, func() bool { return true },
			func([]session.OwnClaim, error) {})
	})
	return func() { cancel(); done.Wait() }
}

// remoteCommands are cairn remote keep, which tells the git remote what it does not know yet, within what the budget has
// to spare. Cairn starts it after commands that write; no person types it.
func remoteCommands() []command {
	return []command{declare(command{
		name: "remote keep", usage: "Keep claims at the git remote; cairn starts it so in the background.", hidden: true,
	}, func(ctx context.Context, c *call, _ nothing) error {
		w, s, err := c.open(ctx)
		if err != nil || !s.Shares() {
			return err
		}
		_, err = remote.Of(s, w.Actor(), w.Now).Sync(ctx)
		return err
	})}
}

type workIn struct {
	Jobs     string `json:"jobs,omitempty" doc:"how many run at once; by default as many as jobs_max allows"`
	Executor string `json:"executor,omitempty" doc:"the program that does the work, such as claude; the workspace's config may name the usual one" from:"executors"`
	Label    string `json:"label,omitempty" doc:"only tasks with this label" from:"labels"`
	Watch    bool   `json:"watch,omitempty" doc:"go on for ever: take tasks as they become ready"`
	Retry    bool   `json:"retry,omitempty" doc:"first go on with what job list --parked shows, each once: jobs that failed, expired or were cut off, and that nobody canceled"`
}

func workCommands() []command {
	return []command{declare(command{
		name:  "work",
		usage: "Start jobs on the tasks that are ready, one after another, until there are none left.",
		group: "jobs",
		about: "It takes the most urgent task first, each one once, and none that is for a pair or that somebody holds. It shows the jobs while they\n" +
			"run, and exits with 4 if one of them did not succeed. The jobs are processes of their own: Ctrl-C ends this command, and they live on.\n" +
			"A task that waits for another becomes ready when that one is closed, which is after its review.",
	}, runWork)}
}

// lookForTasks is how often new tasks are looked for while nothing ended.
const lookForTasks = 2 * time.Second

func runWork(ctx context.Context, c *call, in workIn) error {
	w, s, err := c.open(ctx)
	if err != nil {
		return err
	}
	w.Progress = nil // the jobs are shown instead
	l := &workRun{program: c.program, workIn: in, w: w, most: s.Config.JobsMax, tried: map[record.ID]string{}}
	if in.Jobs != "" {
		n, err := strconv.Atoi(in.Jobs)
		if err != nil {
			return usage("--jobs is %q, and a whole number is wanted", in.Jobs)
		}
		l.most = cmp.Or(n, l.most)
	}
	if l.most < 1 {
		return usage("--jobs is %d", l.most).WithHint("1 or more")
	}
	_, l.live = terminal.Is(c.Stdout)
	l.live = l.live && !c.json && c.Getenv("TERM") != "dumb"
	if in.Retry {
		all, err := work.Jobs(s).List()
		if err != nil {
			return err
		}
		l.parked = jobs.Parked(s, all)
	}
	if err := l.run(ctx); err != nil {
		return err
	}
	out := workResult{Jobs: verb.NoNil(l.done)}
	waiting, err := callVerb[verb.Items[handoffs.Waiting]](ctx, w, "review_list", map[string]any{})
	if err != nil {
		return err
	}
	out.Waiting, out.Waits = waiting.Items, waiting.Total
	c.show(out)
	if slices.ContainsFunc(l.done, func(j jobs.Job) bool { return j.State != job.Succeeded }) {
		c.exit = c.soften(verb.ExitCheckFailed)
	}
	return nil
}

// workResult are the jobs of a run that have ended, and what waits for whoever started it.
type workResult struct {
	Jobs    []jobs.Job         `json:"jobs"`
	Waiting []handoffs.Waiting `json:"waiting"`
	Waits   int                `json:"-"`
}

// workRun is a run of cairn work.
type workRun struct {
	*program
	workIn
	w    *verb.Workspace
	most int  // jobs at once
	live bool // the jobs are shown on a terminal, over what was shown of them before

	parked  []job.Job // to go on with
	running []jobs.Job
	done    []jobs.Job
	tried   map[record.ID]string // the title of each task that was given to a job, or left alone
	shown   int                  // lines on the terminal that show running jobs
}

// run starts jobs until no task is ready and no job of its own runs; if it watches, until ctx ends.
func (l *workRun) run(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
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
		if len(l.running) == 0 && !l.Watch && ctx.Err() == nil {
			l.shown = 0 // what was drawn stays
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
func (l *workRun) see() (ended bool, err error) {
	still := []jobs.Job{}
	for _, was := range l.running {
		polled, err := callVerb[jobs.Polled](context.Background(), l.w, "job_poll", map[string]any{"job": was.Job})
		if err != nil {
			return ended, err
		}
		now := polled.Job
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

// take starts jobs on tasks that are ready, as many as have room.
func (l *workRun) take(ctx context.Context) error {
	s, err := l.w.Open()
	if err != nil {
		return err
	}
	for _, woken := range jobs.Wake(ctx, l.w, s) {
		if t, err := kind.Tasks.Get(s, woken.Task); err == nil {
			l.tried[t.ID] = t.Title
		}
		l.done = slices.DeleteFunc(l.done, func(j jobs.Job) bool { return j.Job == woken.Job })
		if err := l.began(woken.Task, woken, nil); err != nil {
			return err
		}
	}
	tried := func(id record.ID) bool { _, tried := l.tried[id]; return tried }
	for len(l.parked) > 0 && len(l.running) < l.most && ctx.Err() == nil {
		one := l.parked[0]
		l.parked = l.parked[1:]
		if t, err := kind.Tasks.Get(s, one.Spec.Task); err == nil && (l.Label == "" || record.HasLabel(t.Labels, l.Label)) {
			l.tried[t.ID] = t.Title
			again, err := jobs.Retry(ctx, l.w, one.Spec.Job, false)
			if err := l.began(t.ID, again, err); err != nil {
				return err
			}
		}
	}
	for len(l.running) < l.most {
		ready, err := jobs.Ready(ctx, l.w, l.Label, l.most-len(l.running), tried)
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

func (l *workRun) start(ctx context.Context, row verb.Row) error {
	in := map[string]any{"id": row.ID}
	if l.Executor != "" {
		in["executor"] = l.Executor
	}
	started, err := callVerb[jobs.Job](ctx, l.w, "job_start", in)
	return l.began(row.ID, started, err)
}

// began takes a job that was started on a task among the running ones, or says why the task is left alone.
func (l *workRun) began(id record.ID, started jobs.Job, err error) error {
	if jobs.LeftAlone(err) {
		l.clear()
		l.printf("%s  left alone: %s\n", id, record.MessageOf(err))
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

// left says which jobs live on when the command ends before them.
func (l *workRun) left(err error) error {
	l.shown = 0 // what was drawn stays
	if len(l.running) > 0 && !l.json {
		names := record.Each(l.running, func(j jobs.Job) string { return j.Job })
		how := "jobs live on"
		if len(names) == 1 {
			how = "job lives on"
		}
		l.printf("%d %s: %s\ncairn job list shows them, cairn job cancel JOB ends one\n", len(names), how, strings.Join(names, ", "))
	}
	return err
}

// say prints that a job became what it is: a line, on a terminal only for one that ended, since the others are shown
// live.
func (l *workRun) say(j jobs.Job) {
	if l.json || l.live && j.State.Live() {
		return
	}
	l.clear()
	l.printf("%s\n", l.line(j))
}

func (l *workRun) line(j jobs.Job) string {
	words := []string{string(j.Task), j.Job, string(j.State)}
	if j.Phase != "" && j.State.Live() {
		words = append(words, string(j.Phase))
	}
	if j.Attempt > 1 {
		words = append(words, fmt.Sprintf("round %d", j.Attempt))
	}
	if j.Reason != "" {
		words = append(words, string(j.Reason))
	}
	if text := render.FirstLine(strings.TrimSpace(j.Message)); text != "" && !j.State.Live() {
		words = append(words, text)
	}
	if l.live {
		words = append(words, (time.Duration(j.DurationMS) * time.Millisecond).Round(time.Second).String(), l.tried[j.Task])
	}
	return strings.Join(words, "  ")
}

// show draws the running jobs anew where they were drawn before.
func (l *workRun) show() {
	if !l.live {
		return
	}
	l.clear()
	for _, j := range l.running {
		text := l.line(j)
		if width := l.width(); len(text) >= width {
			text = record.Clip(text, max(width-4, 1))
		}
		l.printf("%s\n", text)
	}
	l.shown = len(l.running)
}

// clear takes away what was drawn of running jobs.
func (l *workRun) clear() {
	if l.shown > 0 {
		l.printf("%s", screen.Painted(fmt.Sprintf("\x1b[%dA\x1b[J", l.shown)))
		l.shown = 0
	}
}
