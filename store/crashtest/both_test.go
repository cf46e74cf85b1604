package crashtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Where the file system keeps no rename whole, a power cut leaves a file at its old place and at its new one. The next
// write settles that by the redo log; if that is lost too, calling archive again does, and so does a write to the task.
func TestPowerCutLeavesAFileAtBothPlaces(t *testing.T) {
	story := stories[0]
	for _, s := range stories {
		if s.name == "archive" {
			story = s
		}
	}
	for _, lost := range []bool{false, true} {
		tr := newTrial(t, newHouse(t), story)
		for i, c := range tr.calls {
			if c.Op != disk.Move {
				continue
			}
			tr.restore(t)
			from := filepath.Join(tr.root, layout.Folder, "tasks", filepath.Base(c.Path))
			src, err := os.ReadFile(from)
			must(t, err)
			live := tr.open(t).Live
			var log []byte
			_, _ = tr.watched(func(n int) bool { return n > i }, func(now disk.Call, do func() error) error {
				if log == nil {
					log, err = os.ReadFile(live.Redo())
					must(t, err)
					must(t, do())
				}
				return refused(os.ErrInvalid)(now, nil) // the power is off
			}, tr.call.do)
			must(t, os.WriteFile(from, src, 0o644))
			must(t, os.WriteFile(live.Redo(), log, 0o644))
			if lost {
				must(t, os.Remove(live.Redo()))
			}
			tr.nextWrite(t)
			if lost {
				must(t, tr.call.do())
				tr.wantMoved(t)
			}
			tr.wantSettled(t, lost)
		}
	}
}
