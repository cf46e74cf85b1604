package verb

import (
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
)

// Short is the answer to a write for a caller whose context is small: which record, how it stands, and what the caller
// cannot know yet. get has the rest.
type Short struct {
	Kind       string         `json:"kind,omitempty"` // of what is neither a task nor a session
	ID         string         `json:"id"`
	Task       record.ID      `json:"task,omitempty"` // of a session
	Status     record.Status  `json:"status,omitempty"`
	Health     session.Health `json:"health,omitempty"`
	TaskStatus record.Status  `json:"task_status,omitempty"` // of finish and cancel
	Rev        record.Rev     `json:"rev,omitempty"`
	BlockedBy  []record.ID    `json:"blocked_by,omitempty"`
	Claim      *Claim         `json:"claim,omitempty"` // of a verb that takes a record, or one that the git remote has not heard of
	Lost       *Lost          `json:"lost,omitempty"`
	Run        *ShortRun      `json:"run,omitempty"`
	OpenChecks []string       `json:"open_checks,omitempty"` // what stands between the task and its close
	Decisions  *Governing     `json:"decisions,omitempty"`   // of begin
	Last       *Last          `json:"last,omitempty"`        // of begin
	Notices    []Notice       `json:"notices,omitempty"`
	NextTool   string         `json:"next_tool,omitempty"`
	Replayed   bool           `json:"replayed,omitempty"`
}

// ShortRun is what a run of checks showed: how many passed, and the others whole.
type ShortRun struct {
	Passed      int        `json:"passed"`
	Failed      []CheckRun `json:"failed,omitempty"`
	Log         string     `json:"log,omitempty"` // if one failed
	TreeChanged []string   `json:"tree_changed,omitempty"`
}

// Short is a result of the verb as Short, if it is a task, a session or another record that the verb wrote. Any other
// result stays as it is.
func (v Verb) Short(out any) any {
	if v.Kind == Read {
		return out
	}
	switch out := out.(type) {
	case Task:
		return out.short(v.Holds)
	case Session:
		short := Short{
			ID: out.ID, Task: out.Task, Status: record.Status(out.Status), TaskStatus: out.TaskStatus, Rev: out.Rev,
			Decisions: out.Decisions, Last: out.Last, Notices: out.Notices, Replayed: out.Replayed,
		}
		for _, c := range out.OpenChecks {
			short.OpenChecks = append(short.OpenChecks, c.Desc+": "+c.State)
		}
		if out.Status == session.Active && out.Health != session.Health(session.Active) {
			short.Health = out.Health
		}
		if v.Opens && out.Task != "" {
			short.NextTool = "get"
		}
		return short
	case Record:
		return Short{Kind: out.Kind, ID: out.ID, Status: out.Status, Rev: out.Rev, Notices: out.Notices, Replayed: out.Replayed}
	default:
		return out
	}
}

func (t Task) short(takes bool) Short {
	out := Short{
		ID: string(t.ID), Status: t.Status, Rev: t.Rev, BlockedBy: t.BlockedBy, Lost: t.Lost, Notices: t.Notices, Replayed: t.Replayed,
	}
	if takes || t.Claim != nil && (t.Claim.Unsynced || t.Claim.Lost) {
		out.Claim = t.Claim
	}
	if t.Run == nil {
		return out
	}
	out.Run = &ShortRun{TreeChanged: t.Run.TreeChanged}
	for _, c := range t.Run.Checks {
		if c.Result == record.Pass {
			out.Run.Passed++
			continue
		}
		out.Run.Failed, out.Run.Log = append(out.Run.Failed, c), t.Run.Log
	}
	if t.Claim != nil && t.Claim.Session != "" {
		out.NextTool = "finish"
	}
	for _, c := range t.Checks {
		if c.Result != record.Pass {
			out.OpenChecks = append(out.OpenChecks, c.Desc+": "+strings.TrimSpace(c.Type+" "+string(c.Result)))
		}
	}
	if len(out.Run.Failed) > 0 {
		out.NextTool = "run_checks"
	}
	return out
}
