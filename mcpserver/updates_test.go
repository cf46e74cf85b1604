package mcpserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/mcpserver"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/watch"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	updated   = `"method":"notifications/resources/updated"`
	firstURI  = "cairn://task/T-1"
	firstTask = "---\nid: T-1\ntitle: First\nstatus: backlog\n---\n"
)

// oneTask makes a workspace with the task T-1, which is checked for changes every second of a bubble's clock.
func oneTask(t *testing.T) (w verb.Workspace, file string) {
	t.Helper()
	w = newWorkspace(t)
	w.Watcher = clockwork{}
	file = filepath.Join(w.Dir, layout.Folder, "tasks", "T-1.md")
	writeFile(t, file, firstTask)
	return w, file
}

func (c *client) subscribe(id int, uri string) { c.t.Helper(); c.ask(id, "subscribe", uri) }

func (c *client) unsubscribe(id int, uri string) { c.t.Helper(); c.ask(id, "unsubscribe", uri) }

func (c *client) ask(id int, what, uri string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/%s","params":{"uri":%q}}`+"\n", id, what, uri))
}

// While a client does not read, any number of changes of a resource is one notification.
func TestUpdatesCoalesce(t *testing.T) {
	w, _ := oneTask(t)
	synctest.Test(t, func(t *testing.T) {
		out := &screen{blocked: make(chan struct{})}
		c := startClient(t, w, out, slog.New(slog.DiscardHandler))
		c.subscribe(0, firstURI)
		for id := 1; id <= 20; id++ {
			c.call(id, "note", `{"id": "T-1", "text": "again"}`)
			time.Sleep(2 * time.Second)
		}
		close(out.blocked)
		synctest.Wait()
		if said := out.take(); strings.Count(said, updated) != 1 {
			t.Errorf("20 changes are notified with %s", said)
		}
		c.end()
	})
}

// Once an unsubscribe is answered there are no more notifications, although the task changes and is checked without a
// pause.
func TestNoUpdateAfterAnUnsubscribe(t *testing.T) {
	w, _ := oneTask(t)
	w.Watcher = restless{}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- newServer(w, slog.New(slog.DiscardHandler)).Serve(t.Context(), in, out)
		_ = out.Close()
	}()
	c := &client{t: t, in: toServer, served: served}
	lines := bufio.NewScanner(fromServer)
	lines.Buffer(nil, 1<<20)
	// until reads lines up to one that contains a text, and counts the updates before it.
	until := func(text string) (updates int) {
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return updates
			}
			if strings.Contains(lines.Text(), updated) {
				updates++
			}
		}
		t.Fatalf("the server ended before %s", text)
		return 0
	}
	for round := 0; round < 80; round += 4 {
		c.subscribe(round, firstURI)
		until(fmt.Sprintf(`"id":%d,`, round))
		c.call(round+1, "note", `{"id": "T-1", "text": "news"}`)
		if round%8 == 0 {
			until(updated)
		}
		c.unsubscribe(round+2, firstURI)
		until(fmt.Sprintf(`"id":%d,`, round+2))
		c.call(round+3, "note", `{"id": "T-1", "text": "no news"}`)
		if n := until(fmt.Sprintf(`"id":%d,`, round+3)); n > 0 {
			t.Fatalf("in round %d got %d notifications after it unsubscribed", round, n)
		}
	}
	go func() {
		for lines.Scan() { // what is left, so that the server can end
		}
	}()
	c.end()
}

// restless is a Watcher that ticks whenever somebody listens.
type restless struct{}

func (restless) Watch(layout.Layout) (<-chan struct{}, func()) {
	ticks, done := make(chan struct{}), make(chan struct{})
	go func() {
		for {
			select {
			case ticks <- struct{}{}:
			case <-done:
				return
			}
		}
	}()
	return ticks, func() { close(done) }
}

// A file that is missing for a moment, as in a checkout, is no news; one that is gone is, and so is its return.
func TestUpdateOfATaskThatGoesAndComes(t *testing.T) {
	w, file := oneTask(t)
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, w)
		defer c.end()
		c.subscribe(0, firstURI)
		synctest.Wait()
		c.out.take()
		for _, step := range []struct {
			name  string
			do    func() error
			takes time.Duration
			want  int
		}{
			{"it goes", func() error { return os.Remove(file) }, 2500 * time.Millisecond, 0},
			{"it is back", func() error { return os.WriteFile(file, []byte(firstTask), 0o644) }, 10 * time.Second, 0},
			{"it goes for good", func() error { return os.Remove(file) }, 10 * time.Second, 1},
			{"it comes back all the same", func() error { return os.WriteFile(file, []byte(firstTask), 0o644) }, 10 * time.Second, 1},
		} {
			if err := step.do(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(step.takes)
			synctest.Wait()
			if n := strings.Count(c.out.take(), updated); n != step.want {
				t.Errorf("%s: notified %d times, want %d", step.name, n, step.want)
			}
		}
	})
}

// A sign of life is news of a session, and none of its task.
func TestUpdateOfASession(t *testing.T) {
	w, _ := oneTask(t)
	synctest.Test(t, func(t *testing.T) {
		begun := callVerb(t, w, "begin", `{"id": "T-1", "expected_actor": "agent:claude-1", "idempotency_key": "1"}`).(verb.Session)
		c := newClient(t, w)
		defer c.end()
		c.subscribe(0, firstURI)
		c.subscribe(1, "cairn://session/"+begun.ID)
		time.Sleep(time.Minute)
		c.out.take()
		c.call(2, "heartbeat", fmt.Sprintf(`{"session": %q, "progress": "half of it"}`, begun.ID))
		time.Sleep(time.Minute)
		synctest.Wait()
		if said := c.out.take(); strings.Count(said, updated) != 1 || !strings.Contains(said, `{"uri":"cairn://session/`+begun.ID) {
			t.Errorf("a heartbeat is notified with %s", said)
		}
	})
}

// callVerb calls a verb without a server.
func callVerb(t *testing.T, w verb.Workspace, name, input string) any {
	t.Helper()
	v, _ := catalogue.Named(name)
	out, err := v.Call(t.Context(), &w, []byte(input))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// There is nothing to subscribe to outside a workspace, and the refusal says what to do.
func TestSubscribeOutsideAWorkspace(t *testing.T) {
	isolate(t)
	err := connectAs(t, anywhere(t.TempDir()), "2025-11-25").Subscribe(t.Context(), &mcp.SubscribeParams{URI: firstURI})
	if err == nil || !strings.Contains(err.Error(), string(record.NoWorkspace)) || !strings.Contains(err.Error(), "cairn init") {
		t.Errorf("subscribing fails with %v", err)
	}
}

// updatesTo has a client send the URIs that it is notified of to a channel.
func updatesTo(uris chan<- string) *mcp.ClientOptions {
	return &mcp.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
		select {
		case uris <- r.Params.URI:
		default: // nobody counts so many
		}
	}}
}

// subscribeTo has the official client subscribe. In the era without a handshake that lasts as long as the subscription.
func subscribeTo(t *testing.T, cs *mcp.ClientSession, era, uri string) {
	t.Helper()
	if era == eras[0] {
		if err := cs.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
			t.Fatal(err)
		}
		return
	}
	go func() { _ = cs.Subscribe(context.Background(), &mcp.SubscribeParams{URI: uri}) }() // ends with an error, as what is canceled does
}

// The official client is notified of what is written without the server, in either era, by events of the file system.
func TestUpdatesReachTheOfficialClient(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			w, _ := oneTask(t)
			w.Watcher = &watch.Watcher{}
			uris := make(chan string, 100)
			cs := connectTo(t, mcpserver.New(w, slog.New(slog.DiscardHandler)), era, updatesTo(uris))
			subscribeTo(t, cs, era, firstURI)
			for len(uris) == 0 { // the subscription may not stand at once
				callVerb(t, w, "note", `{"id": "T-1", "text": "news"}`)
			}
			if uri := <-uris; uri != firstURI {
				t.Errorf("notified of %s", uri)
			}
			if err := cs.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: firstURI}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Over HTTP the same holds, in either era: a change is notified, and nothing is after an unsubscribe.
func TestUpdatesOverHTTP(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			w, _ := oneTask(t)
			synctest.Test(t, func(t *testing.T) {
				uris := make(chan string, 100)
				cs := openDoor(t, w).connect(era, updatesTo(uris))
				subscribeTo(t, cs, era, firstURI)
				time.Sleep(time.Minute)
				callVerb(t, w, "note", `{"id": "T-1", "text": "news"}`)
				time.Sleep(time.Minute)
				if len(uris) != 1 {
					t.Errorf("notified %d times", len(uris))
				}
				if err := cs.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: firstURI}); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Second)
				callVerb(t, w, "note", `{"id": "T-1", "text": "no news"}`)
				time.Sleep(time.Minute)
				if len(uris) != 1 {
					t.Errorf("notified %d times in all", len(uris))
				}
			})
		})
	}
}

// A request that listens over HTTP first gets the list of its resources, and each notification carries its id.
func TestListenOverHTTP(t *testing.T) {
	w, _ := oneTask(t)
	synctest.Test(t, func(t *testing.T) {
		d := openDoor(t, w)
		heard := make(chan string, 1)
		go func() {
			heard <- d.ask(t.Context(), eras[1], "", "subscriptions/listen", `"notifications":{"resourceSubscriptions":["cairn://task/T-9","`+firstURI+`"]}`)
		}()
		time.Sleep(time.Minute)
		callVerb(t, w, "note", `{"id": "T-1", "text": "news"}`)
		time.Sleep(time.Minute)
		if took := d.end(); took >= 2*time.Second {
			t.Errorf("it ends after %v", took)
		}
		const tag = `"_meta":{"io.modelcontextprotocol/subscriptionId":1}`
		want := `event: message
data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` + tag + `,"notifications":{"resourceSubscriptions":["` + firstURI + `"]}}}

event: message
data: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{` + tag + `,"uri":"` + firstURI + `"}}

`
		if got := <-heard; !strings.HasPrefix(got, want) {
			t.Errorf("it hears\n%s, want\n%s", got, want)
		}
	})
}

// A client over HTTP that starts to listen late gets one notification, however often a resource changed before.
func TestUpdatesOverHTTPCoalesce(t *testing.T) {
	w, _ := oneTask(t)
	synctest.Test(t, func(t *testing.T) {
		d := openDoor(t, w)
		session := d.post("", initialize).session
		if got := d.post(session, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"`+firstURI+`"}}`); strings.Contains(got.body, "error") {
			t.Fatalf("subscribing is answered with %s", got.body)
		}
		for range 20 {
			callVerb(t, w, "note", `{"id": "T-1", "text": "again"}`)
			time.Sleep(2 * time.Second)
		}
		got := d.post(session, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if strings.Count(got.body, updated) != 1 || !strings.Contains(got.body, `"id":2`) {
			t.Errorf("it hears %s", got.body)
		}
	})
}

// A session that this server does not know cannot subscribe: nobody would hear.
func TestSubscribeInASessionOfAnotherServer(t *testing.T) {
	w, _ := oneTask(t)
	synctest.Test(t, func(t *testing.T) {
		session := openDoor(t, w).post("", initialize).session
		got := openDoor(t, w).post(session, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"`+firstURI+`"}}`)
		if !strings.Contains(got.body, "initialize") || !strings.Contains(got.body, "error") {
			t.Errorf("subscribing is answered with %s", got.body)
		}
	})
}

// The end of a server over HTTP ends what listens, and what is watched for it.
func TestEndOfServiceEndsSubscriptions(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			w, _ := oneTask(t)
			watched := &counted{}
			w.Watcher = watched
			synctest.Test(t, func(t *testing.T) {
				d := openDoor(t, w)
				subscribeTo(t, d.connect(era, nil), era, firstURI)
				time.Sleep(time.Minute)
				synctest.Wait() // a check at this very moment watches too, until it is done
				if watched.now() != 1 {
					t.Errorf("%d watches for a subscription", watched.now())
				}
				if took := d.end(); took >= 2*time.Second {
					t.Errorf("it ends after %v", took)
				}
				synctest.Wait()
				if watched.now() != 0 {
					t.Errorf("%d watches are left", watched.now())
				}
			})
		})
	}
}

// counted is a Watcher that knows how many watches there are.
type counted struct {
	clockwork
	mu      sync.Mutex
	watches int
}

func (c *counted) Watch(l layout.Layout) (<-chan struct{}, func()) {
	c.add(1)
	ticks, stop := c.clockwork.Watch(l)
	return ticks, func() { stop(); c.add(-1) }
}

func (c *counted) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watches += n
}

func (c *counted) now() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.watches
}
