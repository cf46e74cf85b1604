package trees

import (
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Retry is the call that tries a job again, with fresh where it would not get far otherwise (Fresh).
func Retry(s *store.Store, one job.Job) record.Call {
	if Fresh(s, one) {
		return record.CallTo("job retry", "", one.Spec.Job, "fresh", true).OnlyShown()
	}
	return record.CallTo("job retry", "", one.Spec.Job).OnlyShown()
}

// Fresh reports whether a job is tried again at the base alone: its branch has what it may not have, or the set-up of
// its work tree failed; or the work tree lacks the workspace or the task, or has the task closed.
func Fresh(s *store.Store, one job.Job) bool {
	if one.Status.Reason == job.Policy {
		return true
	}
	all, err := work.Trees(s, time.Now)
	if err != nil {
		return false
	}
	tree, made, err := all.Find(one.Spec.Task)
	if err != nil || !made {
		return false
	}
	if one.Status.Reason == job.Setup {
		return true
	}
	at, err := store.Open(tree.Root, "")
	if err != nil || at.Root != tree.Root {
		return true
	}
	t, err := kind.Tasks.Get(at, one.Spec.Task)
	return err != nil || at.Config.Flow.IsClosed(t.Status)
}
