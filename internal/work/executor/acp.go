package executor

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	acp "github.com/coder/acp-go-sdk"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

// acpStream is the dialect of agents that speak the Agent Client Protocol: cairn is the client. It offers no files and
// no terminal, since an agent has those of the machine, and it answers what it is asked for: in a run for edits
// everything may be done once, in one for a patch only what reads.
//
// What the agent tells of its session is taken from the lines themselves, in their order. The rest goes to the library.
type acpStream struct {
	*stream
	run      Run
	to       *io.PipeWriter // to the library
	over     chan struct{}  // is closed when the conversation is over
	answered atomic.Int32   // calls that the agent answered
	heard    atomic.Int32   // answers that the conversation has
}

// converse starts the conversation with an agent, over pipes.
func (a *attempt) converse(ctx context.Context) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	lines, to := io.Pipe()
	talk := &acpStream{stream: a.stream, run: a.run, to: to, over: make(chan struct{})}
	conn := acp.NewClientSideConnection(talk, write, lines)
	conn.SetLogger(slog.New(slog.DiscardHandler))
	a.talk, a.input = talk, read
	a.others = []io.Closer{closer(talk.settle), write, lines, to, closer(func() { <-talk.over })}
	go func() {
		defer close(talk.over)
		defer write.Close()
		defer lines.Close()
		if err := talk.session(ctx, conn, a.model); err != nil && ctx.Err() == nil && !brokeOff(err) {
			talk.problem(reasonOf(err))
			talk.done(true, "")
		}
	}()
	go func() {
		<-conn.Done()
		_ = lines.Close() // what the agent still writes waits for nobody
	}()
	return nil
}

// settle waits until the conversation has every answer that came: to the library the end of a connection may come
// before the answer that it followed.
func (s *acpStream) settle() {
	for end := time.Now().Add(2 * time.Second); s.heard.Load() < s.answered.Load() && time.Now().Before(end); {
		select {
		case <-s.over:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

type closer func()

func (c closer) Close() error {
	c()
	return nil
}

// brokeOff reports whether an error says that the other side is gone, and not what it answered.
func brokeOff(err error) bool {
	e, ok := err.(*acp.RequestError) //nolint:errorlint // the library returns it as it is
	if !ok {
		return true
	}
	data, _ := e.Data.(map[string]any)
	text, _ := data["error"].(string)
	return strings.HasPrefix(text, "peer disconnected")
}

// reasonOf is the message of an error, without the JSON around it.
func reasonOf(err error) string {
	if e, ok := err.(*acp.RequestError); ok { //nolint:errorlint // the library returns it as it is
		return join(e.Message, show(e.Data))
	}
	return err.Error()
}

// session holds the conversation: one prompt, and what it led to.
func (s *acpStream) session(ctx context.Context, conn *acp.ClientSideConnection, model string) error {
	hello, err := conn.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
	s.heard.Add(1)
	if err != nil {
		return err
	}
	id, modes, err := s.begin(ctx, conn, hello)
	s.heard.Add(1)
	if err != nil {
		return err
	}
	s.stream.session(string(id))
	if s.run.Model != "" {
		model = s.run.Model
	}
	if model != "" {
		_, err := conn.UnstableSetSessionModel(ctx, acp.UnstableSetSessionModelRequest{SessionId: id, ModelId: acp.UnstableModelId(model)})
		if s.heard.Add(1); err != nil {
			return err
		}
	}
	if mode, ok := readingMode(modes); ok && s.run.Output == job.Patch {
		_, err := conn.SetSessionMode(ctx, acp.SetSessionModeRequest{SessionId: id, ModeId: mode})
		if s.heard.Add(1); err != nil {
			return err
		}
	}
	answer, err := conn.Prompt(ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock(s.run.Prompt)}})
	if err != nil {
		return err
	}
	if u := answer.Usage; u != nil {
		s.usage(job.Usage{InputTokens: int64(u.InputTokens), OutputTokens: int64(u.OutputTokens)})
	}
	if answer.StopReason != acp.StopReasonEndTurn {
		s.problem("it stopped: " + string(answer.StopReason))
	}
	s.done(answer.StopReason != acp.StopReasonEndTurn, "")
	return nil
}

// begin opens a new session, or loads the one to go on with.
func (s *acpStream) begin(ctx context.Context, conn *acp.ClientSideConnection, hello acp.InitializeResponse) (acp.SessionId, *acp.SessionModeState, error) {
	servers := s.servers()
	if s.run.Resume != "" && hello.AgentCapabilities.LoadSession {
		id := acp.SessionId(s.run.Resume)
		got, err := conn.LoadSession(ctx, acp.LoadSessionRequest{SessionId: id, Cwd: s.run.Dir, McpServers: servers})
		return id, got.Modes, err
	}
	got, err := conn.NewSession(ctx, acp.NewSessionRequest{Cwd: s.run.Dir, McpServers: servers})
	return got.SessionId, got.Modes, err
}

func (s *acpStream) servers() []acp.McpServer {
	m := s.run.server()
	if m == nil {
		return []acp.McpServer{}
	}
	env := []acp.EnvVariable{}
	for name, value := range m.Env {
		env = append(env, acp.EnvVariable{Name: name, Value: value})
	}
	slices.SortFunc(env, func(a, b acp.EnvVariable) int { return strings.Compare(a.Name, b.Name) })
	return []acp.McpServer{{Stdio: &acp.McpServerStdio{Name: serverName, Command: m.Command, Args: m.Args, Env: env}}}
}

// readingMode is the mode of an agent in which it changes nothing, by the names that agents give it.
func readingMode(modes *acp.SessionModeState) (acp.SessionModeId, bool) {
	if modes == nil {
		return "", false
	}
	for _, m := range modes.AvailableModes {
		if slices.Contains([]string{"plan", "read-only", "readonly", "read_only", "ask"}, strings.ToLower(string(m.Id))) {
			return m.Id, true
		}
	}
	return "", false
}

// line takes what the agent tells of its session, and hands on the rest. What is no message is left out, since the
// library would take it for an error.
func (s *acpStream) line(text []byte) {
	var l struct {
		Version string          `json:"jsonrpc"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	if !read(text, &l) || l.Version != "2.0" {
		return
	}
	if l.Method != "session/update" {
		if l.Method == "" {
			s.answered.Add(1)
		}
		_, _ = s.to.Write(append(text[:len(text):len(text)], '\n'))
		return
	}
	var n acp.SessionNotification
	if json.Unmarshal(l.Params, &n) == nil {
		s.update(n.Update)
	}
}

func (s *acpStream) update(u acp.SessionUpdate) {
	switch {
	case u.AgentMessageChunk != nil:
		if text := u.AgentMessageChunk.Content.Text; text != nil {
			s.piece(text.Text)
		}
	case u.ToolCall != nil:
		s.tell(job.Event{Type: job.EventToolStart, ID: string(u.ToolCall.ToolCallId), Text: clipped(u.ToolCall.Title, shownTool)})
		s.toolState(u.ToolCall.ToolCallId, u.ToolCall.Status)
	case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil:
		s.toolState(u.ToolCallUpdate.ToolCallId, *u.ToolCallUpdate.Status)
	case u.Plan != nil:
		var steps []any
		for _, e := range u.Plan.Entries {
			steps = append(steps, map[string]any{"content": e.Content, "status": string(e.Status)})
		}
		s.tell(job.Event{Type: job.EventPlan, Text: planText(steps, "content", "status")})
	case u.UsageUpdate != nil && u.UsageUpdate.Cost != nil:
		s.usage(job.Usage{Cost: u.UsageUpdate.Cost.Amount})
	}
}

func (s *acpStream) toolState(id acp.ToolCallId, status acp.ToolCallStatus) {
	if status == acp.ToolCallStatusCompleted || status == acp.ToolCallStatusFailed {
		s.toolEnd(string(id), status == acp.ToolCallStatusFailed, "")
	}
}

// closed ends a conversation that has no other side any more.
func (s *acpStream) closed(int, string) {}

// RequestPermission answers what a person would be asked.
func (s *acpStream) RequestPermission(_ context.Context, p acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	kinds := []acp.PermissionOptionKind{acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindAllowAlways}
	if s.run.Output == job.Patch && !onlyReads(p.ToolCall.Kind) {
		kinds = []acp.PermissionOptionKind{acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways}
	}
	for _, kind := range kinds {
		for _, option := range p.Options {
			if option.Kind == kind {
				if strings.HasPrefix(string(kind), "reject") {
					s.refused(p.ToolCall)
				}
				return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(option.OptionId)}, nil
			}
		}
	}
	s.refused(p.ToolCall)
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

func (s *acpStream) refused(c acp.ToolCallUpdate) {
	text := "it asks for a permission"
	if c.Title != nil {
		text = *c.Title
	}
	s.tell(job.Event{Type: job.EventPermission, ID: string(c.ToolCallId), Text: clipped(text, shownTool)})
}

func onlyReads(kind *acp.ToolKind) bool {
	return kind != nil && slices.Contains([]acp.ToolKind{acp.ToolKindRead, acp.ToolKindSearch, acp.ToolKindThink, acp.ToolKindFetch}, *kind)
}

// SessionUpdate is not called: line takes them.
func (s *acpStream) SessionUpdate(context.Context, acp.SessionNotification) error { return nil }

// The methods below are for what cairn said that it does not offer.

// ReadTextFile implements acp.Client.
func (s *acpStream) ReadTextFile(context.Context, acp.ReadTextFileRequest) (acp.ReadTextFileResponse, error) {
	return acp.ReadTextFileResponse{}, acp.NewMethodNotFound(acp.ClientMethodFsReadTextFile)
}

// WriteTextFile implements acp.Client.
func (s *acpStream) WriteTextFile(context.Context, acp.WriteTextFileRequest) (acp.WriteTextFileResponse, error) {
	return acp.WriteTextFileResponse{}, acp.NewMethodNotFound(acp.ClientMethodFsWriteTextFile)
}

// CreateTerminal implements acp.Client.
func (s *acpStream) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return acp.CreateTerminalResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalCreate)
}

// KillTerminal implements acp.Client.
func (s *acpStream) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalKill)
}

// ReleaseTerminal implements acp.Client.
func (s *acpStream) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalRelease)
}

// TerminalOutput implements acp.Client.
func (s *acpStream) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalOutput)
}

// WaitForTerminalExit implements acp.Client.
func (s *acpStream) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalWaitForExit)
}
