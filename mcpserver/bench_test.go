package mcpserver_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long a call takes beside 200 that wait, through the official client and a pipe.
func BenchmarkBesideWaits(b *testing.B) {
	for _, bench := range []struct {
		name string
		call func(context.Context, *mcp.ClientSession, string) error
	}{
		{"ping", func(ctx context.Context, cs *mcp.ClientSession, _ string) error { return cs.Ping(ctx, nil) }},
		{"get", func(ctx context.Context, cs *mcp.ClientSession, id string) error {
			_, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "get", Arguments: object{"id": id}})
			return err
		}},
	} {
		for _, waits := range []int{0, 200} {
			b.Run(bench.name+"/"+map[bool]string{true: "alone", false: "beside"}[waits == 0], func(b *testing.B) {
				cs, id := besideWaits(b, waits)
				for b.Loop() {
					if err := bench.call(b.Context(), cs, id); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// besideWaits connects a client that has a number of calls waiting, and returns the id of a task.
func besideWaits(b *testing.B, waits int) (*mcp.ClientSession, string) {
	b.Helper()
	cs := connectAs(b, newWorkspace(b), "2025-11-25") // the last version with a ping
	for range waits {
		go func() { _, _ = cs.CallTool(b.Context(), &mcp.CallToolParams{Name: "watch"}) }() // ends with the connection
	}
	result, err := cs.CallTool(b.Context(), &mcp.CallToolParams{Name: "create", Arguments: object{"title": "Read me"}})
	if err != nil || result.IsError {
		b.Fatalf("create: %v, %v", result, err)
	}
	id, _ := result.StructuredContent.(object)["id"].(string)
	return cs, id
}
