package cmd

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/cairn-tasks/cairn/task"
	"golang.org/x/term"
)

var notName = regexp.MustCompile(`[^A-Za-z0-9._@+-]+`)

// humanActor makes an actor of the first name that says something.
func humanActor(names ...string) task.Actor {
	for _, name := range names {
		if clean := actorName(name); clean != "" {
			return task.Actor("human:" + clean)
		}
	}
	return "human:unknown"
}

// actorName is a name as an actor may have it: what none may hold becomes a dash. It may be empty.
func actorName(name string) string {
	clean := strings.Trim(notName.ReplaceAllString(strings.TrimSpace(name), "-"), "-")
	return clean[:min(len(clean), 64)]
}

// stateDir is the user's folder for what must not lie in a repository, by the custom of each system. It is empty where the
// environment names none by a full path.
func (p *program) stateDir() string {
	home := filepath.Join(p.Getenv("HOME"), ".local", "state")
	if runtime.GOOS == "windows" {
		home = p.Getenv("LOCALAPPDATA")
	}
	for _, dir := range []string{p.Getenv("XDG_STATE_HOME"), home} {
		if filepath.IsAbs(dir) {
			return filepath.Join(dir, "cairn")
		}
	}
	return ""
}

func isFolder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return usage("%s is not a folder", dir).WithHint("name the folder of a repository")
	}
	return nil
}

// isTerminal reports whether a stream is a terminal, and how wide it is.
func isTerminal(stream any) (width int, ok bool) {
	f, isFile := stream.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return width, true
}

const maxInput = 4 << 20 // bytes; no file of cairn's is larger

// readStdin reads what was piped in.
func (p *program) readStdin(ctx context.Context) (string, error) {
	return readAll(ctx, "standard input", p.Stdin)
}

// readAll reads a stream of bounded length, until ctx ends.
func readAll(ctx context.Context, name string, in io.Reader) (string, error) {
	text, err := interruptible(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(in, maxInput+1)) })
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", task.Errorf(task.IO, "%s: %w", name, err).WithHint("name a file that can be read")
	case len(text) > maxInput:
		return "", usage("%s is longer than %d bytes", name, maxInput).WithHint("no file of cairn's may be larger")
	}
	return string(text), nil
}

// interruptible reads until it is done or ctx ends: somebody who is asked something must be able to leave with Ctrl-C. A
// read that was left goes on unseen until the process ends.
func interruptible[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		value, err := read()
		answers <- answer{value, err}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
