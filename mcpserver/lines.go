package mcpserver

import (
	"bufio"
	"errors"
	"io"
)

var errTooLong = errors.New("the line is too long")

// lines reads text line by line. It holds no more of a line than the limit.
type lines struct {
	from  *bufio.Reader
	limit int
	skip  bool // the rest of a line that was too long is still to come
}

func newLines(from io.Reader, limit int) *lines {
	return &lines{from: bufio.NewReaderSize(from, 64<<10), limit: limit}
}

// next returns the next line without its newline. The last line needs none. It returns errTooLong for a line that is
// longer than the limit, before it has read the end of it, and the call after that goes on with the next line; io.EOF
// after the last one.
func (l *lines) next() ([]byte, error) {
	for l.skip {
		_, err := l.from.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		l.skip = err != nil
	}
	var line []byte
	for {
		part, err := l.from.ReadSlice('\n')
		whole := err == nil
		if whole {
			part = part[:len(part)-1]
		}
		if len(line)+len(part) > l.limit {
			l.skip = !whole
			return nil, errTooLong
		}
		line = append(line, part...)
		switch {
		case whole, errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// input is a line from the client, or why there is none.
type input struct {
	line []byte
	err  error
}

// feed reads lines in a goroutine of its own, because a read cannot be interrupted. The last input has the error that
// ended the reading; then the channel is closed. Once stop is closed, the channel need not be received from any more.
func feed(from io.Reader, limit int, stop <-chan struct{}) <-chan input {
	out := make(chan input)
	go func() {
		defer close(out)
		lines := newLines(from, limit)
		for {
			line, err := lines.next()
			select {
			case out <- input{line, err}:
			case <-stop:
				return
			}
			if err != nil && !errors.Is(err, errTooLong) {
				return
			}
		}
	}()
	return out
}
