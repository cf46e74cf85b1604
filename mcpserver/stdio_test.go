package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/mcpserver"
	"github.com/cairn-tasks/cairn/store/storetest"
)

const ping = `{"jsonrpc":"2.0","id":"ping","method":"ping"}` + "\n"

// Calls that wait take nothing from the others: with 200 of them pending, whatever else is asked is answered before the
// clock moves.
func TestWaitsDelayNoOtherCall(t *testing.T) {
	w := newWorkspace(t)
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, w)
		for id := range 200 {
			c.call(id, "watch", "{}")
		}
		synctest.Wait()
		if early := c.out.take(); early != "" {
			t.Fatalf("a wait was answered with %s", early)
		}
		began := time.Now()
		c.send(ping)
		c.call(201, "create", `{"title": "Meanwhile"}`)
		c.call(202, "list", "{}")
		synctest.Wait()
		if n := strings.Count(c.out.take(), "\n"); n != 3 || time.Since(began) != 0 {
			t.Errorf("%d of 3 calls were answered after %v", n, time.Since(began))
		}
		took := c.end()
		if n := strings.Count(c.out.take(), "interrupted"); n/2 != 200 || took != 0 { // as text and as structure
			t.Errorf("%d of 200 waits were interrupted at the end of input, after %v", n/2, took)
		}
	})
}

// Writes take turns, a few at a time, so that a burst of them does not come to a lock that most would wait for too
// long; and so do reads, of which a burst would take all memory. Neither waits for the other.
func TestCallsTakeTurns(t *testing.T) {
	w := anywhere(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, w)
		for id := range 20 {
			c.call(id, "write", "{}")
			c.call(100+id, "read", "{}")
		}
		for _, want := range []int{0, 8 + 8, 8 + 8, 4 + 4} {
			synctest.Wait()
			if n := strings.Count(c.out.take(), "\n"); n != want {
				t.Errorf("%d calls are done, want %d", n, want)
			}
			time.Sleep(time.Second)
		}
		c.end()
	})
}

// Whatever a tool does, the server ends within two seconds of the end of input, and every request has its answer.
func TestEndOfInputIsNotHeldUp(t *testing.T) {
	for _, tt := range []struct {
		name, tool, says string
		took             time.Duration
	}{
		{"a call that waits", "watch", "interrupted", 0},
		{"a call that ends when it is canceled", "work", "canceled before it was done", 1500 * time.Millisecond},
		{"a call that ignores its context", "stubborn", "canceled: the input ended", 1600 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := anywhere(t.TempDir())
			synctest.Test(t, func(t *testing.T) {
				c := newClient(t, w)
				c.call(1, tt.tool, "{}")
				took := c.end()
				if said := c.out.take(); strings.Count(said, "\n") != 1 || !strings.Contains(said, tt.says) {
					t.Errorf("the answer is %s", said)
				}
				if took != tt.took {
					t.Errorf("it ends after %v, want %v", took, tt.took)
				}
				time.Sleep(time.Hour) // until the last tool has noticed
			})
		})
	}
}

// A signal cancels the context of the server. That is the end of input, though the input is open.
func TestSignalIsTheEndOfInput(t *testing.T) {
	w := anywhere(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		ctx, signal := context.WithCancel(t.Context())
		in, toServer := io.Pipe()
		defer toServer.Close()
		out := &screen{}
		served := make(chan error)
		go func() { served <- mcpserver.New(w, slog.New(slog.DiscardHandler)).Serve(ctx, in, out) }()
		if _, err := io.WriteString(toServer, ping); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		signal()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if said := out.take(); said != `{"jsonrpc":"2.0","id":"ping","result":{}}`+"\n" {
			t.Errorf("it wrote %s", said)
		}
	})
}

// A line that is too long is refused before it ends, and the next one is served.
func TestLineThatIsTooLong(t *testing.T) {
	w := anywhere(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, w)
		c.send(strings.Repeat("m", 4<<20+64<<10)) // it is read in blocks
		synctest.Wait()
		const want = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the line is longer than 4194304 bytes"}}` + "\n"
		if said := c.out.take(); said != want {
			t.Errorf("it is answered with %.200s", said)
		}
		c.send(strings.Repeat("m", 4<<20) + "\n" + ping)
		synctest.Wait()
		if said := c.out.take(); !strings.Contains(said, `"id":"ping"`) || strings.Count(said, "\n") != 1 {
			t.Errorf("what follows is answered with %.200s", said)
		}
		c.end()
	})
}

// A client that asks and never reads is not read any more once what is held for it has grown too large, and does not
// keep the server from ending.
func TestClientThatDoesNotRead(t *testing.T) {
	const room = 10_000
	w := anywhere(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		ctx, signal := context.WithCancel(t.Context())
		in, toServer := io.Pipe()
		out := &screen{blocked: make(chan struct{})}
		server := mcpserver.New(w, slog.New(slog.DiscardHandler))
		server.SetLimits(1000, room)
		served := make(chan error)
		go func() { served <- server.Serve(ctx, in, out) }()

		var taken atomic.Int64
		go func() {
			for n, err := 0, error(nil); err == nil; { // until the end of the server
				n, err = io.WriteString(toServer, ping)
				taken.Add(int64(n))
				synctest.Wait() // so that each line is served before the next is sent
			}
		}()
		time.Sleep(time.Hour)
		if n := taken.Load(); n < room/2 || n > 2*room {
			t.Errorf("the server took %d bytes, with room for %d", n, room)
		}
		began := time.Now()
		signal()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it ended after %v", took)
		}
		close(out.blocked)
		_ = in.Close()
	})
}

// A client that is gone ends the server: nobody can hear an answer.
func TestClientThatIsGone(t *testing.T) {
	w := anywhere(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		in, toServer := io.Pipe()
		defer toServer.Close()
		gone, out := io.Pipe()
		_ = gone.Close()
		served := make(chan error)
		go func() { served <- mcpserver.New(w, slog.New(slog.DiscardHandler)).Serve(t.Context(), in, out) }()
		if _, err := io.WriteString(toServer, ping); err != nil {
			t.Fatal(err)
		}
		if err := <-served; err == nil {
			t.Error("the server ends as if it had been heard")
		}
	})
}

// The log has what a maintainer needs and the client must not see.
func TestPanicIsLoggedWithItsStack(t *testing.T) {
	w := anywhere(t.TempDir())
	for _, tool := range []string{"defective", "unspeakable"} {
		t.Run(tool, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				var out screen
				c := startClient(t, w, &out, slog.New(slog.NewTextHandler(&log, nil)))
				c.call(1, tool, "{}")
				c.end()
				if said := out.take(); strings.Contains(said, "goroutine") || !strings.Contains(said, "internal error") {
					t.Errorf("the client gets %s", said)
				}
				if !strings.Contains(log.String(), "conversation_test.go") {
					t.Errorf("the log says %s", log.String())
				}
			})
		})
	}
}

// Calls of one client run beside each other, and none of their writes is lost.
func TestConcurrentWritesToOneTask(t *testing.T) {
	w := newWorkspace(t)
	cs := connect(t, w)
	id := does[verb.Task](t, cs, "create", object{"title": "Busy"}).ID
	const callers, notes = 8, 5
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for n := range notes {
				if content, isError := call(t, cs, "note", object{"id": id, "text": fmt.Sprintf("%d of caller %d", n, caller)}); isError {
					t.Errorf("a note was refused: %v", content)
				}
			}
		})
	}
	all.Wait()
	said := map[string]int{}
	for _, entry := range does[verb.Task](t, cs, "get", object{"id": id, "mode": "full"}).Provenance {
		if entry.Did == record.Noted {
			said[entry.Text]++
		}
	}
	for caller := range callers {
		for n := range notes {
			if text := fmt.Sprintf("%d of caller %d", n, caller); said[text] != 1 {
				t.Errorf("the note %q stands there %d times", text, said[text])
			}
		}
	}
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	if problems, err := storetest.Verify(t.Context(), s); err != nil || len(problems) > 0 {
		t.Errorf("the workspace is left with %v, %v", problems, err)
	}
}

// blocking makes a workspace with a task whose second check runs for ten minutes.
func blocking(t *testing.T) (verb.Workspace, record.ID) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the checks are POSIX shell")
	}
	w := newWorkspace(t)
	made := does[verb.Task](t, connect(t, w), "create", object{"title": "Long", "checks": []object{
		{"desc": "quick", "cmd": "true"}, {"desc": "slow", "cmd": "sleep 600"},
	}})
	return w, made.ID
}

// A run of checks says which one runs before it does, and a run that ends early records nothing, for neither check.
func TestSlowChecksThatAreEndedEarly(t *testing.T) {
	slowtest.Skip(t)
	for _, tt := range []struct {
		name, tool, args string
		end              func(*client)
		answers          int
	}{
		{"run_checks, canceled", "run_checks", "", cancelFirst, 0},
		{"run_checks, at the end of input", "run_checks", "", func(*client) {}, 1},
		{"transition, canceled", "transition", `,"to":"done"`, cancelFirst, 0},
		{"transition, at the end of input", "transition", `,"to":"done"`, func(*client) {}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, id := blocking(t)
			out, seen := io.Pipe()
			c := startClient(t, w, seen, slog.New(slog.DiscardHandler))
			lines := bufio.NewScanner(out)
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{"id":%q%s},"_meta":{"progressToken":1}}}`+"\n", tt.tool, id, tt.args))
			for _, want := range []string{`"check 1 of 2: quick","progress":0`, `"check 2 of 2: slow","progress":1`} {
				if !lines.Scan() || !strings.Contains(lines.Text(), want) {
					t.Fatalf("it reports %s, want %s", lines.Text(), want)
				}
			}
			tt.end(c)
			go func() { c.end(); _ = seen.Close() }()
			answers := 0
			for lines.Scan() {
				if strings.Contains(lines.Text(), `"id":1`) {
					answers++
				}
			}
			if answers != tt.answers {
				t.Errorf("it is answered %d times, want %d", answers, tt.answers)
			}
			after := does[verb.Task](t, connect(t, w), "get", object{"id": id})
			if len(after.Provenance) != 1 || after.Checks[0].Result != record.Pending {
				t.Errorf("it left %+v", after)
			}
		})
	}
}

func cancelFirst(c *client) {
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
}
