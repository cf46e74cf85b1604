// Package evidence holds the verb that lists what was signed about tasks.
package evidence

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/statements"
)

// Verbs are the verbs of evidence.
var Verbs = verb.Group{Name: "tasks", Noun: "evidence", Toolset: verb.Admin}.Of(
	verb.Declare(List, verb.Verb{Name: "evidence_list", Title: "List evidence",
		Summary: "List what witnesses and persons have signed about closed tasks and checked changes, and whether it counts.",
		When:    "To see why a close is witnessed, or is not.",
	}),
)

// ListIn is the input of List.
type ListIn struct {
	ID record.ID `json:"id,omitempty" doc:"task that it is about; all by default" cli:"arg"`
}

// ListOut is the evidence.
type ListOut struct {
	Evidence []Row `json:"evidence" result:"rows"`
}

// Row is one statement.
type Row struct {
	Of     string       `json:"of"`            // the task, or the commit of a change
	Commit string       `json:"commit"`        // that it is about
	States string       `json:"states"`        // close or change
	By     record.Actor `json:"by,omitempty"`  // whose key signed it
	Key    string       `json:"key,omitempty"` // its fingerprint, as the envelope says
	Counts bool         `json:"counts"`
	Why    string       `json:"why,omitempty"` // why it counts for nothing
	Hash   string       `json:"hash"`          // of the envelope
}

// Rows are statements, as they are shown.
func Rows(all []statements.Statement) []Row {
	return record.Each(all, func(s statements.Statement) Row {
		r := Row{Of: s.Of, By: s.By, Key: s.KeyID, Counts: s.Why == "", Why: s.Why, Hash: s.Hash}
		switch {
		case s.Change != nil:
			r.States, r.Commit = "change", s.Change.Head
		case s.Close != nil:
			r.States, r.Commit = "close", s.Close.Commit
		}
		return r
	})
}

// List lists the statements that this clone has. It asks no remote.
func List(ctx context.Context, w *verb.Workspace, s *store.Store, in ListIn) (ListOut, error) {
	all, err := statements.Of(s, w.Now).Read(ctx, string(in.ID))
	return ListOut{verb.NoNil(Rows(all))}, err
}
