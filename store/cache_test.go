package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// newCache is a cache that believes files as soon as they are written, so that tests need not wait.
func newCache(t *testing.T, s *store.Store) *store.Cache {
	t.Helper()
	storetest.WriteTask(t, s, "PROJ-1", "labels: [one]")
	if store.StampOf(storetest.TaskFile(s, "PROJ-1")) == (store.FileStamp{}) {
		t.Skip("the system tells too little of files")
	}
	return store.NewCache(time.Nanosecond)
}

// same reports whether two tasks were read from a file together.
func same(a, b task.Task) bool { return &a.Labels[0] == &b.Labels[0] }

// cached is the task as the cache has it.
func cached(t *testing.T, s *store.Store, c *store.Cache) task.Task {
	t.Helper()
	got, err := kind.Tasks.Get(c.Of(s), "PROJ-1")
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestCacheReadsAFileOnce(t *testing.T) {
	s := storetest.New(t)
	c := newCache(t, s)
	if first, again := cached(t, s, c), cached(t, s, c); !same(first, again) {
		t.Error("the file did not change, and was read twice")
	}
}

// However a file is changed, the next read returns what it says now.
func TestCacheIsNeverWrong(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, path, text string) error
	}{
		{"written in place", func(_ *testing.T, path, text string) error { return os.WriteFile(path, []byte(text), 0o644) }},
		{"written in place, and given its old times", func(t *testing.T, path, text string) error {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			return os.Chtimes(path, info.ModTime(), info.ModTime())
		}},
		{"replaced by another", func(t *testing.T, path, text string) error {
			other := filepath.Join(t.TempDir(), "other")
			if err := os.WriteFile(other, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			return os.Rename(other, path)
		}},
		{"removed and made anew", func(t *testing.T, path, text string) error {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			return os.WriteFile(path, []byte(text), 0o644)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := storetest.New(t)
			c := newCache(t, s)
			path, was := storetest.TaskFile(s, "PROJ-1"), cached(t, s, c)
			text := storetest.ReadFile(t, path)
			for before := store.StampOf(path); store.StampOf(path) == before; { // until the clock of the file system has gone on
				if err := tt.change(t, path, strings.Replace(text, "one", "two", 1)); err != nil {
					t.Fatal(err)
				}
			}
			if now := cached(t, s, c); was.Labels[0] != "one" || now.Labels[0] != "two" {
				t.Errorf("it was %q and is %q", was.Labels, now.Labels)
			}
		})
	}
}

// A file that was written a moment ago may be written again before its times can tell.
func TestCacheBelievesNoYoungFile(t *testing.T) {
	s := storetest.New(t)
	newCache(t, s)
	c := store.NewCache(time.Hour)
	if first, again := cached(t, s, c), cached(t, s, c); same(first, again) {
		t.Error("the file is young, and was read once")
	}
}

func TestCacheForgetsWhatIsGone(t *testing.T) {
	s := storetest.New(t)
	c := newCache(t, s)
	cached(t, s, c)
	if err := os.Remove(storetest.TaskFile(s, "PROJ-1")); err != nil {
		t.Fatal(err)
	}
	if _, err := kind.Tasks.Get(c.Of(s), "PROJ-1"); record.CodeOf(err) != record.NotFound {
		t.Errorf("it is gone: %v", err)
	}
}
