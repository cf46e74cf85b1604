// Command quick runs the tests that a change is most likely to break: those of the packages whose files changed, then
// those of the packages that import them, the nearest first, and stops when its time is over. It says what it left out.
// make check leaves out nothing.
//
//	go run ./tools/quick [--base main] [--seconds 55]
//
// Tests run with -short, without the race detector and without vet. What passed before and did not change comes from
// the cache of go.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	base := flag.String("base", "main", "what changed since the work left this `revision`; HEAD, if there is no such revision")
	seconds := flag.Int("seconds", 55, "stop after so many `seconds`")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(*seconds)*time.Second)
	defer cancel()
	ok, err := run(ctx, *base)
	if err != nil {
		fmt.Fprintln(os.Stderr, "quick:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run tests what changed and reports whether all that was run passed.
func run(ctx context.Context, base string) (bool, error) {
	files, err := changed(ctx, base)
	if err != nil {
		return false, err
	}
	all, err := list(ctx)
	if err != nil {
		return false, err
	}
	begin, homeless := owners(files, all)
	plan := order(begin, all, readTimes())
	if len(homeless) > 0 {
		fmt.Println("of no package, so only make check looks at them:", strings.Join(homeless, " "))
	}
	if len(plan) == 0 {
		fmt.Println("nothing that changed has tests")
		return true, nil
	}
	fmt.Printf("%d packages changed, %d more import them\n", len(begin), len(plan)-len(begin))
	r, err := test(ctx, plan, files)
	if err != nil {
		return false, err
	}
	r.print(plan)
	return r.ok(), nil
}
