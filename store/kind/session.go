package kind

import (
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/format"
)

// Sessions is the row of sessions in the table of kinds. A session without a task is valid, as in the files of the
// original cairn, which also has two keys for head, and cancel_reason for reason.
var Sessions = define[string](Kind{
	Name: session.KindName, Folder: "sessions", Form: format.YAML, Lists: "list_sessions",
	Keys: []string{
		"id", "task", "label", "goal", "role", "parent", "series", "actor", "client", "model", "executor", "job", "status", "started_at",
		"ended_at", "branch", "worktree", "base", "head", "summary", "reason", "refs", "provenance",
	},
	ParseID: func(id string) error { _, err := session.ParseID(id); return err },
	Judge:   &proof.Sessions, Life: session.Life,
}, &codec[session.Session]{
	keys: func() []Key[session.Session] {
		return []Key[session.Session]{
			Text("id", func(s *session.Session) *string { return &s.ID }).Required(),
			Text("task", func(s *session.Session) *record.ID { return &s.Task }),
			Text("label", func(s *session.Session) *string { return &s.Label }),
			Text("goal", func(s *session.Session) *string { return &s.Goal }),
			Text("role", func(s *session.Session) *string { return &s.Role }),
			Text("parent", func(s *session.Session) *string { return &s.Parent }),
			Text("series", func(s *session.Session) *string { return &s.Series }),
			Text("actor", func(s *session.Session) *record.Actor { return &s.Actor }).Required(),
			Text("client", func(s *session.Session) *string { return &s.Client }),
			Text("model", func(s *session.Session) *string { return &s.Model }),
			Text("executor", func(s *session.Session) *string { return &s.Executor }),
			Text("job", func(s *session.Session) *string { return &s.Job }),
			Text("status", func(s *session.Session) *session.Status { return &s.Status }).Required().From(endedSide),
			Instant("started_at", func(s *session.Session) *time.Time { return &s.StartedAt }),
			Instant("ended_at", func(s *session.Session) *time.Time { return &s.EndedAt }).From(endedSide),
			Text("branch", func(s *session.Session) *string { return &s.Branch }),
			Text("worktree", func(s *session.Session) *string { return &s.Worktree }),
			Text("base", func(s *session.Session) *string { return &s.Base }).From(endedSide),
			Text("head", func(s *session.Session) *string { return &s.Head }).Before("head_finished", "head_started").From(endedSide),
			Text("summary", func(s *session.Session) *string { return &s.Summary }).From(endedSide),
			Text("reason", func(s *session.Session) *string { return &s.Reason }).Before("cancel_reason").From(endedSide),
			refsKey(func(s *session.Session) *[]record.Reference { return &s.Refs }),
			logKey(func(s *session.Session) *record.Log { return &s.Provenance }),
		}
	},
	header: session.Session.Header,
	set:    func(s *session.Session, h record.Header) { s.Refs, s.Provenance, s.Rev = h.Refs, h.Log, h.Rev },
	again: func(found, was, now session.Session) (session.Session, bool) {
		return found.EndAs(now), was.Status == session.Active && found.Status == session.Active && now.Status != session.Active
	},
	repeats: session.Session.Repeats, rows: sessionRow,
	words: func(s session.Session) []string { return []string{s.Goal, s.Series, s.Summary, s.Reason, s.Branch} },
})

// The facts of a session's row.
const (
	SessionParent = "parent" // the session under which it began
	SessionSeries = "series"
)

func sessionRow(s session.Session, r *Row) {
	r.Parent, r.Created = s.Task, seconds(s.StartedAt)
	r.Add(SessionParent, s.Parent)
	r.Add(SessionSeries, s.Series)
}

// endedSide chooses the side on which a session ended: an end wins over active. If it ended on both sides in the same
// way, the later end wins in all its keys; the entries of both stay in the provenance. Two different ends are a
// conflict.
func endedSide(o, t session.Session) format.Side {
	switch {
	case o.Status == session.Active && t.Status != session.Active:
		return format.Theirs
	case o.Status != session.Active && t.Status == session.Active:
		return format.Ours
	case o.Status != t.Status || o.EndedAt.Equal(t.EndedAt):
		return format.Neither
	case o.EndedAt.After(t.EndedAt):
		return format.Ours
	default:
		return format.Theirs
	}
}
