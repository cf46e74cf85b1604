// Package runs has what runs of checks share: the lock that lets one run at a time work in a worktree, and the logs of
// their output.
package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Dir is where the runs of a workspace are kept.
type Dir struct {
	live.Clone
	Patience time.Duration // how long Lock waits for another run
}

// Lock takes the lock under which checks run, one run at a time in a worktree, since two would see each other's files.
// holder names this run to others that wait. It returns BUSY, with the name of the present holder, after d.Patience.
// The lock ends with the process at the latest.
func (d Dir) Lock(ctx context.Context, holder string) (release func(), err error) {
	lockPath := d.RunsLock()
	lock, err := d.Clone.Lock(ctx, lockPath, d.Patience, "checks in this worktree", "")
	if record.CodeOf(err) == record.Busy {
		src, unread := disk.ReadRegular(lockPath+".holder", maxHolder)
		name, _, _ := strings.Cut(strings.TrimSpace(string(src)), "\n")
		if unread != nil || name == "" || strings.ContainsFunc(name, unicode.IsControl) {
			name = "another process"
		}
		return nil, record.Errorf(record.Busy, "checks are running in this worktree, for %s", name).
			WithHint("try again when they are done")
	}
	if err != nil {
		return nil, err
	}
	if err := disk.WriteFile(lockPath+".holder", []byte(holder)); err != nil {
		return nil, errors.Join(d.Live.Failed(err), lock.Release())
	}
	return func() { _ = lock.Release() }, nil
}

// Forget removes what Lock leaves in live state, of a worktree that is about to be thrown away.
func (d Dir) Forget() {
	for _, path := range []string{d.RunsLock(), d.RunsLock() + ".holder"} {
		_ = disk.RemoveFile(path) // a few bytes stay if it fails
	}
}

// Drop removes a log that Write has written, by the path that it returned. One that cannot be removed stays.
func (d Dir) Drop(path string) {
	if log := d.Abs(path); filepath.Dir(log) == d.RunsDir() {
		_ = disk.RemoveFile(log)
	}
}

const maxHolder = 4 << 10 // bytes

// LogsKept is how many logs of a task there are at most.
const LogsKept = 20

// Write writes the log of a run under .cairn/runs, which git ignores, and returns its path from the workspace root. Of
// the task's older logs the newest 19 stay, whatever the clock says. Logs that cannot be listed or removed stay: a run
// does not fail because of an old log.
func (d Dir) Write(id record.ID, at time.Time, write func(io.Writer) error) (string, error) {
	if err := problem.IO(disk.MakeVolatile(d.Top(), d.RunsDir())); err != nil {
		return "", err
	}
	stem := fmt.Sprintf("%s-%s", id, at.UTC().Format(stampLayout))
	name := stem + ".log"
	f, err := disk.Create(filepath.Join(d.RunsDir(), name), 0o644)
	for n := 1; errors.Is(err, fs.ErrExist); n++ { // two runs may end at the same moment
		name = fmt.Sprintf("%s-%d.log", stem, n)
		f, err = disk.Create(filepath.Join(d.RunsDir(), name), 0o644)
	}
	if err != nil {
		return "", problem.IO(err)
	}
	err = errors.Join(write(f), f.Close())
	old := slices.DeleteFunc(d.logs(id), func(other string) bool { return other == name })
	for _, other := range old[:max(0, len(old)-(LogsKept-1))] {
		_ = disk.RemoveFile(filepath.Join(d.RunsDir(), other))
	}
	return d.Rel(f.Name()), problem.IO(err)
}

// stampLayout is the form of the time in a log's name, logForm that of everything after the id and the dash.
const stampLayout = "20060102T150405.000Z"

var logForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{8}T\d{6}\.\d{3}Z)(?:-([1-9]\d*))?\.log$`)
})

// orderOf is a text by which the logs of a task are sorted by time; "" for a name that Write gives no log of the task.
// Only a stamp may follow the id, so an id that begins another one does no harm.
func orderOf(id record.ID, name string) string {
	rest, ok := strings.CutPrefix(name, string(id)+"-")
	m := logForm().FindStringSubmatch(rest)
	if !ok || m == nil {
		return ""
	}
	return fmt.Sprintf("%s%9s", m[1], m[2])
}

// logs lists the names of the logs of a task, the oldest first: regular files that Write has named for exactly this id.
func (d Dir) logs(id record.ID) (names []string) {
	entries, _ := os.ReadDir(d.RunsDir())
	for _, e := range entries {
		if orderOf(id, e.Name()) != "" && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	sorted.By(names, func(a, b string) int { return cmp.Compare(orderOf(id, a), orderOf(id, b)) })
	return names
}

// Log is a log of a run of checks.
type Log struct {
	Path     string // from the workspace root, with forward slashes
	Worktree string // the name of the folder of the worktree; "" for this one
}

// Logs lists the logs of a task in all worktrees of the clone, the newest first. Worktrees that cannot be read are left
// out, and if git cannot list the worktrees, only this one is read.
func (d Dir) Logs(ctx context.Context, id record.ID) []Log {
	places := []live.Clone{d.Clone}
	if tops, err := d.Worktrees(ctx); err == nil {
		places = nil
		for _, top := range tops {
			if there, err := d.InWorktree(top); err == nil {
				places = append(places, there)
			}
		}
	}
	out := []Log{}
	for _, there := range places {
		name := ""
		if there.Worktree != d.Worktree {
			name = filepath.Base(there.Worktree)
		}
		for _, log := range (Dir{there, d.Patience}).logs(id) {
			out = append(out, Log{d.Rel(filepath.Join(there.RunsDir(), log)), name})
		}
	}
	sorted.By(out, func(a, b Log) int {
		return cmp.Compare(orderOf(id, path.Base(b.Path)), orderOf(id, path.Base(a.Path)))
	})
	return out
}

// MaxLog is the most that Read returns, in bytes.
const MaxLog = 1 << 20

// Read reads the end of a log from Logs, limit bytes at most, and reports whether its beginning was left out. A log
// that is gone by now is empty.
func (d Dir) Read(path string, limit int64) (text string, cut bool, err error) {
	f, err := disk.OpenRegular(filepath.Join(d.Root, filepath.FromSlash(path)))
	if problem.Missing(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, problem.IO(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", false, problem.IO(err)
	}
	start := max(0, info.Size()-min(limit, MaxLog))
	src, err := io.ReadAll(io.NewSectionReader(f, start, info.Size()-start))
	return strings.ToValidUTF8(string(src), "\uFFFD"), start > 0, problem.IO(err)
}
