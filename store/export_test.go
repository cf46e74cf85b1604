package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
)

// The names that tests have for what is this package's own.
const (
	BareText       = bareText
	ConfigTemplate = configTemplate
	FullAt         = fullAt
	GitPatience    = gitPatience
	GitQuiet       = gitQuiet
	LockPatience   = lockPatience
	MaxRedo        = maxRedo
	SectionBegin   = sectionBegin
	SectionEnd     = sectionEnd
)

var (
	SectionLines = sectionLines
	WithSection  = withSection
)

// The parts of a redo log.
type (
	Redo     = redo
	RedoFile = redoFile
	RedoLive = redoLive
)

// Bare is bare.
func Bare(e record.Entry) bool { return bare(e) }

// BeforePublish has fn called between the last read of a file and giving it its name.
func (s *Store) BeforePublish(fn func(path string)) { s.beforePublish = fn }

// SetLockPatience sets how long a write waits for its turn.
func (s *Store) SetLockPatience(d time.Duration) { s.lockPatience = d }

// LockWrites takes the write lock.
func (s *Store) LockWrites(ctx context.Context) (*filelock.Lock, error) { return s.lock(ctx) }

// GitLock is the path of git's lock.
func (s *Store) GitLock() string { return gitActivity{s.Repo}.lock() }

// Mark leaves the log of a writer that was killed before it had decided.
func (s *Store) Mark() error { return (redoLog{s.Clone}).begin() }

// LogText is the text of a complete redo log of a writer in a worktree.
func LogText(worktree string, r Redo) string {
	line, err := json.Marshal(writtenIn{Worktree: worktree})
	if err != nil {
		panic(err)
	}
	return string(line) + "\n" + string(r.sealed())
}

// ReadLog returns the steps of the redo log that lies in live state; nil for one that is not complete.
func ReadLog(l layout.Live) (*Redo, error) {
	_, steps, err := redoLog{live.Clone{Layout: layout.Layout{Live: l}}}.read()
	return steps, err
}

// NewCache is a cache that believes files that are older than grain.
func NewCache(grain time.Duration) *Cache { return &Cache{grain: grain} }

// FileStamp is disk.Stamp.
type FileStamp = disk.Stamp

// StampOf is disk.StampOf.
func StampOf(path string) FileStamp { return disk.StampOf(path) }
