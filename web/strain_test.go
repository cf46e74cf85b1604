package web

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// heap is how much memory is used, in KB.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return (m.HeapAlloc + m.StackInuse) >> 10
}

// Two hundred open tabs that each load the board again when something changes cost a bounded amount of memory, which is
// printed, and they leave nothing behind.
func TestSlowMemoryOfManyTabs(t *testing.T) {
	slowtest.Skip(t)
	const tabs = 200
	b := serve(t, Options{}).enter()
	fill(t, b)
	b.page("/board")
	before := heap()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	told := make(chan string, 64*tabs)
	for range tabs {
		all.Go(func() { b.listen(ctx, told) })
	}
	for range tabs {
		next(t, told, "")
	}
	open := heap()
	w := b.s.reads.w
	for i := range 3 {
		verbtest.Must(t, &w, "create", verbtest.Args{"title": fmt.Sprint("Change ", i)})
		var loads sync.WaitGroup
		for range tabs {
			loads.Go(func() { b.do("GET", "/board", nil, map[string]string{tokenHeader: b.token}) })
		}
		loads.Wait()
	}
	busy := heap()
	cancel()
	all.Wait()
	http.DefaultClient.CloseIdleConnections()
	waitFor(t, "the streams to end", func() bool { return b.s.live.count() == 0 })
	t.Logf("%d KB before; %d KB with %d tabs, %d KB each, both ends of the connections counted; %d KB after all loaded thrice; %d KB when they are closed",
		before, open, tabs, (open-min(open, before))/tabs, busy, heap())
	if busy > before+tabs*512 {
		t.Errorf("%d KB more than before", busy-before)
	}
}

// waitFor waits until something is so.
func waitFor(t *testing.T, what string, so func() bool) {
	t.Helper()
	for range 2400 {
		if so() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("waited two minutes for %s", what)
}

// dial opens a connection to a server and leaves it open; sent is what it says at first.
func (b *browser) dial(sent string) net.Conn {
	b.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err == nil {
		b.t.Cleanup(func() { _ = c.Close() })
		_, err = io.WriteString(c, sent)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// Connections that say nothing, or a little now and then, are cut off; whoever asks meanwhile is answered, at once while
// there is room, and else once they are gone. How long that takes is printed.
func TestSlowIdleAndSlowConnections(t *testing.T) {
	slowtest.Skip(t)
	for _, tt := range []struct {
		name string
		n    int
		drip string // what each says each second
	}{{"600 that say nothing", 600, ""}, {"300 that never end their head", 300, "x: y\r\n"}, {"600 that never end their head", 600, "x: y\r\n"}} {
		t.Run(tt.name, func(t *testing.T) {
			b := serve(t, Options{}).enter()
			http.DefaultClient.CloseIdleConnections()
			conns := make([]net.Conn, tt.n)
			for i := range conns {
				conns[i] = b.dial(map[bool]string{true: "GET /board HTTP/1.1\r\n"}[tt.drip != ""])
			}
			end := make(chan struct{})
			var drips sync.WaitGroup
			drips.Go(func() {
				for {
					select {
					case <-end:
						return
					case <-time.After(time.Second):
					}
					for _, c := range conns {
						_, _ = io.WriteString(c, tt.drip) // one that was cut off takes no more
					}
				}
			})
			began := time.Now()
			b.page("/board")
			answered := time.Since(began)
			for _, c := range conns { // each ends, whatever it says
				_ = c.SetReadDeadline(time.Now().Add(2 * time.Minute))
				_, _ = io.Copy(io.Discard, c)
			}
			t.Logf("a page came after %v; all %d were cut off after %v", answered.Round(time.Millisecond), tt.n, time.Since(began).Round(time.Second))
			close(end)
			drips.Wait()
			if tt.n < maxConns && answered > headerTime {
				t.Error("they keep others waiting")
			}
		})
	}
}

// A server whose machine slept for a night knows who had entered, tells a page that comes back, and counts the time.
func TestANightAsleep(t *testing.T) {
	var asleep atomic.Int64 // for how long it was
	b := serve(t, Options{}, func(w *verb.Workspace) {
		now := w.Now
		w.Now = func() time.Time { return now().Add(time.Duration(asleep.Load())) }
	}).enter()
	id := b.create("Pay")
	b.says(t, "/task/"+id, ">now</time>")
	asleep.Store(int64(10 * time.Hour))
	b.says(t, "/task/"+id, ">10 h ago</time>")
	b.send("note", http.StatusSeeOther, map[string][]string{"id": {id}, "text": {"good morning"}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := make(chan string, 64)
	go b.listen(ctx, told)
	first := next(t, told, "")
	w := b.s.reads.w
	verbtest.Must(t, &w, "note", verbtest.Args{"id": id, "text": "hello"})
	if got := next(t, told, id); got == first {
		t.Errorf("it is told %q, as before", got)
	}
}
