package executor

import (
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

// codexStream is the dialect of codex: turn.completed and turn.failed say how it ended, and its exit status does not.
// An error in between may be one that it tries again.
type codexStream struct{ *stream }

type codexLine struct {
	Type    string      `json:"type"`
	Thread  string      `json:"thread_id"`
	Item    codexItem   `json:"item"`
	Usage   claudeUsage `json:"usage"` // the counts have the same names; cached ones are part of the input
	Error   codexError  `json:"error"`
	Message string      `json:"message"`
	ID      string      `json:"id"`
}

type codexError struct {
	Message string `json:"message"`
}

type codexItem struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Text     string         `json:"text"`
	Message  string         `json:"message"`
	Command  string         `json:"command"`
	Output   string         `json:"aggregated_output"`
	Status   string         `json:"status"`
	Changes  []codexChange  `json:"changes"`
	Server   string         `json:"server"`
	Tool     string         `json:"tool"`
	Argument map[string]any `json:"arguments"`
	Error    *codexError    `json:"error"`
	Query    string         `json:"query"`
	Items    []any          `json:"items"`
}

type codexChange struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
}

func (s codexStream) line(text []byte) {
	var l codexLine
	if !read(text, &l) {
		return
	}
	switch l.Type {
	case "thread.started":
		s.session(l.Thread)
	case "item.started":
		s.began(l.Item)
	case "item.updated":
		if l.Item.Type == "todo_list" {
			s.plan(l.Item)
		}
	case "item.completed":
		s.completed(l.Item)
	case "request_user_input":
		s.tell(job.Event{Type: job.EventPermission, ID: l.ID, Text: "it asks a question"})
	case "turn.completed":
		s.usage(job.Usage{InputTokens: l.Usage.Input, OutputTokens: l.Usage.Output})
		s.done(false, "")
	case "turn.failed":
		s.problem(l.Error.Message)
		s.done(true, "")
	case "error":
		s.failure(l.Message)
	}
}

// failure tells of an error of the stream. The ones that say so are tried again.
func (s codexStream) failure(message string) {
	if strings.HasPrefix(message, "Reconnecting") {
		s.tell(job.Event{Type: job.EventRetry, Text: message})
		return
	}
	s.problem(message)
}

func (s codexStream) began(i codexItem) {
	switch i.Type {
	case "todo_list":
		s.plan(i)
	case "command_execution", "mcp_tool_call", "web_search", "collab_tool_call":
		s.toolStart(i.ID, i.tool(), i.Argument)
	}
}

func (s codexStream) completed(i codexItem) {
	switch i.Type {
	case "agent_message":
		s.text(i.Text)
	case "plan":
		s.tell(job.Event{Type: job.EventPlan, Text: i.Text})
	case "todo_list":
		s.plan(i)
	case "error":
		s.warn(i.Message)
	case "file_change":
		s.toolStart(i.ID, i.tool(), nil)
		s.toolEnd(i.ID, i.Status == "failed", "")
	case "command_execution", "mcp_tool_call", "web_search", "collab_tool_call":
		if i.Status == "declined" {
			s.tell(job.Event{Type: job.EventPermission, ID: i.ID, Text: i.tool()})
		}
		s.toolEnd(i.ID, i.Status == "failed" || i.Status == "declined", i.outcome())
	}
}

// tool is what an item does, in a few words.
func (i codexItem) tool() string {
	switch i.Type {
	case "command_execution":
		return toolText("shell", map[string]any{"command": i.Command})
	case "mcp_tool_call":
		return join(i.Server, i.Tool)
	case "web_search":
		return toolText("search", map[string]any{"query": i.Query})
	case "file_change":
		var files []string
		for _, c := range i.Changes {
			files = append(files, fmt.Sprintf("%s %s", c.Kind, c.Path))
		}
		return strings.Join(files, ", ")
	default:
		return i.Type
	}
}

func (i codexItem) outcome() string {
	if i.Error != nil {
		return i.Error.Message
	}
	return i.Output
}

func (s codexStream) plan(i codexItem) {
	s.tell(job.Event{Type: job.EventPlan, Text: planText(any(i.Items), "text", "completed")})
}

func (s codexStream) closed(int, string) {}
