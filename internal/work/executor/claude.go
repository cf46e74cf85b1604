package executor

import (
	"encoding/json"
	"strings"

	"github.com/cairn-tasks/cairn/internal/work/job"
)

// claudeStream is the dialect of claude, and of amp, which copies it: a JSON object a line. The last one, of type
// result, has is_error, which counts: its subtype can be success even so, and so can the exit status.
type claudeStream struct{ *stream }

type claudeLine struct {
	Type      string        `json:"type"`
	Subtype   string        `json:"subtype"`
	Session   string        `json:"session_id"`
	Parent    string        `json:"parent_tool_use_id"` // of what a subagent says
	Message   claudeMessage `json:"message"`
	Servers   []mcpStatus   `json:"mcp_servers"`
	IsError   bool          `json:"is_error"`
	Result    string        `json:"result"`
	Errors    []string      `json:"errors"`
	Error     any           `json:"error"`
	Cost      float64       `json:"total_cost_usd"`
	Usage     claudeUsage   `json:"usage"`
	Denials   []claudeTool  `json:"permission_denials"`
	Attempt   int           `json:"attempt"`
	ErrorCode any           `json:"error_status"`
}

type claudeMessage struct {
	Content claudeContent `json:"content"`
	Usage   claudeUsage   `json:"usage"`
}

// claudeContent is a list of blocks. A message of the user may have a text instead, which is left out.
type claudeContent []claudeBlock

func (c *claudeContent) UnmarshalJSON(src []byte) error {
	var blocks []claudeBlock
	if json.Unmarshal(src, &blocks) == nil {
		*c = blocks
	}
	return nil
}

type claudeBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   map[string]any  `json:"input"`
	ToolID  string          `json:"tool_use_id"`
	IsError bool            `json:"is_error"`
	Content json.RawMessage `json:"content"`
}

type claudeTool struct {
	Name  string         `json:"tool_name"`
	ID    string         `json:"tool_use_id"`
	Input map[string]any `json:"tool_input"`
}

type claudeUsage struct {
	Input    int64 `json:"input_tokens"`
	Output   int64 `json:"output_tokens"`
	Read     int64 `json:"cache_read_input_tokens"`
	Creation int64 `json:"cache_creation_input_tokens"`
}

type mcpStatus struct {
	Name   string `json:"name"`
	Status string `json:"status"`
}

func (s claudeStream) line(text []byte) {
	var l claudeLine
	if !read(text, &l) {
		return
	}
	s.session(l.Session)
	switch l.Type {
	case "system":
		s.system(l)
	case "assistant":
		s.assistant(l)
	case "user":
		for _, b := range l.Message.Content {
			if b.Type == "tool_result" {
				s.toolEnd(b.ToolID, b.IsError, contentText(b.Content))
			}
		}
	case "result":
		s.ended(l)
	}
}

func (s claudeStream) system(l claudeLine) {
	switch l.Subtype {
	case "init":
		s.servers(l.Servers)
	case "api_retry":
		s.tell(job.Event{Type: job.EventRetry, Attempt: l.Attempt, Text: join("the provider answered", show(l.ErrorCode), show(l.Error))})
	}
}

// servers tells if the program could not start cairn: without it the work cannot be handed over.
func (s *stream) servers(all []mcpStatus) {
	for _, m := range all {
		if m.Name == serverName && (m.Status == "failed" || m.Status == "needs-auth" || m.Status == "disabled") {
			s.warn("the program could not start its MCP server cairn: " + m.Status)
		}
	}
}

func (s claudeStream) assistant(l claudeLine) {
	for _, b := range l.Message.Content {
		switch {
		case b.Type == "text" && l.Parent == "":
			s.text(b.Text)
		case b.Type == "tool_use" && b.Name == "TodoWrite":
			s.tell(job.Event{Type: job.EventPlan, Text: planText(b.Input["todos"], "content", "status")})
		case b.Type == "tool_use":
			s.toolStart(b.ID, b.Name, b.Input)
		}
	}
}

func (s claudeStream) ended(l claudeLine) {
	for _, d := range l.Denials {
		s.tell(job.Event{Type: job.EventPermission, ID: d.ID, Text: toolText(d.Name, d.Input)})
	}
	s.usage(job.Usage{InputTokens: l.Usage.Input + l.Usage.Read + l.Usage.Creation, OutputTokens: l.Usage.Output, Cost: l.Cost})
	failed := l.IsError || l.Subtype != "" && l.Subtype != "success"
	if failed {
		s.problem(join(strings.TrimPrefix(l.Subtype, "success"), l.Result, strings.Join(l.Errors, "; "), show(l.Error)))
	}
	s.done(failed, l.Result)
}

func (s claudeStream) closed(int, string) {}

// ampStream is the dialect of amp. Without a login it asks for one, in text, and waits.
type ampStream struct{ claudeStream }

func (s ampStream) line(text []byte) {
	if strings.HasPrefix(string(text), "No API key found") {
		s.problem("it is not logged in")
		s.done(true, "")
	}
	s.claudeStream.line(text)
}

// contentText is the text of what a tool answered: a text, or a list of blocks.
func contentText(src json.RawMessage) string {
	var text string
	if json.Unmarshal(src, &text) == nil {
		return text
	}
	var blocks []claudeBlock
	_ = json.Unmarshal(src, &blocks)
	var out []string
	for _, b := range blocks {
		out = append(out, b.Text)
	}
	return join(out...)
}

// planText is a list of steps, one a line, with whether each is done.
func planText(list any, textKey, stateKey string) string {
	items, _ := list.([]any)
	var out []string
	for _, item := range items {
		step, _ := item.(map[string]any)
		mark := "- [ ] "
		if done, _ := step[stateKey].(bool); done || step[stateKey] == "completed" {
			mark = "- [x] "
		}
		out = append(out, mark+show(step[textKey]))
	}
	return strings.Join(out, "\n")
}

// show is a value of JSON on one line; "" for null.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		text, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return string(text)
	}
}

// join puts texts behind one another that are not empty.
func join(texts ...string) string {
	var out []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, ": ")
}
