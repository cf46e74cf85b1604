package cmd

import (
	"context"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

type answerIn struct {
	ID   string `json:"id" doc:"the question, or the task that waits for its answer" cli:"arg" from:"handoffs"`
	Text string `json:"text" doc:"one of its options, by its words or its number, or the answer in words" cli:"arg"`
}

func answerCommands() []command {
	return []command{declare(command{
		name: "answer", group: "handoffs", prints: "handoff_respond",
		usage: "Answer a question, and have the work go on that waits for it.",
		about: "It is handoff respond, which tells an option from a text. A person confirms the answer to a question of an agent at a terminal.",
	}, answerQuestion)}
}

func answerQuestion(ctx context.Context, c *call, in answerIn) error {
	w, s, err := c.open(ctx)
	if err != nil {
		return err
	}
	id, err := questionOf(ctx, w, s, in.ID)
	if err != nil {
		return err
	}
	asked, err := callVerb[verb.Record](ctx, w, "get", map[string]any{"id": id})
	if err != nil {
		return err
	}
	said := map[string]any{"id": id, "text": in.Text}
	options, _ := asked.Fields["options"].([]any)
	for i, one := range options {
		if option, _ := one.(string); strings.EqualFold(option, in.Text) || strconv.Itoa(i+1) == in.Text {
			said = map[string]any{"id": id, "option": option}
		}
	}
	out, err := callVerb[any](ctx, w, "handoff_respond", said)
	if err != nil {
		return err
	}
	return c.result(ctx, verbNamed("handoff_respond"), nil, out)
}

// questionOf is the question that a text names, by its id or a part of that, or by the task that waits for it.
func questionOf(ctx context.Context, w *verb.Workspace, s *store.Store, named string) (string, error) {
	id, err := completeID(ctx, w, verb.Field{Names: kind.Handoffs.Name}, named)
	if err == nil && kind.Handoffs.ParseID(id) == nil {
		return id, nil
	}
	g, err := w.Graph(ctx, s)
	if err != nil {
		return "", err
	}
	task, err := completeID(ctx, w, verb.Field{Names: record.TaskKind}, named)
	if err != nil {
		return "", err
	}
	if r := g.Row(record.ID(task)); r != nil {
		if q := w.View(s).Waits(g, r); q != nil {
			return q.Handoff, nil
		}
	}
	return "", record.Errorf(record.NotFound, "%s waits for no answer", task).WithHint("%s lists what was asked of you", record.CallTo("handoff_query").OnlyShown())
}
