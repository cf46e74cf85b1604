package catalogue_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/internal/verb/proposals"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/task"
)

// get, note, wait and history take the id of a record of any kind.
func TestRecordsByTheirIDs(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	proposed, err := verbtest.Call[proposals.Proposal](t, w, "propose", verbtest.Args{"summary": "Two rooms", "tasks": []verbtest.Args{{"title": "One"}}})
	if err != nil {
		t.Fatal(err)
	}
	id := proposed.Proposal
	noted, err := verbtest.Call[verb.Record](t, w, "note", verbtest.Args{"id": id, "text": "and a hall", "idempotency_key": "k"})
	if err != nil || noted.Kind != task.ProposalKind || len(noted.Provenance) != 2 || noted.Fields["tasks"] == nil {
		t.Errorf("noted %+v, %v", noted, err)
	}
	if again, err := verbtest.Call[verb.Record](t, w, "note", verbtest.Args{"id": id, "text": "and a hall", "idempotency_key": "k"}); err != nil || !again.Replayed || again.Rev != noted.Rev {
		t.Errorf("noted again %+v, %v", again, err)
	}
	if row, err := verbtest.Call[verb.RecordRow](t, w, "get", verbtest.Args{"id": id, "mode": "summary"}); err != nil || row.Title != "Two rooms" || row.Rev != noted.Rev {
		t.Errorf("the row is %+v, %v", row, err)
	}
	if part, err := verbtest.Call[tasks.Part](t, w, "get", verbtest.Args{"id": id, "part": "provenance", "offset": 1}); err != nil || len(part.Entries) != 1 || part.Entries[0].Did != record.Noted {
		t.Errorf("the part is %+v, %v", part, err)
	}
	if _, err := verbtest.Call[any](t, w, "get", verbtest.Args{"id": id, "include": []string{"blockers"}}); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("a context of a proposal: %v", err)
	}
	first, err := verbtest.Call[activity.Waited](t, w, "wait", verbtest.Args{"id": id, "timeout_seconds": 0})
	if err != nil || first.Code != activity.WaitTimeout || first.Record == nil || first.Record.ID != id {
		t.Errorf("waited %+v, %v", first, err)
	}
	verbtest.Must(t, w, "note", verbtest.Args{"id": id, "text": "and a door"})
	then, err := verbtest.Call[activity.Waited](t, w, "wait", verbtest.Args{"id": id, "timeout_seconds": 0, "cursor": first.Cursor})
	if err != nil || then.Code != activity.ChangedSinceCursor || len(then.Entries) != 1 || then.Entries[0].Text != "and a door" {
		t.Errorf("waited %+v, %v", then, err)
	}
	if _, err := verbtest.Call[any](t, w, "wait", verbtest.Args{"id": id, "timeout_seconds": 0, "wait_for_status": []string{"done"}}); record.CodeOf(err) != record.InvalidParams {
		t.Errorf("a proposal is in a state: %v", err)
	}
	if _, err := verbtest.Call[any](t, w, "create", verbtest.Args{"title": "x", "deps": []string{id}}); record.CodeOf(err) != record.DanglingDep {
		t.Errorf("a task waits for a proposal: %v", err)
	}
	scoped := *w
	scoped.Scope = "PROJ-1"
	if _, err := verbtest.Call[any](t, &scoped, "note", verbtest.Args{"id": id, "text": "x"}); record.CodeOf(err) != record.OutOfScope {
		t.Errorf("out of scope it is noted: %v", err)
	}
}

// A session is read by get, waited for by its id, noted, and has its entries in its history.
func TestSessionsByTheirIDs(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	made := verbtest.Must(t, w, "create", verbtest.Args{"title": "One"})
	ses := verbtest.Must(t, w, "begin", verbtest.Args{"id": made.ID, "expected_actor": string(w.Actor()), "idempotency_key": "k"})
	if got, err := verbtest.Call[verb.Session](t, w, "get", verbtest.Args{"id": ses.ID}); err != nil || string(got.Task) != made.ID {
		t.Errorf("read %+v, %v", got, err)
	}
	if got, err := verbtest.Call[activity.Waited](t, w, "wait", verbtest.Args{"id": ses.ID, "timeout_seconds": 0}); err != nil || got.Session == nil || got.Session.ID != ses.ID {
		t.Errorf("waited %+v, %v", got, err)
	}
	if got, err := verbtest.Call[activity.HistoryOut](t, w, "history", verbtest.Args{"id": ses.ID}); err != nil || got.Total != 1 || got.Entries[0].Record != ses.ID {
		t.Errorf("its history is %+v, %v", got, err)
	}
	if got, err := verbtest.Call[verb.Session](t, w, "note", verbtest.Args{"id": ses.ID, "text": "half way"}); err != nil || got.ID != ses.ID {
		t.Errorf("noted %+v, %v", got, err)
	}
	if got, err := verbtest.Call[verb.Session](t, w, "get", verbtest.Args{"id": ses.ID, "include": []string{"comments"}}); err != nil || got.Comments == nil || got.Comments.Total != 1 || got.Comments.Comments[0].Text != "half way" {
		t.Errorf("its comments are %+v, %v", got.Comments, err)
	}
	if got, err := verbtest.Call[activity.HistoryOut](t, w, "history", verbtest.Args{"kind": "session"}); err != nil || got.Total != 1 || got.Entries[0].Text != "half way" {
		t.Errorf("the history of sessions is %+v, %v", got, err)
	}
}
