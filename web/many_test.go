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
		case <-time.After(30 * time.Second):
			t.Fatal("a page is told nothing")
		}
	}
}

// The screens of a workspace of many tasks come in pages; how long they take, and the memory, is printed. MANY is how
// many tasks there are.
func TestSlowManyTasks(t *testing.T) {
	slowtest.Skip(t)
	n := 5000
	if many := os.Getenv("MANY"); many != "" {
		if _, err := fmt.Sscan(many, &n); err != nil {
			t.Fatal(err)
		}
	}
	b := serve(t, Options{})
	for i := range n {
		state := []string{"backlog", "backlog", "in_progress", "in_review", "done", "done"}[i%6]
		path := filepath.Join(b.s.reads.w.Dir, ".cairn", "tasks", fmt.Sprintf("PROJ-%d.md", i+1))
		text := fmt.Sprintf("---\nid: PROJ-%d\ntitle: Task %d of many, with a title of some length\nstatus: %s\nlabels: [a%d]\ndeps: [PROJ-%d]\n---\n", i+1, i+1, state, i%7, max(1, i/2))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.enter()
	for _, path := range []string{"/board", "/board", "/list", "/graph", "/needs", "/task/PROJ-7", "/search?q=many", "/board"} {
		began := time.Now()
		status, page, _ := b.do("GET", path, nil, nil)
		if status != 200 {
			t.Errorf("%s: %d", path, status)
		}
		if rows := strings.Count(page, "data-id="); rows > 600 {
			t.Errorf("%s has %d rows", path, rows)
		}
		t.Logf("%-16s %6d kB in %v", path, len(page)>>10, time.Since(began).Round(time.Millisecond))
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	t.Logf("%d tasks: %d MB in use", n, m.HeapAlloc>>20)
}
