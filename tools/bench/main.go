package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := run(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		code = 2
	}
	stop()
	os.Exit(code)
}

// options are what can be asked for.
type options struct {
	sizes []int
	seed  uint64
	page  string // "" for no page
	check bool
}

func parse(args []string) (options, error) {
	var o options
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	sizes := set.String("sizes", "1000,10000,100000", "how many tasks to measure with")
	set.Uint64Var(&o.seed, "seed", 1, "seed of what the tasks say")
	set.StringVar(&o.page, "write", "", "page to put the figures into, and the picture beside it")
	set.BoolVar(&o.check, "check", false, "exit with 1 if a ratio is beyond its limit")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	for size := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(size))
		if err != nil || n < 100 {
			return o, fmt.Errorf("--sizes %s: not numbers of 100 or more", *sizes)
		}
		o.sizes = append(o.sizes, n)
	}
	return o, nil
}

// run measures everything. The code is 1 if --check is given and a ratio is beyond its limit.
func run(ctx context.Context, args []string) (code int, err error) {
	o, err := parse(args)
	if err != nil {
		return 2, err
	}
	dir, err := os.MkdirTemp("", "cairn-bench-")
	if err != nil {
		return 2, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return 2, err
	}
	began := time.Now()
	say("building")
	p, err := build(ctx, dir)
	if err != nil {
		return 2, err
	}
	there, absent := installed()
	all := report{absent: absent}
	for _, n := range o.sizes {
		for _, rich := range []bool{false, true} {
			if err := all.measure(ctx, p, graph{n: n, rich: rich, seed: o.seed}, filepath.Join(dir, "measured"), there); err != nil {
				fmt.Print(all) // what there is may have taken minutes
				return 2, err
			}
		}
	}
	all.machine = machine(time.Since(began), o.seed)
	fmt.Print(all)
	if o.page != "" {
		if err := all.write(o.page); err != nil {
			return 2, err
		}
	}
	if !o.check {
		return 0, nil
	}
	for _, miss := range missed(all.all) {
		code = 1
		fmt.Fprintln(os.Stderr, "beyond its limit:", miss)
	}
	return code, nil
}

// measure adds what is measured of one workspace, which is gone afterwards.
func (all *report) measure(ctx context.Context, p programs, g graph, dir string, there []peer) error {
	m := measured{tasks: g.n, rich: g.rich}
	say("%s: making the workspace", m.name())
	defer os.RemoveAll(dir)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	w, err := newWorkspace(ctx, filepath.Join(dir, "workspace"), g, p.env)
	if err != nil {
		return err
	}
	r := runner{w, p}
	say("%s: commands", m.name())
	least, most, limit := patience(g.n)
	if m.figures, err = r.rounds(ctx, append(r.yardsticks(), r.commands()...), least, most, limit); err != nil {
		return err
	}
	if err := sound(m.figures); err != nil {
		return err
	}
	say("%s: calls", m.name())
	if m.calls, err = r.calls(ctx); err != nil {
		return err
	}
	all.all = append(all.all, m)
	if g.rich || len(there) == 0 {
		return nil
	}
	say("%s: beside other programs", m.name())
	c, err := r.compare(ctx, filepath.Join(dir, "peers"), there)
	all.peers = append(all.peers, c)
	return err
}

// patience is how many rounds a workspace gets, and how much time.
func patience(tasks int) (least, most int, limit time.Duration) {
	switch {
	case tasks <= 1_000:
		return 10, 100, 25 * time.Second
	case tasks <= 10_000:
		return 6, 50, 50 * time.Second
	default:
		return 3, 20, 75 * time.Second
	}
}

// machine says what the figures are of.
func machine(took time.Duration, seed uint64) []string {
	return []string{
		fmt.Sprintf("%s, on %s/%s with %d cores, without cgo", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		fmt.Sprintf("%s; the whole run took %v, with seed %d", time.Now().UTC().Format("2 January 2006"), took.Round(time.Second), seed),
	}
}

// say tells how far the run is.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }
