package gates

import (
	"cmp"
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// BeganAt is the commit where the work on a task began that is done in this checkout; "" for none.
func BeganAt(ctx context.Context, s *store.Store, t task.Task) (string, error) {
	files, err := FilesOf(s, t)
	if err != nil || files.Layout.Repo == nil {
		return "", err
	}
	return beganAt(ctx, s, t, files)
}

// beganAt is the commit where the work on a task began: that of its first session since it was last opened, else the
// newest that is not later than the entry that began it. Where the branch has since taken in more of the branch that it
// goes to, it is the newest commit of that. "" is none.
func beganAt(ctx context.Context, s *store.Store, t task.Task, files store.Files) (string, error) {
	repo := files.Layout.Repo
	head := files.Head(ctx).Commit
	if head == "" {
		return "", nil
	}
	began, err := firstCommit(ctx, s, t, files, head)
	if err != nil {
		return "", err
	}
	into := ""
	if goes := verb.OwnWork().GoesInto; goes != nil {
		into = goes(s, t)
	}
	return repo.History().WorkFrom(ctx, head, began, into)
}

// firstCommit is the commit at which the first attempt at a task began since it was last open: as its session has it, or
// the claim of this clone, or else the newest one that is not later than the entry which began it.
func firstCommit(ctx context.Context, s *store.Store, t task.Task, files store.Files, head string) (string, error) {
	n := s.Config.Flow.Began(t)
	if n < 0 {
		return head, nil
	}
	first := t.Provenance[n]
	switch known := knownStart(ctx, s, t, first); {
	case files.Repo != "" || known == "":
	case known == head:
		return head, nil
	default:
		if at, err := files.Layout.Repo.Commit(ctx, known); err != nil || at != "" {
			return at, err
		}
	}
	at, err := files.Layout.Repo.History().At(ctx, head, first.At)
	return cmp.Or(at, head), err
}

// knownStart is the commit at which work on a task began with an entry, as the session or the claim of this clone has
// it, the earlier of both since a session's record can be edited; "" if neither is known. It is one of the workspace's own
// repository.
func knownStart(ctx context.Context, s *store.Store, t task.Task, began record.Entry) string {
	bySession, byClaim := "", ""
	if began.Session != "" {
		if ses, err := kind.Sessions.Get(s, began.Session); err == nil {
			bySession = cmp.Or(ses.Base, ses.Head)
		}
	}
	state := s.State(t.ID.Ref())
	if state != nil && state.Lease != nil && state.Lease.Since.Truncate(time.Second).Equal(began.At) {
		byClaim = state.Lease.Head
	}
	if s.Repo != nil && bySession != "" && byClaim != "" && byClaim != bySession {
		if earlier, err := s.Repo.History().Contains(ctx, bySession, byClaim); err == nil && earlier {
			return byClaim
		}
	}
	return cmp.Or(bySession, byClaim)
}
