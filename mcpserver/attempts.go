package mcpserver

import (
	"slices"
	"sync"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
)

// attempts are the sessions that the client of a server has begun, or has written to, and that go on. While there is
// exactly one, the client is at work under it, as a program is under the session in CAIRN_SESSION: what it writes names
// that session. With several it is not known which one a write belongs to, and with several clients whose it is, so
// that a server over HTTP keeps none.
type attempts struct {
	mu    sync.Mutex
	on    bool
	open  []string
	ended map[string]bool // so that a heartbeat that was on its way when its session ended does not open it again
}

// keep begins to keep sessions.
func (a *attempts) keep() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.on = true
}

// current returns the session under which the client is at work, or "".
func (a *attempts) current() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.open) != 1 {
		return ""
	}
	return a.open[0]
}

// forget forgets the sessions that go on, since the client goes elsewhere.
func (a *attempts) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open = nil
}

// learn learns from what a call returned.
func (a *attempts) learn(v verb.Verb, out any) {
	ses, ok := out.(verb.Session)
	if !ok || v.Kind == verb.Read {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open = slices.DeleteFunc(a.open, func(id string) bool { return id == ses.ID })
	switch {
	case !a.on:
	case ses.Status != session.Active:
		if a.ended == nil {
			a.ended = map[string]bool{}
		}
		a.ended[ses.ID] = true
	case !a.ended[ses.ID]:
		a.open = append(a.open, ses.ID)
	}
}
