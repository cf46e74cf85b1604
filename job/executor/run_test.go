package executor_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/job"
	"github.com/cairn-tasks/cairn/job/executor"
	"github.com/cairn-tasks/cairn/job/executor/executortest"
)

// bench is a run of the fake, in a folder of its own.
type bench struct {
	executor.Run
	exec   executor.Executor
	mu     sync.Mutex
	events []job.Event
	out    strings.Builder
}

func newBench(t *testing.T, dialect string, orders ...string) *bench {
	t.Helper()
	table, err := executor.Load(executortest.Config(t))
	if err != nil {
		t.Fatal(err)
	}
	e, err := table.Get(dialect)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{exec: e.Hurried()}
	var prompt strings.Builder
	prompt.WriteString("Do this, please.\n")
	for _, o := range orders {
		prompt.WriteString("fake: " + o + "\n")
	}
	b.Run = executor.Run{Dir: t.TempDir(), Private: t.TempDir(), Prompt: prompt.String(), Output: job.Edits, Stdout: &b.out, Event: b.hear}
	return b
}

func (b *bench) hear(e job.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
}

// start runs it, for at most a minute.
func (b *bench) start(t *testing.T) executor.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := b.exec.Start(ctx, b.Run)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (b *bench) has(kind job.EventType) (all []job.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e.Type == kind {
			all = append(all, e)
		}
	}
	return all
}

// everyDialect runs a test for each dialect but those that are named.
func everyDialect(t *testing.T, test func(t *testing.T, dialect string), not ...string) {
	t.Helper()
	for _, d := range executortest.Dialects {
		if strings.Contains(strings.Join(not, " "), d) {
			continue
		}
		t.Run(d, func(t *testing.T) {
			t.Parallel()
			test(t, d)
		})
	}
}

func TestAnAgentDoesItsWork(t *testing.T) {
	everyDialect(t, func(t *testing.T, dialect string) {
		b := newBench(t, dialect, "write a/b.txt hello", "say it is done")
		r := b.start(t)
		if !r.Done || r.Failed || r.Canceled || r.TimedOut {
			t.Errorf("result %+v", r)
		}
		if text, err := os.ReadFile(filepath.Join(b.Dir, "a/b.txt")); string(text) != "hello\n" {
			t.Errorf("wrote %q (%v)", text, err)
		}
		if !strings.HasSuffix(strings.TrimSpace(r.Final), "it is done") {
			t.Errorf("final message %q", r.Final)
		}
		if dialect == "command" {
			return
		}
		if r.ResumeID == "" || len(b.has(job.EventSession)) != 1 {
			t.Errorf("session %q, %v", r.ResumeID, b.has(job.EventSession))
		}
		starts, ends := b.has(job.EventToolStart), b.has(job.EventToolEnd)
		if len(starts) != 1 || len(ends) != 1 || starts[0].ID != ends[0].ID || !strings.Contains(starts[0].Text, "a/b.txt") || ends[0].Failed {
			t.Errorf("tool %v, %v", starts, ends)
		}
		if end := b.has(job.EventEnd); len(end) != 1 || end[0].Text != "it is done" {
			t.Errorf("end %v", end)
		}
	})
}
