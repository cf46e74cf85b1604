package sessions

import (
	"context"

	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
)

// IdentityIn is the input of Identity.
type IdentityIn struct{}

// IdentityOut is who the caller is to cairn.
type IdentityOut struct {
	Actor     task.Actor `json:"actor"`
	Client    string     `json:"client,omitempty"`
	Version   string     `json:"version"`
	Workspace string     `json:"workspace,omitempty"` // folder; absent outside a workspace
	Profile   string     `json:"profile"`
	Scope     task.ID    `json:"scope,omitempty"`    // the only task that may be changed
	ReadOnly  bool       `json:"readonly,omitempty"` // nothing may be changed
}

// Identity says who acts, with what rights, and where. It works outside a workspace too.
func Identity(_ context.Context, w *verb.Workspace, _ IdentityIn) (IdentityOut, error) {
	out := IdentityOut{Actor: w.Actor(), Client: w.Client, Version: w.Version, Profile: w.Profile.String(), Scope: w.Scope, ReadOnly: w.ReadOnly}
	s, err := w.Open()
	if err == nil {
		out.Workspace = s.Root
	}
	if task.CodeOf(err) == task.NoWorkspace {
		err = nil
	}
	return out, err
}
