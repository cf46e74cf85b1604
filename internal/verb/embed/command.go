package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/store/index/vectors"
)

// byCommand has a program make vectors of texts: it reads a JSON string a line, and writes a JSON array of numbers a
// line. What it wrote before it was stopped or failed counts. One that writes something else is stopped. It runs in the
// user's folder of settings, never in a repository.
func (c Config) byCommand(ctx context.Context, texts []string, timeout time.Duration) ([][]float32, error) {
	var in bytes.Buffer
	e := json.NewEncoder(&in)
	e.SetEscapeHTML(false)
	for _, text := range texts {
		if err := e.Encode(text); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out, complaints := &lines{most: len(texts), stop: stop}, &proc.Output{}
	end, err := proc.Run(ctx, proc.Command{
		Args: c.Command, Dir: c.dir, Timeout: timeout, Stdin: &in, Stdout: out, Stderr: complaints,
	})
	switch {
	case err != nil:
	case out.err != nil:
		err = out.err
	case end.TimedOut:
		err = fmt.Errorf("took longer than %s", timeout)
	case end.Canceled:
		err = context.Cause(ctx)
	case end.Exit != 0:
		err = fmt.Errorf("ended with exit status %d%s", end.Exit, firstLine(complaints.String()))
	case len(out.vectors) < len(texts):
		err = fmt.Errorf("answered %d of %d texts", len(out.vectors), len(texts))
	}
	return out.vectors, err
}

// firstLine is what a program complained about first, behind a colon.
func firstLine(complaints string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(complaints[:min(len(complaints), shownOutput)]), "\n")
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
