package web

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// listen opens a stream of a page, and sends what it is told.
func (b *browser) listen(ctx context.Context, told chan<- string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+"/live", http.NoBody)
	if err != nil {
		b.t.Error(err)
		return
	}
	r.Header.Set("Cookie", b.cookie)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			told <- data
		}
	}
}

// Two hundred pages are told of a change, by one wait, with the id of what changed.
func TestSlowTwoHundredPages(t *testing.T) {
	slowtest.Skip(t)
	b := serve(t, Options{}).enter()
	id := b.create("Pay")
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	told := make([]chan string, 200)
	for i := range told {
		told[i] = make(chan string, 64)
		all.Go(func() { b.listen(ctx, told[i]) })
	}
	first := ""
	for _, page := range told {
		first = next(t, page, "")
	}
	w := b.s.reads.w
	verbtest.Must(t, &w, "transition", verbtest.Args{"id": id, "to": "in_review"})
	for _, page := range told {
		got := next(t, page, id)
		if got == first {
			t.Errorf("it is told %q, as before", got)
		}
	}
	cancel()
	all.Wait()
}

// next is what a page is told next that holds a text, or that anything changed.
func next(t *testing.T, told <-chan string, text string) string {
	t.Helper()
	for {
		select {
		case got := <-told:
			if text == "" || strings.Contains(got, text) || strings.Contains(got, anything) {
				return got
			}
		case <-time.After(slowtest.Patience):
			t.Fatal("a page is told nothing")
		}
	}
}

// How long each screen of a workspace of many tasks takes once it was shown before, and how much memory the
// server uses. MANY is how many tasks there are.
func BenchmarkScreens(b *testing.B) {
	n := 10_000
	if many := os.Getenv("MANY"); many != "" {
		if _, err := fmt.Sscan(many, &n); err != nil {
			b.Fatal(err)
		}
	}
	of := serve(b, Options{})
	writeMany(b, of.s.reads.w.Dir, n)
	began := time.Now()
	of.enter()
	b.Logf("the first page of %d tasks, and the way in, took %v", n, time.Since(began).Round(time.Millisecond))
	for _, path := range []string{"/board", "/board?by=parent", "/list", "/graph", "/needs", "/task/PROJ-7", "/search?q=many", "/search?q=cards", "/jobs", "/ledger"} {
		b.Run(path[1:], func(b *testing.B) {
			of := *of
			of.t = b
			for range 2 {
				of.do("GET", path, nil, nil)
			}
			for b.Loop() {
				status, page, _ := of.do("GET", path, nil, nil)
				if rows := strings.Count(page, "data-id="); status != 200 || rows > 600 {
					b.Fatalf("%s: %d, with %d rows", path, status, rows)
				}
			}
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc>>20), "MB-kept")
		})
	}
}

// writeMany writes the files of n tasks.
func writeMany(t testing.TB, dir string, n int) {
	t.Helper()
	for i := range n {
		state := []string{"backlog", "backlog", "in_progress", "in_review", "done", "done"}[i%6]
		path := filepath.Join(dir, ".cairn", "tasks", fmt.Sprintf("PROJ-%d.md", i+1))
		text := fmt.Sprintf("---\nid: PROJ-%d\ntitle: Task %d of many, with a title of some length\nstatus: %s\nlabels: [a%d]\ndeps: [PROJ-%d]\n---\n\nText %d.\n",
			i+1, i+1, state, i%7, max(1, i/2), i)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
