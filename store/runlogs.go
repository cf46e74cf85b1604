package store

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// logsKept is how many logs of a task there are at most.
const logsKept = 20

// runLog is a log by what its name says.
type runLog struct {
	name string
	at   string // a stamp of fixed width, in UTC, so text order is time order
	nth  int    // of that moment
}

// stampLayout is the time in a log's name, logForm what follows the id and the dash.
const stampLayout = "20060102T150405.000Z"

var logForm = regexp.MustCompile(`^(\d{8}T\d{6}\.\d{3}Z)(?:-([1-9]\d*))?\.log$`)

func logStamp(at time.Time) string { return at.UTC().Format(stampLayout) }

// pruneLogs removes a task's oldest logs, but never the one named, which was just written, whatever the clock says. What
// cannot be listed or removed stays: a run does not fail because of an old log.
func (s *Store) pruneLogs(id task.ID, written string) {
	logs := s.logs(id)
	logs = slices.DeleteFunc(logs, func(l runLog) bool { return l.name == written })
	for _, old := range logs[:max(0, len(logs)-(logsKept-1))] {
		_ = disk.RemoveFile(filepath.Join(s.RunsDir(), old.name))
	}
}

// logs lists the logs of a task, oldest first: plain files with a name that WriteLog gives for exactly this id.
func (s *Store) logs(id task.ID) (logs []runLog) {
	entries, _ := os.ReadDir(s.RunsDir())
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
	Worktree string // name of the folder of the other worktree that it lies in; "" for this one
}

// Logs lists the logs of a task in all worktrees of the clone, the newest first. A worktree that cannot be looked into has
// none, and where git cannot say which there are, only this one is looked into.
func (s *Store) Logs(ctx context.Context, id task.ID) []Log {
	type found struct {
		runLog
		Log
	}
	var all []found
	for _, there := range s.everywhere(ctx) {
		name := ""
		if there.Worktree != s.Worktree {
			name = filepath.Base(there.Worktree)
		}
		for _, l := range there.logs(id) {
			all = append(all, found{l, Log{s.rel(filepath.Join(there.RunsDir(), l.name)), name}})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return b.compare(a.runLog) })
	out := make([]Log, len(all))
	for i, f := range all {
		out[i] = f.Log
	}
	return out
}

// everywhere is this workspace in each worktree of the clone that has it, this one first.
func (s *Store) everywhere(ctx context.Context) []*Store {
	out := []*Store{s}
	if s.Repo == nil {
		return out
	}
	tops, err := s.worktrees(ctx)
	if err != nil {
		return out
	}
	for _, top := range tops {
		if there, err := s.inWorktree(top); err == nil && there.Worktree != s.Worktree {
			out = append(out, there)
		}
	}
	return out
}

// MaxLog is the most that ReadLog returns, in bytes.
const MaxLog = 1 << 20

// ReadLog reads the end of a log that Logs listed, limit bytes at most, and reports whether its beginning was left out. One
// that is gone by now is empty.
func (s *Store) ReadLog(path string, limit int64) (text string, cut bool, err error) {
	f, err := disk.OpenRegular(filepath.Join(s.Root, filepath.FromSlash(path)))
	if isMissing(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, ioError(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", false, ioError(err)
	}
	start := max(0, info.Size()-min(limit, MaxLog))
	src, err := io.ReadAll(io.NewSectionReader(f, start, info.Size()-start))
	return strings.ToValidUTF8(string(src), "\uFFFD"), start > 0, ioError(err)
}

// parseLog reads the name of a log of one task. That ids may begin like other ids does not matter: behind the id nothing
// but a stamp may follow.
func parseLog(id task.ID, name string) (runLog, bool) {
	rest, ok := strings.CutPrefix(name, string(id)+"-")
	m := logForm.FindStringSubmatch(rest)
	if !ok || m == nil {
		return runLog{}, false
	}
	nth, _ := strconv.Atoi(m[2])
	return runLog{name, m[1], nth}, true
}
