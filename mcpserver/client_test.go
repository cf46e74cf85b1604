package mcpserver_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/mcpserver"
	"github.com/cairn-tasks/cairn/store"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// isolate gives the test a home and a git identity of its own, so that the settings of the user who runs it do not
// matter.
func isolate(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, home)
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, name := range []string{"CAIRN_ACTOR", "CAIRN_REPO", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		t.Setenv(name, "") // so that it comes back after the test
		_ = os.Unsetenv(name)
	}
	config := filepath.Join(home, ".gitconfig")
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	writeFile(t, config, "[user]\n\tname = shah\n\temail = shah@example.com\n[init]\n\tdefaultBranch = main\n")
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// git runs git in a folder and returns what it printed.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// anywhere is what an agent's server runs on in a folder that need not be a workspace.
func anywhere(dir string) verb.Workspace {
	return verb.Workspace{
		Dir: dir, StateDir: filepath.Join(dir, ".state"), Actor: verb.As("agent:claude-1"), Client: "a-client", Version: "1.2.3",
		Rights: verb.Rights{Profile: verb.Operator}, Now: time.Now, Rand: rand.Reader,
	}
}

// newWorkspace makes a workspace whose commands may run.
func newWorkspace(t testing.TB) verb.Workspace {
	t.Helper()
	isolate(t)
	w := anywhere(t.TempDir())
	git(t, w.Dir, "init", "-q")
	if _, _, err := store.Init(w.Dir, "PROJ"); err != nil {
		t.Fatal(err)
	}
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetTrust("human:shah", time.Now()); err != nil {
		t.Fatal(err)
	}
	return w
}

// connect serves a workspace and returns the official client at the other end of the pipe.
func connect(t *testing.T, w verb.Workspace) *mcp.ClientSession {
	t.Helper()
	return connectAs(t, w, "")
}

// connectAs is connect in a version of the protocol; the newest for "". The server has the tools of testTools as well.
func connectAs(t testing.TB, w verb.Workspace, version string) *mcp.ClientSession {
	t.Helper()
	return connectTo(t, newServer(w, slog.New(slog.DiscardHandler)), version, nil)
}

func connectTo(t testing.TB, s *mcpserver.Server, version string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	requests, toServer := io.Pipe()
	answers, toClient := io.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(ctx, requests, toClient) // ends with the client or with the test
		_ = toClient.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
	cs, err := client.Connect(ctx, &mcp.IOTransport{Reader: answers, Writer: toServer}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cs.Close()
		_ = toServer.Close()
		stop()
		<-served
	})
	return cs
}

// object is a JSON object as a client meets it.
type object = map[string]any

// call calls a tool and returns its structured content, having checked that the text says the same.
func call(t *testing.T, cs *mcp.ClientSession, tool string, args object) (content object, isError bool) {
	t.Helper()
	params := &mcp.CallToolParams{Name: tool}
	if args != nil {
		params.Arguments = args
	}
	result, err := cs.CallTool(t.Context(), params)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	content, ok := result.StructuredContent.(object)
	if !ok || len(result.Content) != 1 {
		t.Fatalf("%s answered with %T and %d pieces of content", tool, result.StructuredContent, len(result.Content))
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s answered with %T", tool, result.Content[0])
	}
	if same := asObject(t, text.Text); !reflect.DeepEqual(same, content) {
		t.Errorf("%s says %v as text and %v as structure", tool, same, content)
	}
	return content, result.IsError
}

// does calls a tool that must not fail and reads its whole answer as a T.
func does[T any](t *testing.T, cs *mcp.ClientSession, tool string, args object) T {
	t.Helper()
	full := object{"full": true}
	maps.Copy(full, args)
	content, isError := call(t, cs, tool, full)
	if isError {
		t.Fatalf("%s %v: %v", tool, args, content)
	}
	return as[T](t, content)
}

// refused calls a tool that must fail with a code, and returns the failure.
func refused(t *testing.T, cs *mcp.ClientSession, code record.Code, tool string, args object) catalogue.FailureBody {
	t.Helper()
	content, isError := call(t, cs, tool, args)
	if !isError {
		t.Fatalf("%s %v was let through, want %s", tool, args, code)
	}
	failure := as[catalogue.Failure](t, content).Error
	if failure.Code != code {
		t.Fatalf("%s %v: %s %s, want %s", tool, args, failure.Code, failure.Message, code)
	}
	return failure
}

func asObject(t *testing.T, text string) object {
	t.Helper()
	var out object
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return out
}

// as reads an object as a T.
func as[T any](t *testing.T, content object) T {
	t.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return out
}
