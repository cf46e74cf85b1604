package index

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// Several processes look, and write the same index, while files change and the index is deleted under them. None of
// them finds less than what was there when it began.
func TestManyLookBesideWriters(t *testing.T) {
	p := newPlace(t)
	write := func(n int) {
		path := p.file("T-1")
		if err := os.WriteFile(path+".new", []byte(text("T-1", "n"+strconv.Itoa(n))), 0o644); err != nil {
			t.Error(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Error(err)
		}
	}
	write(0)
	for _, id := range []string{"T-2", "T-3"} {
		if err := os.WriteFile(p.file(id), []byte(text(id, "one")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	var writing, looking sync.WaitGroup
	writing.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-done:
				return
			default:
			}
			write(n)
			if n%50 == 0 {
				_ = os.RemoveAll(p.live)
			}
		}
	})
	for range 4 {
		looking.Go(func() {
			for range 150 {
				src, err := layout.ReadFile(p.file("T-1"))
				if err != nil {
					t.Error(err)
					return
				}
				value, err := parse("T-1", src)
				if err != nil {
					t.Error(err)
					return
				}
				was := value.(task.Task).Labels[0]
				v, err := p.source().Look(t.Context())
				if err != nil || len(v.Rows()) != 3 {
					t.Errorf("%d records, %v (%v)", len(v.Rows()), v.Problems(), err)
					return
				}
				if got := rank(t, p.source(), v, &Terms{}, "noted"); len(got.Found) != 3 {
					t.Errorf("a search found %d records", len(got.Found))
				}
				if now := v.Find("T-1").Labels[0]; counter(t, now) < counter(t, was) {
					t.Errorf("a look found %s, and %s was there before", now, was)
				}
			}
		})
	}
	looking.Wait()
	close(done)
	writing.Wait()
}

func counter(t *testing.T, label string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimPrefix(label, "n"))
	if err != nil {
		t.Error(err)
	}
	return n
}
