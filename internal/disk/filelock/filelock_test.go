package filelock

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// soon is how long a test waits for what must not happen; long, for what must.
const (
	soon = 50 * time.Millisecond
	long = 20 * time.Second
)

func lockPath(t *testing.T) string {
	return filepath.Join(t.TempDir(), "write.lock")
}

func acquire(t *testing.T, path string) *Lock {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	lock, err := Acquire(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

func release(t *testing.T, lock *Lock) {
	t.Helper()
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
}

// wantTimeOut asks for a lock that somebody else holds and expects to wait in vain.
func wantTimeOut(t *testing.T, path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	lock, err := Acquire(ctx, path)
	if !errors.Is(err, context.DeadlineExceeded) || lock != nil {
		t.Fatalf("Acquire = %v, %v; want no lock and a time-out", lock, err)
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); !ok || pathErr.Path != path {
		t.Errorf("error %q does not name %s", err, path)
	}
}

func wantTry(t *testing.T, path string, want bool) {
	t.Helper()
	lock, ok, err := TryAcquire(path)
	if err != nil || ok != want || (lock != nil) != want {
		t.Fatalf("TryAcquire = %v, %v, %v; want %v", lock, ok, err, want)
	}
	if ok {
		release(t, lock)
	}
}

func TestHolderExcludesItsOwnProcess(t *testing.T) {
	path := lockPath(t)
	lock := acquire(t, path)
	wantTry(t, path, false)
	wantTimeOut(t, path)
	release(t, lock)
	wantTry(t, path, true)
	release(t, acquire(t, path))
}

// The turns that goroutines take are kept by spelling; under another spelling the kernel must do the excluding.
func TestHolderExcludesAnotherSpellingOfThePath(t *testing.T) {
	path := lockPath(t)
	other := filepath.Dir(path) + string(filepath.Separator) + "." + string(filepath.Separator) + filepath.Base(path)
	lock := acquire(t, path)
	wantTry(t, other, false)
	wantTimeOut(t, other)
	release(t, lock)
	release(t, acquire(t, other))
}

func TestReleaseTwiceFreesNobodyElsesLock(t *testing.T) {
	path := lockPath(t)
	first := acquire(t, path)
	release(t, first)
	second := acquire(t, path)
	release(t, first)
	wantTry(t, path, false)
	release(t, second)
}

func TestAbandonedWaitReleasesOnSuccess(t *testing.T) {
	path := lockPath(t)
	lock := acquire(t, path)
	for range 5 {
		wantTimeOut(t, path)
	}
	release(t, lock)
	release(t, acquire(t, path))
}

func TestEndedContextTakesNothing(t *testing.T) {
	path := lockPath(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Acquire(ctx, path); !errors.Is(err, context.Canceled) {
		t.Fatalf("Acquire = %v; want context.Canceled", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock file was made all the same: %v", err)
	}
}

func TestGoroutinesTakeTurns(t *testing.T) {
	path := lockPath(t)
	var inside, turns int
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			lock, err := Acquire(t.Context(), path)
			if err != nil {
				t.Error(err)
				return
			}
			if inside++; inside != 1 {
				t.Errorf("%d goroutines hold the lock", inside)
			}
			turns++
			inside--
			if err := lock.Release(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if turns != 20 {
		t.Errorf("%d turns; want 20", turns)
	}
}

func TestFileIsMadeAndLeft(t *testing.T) {
	path := lockPath(t)
	release(t, acquire(t, path))
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestFolderIsNotMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "absent", "write.lock")
	if _, err := Acquire(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Acquire = %v; want fs.ErrNotExist", err)
	}
	if _, _, err := TryAcquire(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("TryAcquire = %v; want fs.ErrNotExist", err)
	}
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	release(t, acquire(t, path)) // a failure keeps no turn
}
