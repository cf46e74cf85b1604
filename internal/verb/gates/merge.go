package gates

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// byMerge returns MERGE_REQUIRED if the config has tasks closed by merging their branches (close_by: merge), the write
// would close the task as done, and its branch is not merged. A task whose branch has no changes is closed as ever, and
// any task may be abandoned.
func (tr Transition) byMerge(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task) error {
	flow := s.Config.Flow
	if !s.Config.CloseByMerge || tr.Merged != nil || flow.IsClosed(t.Status) || !flow.IsClosed(tr.To) || flow.IsAbandoned(tr.To) {
		return nil
	}
	branch, unmerged, err := verb.OwnWork().Unmerged(ctx, w, s, t)
	if err != nil || !unmerged {
		return err
	}
	return record.Errorf(record.MergeRequired, "is closed by merging its branch %s, which is not merged", branch).
		WithHint("%s asks the gates of what is merged, and closes it", record.CallTo("review_apply", "id", t.ID, "action", "merge"))
}

// allByMerge is byMerge for several tasks.
func (tr Transition) allByMerge(ctx context.Context, w *verb.Workspace, s *store.Store, ids []record.ID) error {
	if tr.To == "" || !s.Config.CloseByMerge {
		return nil
	}
	for _, id := range ids {
		t, err := kind.Tasks.Get(s, id)
		if err == nil {
			err = tr.byMerge(ctx, w, s, t)
		}
		if err != nil {
			return verb.WithID(err, id)
		}
	}
	return nil
}
