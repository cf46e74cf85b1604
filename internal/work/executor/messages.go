package executor

import (
	"context"
	"encoding/json"
	"os"
	"sync"
	"time"
)

// messages is the talk of a program that reads messages of its user from its standard input for as long as that is
// open, one a line, and tells of each that it took it. One that comes while it works is taken between two steps, or
// makes another turn after the one that ended.
type messages struct {
	heard
	to *os.File // what it reads
	up chan struct{}

	mu      sync.Mutex
	waiting int  // messages that it was sent and has not taken
	over    bool // no more are sent
}

// wordsEvery is how often it is looked whether there is something to tell.
const wordsEvery = 300 * time.Millisecond

// message starts to send messages, the prompt first.
func message(ctx context.Context, h heard) (_ talk, input *os.File, err error) {
	m := &messages{heard: h, up: make(chan struct{})}
	if input, m.to, err = os.Pipe(); err != nil {
		return nil, nil, err
	}
	go func() {
		defer close(m.up)
		if !m.tell(m.run.Prompt) || m.run.Words == nil {
			return
		}
		for tick := time.NewTicker(wordsEvery); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
			}
			if m.isOver() {
				tick.Stop()
				return
			}
			m.run.Words(m.tell)
		}
	}()
	return m, input, nil
}

func (m *messages) isOver() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over
}

// tell sends a message. It reports false if the program takes none any more.
func (m *messages) tell(text string) bool {
	line, err := json.Marshal(object{"type": "user", "message": object{"role": "user", "content": []object{{"type": "text", "text": text}}}})
	m.mu.Lock()
	sends := err == nil && !m.over
	if sends {
		m.waiting++
	}
	m.mu.Unlock()
	if !sends {
		return false
	}
	if _, err = m.to.Write(append(line, '\n')); err != nil {
		m.mu.Lock()
		m.waiting--
		m.mu.Unlock()
	}
	return err == nil
}

// line counts what the program took. The end of a turn is the end of its work, unless it was sent something that it has
// not taken: then it goes on with that, or has ended after a while.
func (m *messages) line(text []byte) {
	l := read(text)
	m.mu.Lock()
	if l.is("isReplay") {
		m.waiting--
	}
	more := m.waiting > 0
	ends := l.text("type") == "result"
	m.over = m.over || ends && !more
	m.mu.Unlock()
	switch {
	case ends:
		m.another.Store(more)
	case l.text("type") == "assistant" || l.is("isReplay"):
		m.goesOn()
	}
	m.dialect(m.stream, l)
	if ends && !more {
		_ = m.to.Close()
	}
}

// hangUp ends the messages to a program that has ended.
func (m *messages) hangUp() {
	m.mu.Lock()
	m.over = true
	m.mu.Unlock()
	_ = m.to.Close()
	<-m.up
	m.result.Missed = max(m.waiting, 0)
}
