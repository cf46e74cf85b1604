package executor

import (
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// opencodeStream is the dialect of opencode. It has no last line: a step that ends for another reason than to use tools
// is the last one unless another begins, and an error is one even if the program ends with 0.
type opencodeStream struct {
	*stream
	last   bool // the last step has ended
	failed bool
}

type opencodeLine struct {
	Type    string `json:"type"`
	Session string `json:"sessionID"`
	Part    struct {
		Text   string  `json:"text"`
		Tool   string  `json:"tool"`
		Call   string  `json:"callID"`
		Reason string  `json:"reason"`
		Cost   float64 `json:"cost"`
		Tokens struct {
			Input  int64 `json:"input"`
			Output int64 `json:"output"`
			Cache  struct {
				Read  int64 `json:"read"`
				Write int64 `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
		State struct {
			Status string         `json:"status"`
			Input  map[string]any `json:"input"`
			Output string         `json:"output"`
			Error  string         `json:"error"`
		} `json:"state"`
	} `json:"part"`
	Error struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"error"`
}

func (s *opencodeStream) line(text []byte) {
	var l opencodeLine
	if !read(text, &l) {
		return
	}
	s.session(l.Session)
	switch p := l.Part; l.Type {
	case "step_start":
		s.last = false
		s.goesOn()
	case "text":
		s.text(p.Text)
	case "tool_use":
		s.toolStart(p.Call, p.Tool, p.State.Input)
		s.toolEnd(p.Call, p.State.Status == "error", join(p.State.Error, p.State.Output))
	case "step_finish":
		t := p.Tokens
		s.add(job.Usage{InputTokens: t.Input + t.Cache.Read + t.Cache.Write, OutputTokens: t.Output, Cost: p.Cost})
		if s.last = p.Reason != "tool-calls"; s.last {
			s.maybeDone()
		}
	case "error":
		s.failed = true
		s.problem(join(l.Error.Name, l.Error.Data.Message))
		s.maybeDone()
	}
}

// closed is also called when the program stayed after its last step.
func (s *opencodeStream) closed(int, string) {
	if s.last || s.failed {
		s.done(s.failed, "")
	}
}
