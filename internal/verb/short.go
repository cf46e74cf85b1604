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
	Claim      *Claim         `json:"claim,omitempty"`  // of a verb that takes a record, or one that the git remote has not heard of
	Reused     bool           `json:"reused,omitempty"` // one that is live was there already, with the same fingerprint
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

// Short is a result of the verb for a caller whose context is small: what its type makes of it, if that says how. What is
// only read was asked for, and stays whole, but for a verb that is Slim.
func (v Verb) Short(out any) any {
	if long, ok := out.(interface{ Short(v Verb) any }); ok && (v.Kind != Read || v.Slim) {
		return long.Short(v)
	}
	return out
}

// Short says of a session how it stands. A type that embeds one of these and has more to say has a method of its own.
func (ses Session) Short(v Verb) any {
	short := Short{
		ID: ses.ID, Task: ses.Task, Status: record.Status(ses.Status), TaskStatus: ses.TaskStatus, Rev: ses.Rev,
		Decisions: ses.Decisions, Last: ses.Last, Notices: ses.Notices, Replayed: ses.Replayed,
	}
	for _, c := range ses.OpenChecks {
		short.OpenChecks = append(short.OpenChecks, c.Desc+": "+c.State)
	}
	if ses.Status == session.Active && ses.Health != session.Health(session.Active) {
		short.Health = ses.Health
	}
	if v.Opens && ses.Task != "" {
		short.NextTool = "get"
	}
	return short
}

// Short says of a record how it stands.
func (r Record) Short(v Verb) any {
	short := Short{Kind: r.Kind, ID: r.ID, Status: r.Status, Rev: r.Rev, Notices: r.Notices, Replayed: r.Replayed}
	if v.Holds {
		short.Claim, short.NextTool = r.Claim, "get"
	}
	return short
}

// ShortRows say of several tasks how they stand, in the order of the rows.
func ShortRows(rows []Row) []Short {
	return record.Each(rows, func(r Row) Short { return Short{ID: string(r.ID), Status: r.Status, BlockedBy: r.BlockedBy} })
}

// Short leaves out what the caller wrote.
func (s Several) Short(Verb) any {
	return struct {
		Tasks    []Short  `json:"tasks"`
		Notices  []Notice `json:"notices,omitempty"`
		Replayed bool     `json:"replayed,omitempty"`
	}{ShortRows(s.Tasks), s.Notices, s.Replayed}
}

// Short says of a task how it stands, and what a run of its checks showed.
func (t Task) Short(v Verb) any {
	out := Short{
		ID: string(t.ID), Status: t.Status, Rev: t.Rev, BlockedBy: t.BlockedBy, Lost: t.Lost, Notices: t.Notices, Replayed: t.Replayed,
	}
	if v.Holds || t.Claim != nil && (t.Claim.Unsynced || t.Claim.Lost) {
		out.Claim = t.Claim
	}
	if t.Run == nil {
		return out
	}
	out.Run = &ShortRun{TreeChanged: t.Run.TreeChanged}
	for _, c := range t.Run.Checks {
		if c.Stands() {
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
