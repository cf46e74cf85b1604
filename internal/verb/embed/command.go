package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/store/index/vectors"
	"github.com/cairn-tasks/cairn/store/layout"
)

// byCommand has a program make vectors of texts: it reads a JSON string a line, and writes a JSON array of numbers a
// line. What it wrote before it was stopped or failed counts. One that writes something else is stopped. It runs in the
// user's folder of settings, never in a repository.
func (c Config) byCommand(ctx context.Context, texts []string, timeout time.Duration) ([][]float32, error) {
	dir, err := os.MkdirTemp("", "cairn-embed-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, complaints, status := filepath.Join(dir, "in"), filepath.Join(dir, "err"), filepath.Join(dir, "status")
	if err := writeTexts(in, texts); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out := &lines{most: len(texts), stop: stop}
	line := fmt.Sprintf("{ { %s <%s 3>&-; echo $? >%s; } 2>&1 1>&3 | { head -c %d >%s; cat >/dev/null; }; } 3>&1",
		quoted(c.Command...), quoted(in), quoted(status), shownOutput, quoted(complaints))
	end, err := proc.Run(ctx, proc.Command{Line: line, Dir: c.dir, Timeout: timeout, Output: out})
	switch {
	case err != nil:
	case out.err != nil:
		err = out.err
	case end.TimedOut:
		err = fmt.Errorf("took longer than %s", timeout)
	case end.Canceled:
		err = context.Cause(ctx)
	case exitOf(status) != "0":
		err = fmt.Errorf("ended with exit status %s%s", exitOf(status), firstLine(complaints))
	case len(out.vectors) < len(texts):
		err = fmt.Errorf("answered %d of %d texts", len(out.vectors), len(texts))
	}
	return out.vectors, err
}

func writeTexts(path string, texts []string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, text := range texts {
		if err := e.Encode(text); err != nil {
			return err
		}
	}
	return os.WriteFile(path, b.Bytes(), 0o600)
}

// quoted is words for a POSIX shell, as they are.
func quoted(words ...string) string {
	var out []string
	for _, w := range words {
		out = append(out, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}

// exitOf is the exit status that the shell wrote down.
func exitOf(path string) string {
	src, err := layout.ReadInput(path)
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(src))
}

// firstLine is what a program complained about first, behind a colon.
func firstLine(path string) string {
	src, _ := layout.ReadInput(path)
	line, _, _ := strings.Cut(strings.TrimSpace(string(src)), "\n")
	if line == "" {
		return ""
	}
	return ": " + harmless.Line(strings.ToValidUTF8(line, ""))
}

const (
	longestLine = 512 << 10 // bytes of a vector as JSON
	shownOutput = 200       // bytes of what an embedder complained
)

// lines takes the output of an embedder: vectors, a line each. It keeps those before the first that is none, and no
// more than were asked for, and has the embedder stopped then.
type lines struct {
	most    int
	stop    func()
	rest    []byte // of a line that has not ended
	vectors [][]float32
	err     error
}

func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for l.err == nil && len(p) > 0 {
		line, after, ended := bytes.Cut(p, []byte("\n"))
		l.rest = append(l.rest, line...)
		p = after
		if len(l.rest) > longestLine {
			l.err = fmt.Errorf("wrote a line of more than %d bytes", longestLine)
		} else if ended {
			l.line(bytes.TrimSpace(l.rest))
			l.rest = l.rest[:0]
		}
		if l.err != nil {
			l.stop()
		}
	}
	return n, nil
}

func (l *lines) line(text []byte) {
	if len(text) == 0 {
		return
	}
	if len(l.vectors) == l.most {
		l.err = errors.New("wrote more lines than it was given")
		return
	}
	var v []float32
	if err := json.Unmarshal(text, &v); err != nil || !usable(v) {
		some := strings.ToValidUTF8(string(text[:min(len(text), 60)]), "")
		l.err = fmt.Errorf("wrote %q, which is no list of numbers", some)
		return
	}
	if len(l.vectors) > 0 && len(v) != len(l.vectors[0]) {
		l.err = fmt.Errorf("wrote vectors of %d and of %d numbers", len(l.vectors[0]), len(v))
		return
	}
	l.vectors = append(l.vectors, v)
}

func usable(v []float32) bool { return len(v) > 0 && len(v) <= vectors.MaxSize }
