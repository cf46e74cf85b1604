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
var Sessions = define[string, session.Session](Kind{
	Name: session.KindName, Folder: "sessions", Form: format.YAML, Lists: "list_sessions",
	ParseID: func(id string) error { _, err := session.ParseID(id); return err },
	Judge:   &proof.Sessions, Life: session.Life,
}, codec{
	keys: sessionKeys,
	set: func(v any, h record.Header) {
		s := v.(*session.Session)
		s.Refs, s.Provenance, s.Rev = h.Refs, h.Log, h.Rev
	},
	again: func(found, was, now any) (any, bool) {
		f, w, n := found.(session.Session), was.(session.Session), now.(session.Session)
		return f.EndAs(n), w.Status == session.Active && f.Status == session.Active && n.Status != session.Active
	},
	rows: func(v any, r *Row) {
		s := v.(session.Session)
		r.Parent, r.Created = s.Task, seconds(s.StartedAt)
	},
	words: func(v any) []string {
		s := v.(session.Session)
		return []string{s.Goal, s.Series, s.Summary, s.Reason, s.Branch}
	},
})

func sessionKeys() []Key {
	return []Key{
		KeyOf("id", func(s *session.Session) *string { return &s.ID }).Required(),
		KeyOf("task", func(s *session.Session) *record.ID { return &s.Task }),
		KeyOf("label", func(s *session.Session) *string { return &s.Label }),
		KeyOf("goal", func(s *session.Session) *string { return &s.Goal }),
		KeyOf("role", func(s *session.Session) *string { return &s.Role }),
		KeyOf("parent", func(s *session.Session) *string { return &s.Parent }).Fact(SessionParent),
		KeyOf("series", func(s *session.Session) *string { return &s.Series }).Fact(SessionSeries),
		KeyOf("actor", func(s *session.Session) *record.Actor { return &s.Actor }).Required(),
		KeyOf("client", func(s *session.Session) *string { return &s.Client }),
		KeyOf("model", func(s *session.Session) *string { return &s.Model }),
		KeyOf("executor", func(s *session.Session) *string { return &s.Executor }),
		KeyOf("job", func(s *session.Session) *string { return &s.Job }),
		KeyOf("status", func(s *session.Session) *session.Status { return &s.Status }).Required().From(endedSide),
		KeyOf("started_at", func(s *session.Session) *time.Time { return &s.StartedAt }),
		KeyOf("ended_at", func(s *session.Session) *time.Time { return &s.EndedAt }).From(endedSide),
		KeyOf("branch", func(s *session.Session) *string { return &s.Branch }),
		KeyOf("worktree", func(s *session.Session) *string { return &s.Worktree }),
		KeyOf("base", func(s *session.Session) *string { return &s.Base }).From(endedSide),
		KeyOf("head", func(s *session.Session) *string { return &s.Head }).Before("head_finished", "head_started").From(endedSide),
		KeyOf("summary", func(s *session.Session) *string { return &s.Summary }).From(endedSide),
		KeyOf("reason", func(s *session.Session) *string { return &s.Reason }).Before("cancel_reason").From(endedSide),
		KeyOf("input_tokens", func(s *session.Session) *int { return &s.Used.Input }),
		KeyOf("cached_tokens", func(s *session.Session) *int { return &s.Used.Cached }),
		KeyOf("output_tokens", func(s *session.Session) *int { return &s.Used.Output }),
		KeyOf("cost", func(s *session.Session) *string { return &s.Used.Cost }),
		refsKey(place(func(s *session.Session) *[]record.Reference { return &s.Refs })),
		logKey(place(func(s *session.Session) *record.Log { return &s.Provenance })),
	}
}

// The facts of a session's row.
const (
	SessionParent = "parent" // the session under which it began
	SessionSeries = "series"
)

// endedSide chooses the side on which a session ended: an end wins over active. If it ended on both sides in the same
// way, the later end wins in all its keys; the entries of both stay in the provenance. Two different ends are a
// conflict.
func endedSide(ours, theirs any) format.Side {
	o, t := ours.(session.Session), theirs.(session.Session)
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
