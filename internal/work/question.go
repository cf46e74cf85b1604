package work

import (
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Question is what a job asked, as each place has it that may know the answer: its work tree, the workspace, and the
// branches that were fetched.
func Question(s *store.Store, one job.Job) (versions []ledger.Handoff) {
	id := one.Status.Question
	from := []*store.Store{s}
	if rel, err := filepath.Rel(s.Worktree, s.Root); err == nil && one.Status.Worktree != "" {
		if there, err := store.Open(filepath.Join(one.Status.Worktree, rel), s.StateDir()); err == nil {
			from = []*store.Store{there, s}
		}
	}
	for _, at := range from {
		if h, err := kind.Handoffs.Get(at, ledger.HandoffID(id)); err == nil {
			versions = append(versions, h)
		}
	}
	for _, other := range s.Others().Read(kind.Handoffs.Kind) {
		if other.ID != id {
			continue
		}
		src, err := s.Others().Text(other)
		if err != nil {
			continue
		}
		if h, err := kind.Handoffs.Parse(src); err == nil {
			versions = append(versions, h)
		}
	}
	return versions
}

// Outcome is what came of the question of a job: an answer, wherever it is known from, rather than that its time is up.
func Outcome(s *store.Store, one job.Job, now time.Time) (came ledger.Outcome, settled bool) {
	for _, h := range Question(s, one) {
		if said, ok := h.Outcome(now); ok && (!settled || came.By == "") {
			came, settled = said, true
		}
	}
	return came, settled
}
