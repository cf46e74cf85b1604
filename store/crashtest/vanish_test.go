package crashtest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store/layout"
)

// A folder is taken away in the middle of a write: by hand, or by a checkout of a branch that lacks it. The verb says
// that something is missing, or was done before; and it never makes a workspace anew that somebody has removed.
func TestSlowFolderVanishes(t *testing.T) {
	slowtest.Skip(t)
	codes := []record.Code{record.IO, record.NotFound, record.NoWorkspace, record.DanglingDep}
	for _, gone := range []string{"", "tasks", "sessions"} {
		for _, s := range stories {
			if s.verb != "create" && s.verb != "begin" && s.verb != "finish" {
				continue
			}
			t.Run("."+gone+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				tr := newTrial(t, newHouse(t), s)
				dir := filepath.Join(tr.root, layout.Folder, gone)
				vanish := func(_ disk.Call, do func() error) error {
					must(t, os.RemoveAll(dir))
					return do()
				}
				for i := range tr.calls {
					tr.restore(t)
					_, err := tr.watched(only(i+1), vanish, tr.call.do)
					if err != nil && !slices.Contains(codes, record.CodeOf(err)) {
						t.Errorf("%s: %v", tr.callName(i), err)
					}
					if _, err := os.Stat(dir); gone == "" && err == nil {
						t.Errorf("%s: the workspace is there again", tr.callName(i))
					}
				}
			})
		}
	}
}
