package kind

import (
	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/format"
)

var sessionKind = Kind{
	Name: session.KindName, Folder: "sessions", Form: format.YAML, Keys: sessionKeys, Lists: "list_sessions",
	ParseID: func(id string) error { _, err := session.ParseID(id); return err },
	Judge:   &proof.Sessions, Life: session.Life,
}

var sessionCodec = Codec[session.Session]{
	Merge:  sessionMerge,
	Decode: decodeSession, Edit: editSession, Create: newSession, Header: session.Session.Header,
	Again: func(found, was, now session.Session) (session.Session, bool) {
		return found.EndAs(now), was.Status == session.Active && found.Status == session.Active && now.Status != session.Active
	},
	Search: func(s session.Session) []string { return []string{s.Goal, s.Series, s.Summary, s.Reason, s.Branch} },
	With: func(s session.Session, e record.Entry) session.Session {
		s.Provenance = s.Provenance.Add(e)
		return s
	},
	Repeats: session.Session.Repeats,
	WithRefs: func(s session.Session, refs []record.Reference) session.Session {
		s.Refs = refs
		return s
	},
	Row: sessionRow,
}

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

// sessionKeys is the order in which the keys of a session file stand.
var sessionKeys = []string{
	"id", "task", "label", "goal", "role", "parent", "series", "actor", "client", "model", "executor", "job", "status", "started_at", "ended_at", "branch",
	"worktree", "base", "head", "summary", "reason", "refs", "provenance",
}

// decodeSession reads a document as a session. A session without a task is valid, as in the files of the original
// cairn, which also has two keys for head, and cancel_reason for reason.
func decodeSession(doc *format.Doc) (session.Session, error) {
	r := &reader{doc: doc}
	r.noMerge(doc.Root())
	text := func(keys ...string) string {
		for _, key := range keys {
			if n := doc.Get(key); !format.IsNull(n) {
				return r.text(key, n)
			}
		}
		return ""
	}
	s := session.Session{
		ID:        r.required("id"),
		Task:      record.ID(text("task")),
		Label:     text("label"),
		Goal:      text("goal"),
		Role:      text("role"),
		Parent:    text("parent"),
		Series:    text("series"),
		Actor:     record.Actor(r.required("actor")),
		Client:    text("client"),
		Model:     text("model"),
		Executor:  text("executor"),
		Job:       text("job"),
		Status:    session.Status(r.required("status")),
		StartedAt: r.instant("started_at", doc.Get("started_at")),
		EndedAt:   r.instant("ended_at", doc.Get("ended_at")),
		Branch:    text("branch"),
		Worktree:  text("worktree"),
		Base:      text("base"),
		Head:      text("head", "head_finished", "head_started"),
		Summary:   text("summary"),
		Reason:    text("reason", "cancel_reason"),

		Refs:       r.refs(),
		Rev:        Rev(doc.Bytes()),
		Provenance: r.entries(),
	}
	return s, r.err
}

func newSession(s session.Session) (*format.Doc, error) {
	m := mapping(sessionMap(s))
	addRefs(&m, s.Refs)
	if len(s.Provenance) > 0 {
		m = append(m, format.Field{Key: "provenance", Value: LogValue(s.Provenance)})
	}
	return format.New(format.YAML, format.Map(m), "")
}

// editSession sets every key that differs. No key is ever removed from a session.
func editSession(doc *format.Doc, was, now session.Session) (*format.Doc, error) {
	have := map[string]format.Value{}
	for _, f := range sessionMap(was) {
		have[f.Key] = f.Value
	}
	var edits []format.Edit
	for _, f := range sessionMap(now) {
		if have[f.Key] != f.Value {
			edits = append(edits, format.Set(format.Path{f.Key}, f.Value))
		}
	}
	edits = append(edits, editRefs(doc, was.Refs, now.Refs)...)
	return doc.Edit(sessionKeys, append(edits, EditLog(doc, was.Provenance, now.Provenance)...)...)
}

// sessionMap is the keys of a session without its references and its provenance.
func sessionMap(s session.Session) format.Map {
	var m mapping
	m.text("id", s.ID)
	m.text("task", string(s.Task))
	m.text("label", s.Label)
	m.text("goal", s.Goal)
	m.text("role", s.Role)
	m.text("parent", s.Parent)
	m.text("series", s.Series)
	m.text("actor", string(s.Actor))
	m.text("client", s.Client)
	m.text("model", s.Model)
	m.text("executor", s.Executor)
	m.text("job", s.Job)
	m.text("status", string(s.Status))
	m.time("started_at", s.StartedAt)
	m.time("ended_at", s.EndedAt)
	m.text("branch", s.Branch)
	m.text("worktree", s.Worktree)
	m.text("base", s.Base)
	m.text("head", s.Head)
	m.text("summary", s.Summary)
	m.text("reason", s.Reason)
	return format.Map(m)
}
