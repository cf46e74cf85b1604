package tasks

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/task"
)

// AttestIn is the input of Attest.
type AttestIn struct {
	ID    record.ID `json:"id" doc:"task whose check it is" cli:"arg"`
	Check string    `json:"check" doc:"its index from 0, or its description or a part of it" cli:"arg" from:"manual-checks"`
	Pass  bool      `json:"pass" doc:"true if the check passes" cli:"not=fail"`
	Text  string    `json:"text,omitempty" doc:"what was looked at, or what is missing"`
	verb.Once
}

// Attest settles a manual check.
func Attest(ctx context.Context, w *verb.Workspace, in AttestIn) (verb.Task, error) {
	if err := record.ValidText("text", in.Text); err != nil {
		return verb.Task{}, err
	}
	a := gates.Attestation{
		Check: func(t task.Task) (int, error) { return t.FindCheck(in.Check) },
		Pass:  in.Pass, Text: in.Text,
	}
	if w.Signer != nil {
		return a.Signed(ctx, w, in.ID)
	}
	s, err := w.Open()
	if err != nil {
		return verb.Task{}, err
	}
	return a.Unsigned(ctx, w, s, in.ID)
}
