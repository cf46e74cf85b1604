package mcpserver

import (
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// What clients over HTTP can take of the server at most. They are programs of this machine; these bounds are for those that
// are broken.
const (
	headerTime    = 10 * time.Second // for the head of a request to arrive
	bodyTime      = 30 * time.Second // for the rest of it
	idleConnTime  = 2 * time.Minute  // that a connection is kept on which nothing comes
	maxHeader     = 64 << 10         // bytes
	maxConns      = 256              // at once; others wait
	maxSessions   = 128              // clients of the older versions
	displacedTime = 5 * time.Minute  // after which an idle session gives way to a new one, if there are too many
)

// readWithin gives the rest of a request its time; the function that it returns takes the limit away again, for an answer may
// take as long as it needs.
func readWithin(w http.ResponseWriter) (done func()) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(bodyTime)) // a connection without deadlines has no limit
	return func() { _ = c.SetReadDeadline(time.Time{}) }
}

// sessions are the ids of the clients that said hello. It is mcp-go's SessionIdManager.
type sessions struct {
	server.StatelessGeneratingSessionIdManager
	mu   sync.Mutex
	used map[string]time.Time // when each was last heard of
}

// room makes room for one more, and reports false if there is none.
func (s *sessions) room() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.used) < maxSessions {
		return true
	}
	oldest := ""
	for id, at := range s.used {
		if oldest == "" || at.Before(s.used[oldest]) {
			oldest = id
		}
	}
	if time.Since(s.used[oldest]) < displacedTime {
		return false
	}
	delete(s.used, oldest)
	return true
}

// Generate makes an id.
func (s *sessions) Generate() string {
	id := s.StatelessGeneratingSessionIdManager.Generate()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[id] = time.Now()
	return id
}

// Validate tells whether an id is still one. One of a server that ran before is taken over, if there is room.
func (s *sessions) Validate(id string) (isTerminated bool, err error) {
	if _, err := s.StatelessGeneratingSessionIdManager.Validate(id); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.used[id]; !known && len(s.used) >= maxSessions {
		return true, nil
	}
	s.used[id] = time.Now()
	return false, nil
}

// Terminate forgets an id.
func (s *sessions) Terminate(id string) (isNotAllowed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.used, id)
	return false, nil
}

// fewAtOnce is a listener that takes in no more connections than maxConns at once.
type fewAtOnce struct {
	net.Listener
	slots  chan struct{}
	once   sync.Once
	closed chan struct{}
}

func newFewAtOnce(l net.Listener) *fewAtOnce {
	return &fewAtOnce{Listener: l, slots: make(chan struct{}, maxConns), closed: make(chan struct{})}
}

// Accept waits for a slot, and for a connection.
func (l *fewAtOnce) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slotConn{Conn: c, free: sync.OnceFunc(func() { <-l.slots })}, nil
}

// Close ends the listening.
func (l *fewAtOnce) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// slotConn frees its slot when it is closed.
type slotConn struct {
	net.Conn
	free func()
}

func (c *slotConn) Close() error {
	defer c.free()
	return c.Conn.Close()
}

// tooMany refuses one more client.
func tooMany(m message) *mcp.JSONRPCError {
	return refusal(m.id, mcp.INTERNAL_ERROR, "%d clients are served already; end one, or wait until one was idle for %v", maxSessions, displacedTime)
}
