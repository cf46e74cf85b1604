package store

import (
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/internal/disk"
)

// A call that came with an idempotency key is remembered in a file of live state, named after a hash of the call. What
// such a call appended to a task says so too, for as long as the task lives; the file is for calls whose task nobody could
// name again (create), for those that changed nothing, and for telling that a key was used on another task.

// keysKept is how long live state remembers a call. Nobody repeats one after that.
const keysKept = 30 * 24 * time.Hour

// Key returns what the clone remembers of a call, or nil.
func (s *Store) Key(call string) *session.Key {
	return readLive(s.key(call), func(src []byte) (session.Key, error) { return session.ParseKey(src, call) })
}

// putKey remembers a call, and once a day forgets those of long ago.
func (s *Store) putKey(k *session.Key) error {
	if k == nil {
		return nil
	}
	if err := s.writeJSON(s.key(k.Call), k); err != nil {
		return err
	}
	return s.forgetKeys()
}

// forgetKeys goes by the clock of the file system. A file of its own says when that was done last.
func (s *Store) forgetKeys() error {
	dir := filepath.Dir(s.key(""))
	done := filepath.Join(dir, "forgotten")
	if info, err := os.Lstat(done); err == nil && time.Since(info.ModTime()) < 24*time.Hour {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return s.liveError(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > keysKept {
			_ = disk.RemoveFile(filepath.Join(dir, e.Name())) // else the next time
		}
	}
	return s.liveError(disk.WriteFile(done, nil))
}
