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
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/record"
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
	if err := d.MakeLive(); err != nil {
		return nil, err
	}
	path := d.RunsLock()
	lock, err := filelock.AcquireWithin(ctx, path, d.Patience)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, record.Errorf(record.Busy, "checks are running in this worktree, for %s", readHolder(path)).
			WithHint("try again when they are done")
	case err != nil:
		return nil, problem.Live(string(d.Live), err)
	}
	if err := disk.WriteFile(path+".holder", []byte(holder)); err != nil {
		return nil, errors.Join(problem.Live(string(d.Live), err), lock.Release())
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

func readHolder(path string) string {
	src, err := disk.ReadRegular(path+".holder", maxHolder)
	name, _, _ := strings.Cut(strings.TrimSpace(string(src)), "\n")
	if err != nil || name == "" || strings.ContainsFunc(name, unicode.IsControl) {
		return "another process"
	}
	return name
}

// Write writes the log of a run under .cairn/runs, which git ignores, and returns its path from the workspace root. Of
// the task's older logs the newest 19 stay.
func (d Dir) Write(id record.ID, at time.Time, write func(io.Writer) error) (string, error) {
	if err := problem.IO(disk.MakeVolatile(d.Top(), d.RunsDir())); err != nil {
		return "", err
	}
	f, err := d.newLog(id, at)
	if err != nil {
		return "", problem.IO(err)
	}
	err = errors.Join(write(f), f.Close())
	d.pruneLogs(id, filepath.Base(f.Name()))
	return d.Rel(f.Name()), problem.IO(err)
}

// newLog creates a file with a new name, even for two runs that end at the same moment.
func (d Dir) newLog(id record.ID, at time.Time) (*disk.File, error) {
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s-%s.log", id, logStamp(at))
		if n > 0 {
			name = fmt.Sprintf("%s-%s-%d.log", id, logStamp(at), n)
		}
		f, err := disk.Create(filepath.Join(d.RunsDir(), name), 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// logsKept is how many logs of a task there are at most.
const logsKept = 20

// runLog is a log, by its name.
type runLog struct {
	name string
	at   string // a stamp of fixed width, in UTC, so text order is time order
	nth  int    // of those with the same stamp
}

// stampLayout is the form of the time in a log's name, logForm that of everything after the id and the dash.
const stampLayout = "20060102T150405.000Z"

var logForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{8}T\d{6}\.\d{3}Z)(?:-([1-9]\d*))?\.log$`)
})

func logStamp(at time.Time) string { return at.UTC().Format(stampLayout) }

// pruneLogs removes a task's oldest logs, but never the one that was just written, whatever the clock says. Logs that
// cannot be listed or removed stay: a run does not fail because of an old log.
func (d Dir) pruneLogs(id record.ID, written string) {
	logs := d.logs(id)
	logs = slices.DeleteFunc(logs, func(l runLog) bool { return l.name == written })
	for _, old := range logs[:max(0, len(logs)-(logsKept-1))] {
		_ = disk.RemoveFile(filepath.Join(d.RunsDir(), old.name))
	}
}

// logs lists the logs of a task, oldest first: regular files with a name that Write gives for exactly this id.
func (d Dir) logs(id record.ID) (logs []runLog) {
	entries, _ := os.ReadDir(d.RunsDir())
	for _, e := range entries {
		if l, ok := parseLog(id, e.Name()); ok && e.Type().IsRegular() {
			logs = append(logs, l)
		}
	}
	slices.SortFunc(logs, runLog.compare)
	return logs
}

func (l runLog) compare(other runLog) int {
	return cmp.Or(cmp.Compare(l.at, other.at), cmp.Compare(l.nth, other.nth))
}

// Log is a log of a run of checks.
type Log struct {
	Path     string // from the workspace root, with forward slashes
	Worktree string // the name of the folder of the worktree; "" for this one
}

// Logs lists the logs of a task in all worktrees of the clone, the newest first. Worktrees that cannot be read are left
// out, and if git cannot list the worktrees, only this one is read.
func (d Dir) Logs(ctx context.Context, id record.ID) []Log {
	type found struct {
		runLog
		Log
	}
	var all []found
	for _, there := range d.everywhere(ctx) {
		name := ""
		if there.Worktree != d.Worktree {
			name = filepath.Base(there.Worktree)
		}
		for _, l := range there.logs(id) {
			all = append(all, found{l, Log{d.Rel(filepath.Join(there.RunsDir(), l.name)), name}})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return b.compare(a.runLog) })
	out := make([]Log, len(all))
	for i, f := range all {
		out[i] = f.Log
	}
	return out
}

// everywhere is this workspace in each worktree that has it, this one first.
func (d Dir) everywhere(ctx context.Context) []Dir {
	tops, err := d.Worktrees(ctx)
	if err != nil {
		return []Dir{d}
	}
	var out []Dir
	for _, top := range tops {
		if there, err := d.InWorktree(top); err == nil {
			out = append(out, Dir{there, d.Patience})
		}
	}
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

// parseLog parses the name of a log of one task. Only a stamp may follow the id, so an id that begins another one does
// no harm.
func parseLog(id record.ID, name string) (runLog, bool) {
	rest, ok := strings.CutPrefix(name, string(id)+"-")
	m := logForm().FindStringSubmatch(rest)
	if !ok || m == nil {
		return runLog{}, false
	}
	nth, _ := strconv.Atoi(m[2])
	return runLog{name, m[1], nth}, true
}
