package verb

import (
	"context"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// AttestIn is the input of Attest.
type AttestIn struct {
	ID    task.ID `json:"id" doc:"task whose check it is" cli:"arg"`
	Check string  `json:"check" doc:"the check's index, from 0, or its description or a part of it" cli:"arg" from:"manual-checks"`
	Pass  bool    `json:"pass" doc:"true if it is as the check demands" cli:"not=fail"`
	Text  string  `json:"text,omitempty" doc:"what was looked at, or what is missing"`
	Once
}

// Attest settles a manual check.
func (w *Workspace) Attest(ctx context.Context, in AttestIn) (Task, error) {
	if err := task.ValidText("text", in.Text); err != nil {
		return Task{}, err
	}
	if w.Signer != nil {
		return w.attestSigned(ctx, in)
	}
	return w.change(ctx, in.ID, func(s *store.Store, sc scene) (task.Task, *task.Entry, error) {
		i, err := sc.t.FindCheck(in.Check)
		if err != nil {
			return sc.t, nil, err
		}
		return s.Config.Flow.Attest(sc.t, i, in.Pass, w.stamp(in.Text))
	})
}
