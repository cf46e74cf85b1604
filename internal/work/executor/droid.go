package executor

import (
	"encoding/json"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

// droidStream is the dialect of droid. completion is the last line of a run that went well.
type droidStream struct{ *stream }

type droidLine struct {
	Type     string          `json:"type"`
	Subtype  string          `json:"subtype"`
	Session  string          `json:"session_id"`
	Role     string          `json:"role"`
	Text     string          `json:"text"`
	ID       string          `json:"id"`
	Tool     string          `json:"toolName"`
	Argument map[string]any  `json:"parameters"`
	IsError  bool            `json:"isError"`
	Failed   bool            `json:"is_error"`
	Value    json.RawMessage `json:"value"`
	Error    any             `json:"error"`
	Message  string          `json:"message"`
	Final    string          `json:"finalText"`
	Result   string          `json:"result"`
	Usage    claudeUsage     `json:"usage"`
}

func (s droidStream) line(text []byte) {
	var l droidLine
	if !read(text, &l) {
		return
	}
	s.session(l.Session)
	switch l.Type {
	case "message":
		if l.Role == "assistant" {
			s.text(l.Text)
		}
	case "tool_call":
		s.toolStart(l.ID, l.Tool, l.Argument)
	case "tool_result":
		s.toolEnd(l.ID, l.IsError, join(contentText(l.Value), show(l.Error)))
	case "error":
		s.problem(join(l.Message, show(l.Error)))
	case "completion":
		s.usage(job.Usage{InputTokens: l.Usage.Input + l.Usage.Read + l.Usage.Creation, OutputTokens: l.Usage.Output})
		s.done(l.Failed, l.Final)
	case "result":
		failed := l.Failed || l.Subtype != "" && l.Subtype != "success"
		if failed {
			s.problem(join(l.Subtype, l.Result))
		}
		s.done(failed, l.Result)
	}
}

func (s droidStream) closed(int, string) {}
