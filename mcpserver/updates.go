package mcpserver

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/verb/activity"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// updates tells a client when a resource that it subscribed to has changed. Changes that come between two looks are told as
// one, and so are those that come while the client does not read. What is missing counts as changed once it is gone for
// activity.GoneAfter.
type updates struct {
	server *Server
	ctx    context.Context // of the client, as Server.notify takes it
	cancel context.CancelFunc
	tag    map[string]any // _meta of everything that is told; nil for none
	key    string         // differs from that of other updates for the same client

	mu   sync.Mutex
	seen map[string]*seen // by URI
	stop func()           // of the watch; nil while there is nothing to watch
}

// seen is a resource as the client knows it.
type seen struct {
	state string
	gone  time.Time // since when it cannot be read; zero if it can
}

func newUpdates(ctx context.Context, s *Server) *updates {
	u := &updates{server: s, seen: map[string]*seen{}}
	u.ctx, u.cancel = context.WithCancel(ctx)
	return u
}

// add subscribes to a resource. What changes after it has returned is told. It returns why the resource cannot be read, if
// it cannot.
func (u *updates) add(uri string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.addLocked(uri)
}

func (u *updates) addLocked(uri string) error {
	if u.seen[uri] != nil {
		return nil
	}
	defer u.rest()
	if err := u.watch(); err != nil {
		return err
	}
	state, err := u.server.state(u.ctx, uri)
	if err == nil {
		u.seen[uri] = &seen{state: state}
	}
	return err
}

// listen subscribes to those of the resources that can be read, and tells which they are before it tells anything of them.
func (u *updates) listen(uris []string) (established mcp.SubscriptionFilter) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, uri := range uris {
		if u.addLocked(uri) == nil {
			established.ResourceSubscriptions = append(established.ResourceSubscriptions, uri)
		}
	}
	u.tell("", mcp.MethodNotificationSubscriptionsAcknowledged, map[string]any{"notifications": established})
	return established
}

// remove unsubscribes. After it has returned nothing is told of the resource.
func (u *updates) remove(uri string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.seen, uri)
	u.rest()
}

// uris are what is subscribed to, sorted.
func (u *updates) uris() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Sorted(maps.Keys(u.seen))
}

// close ends all subscriptions. It does not wait for a look at many resources to be over.
func (u *updates) close() {
	u.cancel()
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.seen)
	u.rest()
}

// watch begins to look at each tick, unless it does already. It is called under the lock.
func (u *updates) watch() error {
	if u.stop != nil {
		return nil
	}
	at, err := u.server.w.Open()
	if err != nil {
		return err
	}
	ticks, stop := u.server.w.Watcher.Watch(at.Layout)
	done := make(chan struct{})
	u.stop = func() { stop(); close(done) }
	go func() {
		for {
			select {
			case <-done:
				return
			case <-ticks:
				u.look()
			}
		}
	}()
	return nil
}

// rest ends the watch when nothing is subscribed to. It is called under the lock.
func (u *updates) rest() {
	if len(u.seen) == 0 && u.stop != nil {
		u.stop()
		u.stop = nil
	}
}

// look reads what is subscribed to and tells what is new. While the client has not taken what it was told before, it waits
// for a later tick.
func (u *updates) look() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(server.ClientSessionFromContext(u.ctx).NotificationChannel()) > 0 {
		return
	}
	for _, uri := range slices.Sorted(maps.Keys(u.seen)) {
		last := u.seen[uri]
		state, err := u.server.state(u.ctx, uri)
		switch {
		case u.ctx.Err() != nil:
			return
		case err == nil:
			last.gone = time.Time{}
		case last.gone.IsZero():
			last.gone = time.Now()
			continue
		case time.Since(last.gone) < activity.GoneAfter:
			continue
		default:
			state = err.Error()
		}
		if state != last.state && u.tell(uri, mcp.MethodNotificationResourceUpdated, map[string]any{"uri": uri}) {
			last.state = state
		}
	}
}

// tell reports whether there was room for what it tells.
func (u *updates) tell(uri, method string, params map[string]any) bool {
	if u.tag != nil {
		params["_meta"] = u.tag
	}
	return u.server.notify(u.ctx, u.key+" "+uri, method, params) == nil
}

// state returns a text that changes when a resource does. For a task or a session it is the cursor of wait, so that all
// who watch one are told of the same changes: of a sign of life as a change of the session, and not of its task.
func (s *Server) state(ctx context.Context, uri string) (string, error) {
	r, id, err := resourceOf(uri)
	if err != nil {
		return "", err
	}
	if r.argument == "" {
		return s.read(ctx, r, id)
	}
	out, err := s.do(ctx, "wait", map[string]any{r.argument: id, "timeout_seconds": 0})
	if err != nil {
		return "", err
	}
	return out.(activity.Waited).Cursor, nil
}
