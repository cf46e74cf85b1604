package mcpserver_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/mcpserver"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"
)

// A conversation tells what a client sends and what it is answered. Its lines are
//
//	> text     the client sends a line
//	>> "text"  the client sends these bytes, quoted as in Go, and no newline
//	< text     the server has written this line by then
//	sleep 45s  time passes
//	end        the client closes the input, and the server ends
//	# text     a comment
//
// and UPDATE=1 rewrites what the server writes. The clock stands still but for sleep, and goes on only when there is
// nothing left to do. Files of the archive lie in the server's folder, but for one called rights, which says what the
// actor may do. Chance is the same each time. Beside the verbs the server has the tools of testTools.
func TestConversations(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "conversations", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { converse(t, path) })
	}
}

func converse(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(archive.Comment), "# ") || len(archive.Files) == 0 || archive.Files[0].Name != "conversation" {
		t.Fatal("it does not open with a sentence and go on with the conversation")
	}
	isolate(t)
	w := anywhere(t.TempDir())
	w.Watcher, w.Rand = clockwork{}, rand.NewChaCha8([32]byte{})
	files := archive.Files[1:]
	if len(files) > 0 && files[0].Name == "rights" {
		w.Rights, files = rightsIn(t, files[0].Data), files[1:]
	}
	unpack(t, w, files)
	script := &archive.Files[0]
	var got string
	synctest.Test(t, func(t *testing.T) { got = play(t, w, string(script.Data)) })
	if got == string(script.Data) {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatalf("the server writes\n%s\nUPDATE=1 takes it as it is", got)
	}
	script.Data = []byte(got)
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// rightsIn reads the rights of a conversation's actor.
func rightsIn(t *testing.T, src []byte) verb.Rights {
	t.Helper()
	var in struct {
		Profile  string
		Scope    record.ID
		Readonly bool
	}
	if err := yaml.Unmarshal(src, &in); err != nil {
		t.Fatal(err)
	}
	profile, err := verb.ParseProfile(in.Profile)
	if err != nil {
		t.Fatal(err)
	}
	return verb.Rights{Profile: profile, Scope: in.Scope, ReadOnly: in.Readonly}
}

// unpack lays out the workspace of a conversation, with its commands approved.
func unpack(t *testing.T, w verb.Workspace, files []txtar.File) {
	t.Helper()
	for _, f := range files {
		path := filepath.Join(w.Dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, string(f.Data))
	}
	if len(files) == 0 {
		return
	}
	s, err := store.Open(w.Dir, w.StateDir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetTrust("human:shah", time.Now()); err != nil {
		t.Fatal(err)
	}
}

// tell plays the client's part of a conversation and returns the whole, as it went.
func play(t *testing.T, w verb.Workspace, script string) string {
	c := newClient(t, w)
	var got strings.Builder
	heard := func() {
		synctest.Wait()
		for line := range strings.Lines(c.out.take()) {
			got.WriteString("< " + scrub(w, line))
		}
	}
	last := ""
	for line := range strings.Lines(script) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if word == "<" {
			last = word
			continue
		}
		if last != ">" || word != ">" { // what is sent in one go is answered in one go
			heard()
		}
		got.WriteString(line)
		last = word
		switch word {
		case ">":
			c.send(rest + "\n")
		case ">>":
			raw, err := strconv.Unquote(rest)
			if err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			c.send(raw)
		case "sleep":
			d, err := time.ParseDuration(rest)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(d)
		case "end":
			c.end()
		case "#", "":
		default:
			t.Fatalf("what is %q?", line)
		}
	}
	heard()
	c.end()
	return got.String()
}

// scrub takes out of an answer what other tests pin, or what differs from run to run.
func scrub(w verb.Workspace, line string) string {
	const begin = `"instructions":"`
	if i := strings.Index(line, begin); i >= 0 {
		length := strings.Index(line[i+len(begin):], `"`)
		line = line[:i+len(begin)] + "..." + line[i+len(begin)+length:]
	}
	return strings.ReplaceAll(line, w.Dir, "WORKSPACE")
}

// clockwork is a Watcher that ticks every second, on the clock of a bubble.
type clockwork struct{}

func (clockwork) Watch(layout.Layout) (<-chan struct{}, func()) {
	ticks, done := make(chan struct{}), make(chan struct{})
	go func() {
		clock := time.NewTicker(time.Second)
		defer clock.Stop()
		for {
			select {
			case <-clock.C:
			case <-done:
				return
			}
			select {
			case ticks <- struct{}{}:
			case <-done:
				return
			}
		}
	}()
	return ticks, func() { close(done) }
}

// newServer makes a server that has the tools of testTools as well.
func newServer(w verb.Workspace, log *slog.Logger) *mcpserver.Server {
	s := mcpserver.New(w, log)
	for _, tool := range testTools {
		s.AddTool(tool.Verb, tool.call)
	}
	return s
}

// client is the other end of a server's streams.
type client struct {
	t      *testing.T
	server *mcpserver.Server
	in     *io.PipeWriter
	out    *screen // of newClient
	served chan error
}

// newClient starts a server and is its client.
func newClient(t *testing.T, w verb.Workspace) *client {
	t.Helper()
	out := &screen{}
	c := startClient(t, w, out, slog.New(slog.DiscardHandler))
	c.out = out
	return c
}

func startClient(t *testing.T, w verb.Workspace, out io.Writer, log *slog.Logger) *client {
	t.Helper()
	if w.Reads == nil { // a follower of files waits for the system, which no bubble of synctest can
		w.Reads = &verb.SharedReads{}
	}
	return serveTo(t, newServer(w, log), out)
}

// serveTo starts a server that answers to out.
func serveTo(t *testing.T, s *mcpserver.Server, out io.Writer) *client {
	in, toServer := io.Pipe()
	c := &client{t: t, server: s, in: toServer, served: make(chan error, 1)}
	go func() { c.served <- c.server.Serve(t.Context(), in, out) }()
	return c
}

// send writes to the server, which takes all of it.
func (c *client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Fatal(err)
	}
}

// call sends a request that calls a tool.
func (c *client) call(id int, tool, arguments string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, tool, arguments))
}

// end closes the input, waits for the server to end, and returns how long that took.
func (c *client) end() time.Duration {
	c.t.Helper()
	began := time.Now()
	_ = c.in.Close()
	if err, first := <-c.served; first {
		if err != nil {
			c.t.Errorf("the server ends with %v", err)
		}
		close(c.served)
	}
	return time.Since(began)
}

// screen keeps what the server writes.
type screen struct {
	mu      sync.Mutex
	text    bytes.Buffer
	blocked chan struct{} // a client that does not read: a write waits until this is closed
}

func (s *screen) Write(p []byte) (int, error) {
	if s.blocked != nil {
		<-s.blocked
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

// take returns what was written since the last time.
func (s *screen) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.text.Reset()
	return s.text.String()
}

// testTool is a tool that does what a verb may do, on the clock of a test.
type testTool struct {
	verb.Verb
	call func(context.Context, *verb.Workspace, []byte) (any, error)
}

var testTools = []testTool{
	{verb.Verb{Name: "watch", Waits: true}, func(ctx context.Context, _ *verb.Workspace, _ []byte) (any, error) {
		<-ctx.Done() // what it waits for never happens
		return map[string]any{"interrupted": context.Cause(ctx).Error()}, nil
	}},
	{verb.Verb{Name: "work"}, func(ctx context.Context, w *verb.Workspace, _ []byte) (any, error) {
		for n := range 3 {
			if w.Progress != nil {
				w.Progress(verb.Progress{Done: float64(n), Total: 3, Message: fmt.Sprintf("part %d of 3", n+1)})
			}
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return map[string]any{"parts": 3}, nil
	}},
	{verb.Verb{Name: "prove", Kind: verb.Write, Runs: true}, func(ctx context.Context, w *verb.Workspace, _ []byte) (any, error) {
		began := time.Now().UTC().Format(time.TimeOnly)
		for n := range 2 {
			if w.Progress != nil {
				w.Progress(verb.Progress{Done: float64(n), Total: 2, Message: fmt.Sprintf("check %d of 2", n+1)})
			}
			select {
			case <-time.After(50 * time.Second):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return map[string]any{"began": began}, nil
	}},
	{verb.Verb{Name: "read", Kind: verb.Read}, takesASecond},
	{verb.Verb{Name: "write", Kind: verb.Write}, takesASecond},
	{verb.Verb{Name: "stubborn"}, func(context.Context, *verb.Workspace, []byte) (any, error) {
		time.Sleep(time.Hour)
		return map[string]any{}, nil
	}},
	{verb.Verb{Name: "unspeakable"}, func(context.Context, *verb.Workspace, []byte) (any, error) {
		return unspeakable{}, nil
	}},
	{verb.Verb{Name: "defective"}, func(context.Context, *verb.Workspace, []byte) (any, error) {
		panic("a defect")
	}},
}

func takesASecond(context.Context, *verb.Workspace, []byte) (any, error) {
	time.Sleep(time.Second)
	return map[string]any{}, nil
}

// unspeakable is a result that panics when it is made JSON, which is past the point where a tool's own panic is caught.
type unspeakable struct{}

func (unspeakable) MarshalJSON() ([]byte, error) { panic("a defect") }
