package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// probe is a process that is measured.
type probe struct {
	name    string
	every   int                    // how many rounds there are to one run; 0 is 1
	limit   time.Duration          // for one run; 0 for none
	prepare func(run int) error    // is not measured; nil for nothing to do
	command func(run int) []string // program and arguments; the run is counted from 0
	env     []string               // nil for that of the workspace
	dir     string                 // "" for that of the workspace
	timed   bool                   // the process prints how long its work took, in nanoseconds
}

// figure is what was measured of a probe.
type figure struct {
	name   string
	wall   []time.Duration // from before the start of the process to its end
	cpu    []time.Duration // of all its threads, in the program and in the system
	inner  []time.Duration // what a timed probe says
	peak   int64           // most memory, in bytes; 0 if it is not known
	failed string          // why there are no figures, or no more
}

// runner runs the probes of one workspace.
type runner struct {
	workspace
	programs
}

// rounds runs all probes one after the other, and that again and again, so that whatever else slows the machine slows
// all of them. It ends when the time is up, but not before there are least rounds, and after most at the latest. A
// first run of each is not timed: it fills the caches, and tells the memory.
func (r runner) rounds(ctx context.Context, probes []probe, least, most int, limit time.Duration) ([]figure, error) {
	out := make([]figure, len(probes))
	runs := make([]int, len(probes))
	for i, p := range probes {
		out[i] = figure{name: p.name}
		r.once(ctx, p, &runs[i], r.peak, &out[i])
	}
	began := time.Now()
	for round := 0; round < most && (round < least || time.Since(began) < limit); round++ {
		for i, p := range probes {
			if out[i].failed == "" && round%max(1, p.every) == 0 {
				r.once(ctx, p, &runs[i], r.time, &out[i])
			}
		}
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
	}
	return out, nil
}

// once makes one run of a probe, and keeps in the figure why it failed.
func (r runner) once(ctx context.Context, p probe, run *int, how func(context.Context, probe, []string, *figure) error, f *figure) {
	n := *run
	*run++
	if p.prepare != nil {
		if err := p.prepare(n); err != nil {
			f.failed = err.Error()
			return
		}
	}
	limited := ctx
	if p.limit > 0 {
		var stop context.CancelFunc
		limited, stop = context.WithTimeout(ctx, p.limit)
		defer stop()
	}
	err := how(limited, p, p.command(n), f)
	switch {
	case ctx.Err() != nil:
	case limited.Err() != nil:
		f.failed = fmt.Sprintf("not done in %v", p.limit)
	case err != nil:
		f.failed = err.Error()
	}
}

// start makes the command of a run.
func (r runner) start(ctx context.Context, p probe, line []string) (*exec.Cmd, *bytes.Buffer) {
	said := &bytes.Buffer{}
	cmd := r.command(ctx, line[0], line[1:]...)
	cmd.Stderr, cmd.WaitDelay = said, time.Second
	ownGroup(cmd)
	if p.env != nil {
		cmd.Env = p.env
	}
	if p.dir != "" {
		cmd.Dir = p.dir
	}
	return cmd, said
}

// time runs a process and measures it.
func (r runner) time(ctx context.Context, p probe, line []string, f *figure) error {
	cmd, said := r.start(ctx, p, line)
	var printed bytes.Buffer
	if p.timed {
		cmd.Stdout = &printed
	}
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	if err != nil {
		return failure(line, err, said)
	}
	if p.timed {
		n, err := number(printed.String())
		if err != nil {
			return err
		}
		f.inner = append(f.inner, time.Duration(n))
	}
	f.wall = append(f.wall, took)
	f.cpu = append(f.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	return nil
}

// peak runs a process as the child of a small one, which tells its peak memory.
func (r runner) peak(ctx context.Context, p probe, line []string, f *figure) error {
	cmd, said := r.start(ctx, p, append([]string{r.yardstick, "peak"}, line...))
	out := &bytes.Buffer{}
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		return failure(line, err, said)
	}
	var err error
	f.peak, err = number(out.String())
	return err
}

func number(text string) (int64, error) { return strconv.ParseInt(strings.TrimSpace(text), 10, 64) }

// failure says in one line what failed, and what it said last.
func failure(line []string, err error, said *bytes.Buffer) error {
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	if len(lines) > 3 {
		lines = lines[:3]
	}
	return errors.New(strings.TrimSpace(fmt.Sprintf("%s: %v: %s", strings.Join(line[1:], " "), err, strings.Join(lines, " "))))
}

// part is the duration that so many of all do not exceed, by the nearest rank; 0 if there are none.
func part(of float64, all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	rank := int(math.Ceil(of * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

func median(all []time.Duration) time.Duration { return part(0.5, all) }
