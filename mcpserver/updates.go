package mcpserver

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// updates notifies a client when a resource that it subscribed to has changed. Several changes between two checks are
// one notification, and so are changes while the client does not read. A resource that is missing counts as changed
// after activity.GoneAfter.
type updates struct {
	server *Server
	ctx    context.Context // of the client, as Server.notify takes it
	cancel context.CancelFunc
	tag    map[string]any // _meta of every notification; nil for none
	key    string         // differs from that of other updates for the same client

	mu    sync.Mutex
	known map[string]*known // by URI
	stop  func()            // of the watch; nil while there is nothing to watch
}

// known is the state of a resource that the client knows.
type known struct {
	state string
	gone  time.Time // since when it cannot be read; zero if it can
}

func newUpdates(ctx context.Context, s *Server) *updates {
	u := &updates{server: s, known: map[string]*known{}}
	u.ctx, u.cancel = context.WithCancel(ctx)
	return u
}

// add subscribes to a resource. The client is notified of changes after it has returned. It returns why the resource
// cannot be read, if it cannot.
func (u *updates) add(uri string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.addLocked(uri)
}

func (u *updates) addLocked(uri string) error {
	if u.known[uri] != nil {
		return nil
	}
	defer u.unwatch()
	if err := u.watch(); err != nil {
		return err
	}
	state, _, err := u.server.state(u.ctx, uri)
	if err == nil {
		u.known[uri] = &known{state: state}
	}
	return err
}

// listen subscribes to those of the resources that can be read. The client is first told which those are.
func (u *updates) listen(uris []string) (established mcp.SubscriptionFilter) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, uri := range uris {
		if u.addLocked(uri) == nil {
			established.ResourceSubscriptions = append(established.ResourceSubscriptions, uri)
		}
	}
	u.notify("", mcp.MethodNotificationSubscriptionsAcknowledged, map[string]any{"notifications": established})
	return established
}

// remove unsubscribes. After it has returned the client gets no notification of the resource.
func (u *updates) remove(uri string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.known, uri)
	u.unwatch()
}

// uris returns the subscribed resources, sorted.
func (u *updates) uris() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Sorted(maps.Keys(u.known))
}

// close ends all subscriptions. It does not wait for a check of many resources to end.
func (u *updates) close() {
	u.cancel()
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.known)
	u.unwatch()
}

// watch starts to check at each tick, unless it does already. It is called under the lock.
func (u *updates) watch() error {
	if u.stop != nil {
		return nil
	}
	w := u.server.workspace()
	at, err := w.Open()
	if err != nil {
		return err
	}
	ticks, stop := w.Watcher.Watch(at.Layout)
	u.stop = atEach(ticks, stop, u.check)
	u.server.watching.Store(u, nil)
	return nil
}

// move watches the workspace that calls are about now. Where that cannot be opened, the next subscription tries again.
func (u *updates) move() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.stop != nil {
		u.end()
		_ = u.watch()
	}
}

// atEach does something at each tick of a watch, one time after another, until end is called. A call that is under way
// then goes on to its end.
func atEach[T any](ticks <-chan T, stop, do func()) (end func()) {
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-ticks:
				do()
			}
		}
	}()
	return func() { stop(); close(done) }
}

// unwatch ends the watch if there is no subscription left. It is called under the lock.
func (u *updates) unwatch() {
	if len(u.known) == 0 && u.stop != nil {
		u.end()
	}
}

// end ends the watch. It is called under the lock.
func (u *updates) end() {
	u.stop()
	u.stop = nil
	u.server.watching.Delete(u)
}

// check reads the subscribed resources and notifies the client of those that changed. If the client has not taken the
// last notification yet, it does nothing until a later tick.
func (u *updates) check() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(server.ClientSessionFromContext(u.ctx).NotificationChannel()) > 0 {
		return
	}
	for _, uri := range slices.Sorted(maps.Keys(u.known)) {
		last := u.known[uri]
		state, version, err := u.server.state(u.ctx, uri)
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
		params := map[string]any{"uri": uri}
		if version > 0 {
			params["stateVersion"] = version
		}
		if state != last.state && u.notify(uri, mcp.MethodNotificationResourceUpdated, params) {
			last.state = state
		}
	}
}

// notify queues a notification, and reports whether there was room for it.
func (u *updates) notify(uri, method string, params map[string]any) bool {
	if u.tag != nil {
		params["_meta"] = u.tag
	}
	return u.server.notify(u.ctx, u.key+" "+uri, method, params) == nil
}

// state returns a text that changes when a resource does. For a record that can be waited for it is the cursor of a
// wait, so that a subscription and a wait see the same changes: a heartbeat, for instance, changes the session and not
// its task. A resource of a job comes with the version of the job, which is 0 for every other.
func (s *Server) state(ctx context.Context, uri string) (state string, version int, err error) {
	r, id, err := resourceOf(uri)
	if err != nil {
		return "", 0, err
	}
	wait, argument := waitFor(r.kind)
	if argument == "" {
		got, err := s.read(ctx, r, id)
		if code := record.CodeOf(err); code == record.ArtifactMissing || code == record.ResourceNotFound {
			err = nil // a client can subscribe before the job leaves the file, or is started
		}
		return cmp.Or(got.state, got.text), got.version, err
	}
	out, err := s.do(ctx, wait.Name, map[string]any{argument: id, "timeout_seconds": 0})
	if err != nil {
		return "", 0, err
	}
	return out.(activity.Waited).Cursor, 0, nil
}

// waitFor returns the verb that waits for a record of a kind, and its argument that takes the id: "" if it cannot wait
// for that kind.
func waitFor(kind string) (wait verb.Verb, argument string) {
	i := slices.IndexFunc(catalogue.All, func(v verb.Verb) bool { return v.Waits })
	if i < 0 || kind == "" {
		return verb.Verb{}, ""
	}
	return catalogue.All[i], argumentFor(catalogue.All[i], kind)
}
