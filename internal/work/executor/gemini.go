package executor

import (
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// geminiStream is the dialect of gemini. Messages come in pieces; result has the status.
type geminiStream struct{ *stream }

type geminiLine struct {
	Type     string         `json:"type"`
	Session  string         `json:"session_id"`
	Role     string         `json:"role"`
	Content  string         `json:"content"`
	Delta    bool           `json:"delta"`
	Name     string         `json:"tool_name"`
	ID       string         `json:"tool_id"`
	Argument map[string]any `json:"parameters"`
	Status   string         `json:"status"`
	Output   string         `json:"output"`
	Severity string         `json:"severity"`
	Message  string         `json:"message"`
	Error    codexError     `json:"error"`
	Stats    struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"stats"`
}

func (s geminiStream) line(text []byte) {
	var l geminiLine
	if !read(text, &l) {
		return
	}
	switch l.Type {
	case "init":
		s.session(l.Session)
	case "message":
		switch {
		case l.Role != "assistant":
		case l.Delta:
			s.piece(l.Content)
		default:
			s.text(l.Content)
		}
	case "tool_use":
		s.toolStart(l.ID, l.Name, l.Argument)
	case "tool_result":
		s.toolEnd(l.ID, l.Status == "error", join(l.Output, l.Error.Message))
	case "error":
		if l.Severity == "warning" {
			s.warn(l.Message)
		} else {
			s.problem(l.Message)
		}
	case "result":
		s.usage(job.Usage{InputTokens: l.Stats.Input, OutputTokens: l.Stats.Output})
		if l.Status != "success" {
			s.problem(l.Error.Message)
		}
		s.done(l.Status != "success", "")
	}
}

func (s geminiStream) closed(int, string) {}
