package mcpserver_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/identity"
	"github.com/cairn-tasks/cairn/mcpserver"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A server listens where only its own machine can reach it.
func TestListen(t *testing.T) {
	taken, err := mcpserver.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tt := range []struct {
		name, addr string
		want       record.Code
	}{
		{"a free port", "127.0.0.1:0", ""},
		{"a name of this machine", "localhost:0", ""},
		{"a port that is taken", taken.Addr().String(), record.IO},
		{"every address of this machine", ":0", record.InvalidInput},
		{"every address, in numbers", "0.0.0.0:0", record.InvalidInput},
		{"an address in the network", "192.0.2.1:7317", record.InvalidInput},
		{"an address in the network, in six", "[2001:db8::1]:7317", record.InvalidInput},
		{"no port", "127.0.0.1", record.InvalidInput},
		{"a port that is none", "127.0.0.1:port", record.InvalidInput},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := mcpserver.Listen(tt.addr)
			if err == nil {
				_ = l.Close()
			}
			if got := record.CodeOf(err); got != tt.want {
				t.Errorf("%q, want %q (%v)", got, tt.want, err)
			}
		})
	}
}

// eras are the two ways to speak the protocol: with a handshake, and without.
var eras = []string{"2025-11-25", "2026-07-28"}

// What a client may do over standard input it may do over HTTP, in either era.
func TestOverHTTP(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			w := newWorkspace(t)
			w.Watcher = clockwork{} // one of files waits for the kernel, and the clock of a bubble for it
			synctest.Test(t, func(t *testing.T) {
				d := openDoor(t, w)
				cs := d.connect(era, nil)
				if me := does[identity.Out](t, cs, "identity", nil); me.Actor != "agent:claude-1" || me.Profile != "operator" {
					t.Errorf("the client acts as %+v", me)
				}
				made := does[verb.Task](t, cs, "create", object{"title": "Over HTTP"})
				begun := does[verb.Session](t, cs, "begin", object{"id": made.ID, "expected_actor": "agent:claude-1", "idempotency_key": "1"})
				does[verb.Session](t, cs, "finish", object{"session": begun.ID, "summary": "done"})
				if got := does[verb.Task](t, d.connect(era, nil), "get", object{"id": made.ID}); got.Status != "in_review" {
					t.Errorf("another client finds it %s", got.Status)
				}
				refused(t, cs, record.Forbidden, "delete", object{"id": made.ID})
			})
		})
	}
}

// Progress comes before the result, and in its order.
func TestProgressOverHTTP(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			w := anywhere(t.TempDir())
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var got []string
				cs := openDoor(t, w).connect(era, &mcp.ClientOptions{
					ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
						mu.Lock()
						defer mu.Unlock()
						got = append(got, r.Params.Message)
					},
				})
				params := &mcp.CallToolParams{Name: "work"}
				params.SetProgressToken("a token")
				if _, err := cs.CallTool(t.Context(), params); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				mu.Lock()
				defer mu.Unlock()
				if want := []string{"part 1 of 3", "part 2 of 3", "part 3 of 3"}; !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		})
	}
}

// A client that asks for no progress is asked after 45 seconds to call again, and gets the result of the same run.
func TestLongCallOverHTTP(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			w := anywhere(t.TempDir())
			synctest.Test(t, func(t *testing.T) {
				d := openDoor(t, w)
				cs := d.connect(era, nil)
				began := time.Now()
				refused(t, cs, record.ChecksRunning, "prove", object{"id": "PROJ-1"})
				refused(t, d.connect(era, nil), record.ChecksRunning, "prove", object{"id": "PROJ-1"})
				does[object](t, cs, "prove", object{"id": "PROJ-1"})
				if took := time.Since(began); took != 100*time.Second {
					t.Errorf("the result comes after %v, and one run takes 100s", took)
				}
			})
		})
	}
}

// A client that hangs up gives its call up.
func TestHangingUpCancels(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			w := anywhere(t.TempDir())
			synctest.Test(t, func(t *testing.T) {
				d := openDoor(t, w)
				ctx, hangUp := context.WithCancel(t.Context())
				hungUp := make(chan struct{})
				go func() {
					defer close(hungUp)
					d.call(ctx, era, "", "watch")
				}()
				synctest.Wait()
				hangUp()
				<-hungUp
				synctest.Wait()
				if took := d.end(); took >= time.Second {
					t.Errorf("the server waits %v for it", took)
				}
			})
		})
	}
}

// In a session a call is canceled by its id. Without one an id is anybody's, and cancels nothing.
func TestCancelOverHTTP(t *testing.T) {
	w := anywhere(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		d := openDoor(t, w)
		session := d.post("", initialize).session
		answered := make(chan string, 1)
		go func() { answered <- d.call(t.Context(), "2025-11-25", session, "watch") }()
		synctest.Wait()
		const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
		if got := d.post("", cancel); got.status != http.StatusAccepted {
			t.Errorf("a cancellation without a session is answered with %d", got.status)
		}
		synctest.Wait()
		select {
		case said := <-answered:
			t.Fatalf("somebody else canceled it: %s", said)
		default:
		}
		d.post(session, cancel)
		if said := <-answered; !strings.Contains(said, "context canceled") {
			t.Errorf("the call is answered with %s", said)
		}
	})
}

// A web page reaches nothing: neither under a name that it lets stand for this machine, nor from its own origin.
func TestWebPagesAreRefused(t *testing.T) {
	w := anywhere(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		d := openDoor(t, w)
		for _, tt := range []struct {
			name, host string
			origin     []string
			want       int
		}{
			{"a program", "127.0.0.1:7317", nil, http.StatusOK},
			{"a program that says localhost", "localhost:7317", nil, http.StatusOK},
			{"a program that speaks IPv6", "[::1]:7317", nil, http.StatusOK},
			{"a program behind a forwarded port", "localhost:9000", nil, http.StatusOK},
			{"this very origin", "127.0.0.1:7317", []string{"http://127.0.0.1:7317"}, http.StatusOK},
			{"a foreign Host", "example.com:7317", nil, http.StatusForbidden},
			{"a Host that begins like ours", "127.0.0.1.example.com", nil, http.StatusForbidden},
			{"a foreign Host and its origin", "example.com:7317", []string{"http://example.com:7317"}, http.StatusForbidden},
			{"a foreign Origin", "127.0.0.1:7317", []string{"https://example.com"}, http.StatusForbidden},
			{"the origin of another port", "127.0.0.1:7317", []string{"http://127.0.0.1:3000"}, http.StatusForbidden},
			{"an Origin of null", "127.0.0.1:7317", []string{"null"}, http.StatusForbidden},
			{"an empty Origin", "127.0.0.1:7317", []string{""}, http.StatusForbidden},
			{"two Origins", "127.0.0.1:7317", []string{"http://127.0.0.1:7317", "https://example.com"}, http.StatusForbidden},
		} {
			for _, method := range []string{http.MethodPost, http.MethodDelete} {
				r := d.request(t.Context(), method, "", initialize)
				r.Host = tt.host
				r.Header["Origin"] = tt.origin
				if got := d.do(r); got.status != tt.want {
					t.Errorf("%s of %s is answered with %d %s", method, tt.name, got.status, got.body)
				}
			}
			r := d.request(t.Context(), http.MethodGet, "", "")
			r.Host = tt.host
			r.Header["Origin"] = tt.origin
			r.Header.Set("Last-Event-ID", "1")
			r.Header.Set("MCP-Protocol-Version", "2026-07-28") // has no listening by GET
			if got := d.do(r); (got.status == http.StatusForbidden) != (tt.want == http.StatusForbidden) {
				t.Errorf("GET of %s is answered with %d %s", tt.name, got.status, got.body)
			}
		}
	})
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// What is no message is refused as on standard input, and the server lives on.
func TestBodiesThatAreRefused(t *testing.T) {
	w := anywhere(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		d := openDoor(t, w)
		for _, tt := range []struct {
			name, body string
			status     int
			says       string
		}{
			{"more than 4 MiB", initialize + strings.Repeat(" ", 4<<20), http.StatusRequestEntityTooLarge, "longer than 4194304 bytes"},
			{"broken JSON", `{"jsonrpc":`, http.StatusBadRequest, "not one JSON value"},
			{"nothing", "", http.StatusBadRequest, "not one JSON value"},
			{"a batch", "[" + initialize + "]", http.StatusBadRequest, "batches are not served"},
			{"an id of null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, http.StatusBadRequest, "never null"},
		} {
			if got := d.post("", tt.body); got.status != tt.status || !strings.Contains(got.body, tt.says) {
				t.Errorf("%s is answered with %d %s", tt.name, got.status, got.body)
			}
		}
		if got := d.post("", initialize); got.status != http.StatusOK {
			t.Errorf("after that it answers with %d %s", got.status, got.body)
		}
	})
}

// Whatever a tool does, the server ends within two seconds, and what heeds it is answered.
func TestEndOfServiceIsNotHeldUp(t *testing.T) {
	for _, tt := range []struct {
		name, tool, says string
		took             time.Duration
	}{
		{"a call that waits", "watch", "interrupted", 0},
		{"a call that ends when it is canceled", "work", "canceled before it was done", 1500 * time.Millisecond},
		{"a call that ignores its context", "stubborn", "EOF", 1800 * time.Millisecond},
	} {
		for _, era := range eras {
			t.Run(tt.name+" in "+era, func(t *testing.T) {
				w := anywhere(t.TempDir())
				synctest.Test(t, func(t *testing.T) {
					d := openDoor(t, w)
					session := d.post("", initialize).session
					answered := make(chan string, 1)
					go func() { answered <- d.call(t.Context(), era, session, tt.tool) }()
					synctest.Wait()
					took := d.end()
					if said := <-answered; !strings.Contains(said, tt.says) {
						t.Errorf("the answer is %s", said)
					}
					if took < tt.took || took >= 2*time.Second {
						t.Errorf("it ends after %v, want %v", took, tt.took)
					}
					time.Sleep(time.Hour) // until the last tool has noticed
				})
			})
		}
	}
}

// Who only listens does not hold the end up.
func TestListenersDoNotHoldTheEndUp(t *testing.T) {
	w := anywhere(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		d := openDoor(t, w)
		r := d.request(t.Context(), http.MethodGet, d.post("", initialize).session, "")
		listened := make(chan int, 1)
		go func() { listened <- d.do(r).status }()
		synctest.Wait()
		if took := d.end(); took >= 2*time.Second {
			t.Errorf("it ends after %v", took)
		}
		if status := <-listened; status != http.StatusOK {
			t.Errorf("listening is answered with %d", status)
		}
	})
}

// What is kept for a client that does not come back is forgotten.
func TestIdleSessionIsForgotten(t *testing.T) {
	w := anywhere(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		d := openDoor(t, w)
		session := d.post("", initialize).session
		time.Sleep(50 * time.Minute)
		d.post(session, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		time.Sleep(50 * time.Minute)
		synctest.Wait()
		if log := d.log.take(); strings.Contains(log, "Sweeping") {
			t.Errorf("it is forgotten while it is used: %s", log)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if log := d.log.take(); strings.Count(log, "Sweeping") != 1 {
			t.Errorf("the log says %q", log)
		}
	})
}

// door is a server that serves HTTP over pipes, so that it can be tested on the clock of a bubble.
type door struct {
	t      *testing.T
	log    *screen
	dial   chan net.Conn
	closed chan struct{}
	once   sync.Once
	signal context.CancelFunc
	served chan error
	client *http.Client
}

func openDoor(t *testing.T, w verb.Workspace) *door {
	t.Helper()
	ctx, signal := context.WithCancel(context.Background())
	d := &door{t: t, log: &screen{}, dial: make(chan net.Conn), closed: make(chan struct{}), signal: signal, served: make(chan error, 1)}
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		select {
		case d.dial <- theirs:
			return ours, nil
		case <-d.closed:
			return nil, net.ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	d.client = &http.Client{Transport: transport}
	go func() { d.served <- newServer(w, slog.New(slog.NewTextHandler(d.log, nil))).ServeListener(ctx, d) }()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		d.end()
		time.Sleep(time.Second) // net/http lingers on a connection that it closed
	})
	return d
}

func (d *door) Accept() (net.Conn, error) {
	select {
	case c := <-d.dial:
		return c, nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

func (d *door) Close() error {
	d.once.Do(func() { close(d.closed) })
	return nil
}

func (*door) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7317} }

// end has the server end, as a signal does, and returns how long that took.
func (d *door) end() time.Duration {
	d.t.Helper()
	began := time.Now()
	d.signal()
	if err, first := <-d.served; first {
		if err != nil {
			d.t.Errorf("the server ends with %v", err)
		}
		close(d.served)
	}
	return time.Since(began)
}

// connect returns the official client at the other end, in a version of the protocol.
func (d *door) connect(version string, options *mcp.ClientOptions) *mcp.ClientSession {
	d.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
	transport := &mcp.StreamableClientTransport{Endpoint: "http://127.0.0.1:7317/mcp", HTTPClient: d.client}
	cs, err := client.Connect(d.t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = cs.Close() })
	return cs
}

// reply is what a request is answered with.
type reply struct {
	status        int
	session, body string
}

func (d *door) request(ctx context.Context, method, session, body string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1:7317/mcp", bytes.NewBufferString(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	return r
}

// do sends a request. The body of a reply that breaks off ends with the reason.
func (d *door) do(r *http.Request) reply {
	answer, err := d.client.Do(r)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		body = append(body, err.Error()...)
	}
	return reply{answer.StatusCode, answer.Header.Get("Mcp-Session-Id"), string(body)}
}

func (d *door) post(session, body string) reply {
	return d.do(d.request(d.t.Context(), http.MethodPost, session, body))
}

// call calls a tool without arguments in an era, as request 1, and returns what it is answered.
func (d *door) call(ctx context.Context, era, session, tool string) string {
	return d.ask(ctx, era, session, "tools/call", fmt.Sprintf(`"name":%q,"arguments":{}`, tool), "Mcp-Name", tool)
}

// ask sends a request in an era, as request 1, and returns what it is answered. Headers are those of the newer era.
func (d *door) ask(ctx context.Context, era, session, method, params string, headers ...string) string {
	meta := ""
	if era == "2026-07-28" {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	r := d.request(ctx, http.MethodPost, session, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, params, meta))
	r.Header.Set("MCP-Protocol-Version", era)
	if meta != "" {
		r.Header.Set("Mcp-Method", method)
		for pair := range slices.Chunk(headers, 2) {
			r.Header.Set(pair[0], pair[1])
		}
	}
	return d.do(r).body
}
