package executor

import (
	"encoding/json"
	"strings"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

// cursorStream is the dialect of cursor-agent: that of claude but for its tools. When it fails it may end without a
// last line.
type cursorStream struct{ claudeStream }

type cursorLine struct {
	Type    string         `json:"type"`
	Subtype string         `json:"subtype"`
	ID      string         `json:"call_id"`
	Call    map[string]any `json:"tool_call"`
}

func (s cursorStream) line(text []byte) {
	var l cursorLine
	if !read(text, &l) {
		return
	}
	if l.Type != "tool_call" {
		s.claudeStream.line(text)
		return
	}
	name, arguments, result := l.tool()
	switch l.Subtype {
	case "started":
		s.toolStart(l.ID, name, arguments)
	case "completed":
		_, rejected := result["rejected"]
		if rejected {
			s.tell(job.Event{Type: job.EventPermission, ID: l.ID, Text: toolText(name, arguments)})
		}
		wrong := result["error"]
		s.toolEnd(l.ID, rejected || wrong != nil, show(wrong))
	}
}

// tool takes apart a call, which has one key: readToolCall and the like, or function.
func (l cursorLine) tool() (name string, arguments, result map[string]any) {
	for key, value := range l.Call {
		call, ok := value.(map[string]any)
		if !ok || !strings.HasSuffix(key, "ToolCall") && key != "function" {
			continue
		}
		result, _ = call["result"].(map[string]any)
		if key == "function" {
			name, _ = call["name"].(string)
			text, _ := call["arguments"].(string)
			_ = json.Unmarshal([]byte(text), &arguments)
			return name, arguments, result
		}
		arguments, _ = call["args"].(map[string]any)
		return strings.TrimSuffix(key, "ToolCall"), arguments, result
	}
	return "tool", nil, nil
}
