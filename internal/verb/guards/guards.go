// Package guards shows on which files the checks of a task stand.
package guards

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Verbs are the verbs about guarded files.
var Verbs = verb.Group{Name: "tasks", Toolset: verb.Records}.Of(
	verb.Declare(Guards, verb.Verb{Name: "guards", Title: "Show guarded files",
		Summary: "Show on which files each command check of a task stands and why, and which of them the work has changed.",
		When:    "Before changing a test, a script that a check runs or what configures a runner; and after GUARDS_CHANGED.",
	}),
	verb.Declare(Verify, verb.Verb{Name: "verify", Title: "Verify closed tasks", Kind: verb.Run, Idempotent: true, Runs: true, Exit: exitOfVerify, Toolset: verb.Admin,
		Profile: verb.PairWorker,
		Summary: "Run the checks of closed tasks again, each in an empty folder with the files of the commit that closed it.",
		When:    "To see what still holds. Nothing in the record changes. With matrix it tells whether a check was seen to fail without the work.",
	}),
)

// In is the input of Guards.
type In struct {
	ID record.ID `json:"id" doc:"task whose checks to look at" cli:"arg"`
}

// Out is what the commands of a task stand on.
type Out struct {
	ID     record.ID      `json:"id"`
	Base   string         `json:"base,omitempty"` // the commit with which the files are compared: where the work began; "" if it is not known
	Checks []gates.Stands `json:"checks" result:"rows"`
}

// Guards lists the files on which the commands of a task stand. It runs nothing.
func Guards(ctx context.Context, w *verb.Workspace, s *store.Store, in In) (Out, error) {
	t, err := kind.Tasks.Get(s, in.ID)
	if err != nil {
		return Out{}, err
	}
	base, checks, err := gates.StandsOn(ctx, w, s, t)
	return Out{ID: t.ID, Base: base, Checks: verb.NoNil(checks)}, verb.WithID(err, in.ID)
}
