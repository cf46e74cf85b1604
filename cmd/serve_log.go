package cmd

import (
	"bytes"
	"io"
	"sync/atomic"
	"time"
)

const (
	sinkRoom     = 256                    // lines that wait to be written
	sinkPatience = 200 * time.Millisecond // for the last of them
)

// sink passes lines on and keeps nobody waiting: what nobody reads at the other end, as some clients do not read a server's
// standard error, is dropped once there is no more room for it.
type sink struct {
	lines   chan []byte
	dropped atomic.Int64
	quit    chan struct{}
	done    chan struct{} // closed when the last line is written
}

func newSink(to io.Writer) *sink {
	s := &sink{lines: make(chan []byte, sinkRoom), quit: make(chan struct{}), done: make(chan struct{})}
	go s.run(to)
	return s
}

// Write takes one line, and always succeeds.
func (s *sink) Write(line []byte) (int, error) {
	select {
	case s.lines <- bytes.Clone(line):
	default:
		s.dropped.Add(1)
	}
	return len(line), nil
}

func (s *sink) run(to io.Writer) {
	defer close(s.done)
	for {
		select {
		case line := <-s.lines:
			_, _ = to.Write(line) // there is nowhere to say that it failed
			if n := s.dropped.Swap(0); n > 0 {
				fprintf(to, "cairn: %d lines of the log were not read in time, and dropped\n", n)
			}
		case <-s.quit:
			if len(s.lines) == 0 {
				return
			}
		}
	}
}

// close gives the lines that were taken before a moment to be written. What is taken after it is dropped.
func (s *sink) close() {
	close(s.quit)
	select {
	case <-s.done:
	case <-time.After(sinkPatience):
	}
}
