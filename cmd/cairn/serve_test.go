//go:build unix

package main

import (
	"bufio"
	"regexp"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A server over HTTP prints where it listens. A signal ends it as the end of input would: no process of a running check
// is left, and nothing is recorded.
func TestSignalToAnHTTPServer(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, family, 300)
			before := w.read(".cairn/tasks/T-1.md")
			server := w.command(t, "serve", "--actor", "agent:a", "--http", "127.0.0.1:0")
			said, err := server.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			start(t, server)
			line, err := bufio.NewReader(said).ReadString('\n')
			where := regexp.MustCompile(`^cairn: serving on (http://127\.0\.0\.1:[1-9]\d*/mcp)\n$`).FindStringSubmatch(line)
			if where == nil {
				t.Fatalf("it says %q (%v)", line, err)
			}
			cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
				Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: where[1]}, nil)
			if err != nil {
				t.Fatal(err)
			}
			answered := make(chan bool, 1)
			go func() {
				result, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_checks", Arguments: map[string]any{"id": "T-1"}})
				answered <- err == nil && result.IsError
			}()
			all := pids(t, w)
			signalTo(t, server, signal)
			if !<-answered {
				t.Error("the call in flight is not answered as one that failed")
			}
			_ = server.Wait()
			if exit := server.ProcessState.ExitCode(); exit != 0 {
				t.Errorf("exits with %d", exit)
			}
			for _, pid := range all {
				if running(pid) {
					t.Errorf("process %d outlived the server", pid)
					gone(t, pid)
				}
			}
			if after := w.read(".cairn/tasks/T-1.md"); after != before {
				t.Errorf("the task became\n%s", after)
			}
			wantNothingLeft(t, w)
		})
	}
}
