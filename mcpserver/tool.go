package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// tool is a verb as clients see it. All four annotations are set, because what is left out counts as destructive.
func tool(v verb.Verb) mcp.Tool {
	t := mcp.NewToolWithRawSchema(v.Name, v.Summary+" "+v.When, v.Schema())
	t.Title = v.Title
	t.Annotations = mcp.ToolAnnotation{
		Title:           v.Title,
		ReadOnlyHint:    mcp.ToBoolPtr(v.Kind == verb.Read),
		DestructiveHint: mcp.ToBoolPtr(v.Kind == verb.Destructive),
		IdempotentHint:  mcp.ToBoolPtr(v.Idempotent),
		OpenWorldHint:   mcp.ToBoolPtr(v.Runs),
	}
	return t
}

// handler calls a verb for a client.
func handler(v verb.Verb, w verb.Workspace) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		out, err := call(ctx, v, w, req)
		if err != nil {
			return failed(err, w)
		}
		return result(out, false)
	}
}

// call runs the verb. A panic is a defect of ours that must not end the server, nor show the client a stack.
func call(ctx context.Context, v verb.Verb, w verb.Workspace, req mcp.CallToolRequest) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = task.Errorf(task.IO, "%s: internal error: %v", v.Name, p).WithHint("report it; nothing was half-written")
		}
	}()
	out, err = v.Call(ctx, &w, arguments(req))
	if errors.Is(err, context.Canceled) {
		err = task.Errorf(task.IO, "%s: canceled before it was done", v.Name).WithHint("call it again, if it is still wanted")
	}
	return out, err
}

// arguments is the JSON that the client sent, to the byte where mcp-go kept it; nothing for null.
func arguments(req mcp.CallToolRequest) []byte {
	raw := req.Params.RawArguments
	if len(raw) == 0 {
		var err error
		if raw, err = json.Marshal(req.Params.Arguments); err != nil {
			return nil
		}
	}
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// result puts a value into both places where clients look.
func result(v any, isError bool) (*mcp.CallToolResult, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("the result does not make JSON: %w", err)
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{mcp.NewTextContent(string(text))},
		StructuredContent: v,
		IsError:           isError,
	}, nil
}
