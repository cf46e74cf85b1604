package web

import (
	"net/http"
	"time"
)

// The most that browsers may use of a server.
const (
	headerTime  = 10 * time.Second // for the head of a request to arrive
	bodyTime    = 20 * time.Second // for the rest of it
	answerTime  = 30 * time.Second // for a browser to take an answer
	idleTime    = 2 * time.Minute  // that an idle connection is kept
	maxHeader   = 32 << 10         // bytes
	maxBody     = 1 << 20          // bytes
	maxConns    = 512              // at once; others wait
	maxStreams  = 256              // at once; others are refused
	maxVisitors = 64               // that have entered; one more ends the one that entered first
	maxKeys     = 16               // that were not used; likewise
)

// policy lets a page run and show what the server has, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP answers a request that names this server and comes from one of its pages or from its person.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if why := s.door.foreign(r); why != "" {
		s.log.Warn("refused", "from", r.RemoteAddr, "why", why)
		http.Error(w, why, http.StatusForbidden)
		return
	}
	limit := http.NewResponseController(w)
	_ = limit.SetReadDeadline(time.Now().Add(bodyTime)) // a connection without deadlines has no limit
	_ = limit.SetWriteDeadline(time.Now().Add(bodyTime + answerTime))
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if r.Method == http.MethodPost {
		if err := r.ParseForm(); err != nil {
			http.Error(w, "the form cannot be read: "+err.Error(), http.StatusBadRequest)
			return
		}
	}
	s.mux.ServeHTTP(w, r)
}
