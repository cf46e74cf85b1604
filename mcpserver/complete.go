package mcpserver

import (
	"context"
	"slices"
	"strings"

	manual "github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/mark3labs/mcp-go/mcp"
)

// completed is the most completions of one answer; the protocol allows no more.
const completed = 100

// completer completes ids, for templates and for prompts.
type completer struct{ *Server }

// CompleteResourceArgument completes the id in a template to those in which the text occurs, the newest first.
func (c completer) CompleteResourceArgument(_ context.Context, uri string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	r, id, err := resourceOf(uri)
	if err != nil || !strings.Contains(r.uri, id) || !strings.HasPrefix(id, "{") || !c.offers(r.verb) {
		return nil, err
	}
	if uri == topicURI {
		return &mcp.Completion{Values: slices.DeleteFunc(slices.Clone(manual.Topics), func(topic string) bool { return !strings.Contains(topic, argument.Value) })}, nil
	}
	w := c.workspace()
	at, err := w.Open()
	if err != nil {
		return nil, c.protocolError(err)
	}
	if r.verb == jobVerb {
		return c.jobsNamed(at, argument.Value)
	}
	k, ok := kind.Named(r.kind)
	if !ok {
		return nil, nil
	}
	ids, err := at.Candidates(k, argument.Value)
	if err != nil {
		return nil, c.protocolError(err)
	}
	slices.Reverse(ids) // they begin with the time
	shown := ids[:min(len(ids), completed)]
	return &mcp.Completion{Values: shown, Total: len(ids), HasMore: len(shown) < len(ids)}, nil
}

// CompletePromptArgument completes the task of a prompt to those that can be started now, the most urgent first.
func (c completer) CompletePromptArgument(ctx context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	ready, _, err := resourceOf(readyURI)
	if err != nil || argument.Name != taskArgument || !c.offers(ready.verb) {
		return nil, err
	}
	args := ready.arguments("")
	args["text"] = argument.Value
	out, err := c.do(ctx, ready.verb, args)
	if err != nil {
		return nil, c.protocolError(err)
	}
	list := out.(tasks.ListOut)
	found := &mcp.Completion{HasMore: list.NextCursor != ""}
	for _, row := range list.Tasks {
		if strings.Contains(strings.ToLower(string(row.ID)), strings.ToLower(argument.Value)) { // and not in its title alone
			found.Values = append(found.Values, string(row.ID))
		}
	}
	return found, nil
}
