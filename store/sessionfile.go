package store

import (
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// sessionKeys is the order in which the keys of a session file stand.
var sessionKeys = []string{
	"id", "task", "actor", "client", "model", "status", "started_at", "ended_at", "branch", "worktree", "head", "summary",
	"reason", "provenance",
}

// readSession reads a document as a session. Unknown keys and a missing task are fine: other kinds of session have them.
// The original cairn has two keys for head, and cancel_reason for reason.
func readSession(doc *frontmatter.Doc) (session.Session, error) {
	r := &reader{doc: doc}
	r.noMerge(doc.Root())
	text := func(keys ...string) string {
		for _, key := range keys {
			if n := doc.Get(key); !isNull(n) {
				return r.text(key, n)
			}
		}
		return ""
	}
	s := session.Session{
		ID:        r.required("id"),
		Task:      task.ID(text("task")),
		Actor:     task.Actor(r.required("actor")),
		Client:    text("client"),
		Model:     text("model"),
		Status:    session.Status(r.required("status")),
		StartedAt: r.instant("started_at", doc.Get("started_at")),
		EndedAt:   r.instant("ended_at", doc.Get("ended_at")),
		Branch:    text("branch"),
		Worktree:  text("worktree"),
		Head:      text("head", "head_finished", "head_started"),
		Summary:   text("summary"),
		Reason:    text("reason", "cancel_reason"),

		Provenance: r.entries(),
	}
	return s, r.err
}

func newSessionFile(s session.Session) ([]byte, error) {
	m := sessionMap(s)
	if len(s.Provenance) > 0 {
		m = append(m, frontmatter.Field{Key: "provenance", Value: seqOf(s.Provenance, entryValue)})
	}
	doc, err := frontmatter.New(frontmatter.YAML, m, "")
	if err != nil {
		return nil, err
	}
	return doc.Bytes(), nil
}

// editSession sets every key that differs. A session only ever gains and changes values; nothing is taken out.
func editSession(doc *frontmatter.Doc, was, now session.Session) (*frontmatter.Doc, error) {
	have := map[string]frontmatter.Value{}
	for _, f := range sessionMap(was) {
		have[f.Key] = f.Value
	}
	var edits []frontmatter.Edit
	for _, f := range sessionMap(now) {
		if have[f.Key] != f.Value {
			edits = append(edits, frontmatter.Set(frontmatter.Path{f.Key}, f.Value))
		}
	}
	if len(now.Provenance) > len(was.Provenance) {
		edits = append(edits, setItems(doc, "provenance", grown(was.Provenance, now.Provenance))...)
	}
	return doc.Edit(sessionKeys, edits...)
}

// sessionMap is all that a session says, but for its provenance.
func sessionMap(s session.Session) frontmatter.Map {
	var m mapping
	m.text("id", s.ID)
	m.text("task", string(s.Task))
	m.text("actor", string(s.Actor))
	m.text("client", s.Client)
	m.text("model", s.Model)
	m.text("status", string(s.Status))
	m.time("started_at", s.StartedAt)
	m.time("ended_at", s.EndedAt)
	m.text("branch", s.Branch)
	m.text("worktree", s.Worktree)
	m.text("head", s.Head)
	m.text("summary", s.Summary)
	m.text("reason", s.Reason)
	return frontmatter.Map(m)
}
