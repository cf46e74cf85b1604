// Package identity holds the verb that says who acts, and what there is for that actor: its work, its inbox, and what
// others changed.
package identity

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store"
)

// In is the input of Identity.
type In struct {
	Include []string `json:"include,omitempty" doc:"work, inbox, delta (what others changed)" oneof:"work,inbox,delta"`
	Ack     string   `json:"ack,omitempty" doc:"delta.cursor that you have dealt with" mcp:"quiet"`
}

// Out is who the caller is to cairn.
type Out struct {
	Actor     record.Actor `json:"actor"`
	Client    string       `json:"client,omitempty"`
	Version   string       `json:"version"`
	Workspace string       `json:"workspace,omitempty"` // folder; absent outside a workspace
	Profile   string       `json:"profile"`
	Scope     record.ID    `json:"scope,omitempty"`    // the only task that may be changed
	ReadOnly  bool         `json:"readonly,omitempty"` // nothing may be changed

	Work  *Work                      `json:"work,omitempty"`  // open tasks of the caller
	Inbox *verb.Items[handoffs.Item] `json:"inbox,omitempty"` // as the verb inbox has it
	Delta *Delta                     `json:"delta,omitempty"` // what others changed
}

// Work is the open tasks that an actor holds or was given, the most urgent first.
type Work struct {
	Tasks []verb.Row `json:"tasks"` // 20 at most
	Total int        `json:"total"`
}

// Verbs are the verbs of this package.
var Verbs = verb.Group{Name: "sessions", Toolset: verb.Core}.Of(
	verb.DeclareBare(Identity, verb.Verb{Name: "identity", Title: "Who am I",
		Summary: "Say who acts, with what rights, and in which workspace.",
		When:    "Call it first: sessions are begun as this actor.",
	}),
)

// Identity says who acts, with what rights, and where. It works outside a workspace too, unless more is asked for.
// Reading moves nothing: the caller was last seen when the answer was made whose cursor comes back as ack.
func Identity(ctx context.Context, w *verb.Workspace, in In) (Out, error) {
	out := Out{Actor: w.Actor(), Client: w.Client, Version: w.Version, Profile: w.Profile.String(), Scope: w.Scope, ReadOnly: w.ReadOnly}
	s, err := w.Open()
	if err == nil {
		out.Workspace = s.Root
		return out, out.add(ctx, w, s, in)
	}
	if record.CodeOf(err) == record.NoWorkspace && len(in.Include) == 0 && in.Ack == "" {
		err = nil
	}
	return out, err
}

// add adds the parts that are asked for.
func (out *Out) add(ctx context.Context, w *verb.Workspace, s *store.Store, in In) error {
	if err := seen(ctx, w, s, in.Ack); err != nil {
		return err
	}
	for _, part := range in.Include {
		var err error
		switch part {
		case "work":
			out.Work, err = workOf(ctx, w, s)
		case "inbox":
			var items verb.Items[handoffs.Item]
			items, err = handoffs.Inbox(ctx, w, s, handoffs.InboxIn{})
			out.Inbox = &items
		case "delta":
			out.Delta, err = delta(ctx, w, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const workShown = 20

// workOf finds the open tasks that the caller holds or was given.
func workOf(ctx context.Context, w *verb.Workspace, s *store.Store) (*Work, error) {
	g, err := w.Graph(ctx, s)
	if err != nil {
		return nil, err
	}
	view := w.View(s).OfMany(ctx)
	mine := tasks.WorkOf(view, g, w.Actor())
	out := &Work{Tasks: []verb.Row{}, Total: len(mine)}
	for _, r := range tasks.Foremost(mine, workShown) {
		out.Tasks = append(out.Tasks, view.Row(g, r))
	}
	return out, nil
}
