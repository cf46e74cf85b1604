package mcpserver_test

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cairn-tasks/cairn/mcpserver"
)

// The official suite finds what testdata/conformance.yaml says, no failure more and none less. It wants npm, downloads
// the suite and the version of Node that it needs, and runs when CONFORMANCE is set (make conformance).
func TestConformance(t *testing.T) {
	if os.Getenv("CONFORMANCE") == "" {
		t.Skip("CONFORMANCE is not set")
	}
	expected, err := filepath.Abs(filepath.Join("testdata", "conformance.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	suite := exec.CommandContext(t.Context(), "npx", "--yes", "--package", "node@22", "--package", "@modelcontextprotocol/conformance@0.1.16",
		"--", "conformance", "server", "--suite", "all", "--expected-failures", expected)
	suite.Env = os.Environ() // with the home that npm keeps its downloads in, before the workspace gets another
	suite.Dir = t.TempDir()

	l, err := mcpserver.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	suite.Args = append(suite.Args, "--url", "http://"+l.Addr().String()+"/mcp")
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	s := mcpserver.New(newWorkspace(t), slog.New(slog.DiscardHandler))
	go func() { served <- s.ServeListener(ctx, l) }()
	out, err := suite.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
