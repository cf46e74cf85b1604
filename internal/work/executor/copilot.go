package executor

import (
	"strings"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

// copilotStream is the dialect of copilot: events with their data, and a result whose exitCode counts, since the
// program ends with 0 even if it failed.
type copilotStream struct{ *stream }

type copilotLine struct {
	Type    string `json:"type"`
	Session string `json:"sessionId"`
	Exit    any    `json:"exitCode"`
	Agent   string `json:"agentId"` // of what a subagent does
	Data    struct {
		Session  string         `json:"sessionId"`
		Content  string         `json:"content"`
		Call     string         `json:"toolCallId"`
		Tool     string         `json:"toolName"`
		Argument map[string]any `json:"arguments"`
		Success  bool           `json:"success"`
		Message  string         `json:"message"`
		Reason   string         `json:"reason"`
		Kind     string         `json:"errorType"`
		Error    struct {
			Message string `json:"message"`
		} `json:"error"`
		Input  int64  `json:"inputTokens"`
		Output int64  `json:"outputTokens"`
		Parent string `json:"parentToolCallId"`
	} `json:"data"`
}

func (s copilotStream) line(text []byte) {
	var l copilotLine
	if !read(text, &l) {
		return
	}
	switch d := l.Data; l.Type {
	case "session.start", "session.resume":
		s.session(d.Session)
	case "assistant.message":
		if d.Parent == "" {
			s.text(d.Content)
		}
	case "assistant.usage":
		s.add(job.Usage{InputTokens: d.Input, OutputTokens: d.Output})
	case "tool.execution_start":
		s.toolStart(d.Call, d.Tool, d.Argument)
	case "tool.execution_complete":
		s.toolEnd(d.Call, !d.Success, d.Error.Message)
	case "permission.requested":
		s.tell(job.Event{Type: job.EventPermission, ID: d.Call, Text: join(d.Tool, d.Message)})
	case "session.error":
		s.problem(join(d.Kind, d.Message))
	case "abort":
		s.problem(join("it was aborted", d.Reason))
	case "result":
		s.session(l.Session)
		s.done(strings.Trim(show(l.Exit), `"`) != "0", "")
	}
}

func (s copilotStream) closed(int, string) {}
