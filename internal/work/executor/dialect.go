package executor

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

// talk turns what a program writes into events and a result, by calls of a stream.
type talk interface {
	// line takes one line, without its end. What it does not understand it leaves alone.
	line(text []byte)
	// closed is called after the last line, when the program has ended by itself: with its exit status, and the signal
	// that ended it.
	closed(exit int, signal string)
}

// dialect says what a line means. It is called for each line, and leaves alone what it does not understand.
type dialect func(s *stream, l line)

// heard is the talk of a program whose lines are objects of JSON.
type heard struct {
	*stream
	dialect
}

func (h heard) line(text []byte) { h.dialect(h.stream, read(text)) }

// closed is also called when the program stayed after its last step.
func (h heard) closed(int, string) {
	if h.last || h.broke {
		h.done(h.broke, "")
	}
}

// commandTalk is the talk of anything else: its output is text, and its exit status says how it ended. The end of its
// output is its final message, and all of it for a patch.
type commandTalk struct {
	*stream
	keep int // bytes
	tail []byte
	told time.Time
}

func newCommandTalk(s *stream) *commandTalk {
	if s.run.Output == job.Patch {
		return &commandTalk{stream: s, keep: MaxFinal}
	}
	return &commandTalk{stream: s, keep: summary}
}

// line tells of the first line, and of one a second from then on: they show that it is alive, and the log has them all.
func (c *commandTalk) line(text []byte) {
	c.tail = append(append(c.tail, text...), '\n')
	if len(c.tail) > 2*c.keep {
		c.tail = append([]byte(nil), c.tail[len(c.tail)-c.keep:]...)
	}
	if now := time.Now(); now.Sub(c.told) >= time.Second {
		c.told = now
		c.tell(job.Event{Type: job.EventText, Text: string(text)})
	}
}

func (c *commandTalk) closed(exit int, signal string) {
	if signal == "" {
		c.done(exit != 0, ending(string(c.tail), c.keep))
	}
}

// object is an object of JSON. Its methods take the key of a value, and dots lead into the objects in it. A value that
// is not there, or is of another type, is the zero value.
type object map[string]any

// line is a line of a program's output: an object, and as it was written. What is no object has no keys.
type line struct {
	object
	raw []byte
}

func read(raw []byte) line {
	l := line{raw: bytes.TrimSpace(raw)}
	if len(l.raw) > 0 && l.raw[0] == '{' {
		_ = json.Unmarshal(l.raw, &l.object)
	}
	return l
}

func (o object) at(path string) any {
	for {
		key, rest, deeper := strings.Cut(path, ".")
		if !deeper {
			return o[key]
		}
		path = rest
		next, _ := o[key].(map[string]any)
		o = next
	}
}

func (o object) in(path string) object {
	value, _ := o.at(path).(map[string]any)
	return value
}

func (o object) text(path string) string {
	value, _ := o.at(path).(string)
	return value
}

func (o object) is(path string) bool {
	value, _ := o.at(path).(bool)
	return value
}

func (o object) sum(paths ...string) (sum float64) {
	for _, path := range paths {
		value, _ := o.at(path).(float64)
		sum += value
	}
	return sum
}

func (o object) each(path string) (out []object) {
	list, _ := o.at(path).([]any)
	for _, value := range list {
		if one, ok := value.(map[string]any); ok {
			out = append(out, one)
		}
	}
	return out
}

// show is a value of JSON on one line; "" for null.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		text, _ := json.Marshal(v) // it was JSON
		return string(text)
	}
}

// join puts texts behind one another that are not empty.
func join(texts ...string) string {
	var out []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, ": ")
}
