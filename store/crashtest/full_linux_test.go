package crashtest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store/layout"
)

// A real disk without space, which takes rights to make.
func TestSlowRealDiskIsFull(t *testing.T) {
	slowtest.Skip(t)
	h := newHouse(t)
	must(t, os.RemoveAll(filepath.Join(h.root, layout.Folder)))
	if err := syscall.Mount("tmpfs", h.root, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("a disk to fill cannot be made here:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(h.root, syscall.MNT_DETACH) })
	h.furnish(t)
	full := filepath.Join(h.root, "full")
	empty := h.snapshot(t)
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			h.kept = empty
			h.restore(t)
			tr := newTrial(t, h, s)
			tr.restore(t)
			if err := os.WriteFile(full, make([]byte, 1<<20), 0o644); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("the disk holds more than it should: %v", err)
			}
			err := tr.call.do()
			if record.CodeOf(err) != record.IO || !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("got %v, want IO for want of space", err)
			}
			must(t, os.Remove(full))
			tr.judge(t, err == nil)
		})
	}
}
