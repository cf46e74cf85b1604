package store

import (
	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// PairFolder makes the folder for what the agent of a pair is to read, and returns its path. It lies outside of all work trees, and may be deleted
// when no agent runs.
func (s *Store) PairFolder(id task.ID) (string, error) {
	if err := s.MakeLive(); err != nil {
		return "", err
	}
	dir := s.Live.Pair(id)
	if err := disk.MakeVolatile(string(s.Live), dir); err != nil {
		return "", s.Live.Failed(err)
	}
	return dir, nil
}
