package store

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
)

// A write of many files does each once, begins no other after an error, and says the one that keeps it from being over.
func TestTogether(t *testing.T) {
	for _, workers := range []int{1, 8} {
		var done [200]atomic.Int32
		if err := together(workers, len(done), func(i int) error { done[i].Add(1); return nil }); err != nil {
			t.Fatal(err)
		}
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Fatalf("%d workers did %d %d times", workers, i, n)
			}
		}
		var calls atomic.Int32
		full := errors.New("no space")
		err := together(workers, 1000, func(i int) error {
			if calls.Add(1); i >= 3 {
				return full
			}
			return nil
		})
		if !errors.Is(err, full) || calls.Load() > 3+int32(workers) {
			t.Errorf("%d workers: %v after %d calls", workers, err, calls.Load())
		}
	}
	left := fmt.Errorf("a file: %w", atomicfile.ErrLeft)
	begun := make(chan struct{})
	err := together(2, 2, func(i int) error { // both have begun before one fails
		if i == 0 {
			<-begun
			return errors.New("no space")
		}
		close(begun)
		return left
	})
	if !errors.Is(err, atomicfile.ErrLeft) {
		t.Errorf("it says %v, and a temporary file is left", err)
	}
}

// A write of few files, which is most of them, starts no goroutine.
func TestFewFilesAreWrittenOneAfterTheOther(t *testing.T) {
	if flushedTogether(manyFiles-1) != 1 || flushedTogether(manyFiles) < 2 {
		t.Errorf("%d and %d", flushedTogether(manyFiles-1), flushedTogether(manyFiles))
	}
}
