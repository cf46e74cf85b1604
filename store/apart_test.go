package store_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// heldElsewhere is who holds a task, and whether the file in a worktree is behind.
func heldElsewhere(t *testing.T, s *store.Store, id record.ID) (session.Claim, session.Claim) {
	t.Helper()
	one, err := kind.Tasks.Get(s, id)
	if err != nil {
		t.Fatal(err)
	}
	known := s.Known(id.Ref())
	return session.Holder(one.Header(), known, time.Now()), session.IsBehind(one.Header(), known)
}

// Nothing that is written in a worktree apart reaches the clone before it is applied, and then all of it does.
func TestWritesApart(t *testing.T) {
	repo := storetest.NewRepo(t)
	s := storetest.NewAt(t, repo)
	lee := storetest.NewActor(s, "human:lee")
	const id = record.ID("PROJ-1")
	storetest.WantCode(t, lee.CreateAs(id, "Task"), "")
	storetest.CommitAll(t, s)
	linked := storetest.Open(t, storetest.LinkWorktree(t, repo))
	storetest.WantCode(t, lee.Claim(id), "")
	before := s.State(id.Ref())

	apart, later := linked.Apart()
	there := storetest.NewActor(apart, "human:lee")
	storetest.WantCode(t, there.Move(id, "in_progress"), "")
	storetest.WantCode(t, there.Release(id), "")
	storetest.WantCode(t, there.Note(id, "and done"), "")
	if now := s.State(id.Ref()); now == nil || now.Entry != before.Entry || now.Lease == nil {
		t.Fatalf("the clone was told %+v, had %+v", now, before)
	}
	if _, behind := heldElsewhere(t, s, id); behind.Ahead {
		t.Fatalf("the file of the first worktree is behind: %+v", behind)
	}
	if layout.Exists(s.Live.Redo()) {
		t.Error("a redo log is left")
	}

	storetest.WantCode(t, later.Apply(t.Context(), s, "other", "", s.Head(t.Context()).Commit), "")
	hold, behind := heldElsewhere(t, s, id)
	if hold.Live() || !behind.Ahead || behind.Status != "in_progress" || behind.Branch != "other" {
		t.Errorf("afterwards it is held %+v and behind %+v", hold, behind)
	}
	if _, behind := heldElsewhere(t, linked, id); behind.Ahead {
		t.Errorf("the file that has it all is behind: %+v", behind)
	}
}

// What was never applied leaves nothing.
func TestWritesApartThatAreDropped(t *testing.T) {
	repo := storetest.NewRepo(t)
	s := storetest.NewAt(t, repo)
	const id = record.ID("PROJ-1")
	storetest.WantCode(t, storetest.NewActor(s, "human:lee").CreateAs(id, "Task"), "")
	storetest.CommitAll(t, s)
	dir := storetest.LinkWorktree(t, repo)
	apart, _ := storetest.Open(t, dir).Apart()
	storetest.WantCode(t, storetest.NewActor(apart, "human:lee").Move(id, "in_progress"), "")
	storetest.Git(t, repo, "worktree", "remove", "--force", dir)
	if state := s.State(id.Ref()); state != nil && len(state.Progress) > 0 {
		t.Errorf("the clone knows %+v", state)
	}
	storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note(id, "later"), "")
}
