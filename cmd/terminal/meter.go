package terminal

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/store/progress"
	"github.com/mattn/go-runewidth"
)

// Meter shows on a terminal that work goes on: one line, which is written over itself. It appears once the work has
// taken progress.Quiet, and is gone before anything else is printed and when the program ends. All its methods do
// nothing on nil, which is the meter of a program that prints to no terminal. They may be called by several goroutines.
type Meter struct {
	out   io.Writer
	width func() int // asked anew for each line, since a window changes its size

	mu     sync.Mutex
	last   progress.Report
	since  time.Time     // when what is done now was first heard of
	shown  bool          // the line is on the screen
	ends   chan struct{} // closed to end the redrawing; nil while there is none
	gone   chan struct{} // closed when it has ended
	ended  bool          // nothing is shown any more
	broken bool          // text that ends within a line is on the screen
	part   []byte        // the beginning of a character whose end was not printed yet
}

// redraw is how often the line is written anew, so that the seconds pass.
const redraw = 200 * time.Millisecond

// NewMeter is a meter on a terminal; nil for another stream.
func NewMeter(errs io.Writer) *Meter {
	if _, ok := Is(errs); !ok {
		return nil
	}
	return &Meter{out: errs, width: func() int { width, _ := Is(errs); return width }}
}

// Reports is where work says how far it has come: the meter, or without one a line for each long wait for others. What
// works is silent there.
func (m *Meter) Reports(errs io.Writer) func(progress.Report) {
	if m != nil {
		return m.Report
	}
	return func(r progress.Report) {
		if r.Wait >= progress.Long {
			screen.Fprintf(errs, "cairn: %s\n", harmless.Line(r.Message))
		}
	}
}

// Report takes a report. The first begins to draw.
func (m *Meter) Report(r progress.Report) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return
	}
	if r.Message != m.last.Message || m.since.IsZero() {
		m.since = time.Now().Add(-r.Took)
	}
	m.last = r
	if m.ends == nil {
		m.ends, m.gone = make(chan struct{}), make(chan struct{})
		go m.draw(m.ends, m.gone)
	}
}

func (m *Meter) draw(ends <-chan struct{}, gone chan<- struct{}) {
	defer close(gone)
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	for {
		select {
		case <-ends:
			return
		case <-tick.C:
			m.show()
		}
	}
}

// show writes the line over the one that is there.
func (m *Meter) show() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if took := time.Since(m.since); m.ends != nil && took >= progress.Quiet && !m.broken {
		m.shown = true
		_, _ = io.WriteString(m.out, "\r"+lineOf(m.last, took, m.width()-1)+"\x1b[K")
	}
}

// Clear erases the line, for what is printed next. It comes back with the next report.
func (m *Meter) Clear() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.erase()
	if m.broken {
		_, _ = io.WriteString(m.out, "\n")
		m.broken = false
	}
	m.since = time.Time{}
	if m.ends != nil {
		close(m.ends)
		m.ends = nil
	}
}

// erase erases the line. It is called under the lock.
func (m *Meter) erase() {
	if m.shown {
		_, _ = io.WriteString(m.out, "\r\x1b[K")
		m.shown = false
	}
}

// Stop erases the line for good, and waits until nothing is drawn any more.
func (m *Meter) Stop() {
	if m == nil {
		return
	}
	m.Clear()
	m.mu.Lock()
	m.ended = true
	gone := m.gone
	m.mu.Unlock()
	if gone != nil {
		<-gone
	}
}

// Until has the line erased for good as soon as a context ends, however long the work takes to notice.
func (m *Meter) Until(ctx context.Context) (stop func() bool) {
	if m == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(ctx, m.Stop)
}

// Watching shows what commands print while they print it, with --verbose, above the line. What acts on a terminal is
// shown as an escape.
type Watching struct{ *Meter }

func (w Watching) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended || len(text) == 0 {
		return len(text), nil
	}
	w.erase()
	whole := append(w.part, text...)
	whole, w.part = whole[:len(whole)-begun(whole)], bytes.Clone(whole[len(whole)-begun(whole):])
	if len(whole) == 0 {
		return len(text), nil
	}
	w.broken = !bytes.HasSuffix(whole, []byte("\n"))
	shown := harmless.Text(strings.ToValidUTF8(strings.ReplaceAll(string(whole), "\r\n", "\n"), "\uFFFD"))
	if _, err := io.WriteString(w.out, shown); err != nil {
		return 0, err
	}
	return len(text), nil
}

// begun is how many bytes at the end of a text are the beginning of a character that may go on: of one in UTF-8, or of
// a line's end.
func begun(text []byte) int {
	if bytes.HasSuffix(text, []byte("\r")) {
		return 1
	}
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if rest := text[len(text)-n:]; utf8.RuneStart(rest[0]) {
			if utf8.FullRune(rest) {
				return 0
			}
			return n
		}
	}
	return 0
}

// barWidth is how many columns a bar has between its brackets, and barRoom how many a line must have to be given one.
const (
	barWidth = 20
	barRoom  = 60
)

// lineOf is a report in one line that is at most width columns wide: what is done, how much of how many, and for how
// long. Where there is too little room the first is cut.
func lineOf(r progress.Report, took time.Duration, width int) string {
	var end strings.Builder
	if r.Counts && r.Total > 0 {
		if width >= barRoom {
			full := int(min(max(r.Done/r.Total, 0), 1) * barWidth)
			end.WriteString(" [" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "]")
		}
		fmt.Fprintf(&end, " %.0f of %.0f", r.Done, r.Total)
	}
	fmt.Fprintf(&end, "  %s", tookText(took))
	tail := end.String()
	room := width - len(tail)
	if room < 4 {
		return runewidth.Truncate(strings.TrimSpace(tail), max(width, 0), "")
	}
	return runewidth.Truncate(harmless.Line(r.Message), room, "…") + tail
}

// tookText is a time as one reads it from a watch that counts: 4 s, 2 min 05 s, 1 h 02 min.
func tookText(d time.Duration) string {
	s := int(d / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %02d min", s/3600, s/60%60)
}
