package mcpserver

import (
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// The most that clients over HTTP may use of the server. They are programs on this machine; the limits are for those
// that do not work as they should.
const (
	headerTime    = 10 * time.Second // for the head of a request to arrive
	bodyTime      = 30 * time.Second // for the rest of it
	idleConnTime  = 2 * time.Minute  // that an idle connection is kept
	maxHeader     = 64 << 10         // bytes
	maxConns      = 256              // at once; others wait
	maxSessions   = 128              // of clients of the older protocol versions
	displacedTime = 5 * time.Minute  // after which an idle session is ended for a new one, if there are too many
)

// readWithin limits the time for reading the rest of a request. The function that it returns ends the limit, because
// the answer may take as long as it needs.
func readWithin(w http.ResponseWriter) (done func()) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(bodyTime)) // a connection without deadlines has no limit
	return func() { _ = c.SetReadDeadline(time.Time{}) }
}

// sessions are the ids of the clients that were initialized. It is mcp-go's SessionIdManager.
type sessions struct {
	server.StatelessGeneratingSessionIdManager
	mu   sync.Mutex
	used map[string]time.Time // time of each client's last request
}

// room makes room for one more session, and reports false if it cannot.
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

// Validate reports whether the session of an id has ended. It accepts an id of an earlier run of the server if there is
// room.
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

// Terminate ends the session of an id.
func (s *sessions) Terminate(id string) (isNotAllowed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.used, id)
	return false, nil
}

// tooMany returns the refusal of one more client.
func tooMany(m message) *mcp.JSONRPCError {
	return refusal(m.id, mcp.INTERNAL_ERROR, "%d clients are served already; end one, or wait until one was idle for %v", maxSessions, displacedTime)
}
