package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

const heardWithin = 20 * time.Second // or the test has failed

// never is a time between two looks that no test lives to see, so that what ticks is the system.
const never = time.Hour

// watchOnly watches a workspace through the system alone, until the test ends.
func watchOnly(t *testing.T, s *Store) (*Watcher, <-chan struct{}) {
	t.Helper()
	w := &Watcher{poll: never}
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
	s := newStore(t)
	handWrite(t, s, "PROJ-1")
	_, ticks := watchOnly(t, s)
	p := another(t, s, "note", "a")
	p.tell(t, "go")
	until(t, ticks, func() bool {
		task, err := s.Get("PROJ-1")
		return err == nil && strings.HasSuffix(task.Provenance.Last().Text, noteText("a", notesEach-1)) || err != nil && !isMissing(err)
	})
	p.end(t)
}

// A folder that is put in the place of another, as git does when branches change, is watched from then on, whether it is the
// folder of the tasks or one that this lies in.
func TestWatchFollowsReplacedFolders(t *testing.T) {
	for _, name := range []string{"tasks", ""} {
		t.Run(filepath.Join(Folder, name), func(t *testing.T) {
			s := newStore(t)
			handWrite(t, s, "PROJ-1")
			_, ticks := watchOnly(t, s)
			folder, aside := filepath.Join(s.Root, Folder, name), filepath.Join(t.TempDir(), "aside")
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
			wantHeard(t, ticks, filepath.Join(s.TasksDir(), "new"))
		})
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
	s := newStore(t)
	_, ticks := watchOnly(t, s)
	if err := s.prepareLive(); err != nil {
		t.Fatal(err)
	}
	wantHeard(t, ticks, s.heartbeat("ses-1"))
}

// Where the system dropped events everything may have changed, the folders too.
func TestWatchAfterAnOverflow(t *testing.T) {
	s := newStore(t)
	var events *fsnotify.Watcher
	w := &Watcher{poll: never, open: func() (made *fsnotify.Watcher, err error) {
		events, err = fsnotify.NewWatcher()
		return events, err
	}}
	ticks, stop := w.Watch(s.Layout)
	defer stop()
	events.Errors <- fsnotify.ErrEventOverflow
	wantTick(t, ticks)
	wantHeard(t, ticks, filepath.Join(s.TasksDir(), "new"))
}

// All who watch a workspace share one watcher of the system, which goes with the last of them.
func TestWatchIsShared(t *testing.T) {
	s := newStore(t)
	opened := 0
	w := &Watcher{poll: never, open: func() (*fsnotify.Watcher, error) { opened++; return fsnotify.NewWatcher() }}
	first, stopFirst := w.Watch(s.Layout)
	second, stopSecond := w.Watch(reopen(t, s.Root).Layout)
	handWrite(t, s, "PROJ-1")
	wantTick(t, first)
	wantTick(t, second)
	stopFirst()
	if stopSecond(); opened != 1 || len(w.watches) != 0 {
		t.Errorf("%d watchers were opened, %d are left", opened, len(w.watches))
	}
}

// Where watches have run out it looks every second, and goes back to the system when there are some again.
func TestWatchWithoutTheSystem(t *testing.T) {
	s := newStore(t)
	synctest.Test(t, func(t *testing.T) {
		w := &Watcher{open: func() (*fsnotify.Watcher, error) { return nil, errors.New("too many open files") }}
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
	s := newStore(t)
	at := &watch{folders: s.watchedFolders(), leaves: s.watchedLeaves(), told: notices{any: make(chan struct{}, 1)}}
	for name, e := range map[string]fsnotify.Event{
		"a temporary file":       {Name: filepath.Join(s.TasksDir(), ".T-1.md.AAAA.tmp"), Op: fsnotify.Create},
		"a change of rights":     {Name: filepath.Join(s.TasksDir(), "T-1.md"), Op: fsnotify.Chmod},
		"a file of the code":     {Name: filepath.Join(s.Root, "main.go"), Op: fsnotify.Write},
		"the lock of the writer": {Name: s.lock(), Op: fsnotify.Create},
	} {
		if at.hear(e); len(at.told.any) > 0 {
			t.Fatalf("%s rings", name)
		}
	}
}
