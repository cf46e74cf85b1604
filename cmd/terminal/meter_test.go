package terminal

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-tasks/cairn/store/progress"
	"github.com/mattn/go-runewidth"
)

// seen is a stream that remembers what it was given. Several goroutines may write to it.
type seen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *seen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

// take returns what was written since it was last asked.
func (s *seen) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.text.Reset()
	return s.text.String()
}

func meterOn(s *seen, width int) *Meter { return &Meter{out: s, width: func() int { return width }} }

func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s seen
		m := meterOn(&s, 80)
		m.Report(progress.Report{Total: 2, Message: "check 1 of 2: builds"})
		time.Sleep(progress.Quiet - time.Millisecond)
		if got := s.take(); got != "" {
			t.Errorf("it says %q too early", got)
		}
		time.Sleep(3 * time.Second)
		if got := s.take(); !strings.HasSuffix(got, "\rcheck 1 of 2: builds  3 s\x1b[K") || strings.Contains(got, "\n") {
			t.Errorf("got %q", got)
		}
		m.Report(progress.Report{Done: 1, Total: 2, Message: "check 2 of 2: \x1b[2Jtests"})
		time.Sleep(time.Second)
		if got := s.take(); strings.Contains(got, "\x1b[2J") || !strings.Contains(got, `check 2 of 2: `) {
			t.Errorf("got %q", got)
		}
		m.Clear()
		if got := s.take(); got != "\r\x1b[K" {
			t.Errorf("what is printed next follows %q", got)
		}
		m.Clear()
		time.Sleep(time.Second)
		if got := s.take(); got != "" {
			t.Errorf("got %q after the line was erased", got)
		}
		m.Report(progress.Report{Message: "more"})
		time.Sleep(900 * time.Millisecond) // between two drawings
		m.Stop()
		if got := s.take(); !strings.HasSuffix(got, "more  0 s\x1b[K\r\x1b[K") {
			t.Errorf("it ends with %q", got)
		}
		m.Report(progress.Report{Message: "too late"})
		time.Sleep(time.Second)
		if got := s.take(); got != "" {
			t.Errorf("got %q after the end", got)
		}
	})
}

// Off a terminal, as in an agent's shell, a long wait for others is a line on standard error, and work says nothing.
func TestWaitsOffATerminal(t *testing.T) {
	{
		var s seen
		tell := (*Meter)(nil).Reports(&s)
		tell(progress.Report{Message: "check 1 of 2", Took: time.Minute})
		tell(progress.Report{Message: "waiting for another process", Wait: progress.Quiet})
		if got := s.take(); got != "" {
			t.Errorf("it says %q", got)
		}
		tell(progress.Report{Message: "waiting 40 s\nsince", Wait: 40 * time.Second})
		if got := s.take(); !strings.HasPrefix(got, "cairn: waiting 40 s") || strings.Count(got, "\n") != 1 {
			t.Errorf("it says %q", got)
		}
	}
}

// Ctrl-C leaves a clean line at once, though the work may take a while to end.
func TestMeterOfInterruptedWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s seen
		m := meterOn(&s, 80)
		ctx, cancel := context.WithCancel(t.Context())
		m.Until(ctx)
		m.Report(progress.Report{Message: "working"})
		time.Sleep(900 * time.Millisecond) // between two drawings
		s.take()
		cancel()
		synctest.Wait()
		if got := s.take(); got != "\r\x1b[K" {
			t.Errorf("got %q", got)
		}
		m.Report(progress.Report{Message: "working"})
		time.Sleep(time.Second)
		if got := s.take(); got != "" {
			t.Errorf("got %q", got)
		}
	})
}

func TestOutputOfCommandsIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s seen
		m := meterOn(&s, 80)
		w := Watching{m}
		m.Report(progress.Report{Message: "working"})
		time.Sleep(progress.Quiet + time.Second)
		s.take()
		_, _ = w.Write([]byte("one\r"))
		_, _ = w.Write([]byte("\n\x1b[2Jtw\xc3"))
		if got := s.take(); !strings.HasPrefix(got, "\r\x1b[Kone\n") || !strings.HasSuffix(got, "[2Jtw") || strings.Contains(got, "\x1b[2J") {
			t.Errorf("got %q", got)
		}
		time.Sleep(time.Second)
		if got := s.take(); got != "" {
			t.Errorf("got %q within a line that is printed", got)
		}
		_, _ = w.Write([]byte("\xb6lf\n"))
		if got := s.take(); got != "ölf\n" {
			t.Errorf("got %q", got)
		}
		time.Sleep(time.Second)
		if got := s.take(); !strings.Contains(got, "working  2 s") {
			t.Errorf("got %q", got)
		}
		_, _ = w.Write([]byte("no end"))
		m.Stop()
		if got := s.take(); got != "\r\x1b[Kno end\n" {
			t.Errorf("got %q", got)
		}
	})
}

func TestNoMeter(t *testing.T) {
	var m *Meter
	m.Clear()
	m.Stop()
	m.Until(t.Context())()
	if NewMeter(&bytes.Buffer{}) != nil {
		t.Error("there is a meter off a terminal")
	}
}

func TestLineOf(t *testing.T) {
	counted := progress.Report{Done: 500, Total: 2000, Message: "reading task files", Counts: true}
	check := progress.Report{Done: 1, Total: 3, Message: "check 2 of 3: 日本語 and the rest of what is said about it"}
	for _, c := range []struct {
		r     progress.Report
		took  time.Duration
		width int
		want  string
	}{
		{counted, 3 * time.Second, 79, "reading task files [#####...............] 500 of 2000  3 s"},
		{counted, 3 * time.Second, 59, "reading task files 500 of 2000  3 s"},
		{counted, 3 * time.Second, 24, "readin… 500 of 2000  3 s"},
		{counted, 3 * time.Second, 8, "500 of 2"},
		{check, 125 * time.Second, 39, "check 2 of 3: 日本語 and t…  2 min 05 s"},
		{check, 3720 * time.Second, 199, check.Message + "  1 h 02 min"},
	} {
		got := lineOf(c.r, c.took, c.width)
		if got != c.want || runewidth.StringWidth(got) > c.width {
			t.Errorf("got %q (%d columns), want %q", got, runewidth.StringWidth(got), c.want)
		}
	}
}
