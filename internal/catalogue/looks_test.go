package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/index"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/store/watch"
)

// A process that follows a workspace knows of every change that was complete before it looks, without looking at all
// files.
func TestLooksOfAFollowerAreNeverLate(t *testing.T) {
	s := storetest.New(t)
	reads := verb.NewSharedReads(&watch.Watcher{})
	defer reads.Close()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		changeFile(t, random, s, n)
		got, err := reads.Look(t.Context(), s, kind.Tasks.Kind)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.Fresh().Rows(kind.Tasks.Kind).Look(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(rowsOf(got), rowsOf(want)) || !reflect.DeepEqual(got.Problems(), want.Problems()) {
			t.Fatalf("after change %d it has\n%v\n%v\nand the files say\n%v\n%v", n, rowsOf(got), got.Problems(), rowsOf(want), want.Problems())
		}
	}
	storetest.RemoveAll(t, s.Dir("tasks"))
	storetest.Mkdir(t, s.Top(), "tasks")
}

// Looks at several kinds at once take the reports of the system from one another, and none of them loses any.
func TestLooksAtSeveralKindsAtOnce(t *testing.T) {
	s := storetest.New(t)
	reads := verb.NewSharedReads(&watch.Watcher{})
	defer reads.Close()
	for n := range 200 {
		label := fmt.Sprintf("n%d", n)
		storetest.WriteTask(t, s, "PROJ-1", fmt.Sprintf("labels: [%s]", label))
		var looking sync.WaitGroup
		for range 3 {
			looking.Go(func() {
				if _, err := reads.Look(t.Context(), s, kind.Sessions.Kind); err != nil {
					t.Error(err)
				}
				_, _ = reads.KnownOf(t.Context(), s)
			})
			looking.Go(func() {
				v, err := reads.Look(t.Context(), s, kind.Tasks.Kind)
				if err != nil || v.Find("PROJ-1") == nil || v.Find("PROJ-1").Labels[0] != label {
					t.Errorf("after %s it has %v (%v)", label, rowsOf(v), err)
				}
			})
		}
		looking.Wait()
	}
}

// changeFile changes the folder of the tasks in some way.
func changeFile(t *testing.T, random *rand.Rand, s *store.Store, n int) {
	t.Helper()
	id := fmt.Sprintf("PROJ-%d", random.IntN(5))
	path, dir := filepath.Join(s.Dir("tasks"), id+".md"), s.Dir("tasks")
	text := storetest.TaskText(record.ID(id), fmt.Sprintf("labels: [n%d]", n))
	var err error
	switch random.IntN(12) {
	case 0, 1, 2, 3:
		err = os.WriteFile(path, []byte(text), 0o644)
	case 4, 5, 6:
		other := filepath.Join(s.Top(), "other.tmp")
		if err = os.WriteFile(other, []byte(text), 0o644); err == nil {
			err = os.Rename(other, path)
		}
	case 7, 8:
		err = os.RemoveAll(path)
	case 9:
		err = os.WriteFile(path, []byte("---\nid: [\n---\n"), 0o644)
	case 10: // as a checkout of a branch that has no tasks, and back
		if err = os.RemoveAll(dir); err == nil {
			err = os.Mkdir(dir, 0o755)
		}
	case 11:
		moved := dir + ".moved"
		if err = os.Rename(dir, moved); err == nil {
			err = os.Rename(moved, dir)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func rowsOf(v *index.View) []kind.Row {
	out := []kind.Row{}
	for _, r := range v.Rows() {
		out = append(out, *r)
	}
	return out
}
