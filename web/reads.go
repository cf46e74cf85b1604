package web

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// reader calls the verbs that read, for the screens.
type reader struct {
	w     verb.Workspace
	turns chan struct{}
}

// args is the input of a verb, by the names of its fields.
type args map[string]any

// ask calls a verb that reads.
func ask[Out any](ctx context.Context, rd *reader, name string, in args) (Out, error) {
	var got Out
	v, known := catalogue.Named(name)
	if !known || v.Kind != verb.Read {
		return got, fmt.Errorf("%s is no verb that reads", name)
	}
	if !v.Waits {
		select {
		case rd.turns <- struct{}{}:
			defer func() { <-rd.turns }()
		case <-ctx.Done():
			return got, ctx.Err()
		}
	}
	src, err := json.Marshal(in)
	if err != nil {
		return got, err
	}
	w := rd.w
	out, err := v.Call(ctx, &w, src)
	if err == nil {
		got, _ = out.(Out)
	}
	return got, err
}
