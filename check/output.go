package check

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// How much of what a command prints is kept: its first bytes, which say what it set out to do, and its last, which
// usually say why it failed.
const (
	headSize = 4 << 10
	tailSize = 60 << 10
)

// output is a writer that keeps the head and the tail of what it is given and counts the rest. It never fails and holds
// headSize + tailSize bytes at most. It is not safe for concurrent use; os/exec writes from one goroutine if both
// streams are the same writer.
type output struct {
	head  []byte
	tail  []byte // once tailSize long a ring, whose oldest byte is at next
	next  int
	total int64
}

// Write takes everything.
func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	o.total += int64(n)
	k := min(n, headSize-len(o.head))
	o.head = append(o.head, p[:k]...)
	o.keep(p[k:])
	return n, nil
}

// keep puts p at the end of the tail and lets as much of its beginning go.
func (o *output) keep(p []byte) {
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

// String returns what was kept, as valid UTF-8. Bytes that are none become U+FFFD, one for each run of them. If
// something was left out, a line between head and tail says how much, and no character is cut in two.
func (o *output) String() string {
	tail := append(o.tail[o.next:len(o.tail):len(o.tail)], o.tail[:o.next]...)
	if o.total == int64(len(o.head)+len(tail)) {
		return clean(append(o.head[:len(o.head):len(o.head)], tail...))
	}
	head := trimEnd(o.head)
	tail = trimStart(tail)
	cut := o.total - int64(len(head)) - int64(len(tail))
	return fmt.Sprintf("%s\n[... %d bytes left out ...]\n%s", clean(head), cut, clean(tail))
}

func clean(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

// trimEnd drops the beginning of a character whose rest is missing.
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

// trimStart drops the end of a character whose beginning is missing.
func trimStart(b []byte) []byte {
	for i := 0; i < len(b) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}
