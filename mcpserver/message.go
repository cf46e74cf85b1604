package mcpserver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// message is a line from the client: a request (id and method), a notification (a method alone), or an answer (no
// method). The server asks nothing, so answers are ignored.
type message struct {
	raw    json.RawMessage
	id     json.RawMessage // as the client wrote it; nil if it sent none
	method string
	params json.RawMessage
}

// parse reads a message without space around it. For a message that cannot be served it returns the answer that says
// why, with a null id if the message has no usable one.
func parse(line []byte) (message, *mcp.JSONRPCError) {
	switch {
	case !utf8.Valid(line):
		return message{}, refusal(nil, mcp.PARSE_ERROR, "the message is not UTF-8")
	case !json.Valid(line):
		return message{}, refusal(nil, mcp.PARSE_ERROR, "the message is not one JSON value, whole")
	case line[0] == '[':
		return message{}, refusal(nil, mcp.INVALID_REQUEST, "batches are not served: send each message by itself")
	}
	var envelope struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &envelope); err != nil {
		return message{}, refusal(nil, mcp.INVALID_REQUEST, "a message is a JSON object")
	}
	m := message{raw: line, id: envelope.ID, params: envelope.Params}
	if m.id != nil && !usableID(m.id) {
		return message{}, refusal(nil, mcp.INVALID_REQUEST, "an id is text or a number, and never null")
	}
	if envelope.Result != nil || envelope.Error != nil {
		return m, nil
	}
	if err := json.Unmarshal(envelope.Method, &m.method); err != nil || m.method == "" {
		return message{}, refusal(m.id, mcp.INVALID_REQUEST, "the method is missing, or is not text")
	}
	return m, nil
}

// usableID reports whether a JSON value is text or a number.
func usableID(id json.RawMessage) bool {
	return id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9'
}

// idKey is equal for all spellings of an id. The number 1 and the text "1" are different ids.
func idKey(id json.RawMessage) string {
	var text string
	if json.Unmarshal(id, &text) == nil {
		return "text " + text
	}
	return string(id)
}

// tool is the name of the tool that a request calls, if it calls one.
func (m message) tool() string {
	var params struct {
		Name string `json:"name"`
	}
	if m.method == string(mcp.MethodToolsCall) {
		_ = json.Unmarshal(m.params, &params) // what is wrong with it is answered when the request is served
	}
	return params.Name
}

// cancels is the id of the request that a notification cancels; nil if it names none.
func (m message) cancels() json.RawMessage {
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(m.params, &params) // a notification has no answer that could say what is wrong with it
	return params.RequestID
}

// refusal is an error of the protocol. An id of nil is written as null.
func refusal(id json.RawMessage, code int, format string, args ...any) *mcp.JSONRPCError {
	answer := mcp.NewJSONRPCError(mcp.NewRequestId(id), code, fmt.Sprintf(format, args...), nil)
	return &answer
}

// withID returns an answer under the id as the client wrote it: to mcp-go all numbers are floating point.
func withID(answer mcp.JSONRPCMessage, id json.RawMessage) mcp.JSONRPCMessage {
	switch a := answer.(type) {
	case mcp.JSONRPCResponse:
		a.ID = mcp.NewRequestId(id)
		return a
	case mcp.JSONRPCError:
		a.ID = mcp.NewRequestId(id)
		return a
	}
	return answer
}

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
