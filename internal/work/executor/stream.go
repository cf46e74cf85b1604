package executor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

const (
	// MaxLine is the most bytes of one line of a program's output. A longer one is left out, which an event says.
	MaxLine = 10 << 20
	// MaxFinal is the most bytes of a final message. Of a longer one its end is kept.
	MaxFinal = 10 << 20
	// summary is how much of the end of a command's output is its final message.
	summary = 4 << 10
)

// stream collects what a program reports in a run. Its methods may be called from several goroutines.
type stream struct {
	run    Run
	stop   context.CancelCauseFunc // ends the program
	linger time.Duration           // how long it has to end by itself

	mu     sync.Mutex
	timer  *time.Timer // ends it
	result Result
	parts  []byte // of a message that comes in pieces: its end, if it is long
	err    string // what went wrong last
	last   bool   // its last step has ended, unless another follows

	another atomic.Bool // another turn may follow the one that ends
	broke   bool        // it told of an error after which it does not go on

	counted string // the newest message of which the usage was added
}

// emit tells an event. The text is cut, and made fit to be shown and kept.
func (s *stream) emit(e job.Event) {
	if e.At.IsZero() {
		e.At = time.Now().UTC()
	}
	e.Text = clipped(e.Text, job.MaxEventText)
	if s.run.Event != nil {
		s.run.Event(e)
	}
}

// clipped is a text of at most so many bytes, without what is no UTF-8, and whole to the last character.
func clipped(text string, most int) string {
	text = strings.ToValidUTF8(text[:min(len(text), most+utf8.UTFMax)], "\uFFFD")
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// ending is the last bytes of a text, which begin with a character.
func ending(text string, most int) string {
	if len(text) > most {
		text = text[len(text)-most:]
		for len(text) > 0 && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

func (s *stream) session(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" || id == s.result.ResumeID || len(id) > 200 {
		return
	}
	s.result.ResumeID = id
	s.emit(job.Event{Type: job.EventSession, ID: id})
}

// text tells a whole message, which is the final one until another comes.
func (s *stream) text(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	s.say(text)
}

func (s *stream) say(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	s.result.Final = ending(text, MaxFinal)
	s.emit(job.Event{Type: job.EventText, Text: text})
}

// piece takes a part of a message. The message is told when something else comes.
func (s *stream) piece(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts = append(s.parts, text...)
	if len(s.parts) > 2*MaxFinal {
		s.parts = append([]byte(nil), s.parts[len(s.parts)-MaxFinal:]...)
	}
}

func (s *stream) flush() {
	if len(s.parts) > 0 {
		text := string(s.parts)
		s.parts = s.parts[:0]
		s.say(text)
	}
}

func (s *stream) tell(e job.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	s.emit(e)
}

func (s *stream) toolStart(id, name string, arguments map[string]any) {
	s.tell(job.Event{Type: job.EventToolStart, ID: id, Text: toolText(name, arguments)})
}

func (s *stream) toolEnd(id string, failed bool, text string) {
	s.tell(job.Event{Type: job.EventToolEnd, ID: id, Failed: failed, Text: clipped(text, shownTool)})
}

// permission tells that it asked for what nobody answers.
func (s *stream) permission(id, text string) {
	s.tell(job.Event{Type: job.EventPermission, ID: id, Text: text})
}

// plan tells a list of steps, one a line, with whether each is done.
func (s *stream) plan(steps []object, textKey, stateKey string) {
	var out []string
	for _, step := range steps {
		mark := "- [ ] "
		if step.is(stateKey) || step.text(stateKey) == "completed" {
			mark = "- [x] "
		}
		out = append(out, mark+show(step[textKey]))
	}
	s.tell(job.Event{Type: job.EventPlan, Text: strings.Join(out, "\n")})
}

// problem tells of an error. Whether the program gets over it shows at its end.
func (s *stream) problem(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	s.err = clipped(text, job.MaxEventText)
	s.emit(job.Event{Type: job.EventError, Text: text})
}

// warn tells of what is wrong and keeps the program from nothing.
func (s *stream) warn(text string) { s.tell(job.Event{Type: job.EventError, Text: text}) }

// usage tells what was used so far in the run. A count that is 0 does not take back an earlier one.
func (s *stream) usage(u job.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.result.Usage.Most(u)
	if now == s.result.Usage {
		return
	}
	s.result.Usage = now
	s.emit(job.Event{Type: job.EventUsage, Usage: &now})
	if s.run.Budget > 0 && now.Cost > s.run.Budget || s.run.Tokens > 0 && now.Spent() > s.run.Tokens {
		s.stop(errOverBudget)
	}
}

// inAll is usage of a program that counts a session from its beginning, over all its runs.
func (s *stream) inAll(u job.Usage) {
	s.mu.Lock()
	s.result.Counted = u
	s.mu.Unlock()
	if s.run.Resume != "" && u.Spent() >= s.run.Counted.Spent() { // else it began to count anew
		u = u.Since(s.run.Counted)
	}
	s.usage(u)
}

func (s *stream) add(u job.Usage) {
	s.mu.Lock()
	was := s.result.Usage
	s.mu.Unlock()
	s.usage(was.Plus(u))
}

// done takes that the program said that it is done, and whether it failed. An empty final message leaves the last one.
// Only the first end counts.
func (s *stream) done(failed bool, final string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	if s.result.Done {
		return
	}
	if strings.TrimSpace(final) != "" {
		s.result.Final = ending(final, MaxFinal)
	}
	if failed && s.result.Final == "" {
		s.result.Final = s.err
	}
	if s.another.Load() && !failed {
		s.last = true
		s.endLater(true)
		return
	}
	s.result.Done, s.result.Failed = true, failed
	s.emit(job.Event{Type: job.EventEnd, Failed: failed, Text: s.result.Final})
	s.endLater(true)
}

// maybeDone takes that the program will be done unless it goes on within a while, and whether it failed.
func (s *stream) maybeDone(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.broke = s.last || !failed, s.broke || failed
	s.endLater(true)
}

func (s *stream) goesOn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = false
	if !s.result.Done {
		s.endLater(false)
	}
}

// endLater ends the program after a while, or has it go on. Of several ends only the first counts, so that a program
// that goes on reporting does not go on for ever.
func (s *stream) endLater(end bool) {
	switch {
	case !end && s.timer != nil:
		s.timer.Stop()
		s.timer = nil
	case end && s.timer == nil && s.stop != nil:
		s.timer = time.AfterFunc(s.linger, func() { s.stop(errLingers) })
	}
}

// lines is a writer that hands on what is written in lines, to a dialect, and as it came to another writer, whose
// errors do not count. After last it drops what is written: a process that is left over may still hold the output open.
type lines struct {
	mu      sync.Mutex
	over    bool
	to      func([]byte)
	raw     io.Writer
	tooLong func()
	rest    []byte
	skip    bool // the line is longer than MaxLine
}

func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return n, nil
	}
	if l.raw != nil {
		_, _ = l.raw.Write(p)
	}
	for len(p) > 0 {
		part, after, ended := bytes.Cut(p, []byte("\n"))
		p = after
		if len(l.rest)+len(part) > MaxLine {
			l.rest, l.skip = nil, true
		}
		if !l.skip {
			l.rest = append(l.rest, part...)
		}
		if ended {
			l.flush()
		}
	}
	return n, nil
}

func (l *lines) last() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if l.skip || len(l.rest) > 0 {
		l.flush()
	}
}

// flush hands on a line that has ended.
func (l *lines) flush() {
	if l.skip {
		l.tooLong()
	} else {
		l.to(l.rest)
	}
	if l.skip = false; cap(l.rest) > 1<<20 {
		l.rest = nil
	}
	l.rest = l.rest[:0]
}

// shownTool is the most bytes that an event of a tool shows.
const shownTool = 300

// toolText is the name of a tool with its most telling argument, on one line.
func toolText(name string, arguments map[string]any) string {
	for _, key := range []string{
		"command", "cmd", "file_path", "filePath", "path", "absolute_path", "notebook_path", "pattern", "query", "url", "skill", "id", "description", "prompt",
	} {
		var value string
		switch v := arguments[key].(type) {
		case string:
			value = v
		case []any:
			value = strings.Trim(fmt.Sprint(v), "[]")
		}
		if value = strings.Join(strings.Fields(value), " "); value != "" {
			return clipped(name+" "+value, shownTool)
		}
	}
	return clipped(name, shownTool)
}
