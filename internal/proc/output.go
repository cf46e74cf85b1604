package proc

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// How much of an output is kept: its first bytes, which show what the command set out to do, and its last bytes, which
// usually show why it failed.
const (
	headSize = 4 << 10
	tailSize = 60 << 10
)

// Output is a writer that keeps the first 4 KiB and the last 60 KiB of what is written and counts the rest. Writing
// never fails. It is not safe for concurrent use; Run writes from one goroutine.
type Output struct {
	head  []byte
	tail  []byte // a ring once it is tailSize long: its oldest byte is at next
	next  int
	total int64
}

// Total is how many bytes were written.
func (o *Output) Total() int64 { return o.total }

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	n := len(p)
	o.total += int64(n)
	k := min(n, headSize-len(o.head))
	o.head = append(o.head, p[:k]...)
	o.keep(p[k:])
	return n, nil
}

// keep appends p to the tail and drops the oldest bytes beyond tailSize.
func (o *Output) keep(p []byte) {
	if len(p) > tailSize {
		p = p[len(p)-tailSize:]
	}
	k := min(len(p), tailSize-len(o.tail))
	o.tail = append(o.tail, p[:k]...)
	for p = p[k:]; len(p) > 0; p = p[k:] {
		k = copy(o.tail[o.next:], p)
		o.next = (o.next + k) % tailSize
	}
}

// String returns what was kept, as valid UTF-8: each run of invalid bytes becomes one U+FFFD. If bytes were left out, a
// line between head and tail says how many, and no character is cut in two.
func (o *Output) String() string {
	tail := append(o.tail[o.next:len(o.tail):len(o.tail)], o.tail[:o.next]...)
	if o.total == int64(len(o.head)+len(tail)) {
		return clean(append(o.head[:len(o.head):len(o.head)], tail...))
	}
	head := trimEnd(o.head)
	for i := 0; i < min(len(tail), utf8.UTFMax); i++ { // without an incomplete character at the start
		if utf8.RuneStart(tail[i]) {
			tail = tail[i:]
			break
		}
	}
	cut := o.total - int64(len(head)) - int64(len(tail))
	return fmt.Sprintf("%s\n[... %d bytes left out ...]\n%s", clean(head), cut, clean(tail))
}

func clean(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

func trimEnd(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}
