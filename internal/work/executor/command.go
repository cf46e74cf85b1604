package executor

import (
	"time"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

// commandStream is the dialect of anything else: its output is text, and its exit status says how it ended. The end of
// its output is its final message, and all of it for a patch.
type commandStream struct {
	*stream
	keep  int // bytes
	tail  []byte
	told  time.Time
	every time.Duration
}

func newCommandStream(s *stream, output job.Output) *commandStream {
	c := &commandStream{stream: s, keep: summary, every: time.Second}
	if output == job.Patch {
		c.keep = MaxFinal
	}
	return c
}

// line tells of the first line, and of one a second from then on: they show that it is alive, and the log has them all.
func (s *commandStream) line(text []byte) {
	s.tail = append(append(s.tail, text...), '\n')
	if len(s.tail) > 2*s.keep {
		s.tail = append([]byte(nil), s.tail[len(s.tail)-s.keep:]...)
	}
	if now := time.Now(); now.Sub(s.told) >= s.every {
		s.told = now
		s.tell(job.Event{Type: job.EventText, Text: string(text)})
	}
}

func (s *commandStream) closed(exit int, signal string) {
	if signal == "" {
		s.done(exit != 0, ending(string(s.tail), s.keep))
	}
}
