package crashtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// failure is a way in which the disk fails.
type failure struct {
	name   string
	hit    func(n int) func(int) bool
	fits   func(disk.Op) bool
	strike strike
}

// inFolder refuses the calls in one folder, as its permissions may.
func inFolder(folder string) strike {
	return func(c disk.Call, do func() error) error {
		if filepath.Dir(c.Path) != folder || c.Op == disk.Write || c.Op == disk.Chmod || c.Op == disk.Sync {
			return do()
		}
		return refused(syscall.EACCES)(c, do)
	}
}

func refused(err error) strike {
	return func(c disk.Call, _ func() error) error {
		return &fs.PathError{Op: string(c.Op), Path: c.Path, Err: err}
	}
}

// cutShort makes a call of which half comes.
func cutShort(c disk.Call, do func() error) error {
	if err := do(); err != nil {
		return err
	}
	info, err := os.Stat(c.Path)
	if err == nil {
		err = os.Truncate(c.Path, info.Size()/2)
	}
	return errors.Join(err, refused(syscall.ENOSPC)(c, nil))
}

// unheard makes a call and says that it failed.
func unheard(c disk.Call, do func() error) error {
	_ = do()
	return refused(syscall.EIO)(c, nil)
}

func all(disk.Op) bool { return true }

func of(ops ...disk.Op) func(disk.Op) bool {
	return func(op disk.Op) bool { return strings.Contains(fmt.Sprint(ops), string(op)) }
}

var failures = []failure{
	{"the disk fails", only, all, refused(syscall.EIO)},
	{"the disk is full", only, of(disk.Mkdir, disk.Open, disk.Link, disk.Rename, disk.Move, disk.Lock), refused(syscall.ENOSPC)},
	{"the disk becomes full in the middle of it", only, of(disk.Write), cutShort},
	{"it is not permitted", only, of(disk.Mkdir, disk.Open, disk.Chmod, disk.Link, disk.Rename, disk.Move, disk.Remove, disk.Lock), refused(syscall.EACCES)},
	{"the disk is read-only from then on", from, all, refused(syscall.EROFS)},
	{"its folder is read-only from then on", from, all, nil},
	{"it is done and said to have failed", only, of(disk.Write, disk.Sync, disk.Link, disk.Rename, disk.Move, disk.Remove), unheard},
}

// allVar asks for everything: each system call fails in each way that there is, where else one or two are tried of
// each, in turn, and every verb dies.
const allVar = "CRASHTEST_ALL"

// ways are those in which the i-th call is to fail: so many.
func ways(i, most int, op disk.Op) []failure {
	fit := slices.DeleteFunc(slices.Clone(failures), func(f failure) bool { return !f.fits(op) })
	if os.Getenv(allVar) != "" {
		return fit
	}
	return []failure{fit[i%len(fit)], fit[(i+len(fit)/2)%len(fit)]}[:most]
}

// Each system call of each verb fails. The verb says so with a code, the path and a hint, or it is done all the same.
// Nothing is ever half there, and the next write leaves no trace of it.
func TestEachCallFails(t *testing.T) { eachCallFails(t, stories[:1], 1) }

func TestSlowEachCallFails(t *testing.T) {
	slowtest.Skip(t)
	eachCallFails(t, stories, 2)
}

func eachCallFails(t *testing.T, stories []story, most int) {
	t.Helper()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrial(t, newHouse(t), s)
			t.Logf("%d calls", len(tr.calls))
			for i, c := range tr.calls {
				for _, f := range ways(i, most, c.Op) {
					t.Run(f.name+"/"+tr.callName(i), func(t *testing.T) { tr.fail(t, f, i+1) })
				}
			}
		})
	}
}

func (tr *trial) fail(t *testing.T, f failure, n int) {
	tr.restore(t)
	s := f.strike
	if s == nil {
		s = inFolder(filepath.Dir(tr.calls[n-1].Path))
	}
	calls, err := tr.watched(f.hit(n), s, tr.call.do)
	if err != nil {
		tr.wantTold(t, err, calls[n-1])
	}
	tr.judge(t, err == nil)
}

// wantTold fails the test unless an error has a code, a hint, and names the path or a folder that it is in, on one
// line.
func (tr *trial) wantTold(t *testing.T, err error, c disk.Call) {
	t.Helper()
	var e *record.Error
	if !errors.As(err, &e) || e.Code != record.IO && e.Code != record.Sandboxed || e.Hint.Empty() {
		t.Errorf("got %#v, want IO or SANDBOXED with a hint", err)
	}
	message := err.Error()
	for path := c.Path; path != tr.dir; path = filepath.Dir(path) {
		if strings.Contains(message, path) && !strings.Contains(message, "\n") {
			return
		}
	}
	t.Errorf("%q does not name %s on one line", message, c.Path)
}

// short is a path as a test's name has it: from the house, and without the random part of temporary names.
func (tr *trial) short(path string) string {
	rel, err := filepath.Rel(tr.dir, path)
	if err != nil {
		return path
	}
	folder, base := filepath.Split(rel)
	if atomicfile.IsTemp(base) {
		base = "temporary"
	}
	return filepath.ToSlash(filepath.Join(folder, base))
}
