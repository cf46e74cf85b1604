package watch_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/store/watch"
	"github.com/fsnotify/fsnotify"
)

const heardWithin = slowtest.Patience // or the test has failed

// never is a time between two polls that no test lives to see, so that what ticks is the system.
const never = time.Hour

// watchOnly watches a workspace through the system alone, until the test ends.
func watchOnly(t *testing.T, s *store.Store) (*watch.Watcher, <-chan struct{}) {
	t.Helper()
	w := watch.New(never, nil)
	ticks, stop := w.Watch(s.Layout)
	t.Cleanup(stop)
	return w, ticks
}

func wantTick(t *testing.T, ticks <-chan struct{}) {
	t.Helper()
	select {
	case <-ticks:
	case <-time.After(heardWithin):
		t.Fatal("nothing ticked")
	}
}

// until takes ticks until something is so, and fails the test if the last one came before.
func until(t *testing.T, ticks <-chan struct{}, so func() bool) {
	t.Helper()
	for !so() {
		wantTick(t, ticks)
	}
}

// What another process writes is followed by a tick, whichever of its files it is.
func TestWatchHearsAnotherProcess(t *testing.T) {
	s := storetest.New(t)
	storetest.WriteTask(t, s, "PROJ-1")
	_, ticks := watchOnly(t, s)
	p := storetest.Start(t, s, "note")
	p.Send(t, "go")
	until(t, ticks, func() bool {
		one, err := kind.Tasks.Get(s, "PROJ-1")
		return err == nil && one.Provenance.Last().Text == noteText(notes-1) || err != nil && !problem.Missing(err)
	})
	p.End(t)
}

const notes = 25

func noteText(n int) string { return fmt.Sprintf("note %d", n) }

func TestMain(m *testing.M) { storetest.Main(m, map[string]storetest.Part{"note": playNote}) }

// playNote waits for a line, and then notes as often as it should.
func playNote(s *store.Store, _ []string) error {
	storetest.WaitForLine()
	for n := range notes {
		if err := storetest.NewActor(s, "agent:a").Note("PROJ-1", noteText(n)); err != nil {
			return err
		}
	}
	return nil
}

// A folder that is put in the place of another, as git does when branches change, is watched from then on, whether it
// is the folder of the tasks or one that this lies in.
func TestWatchFollowsReplacedFolders(t *testing.T) {
	for _, name := range []string{"tasks", "", "closed", "closed/2026-06"} {
		t.Run(filepath.Join(layout.Folder, name), func(t *testing.T) {
			s := storetest.New(t)
			storetest.WriteTask(t, s, "PROJ-1")
			storetest.WriteFile(t, storetest.RestFile(s, "2026-06", "PROJ-2"), storetest.TaskText("PROJ-2"))
			_, ticks := watchOnly(t, s)
			folder, aside := filepath.Join(s.Root, layout.Folder, name), filepath.Join(t.TempDir(), "aside")
			for range 3 { // the second time the folder may have the inode of the first
				if err := os.Rename(folder, aside); err != nil {
					t.Fatal(err)
				}
				wantTick(t, ticks)
				if err := os.CopyFS(folder, os.DirFS(aside)); err != nil {
					t.Fatal(err)
				}
				if err := os.RemoveAll(aside); err != nil {
					t.Fatal(err)
				}
			}
			wantHeard(t, ticks, filepath.Join(s.Dir("tasks"), "new"))
			wantHeard(t, ticks, filepath.Join(s.Dir("closed/2026-06"), "new"))
		})
	}
}

// The folder of a month is watched once it comes, and forgotten once it is gone.
func TestWatchFollowsMonths(t *testing.T) {
	s := storetest.New(t)
	w, ticks := watchOnly(t, s)
	storetest.WriteTask(t, s, "PROJ-1")
	wantTick(t, ticks)
	for _, month := range []string{"2026-06", "2026-07", "2026-06"} {
		path := storetest.RestFile(s, month, "PROJ-1")
		storetest.Mkdir(t, s.Dir("closed"), month)
		until(t, ticks, func() bool { return w.Follows(filepath.Dir(path)) })
		wantHeard(t, ticks, path)
		storetest.RemoveAll(t, s.Dir("closed"))
		until(t, ticks, func() bool { return !w.Follows(filepath.Dir(path)) })
	}
}

// wantHeard writes again and again, and wants a tick each time. What went before has ticks of its own, but not as many.
func wantHeard(t *testing.T, ticks <-chan struct{}, path string) {
	t.Helper()
	for range 200 {
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		wantTick(t, ticks)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// A workspace that has no live state yet is watched like any other: its folders are found as they come.
func TestWatchFindsNewFolders(t *testing.T) {
	s := storetest.New(t)
	_, ticks := watchOnly(t, s)
	if err := s.MakeLive(); err != nil {
		t.Fatal(err)
	}
	wantHeard(t, ticks, s.Live.Heartbeat("ses-1"))
}

// Where the system dropped events everything may have changed, the folders too.
func TestWatchAfterAnOverflow(t *testing.T) {
	s := storetest.New(t)
	var events *fsnotify.Watcher
	w := watch.New(never, func() (made *fsnotify.Watcher, err error) {
		events, err = fsnotify.NewWatcher()
		return events, err
	})
	ticks, stop := w.Watch(s.Layout)
	defer stop()
	events.Errors <- fsnotify.ErrEventOverflow
	wantTick(t, ticks)
	wantHeard(t, ticks, filepath.Join(s.Dir("tasks"), "new"))
}

// All who watch a workspace share one watcher of the system, which goes with the last of them.
func TestWatchIsShared(t *testing.T) {
	s := storetest.New(t)
	opened := 0
	w := watch.New(never, func() (*fsnotify.Watcher, error) { opened++; return fsnotify.NewWatcher() })
	first, stopFirst := w.Watch(s.Layout)
	second, stopSecond := w.Watch(storetest.Open(t, s.Root).Layout)
	storetest.WriteTask(t, s, "PROJ-1")
	wantTick(t, first)
	wantTick(t, second)
	stopFirst()
	if stopSecond(); opened != 1 || w.Watched() != 0 {
		t.Errorf("%d watchers were opened, %d are left", opened, w.Watched())
	}
}

// Where watches have run out it polls every second, and goes back to the system when there are some again.
func TestWatchWithoutTheSystem(t *testing.T) {
	s := storetest.New(t)
	synctest.Test(t, func(t *testing.T) {
		w := watch.New(0, func() (*fsnotify.Watcher, error) { return nil, errors.New("too many open files") })
		ticks, stop := w.Watch(s.Layout)
		began := time.Now()
		for range 3 {
			<-ticks
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("three ticks took %v", took)
		}
		stop()
	})
}

// A temporary file of a writer, and a change of rights, are nothing to wake anybody for.
func TestWatchPassesOver(t *testing.T) {
	s := storetest.New(t)
	for name, e := range map[string]fsnotify.Event{
		"a temporary file":         {Name: filepath.Join(s.Dir("tasks"), ".T-1.md.AAAA.tmp"), Op: fsnotify.Create},
		"a change of rights":       {Name: filepath.Join(s.Dir("tasks"), "T-1.md"), Op: fsnotify.Chmod},
		"a file of the code":       {Name: filepath.Join(s.Root, "main.go"), Op: fsnotify.Write},
		"a temporary file at rest": {Name: filepath.Join(s.Dir("closed/2026-06"), ".T-1.md.AAAA.tmp"), Op: fsnotify.Create},
		"a file around the months": {Name: filepath.Join(s.Dir("closed"), "README.md"), Op: fsnotify.Create},
		"the lock of the writer":   {Name: s.Live.Lock(), Op: fsnotify.Create},
	} {
		if watch.Hears(s.Layout, e) {
			t.Fatalf("%s rings", name)
		}
	}
}
