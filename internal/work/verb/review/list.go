package review

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/store"
)

// ListIn is the input of List.
type ListIn struct{}

// List lists what waits for the caller as the one who leads (handoffs.WaitingFor).
func List(ctx context.Context, w *verb.Workspace, s *store.Store, _ ListIn) (verb.Items[handoffs.Waiting], error) {
	g, err := w.Graph(ctx, s)
	if err != nil {
		return verb.Items[handoffs.Waiting]{}, err
	}
	all, _, err := handoffs.WaitingFor(ctx, w, s, g)
	return verb.Items[handoffs.Waiting]{Items: verb.NoNil(all), Total: len(all)}, err
}
