package store

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/task"
)

// What lists tasks keeps none of their long bodies, however many there are.
func TestListsHoldNoLongBodies(t *testing.T) {
	const files, each = 60, 900 << 10
	s := newStore(t)
	body := strings.Repeat("A line of prose about the walls.\n", each/33)
	for i := range files {
		src := fmt.Sprintf("---\nid: T-%d\ntitle: Task %d\nstatus: backlog\n---\n\n%s%d\n", i, i, body, i)
		if err := os.WriteFile(s.task(task.ID(fmt.Sprintf("T-%d", i))), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var cache Cache
	for name, list := range map[string]func() (any, error){
		"List":       func() (any, error) { tasks, _, err := s.List(t.Context()); return tasks, err },
		"Cache.List": func() (any, error) { tasks, _, err := cache.List(t.Context(), s); return tasks, err },
		"Judge": func() (any, error) {
			return s.fillTree(t.Context(), diskSource{s.Layout}, &treeReader{Layout: s.Layout, known: (*tree)(nil).task, lean: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := inUse()
			kept, err := list()
			if err != nil {
				t.Fatal(err)
			}
			if held := int64(inUse()) - int64(before); held > each*2 {
				t.Errorf("%d bytes are held of %d", held, files*each)
			}
			runtime.KeepAlive(kept)
		})
	}
}

func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A body in a list is the body, or tells it from every other one.
func TestBodiesInLists(t *testing.T) {
	s := newStore(t)
	long := strings.Repeat("x", bodyListed)
	bodies := map[task.ID]string{"T-1": "", "T-2": "short\n", "T-3": long, "T-4": long + "y", "T-5": long + "z"}
	for id, body := range bodies {
		src := fmt.Sprintf("---\r\nid: %s\r\ntitle: x\r\nstatus: backlog\r\n---\r\n\r\n%s", id, body)
		if err := os.WriteFile(s.task(id), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tasks, _, err := s.List(t.Context())
	if err != nil || len(tasks) != len(bodies) {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	seen := map[string]bool{}
	for _, one := range tasks {
		whole, err := s.Get(one.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Body(one.ID); got != whole.Body {
			t.Errorf("the body of %s is %q, and reads as %q", one.ID, whole.Body, got)
		}
		if digested := Digested(one.Body); digested != (len(whole.Body) > bodyListed) || !digested && one.Body != whole.Body {
			t.Errorf("the body of %s is listed as %q", one.ID, one.Body)
		}
		seen[one.Body] = true
	}
	if len(seen) != len(bodies) {
		t.Errorf("%d bodies are listed as %d", len(bodies), len(seen))
	}
}
