package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// results says of each package what became of its tests.
type results struct {
	ended map[string]string // pass, fail or skip
	tests map[string]int    // how many tests passed, in a package that did not end too
	times map[string]float64
	seen  map[string]*strings.Builder // what was printed
	err   error
}

// tooLong is the time, in seconds, that is noted of a package whose tests did not end. Such come last.
const tooLong = 60

// event is what go test -json prints in a line.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of what is built
	Elapsed                       float64
}

// test runs the tests of packages, in this order, until they are done or the context is. Of scripts, -short leaves out
// most that did not change.
func test(ctx context.Context, plan, files []string) (*results, error) {
	module, err := output(ctx, "go", "list", "-m", "-f", "{{.Path}}")
	if err != nil {
		return nil, err
	}
	module, _, _ = strings.Cut(module, "\n")
	args := []string{"test", "-short", "-vet=off", "-json"}
	for _, folder := range plan {
		args = append(args, "./"+folder)
	}
	scratch, err := os.MkdirTemp("", "quick") // tests that are ended leave files
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	cmd := exec.CommandContext(ctx, "go", args...)
	apart(cmd)
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = append(environment(), "TMPDIR="+scratch, "GOTMPDIR="+os.TempDir(), "CHANGED="+strings.Join(files, " "))
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &results{ended: map[string]string{}, tests: map[string]int{}, times: readTimes(), seen: map[string]*strings.Builder{}}
	r.read(ctx, pipe, module+"/")
	r.err = cmd.Wait()
	if ctx.Err() != nil {
		r.err = nil // said of each package that was left out
		for folder := range r.tests {
			if r.ended[folder] == "" {
				r.times[folder] = max(r.times[folder], tooLong)
			}
		}
	}
	writeTimes(r.times)
	return r, nil
}

// environment is that of whoever runs the tests, without settings of cairn and of git, which tests must bring
// themselves.
func environment() []string {
	env := []string{"CGO_ENABLED=0", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1"}
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "CAIRN_") && !strings.HasPrefix(setting, "GIT_") && !strings.HasPrefix(setting, "UPDATE=") {
			env = append(env, setting)
		}
	}
	return env
}

// read follows the tests, and prints a line for each package that has ended.
func (r *results) read(ctx context.Context, in io.Reader, module string) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		var e event
		if json.Unmarshal([]byte(line), &e) == nil {
			of, _, _ := strings.Cut(e.Package+e.ImportPath, " ")
			r.take(ctx, strings.TrimPrefix(of, module), e)
		}
		if err != nil {
			return
		}
	}
}

func (r *results) take(ctx context.Context, folder string, e event) {
	switch {
	case e.Output != "":
		if r.seen[folder] == nil {
			r.seen[folder] = &strings.Builder{}
		}
		r.seen[folder].WriteString(e.Output)
	case e.Test != "" && e.Action == "pass":
		r.tests[folder]++
	case e.Action == "build-fail", e.Test == "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
		if ctx.Err() != nil && e.Action != "pass" {
			return // it was interrupted
		}
		r.ended[folder] = e.Action
		if e.Action == "pass" {
			r.times[folder] = max(e.Elapsed, r.times[folder]*0.9) // what comes from the cache takes no time
		}
		fmt.Printf("%-5s %5.1fs  %s\n", e.Action, e.Elapsed, folder)
	}
}

// ok reports whether nothing failed.
func (r *results) ok() bool {
	for _, how := range r.ended {
		if strings.HasSuffix(how, "fail") {
			return false
		}
	}
	return r.err == nil
}

// print says what failed and what was left out.
func (r *results) print(plan []string) {
	for folder, how := range r.ended {
		if strings.HasSuffix(how, "fail") && r.seen[folder] != nil {
			fmt.Printf("\n--- %s\n%s", folder, r.seen[folder])
		}
	}
	var out []string
	for _, folder := range plan {
		if r.ended[folder] == "" {
			out = append(out, fmt.Sprintf("./%s (%d tests passed)", folder, r.tests[folder]))
		}
	}
	if len(out) > 0 {
		fmt.Printf("\nThe time was over before the tests of %d packages had ended; go test these, or make check:\n  %s\n", len(out), strings.Join(out, "\n  "))
	}
}

// timesFile keeps how long the tests of each package took, so that the short ones come first.
func timesFile() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "cairn-ci", "quick.json"), err
}

func readTimes() map[string]float64 {
	times := map[string]float64{}
	if name, err := timesFile(); err == nil {
		text, _ := os.ReadFile(name)
		_ = json.Unmarshal(text, &times) // without them the order is another one
	}
	return times
}

func writeTimes(times map[string]float64) {
	name, err := timesFile()
	if err != nil || os.MkdirAll(filepath.Dir(name), 0o755) != nil {
		return
	}
	if text, err := json.MarshalIndent(times, "", "  "); err == nil {
		_ = os.WriteFile(name, text, 0o644)
	}
}
