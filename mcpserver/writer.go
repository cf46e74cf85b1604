package mcpserver

import (
	"encoding/json"
	"io"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// writer owns the stream to the client. One goroutine writes lines in the order in which they were queued, so the
// progress of a call comes before its answer. Queueing a line never waits for the client.
type writer struct {
	to   io.Writer
	load *load

	mu     sync.Mutex
	queue  []*outgoing
	latest map[string]*outgoing // by key, of what is in the queue
	closed bool

	queued chan struct{} // something was queued, or the writer closed
	broken chan struct{} // closed when the client can no longer be written to; err says why
	done   chan struct{} // closed when the last line is written
	err    error
}

// outgoing is a line for the client.
type outgoing struct {
	line []byte
	key  string // of a notification that a newer one replaces; "" for what must be written
}

func newWriter(to io.Writer, load *load) *writer {
	w := &writer{
		to: to, load: load, latest: map[string]*outgoing{},
		queued: make(chan struct{}, 1), broken: make(chan struct{}), done: make(chan struct{}),
	}
	go w.run()
	return w
}

// send queues an answer, which must be written.
func (w *writer) send(answer mcp.JSONRPCMessage) { w.enqueue(&outgoing{line: marshal(answer)}) }

// notify queues a notification. It replaces one with the same method and key that is not written yet, so a client that
// reads slowly gets the newest state only.
func (w *writer) notify(key, method string, params map[string]any) {
	w.enqueue(&outgoing{line: marshal(notification(method, params)), key: method + " " + key})
}

// notification returns a notification in the form that mcp-go writes, with _meta apart from the other params.
func notification(method string, params map[string]any) mcp.JSONRPCNotification {
	meta, _ := params["_meta"].(map[string]any)
	return mcp.JSONRPCNotification{
		JSONRPC:      mcp.JSONRPC_VERSION,
		Notification: mcp.Notification{Method: method, Params: mcp.NotificationParams{Meta: meta, AdditionalFields: params}},
	}
}

func (w *writer) enqueue(o *outgoing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.load.add(len(o.line))
	if waiting := w.latest[o.key]; waiting != nil {
		w.load.add(-len(waiting.line))
		waiting.line = o.line
		return
	}
	if o.key != "" {
		w.latest[o.key] = o
	}
	w.queue = append(w.queue, o)
	w.wake()
}

// close ends the writer once everything queued is written. What is queued later is dropped.
func (w *writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.wake()
}

func (w *writer) wake() {
	select {
	case w.queued <- struct{}{}:
	default: // a value is waiting already
	}
}

// next takes the first line from the queue. If there is none it returns nil, and whether the writer is closed.
func (w *writer) next() (line []byte, closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		return nil, w.closed
	}
	o := w.queue[0]
	w.queue[0], w.queue = nil, w.queue[1:]
	if o.key != "" {
		delete(w.latest, o.key)
	}
	return o.line, false
}

func (w *writer) run() {
	defer close(w.done)
	for range w.queued {
		line, closed := w.next()
		for ; line != nil; line, closed = w.next() {
			w.write(line)
			w.load.add(-len(line))
		}
		if closed {
			return
		}
	}
}

// marshal returns a value as JSON. It is for values that came from JSON or consist of texts and numbers, which cannot
// fail.
func marshal(v any) []byte {
	line, err := json.Marshal(v)
	if err != nil {
		panic("mcpserver: what goes to the client does not make JSON: " + err.Error())
	}
	return line
}

// write writes one line. After the first failure it does nothing.
func (w *writer) write(line []byte) {
	if w.err != nil {
		return
	}
	if _, w.err = w.to.Write(append(line, '\n')); w.err != nil {
		close(w.broken)
	}
}
