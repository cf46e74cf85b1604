package mcpserver

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
)

// use is whether clients make calls, so that the git remote is asked about claims only while somebody wants to know.
type use struct {
	calls atomic.Int64 // under way; waits are among them
	last  atomic.Int64 // when one ended, in nanoseconds since 1970
}

// usedFor is how long after its last call a client is taken for one that wants to know.
const usedFor = time.Minute

// begin notes a call.
func (u *use) begin() (end func()) {
	u.calls.Add(1)
	return func() {
		u.last.Store(time.Now().UnixNano())
		u.calls.Add(-1)
	}
}

func (u *use) recent() bool {
	return u.calls.Load() > 0 || time.Since(time.Unix(0, u.last.Load())) < usedFor
}

// keepClaims keeps the claims of the clone at the git remote, until the function that it returns is called. A server
// that may only read asks for nothing and renews nothing.
func (s *Server) keepClaims() (stop func()) {
	if s.w.ReadOnly || s.w.Profile < verb.PairWorker {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		now := func() *verb.Workspace { w := s.workspace(); return &w }
		verb.KeepClaims(ctx, now, s.use.recent, func(lost []session.OwnClaim, err error) {
			for _, o := range lost {
				s.log.Warn("claim lost", "record", o.Ref.ID, "to", o.To)
			}
			if err != nil {
				s.log.Info("claims among clones", "error", err)
			}
		})
	})
	return func() { cancel(); done.Wait() }
}
