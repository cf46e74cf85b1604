// Package knowledge holds the verbs of notes of knowledge: what a team knows, written by one and found by another.
package knowledge

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/embed"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// WriteIn is the input of Write. With an id it changes that note, and what is left out stays as it is.
type WriteIn struct {
	Title       *string          `json:"title" doc:"what the note is about, on one line; required without id" cli:"arg"`
	Body        *string          `json:"body" doc:"what you know, in Markdown; required without id"`
	Type        *ledger.NoteType `json:"type" doc:"note (the usual one), runbook, finding or snippet" enum:"note,runbook,finding,snippet"`
	Labels      *[]string        `json:"labels" doc:"free words to find it by" cli:"flag=label" from:"labels"`
	About       *[]verb.RecordID `json:"about" doc:"records that it is about"`
	ID          ledger.NoteID    `json:"id,omitempty" doc:"note to change" names:"knowledge"`
	Status      *record.Status   `json:"status" doc:"with id: archived for a note that holds no longer, which searches then leave out; active again" enum:"active,archived"`
	ExpectedRev string           `json:"expected_rev,omitempty" doc:"rev that the note must still have, else CONFLICT"`
	verb.Once
}

// Note is a note as Write returns it.
type Note struct {
	verb.Record
	Alike     []Alike `json:"alike"`                      // notes much alike
	Embedding string  `json:"embedding"`                  // ready, pending, or off
	Reason    string  `json:"embedding_reason,omitempty"` // why it is not ready
}

// Short says of a note how it stands, and which are much alike.
func (n Note) Short(v verb.Verb) any {
	short, _ := n.Record.Short(v).(verb.Short)
	return struct {
		verb.Short
		Alike  []Alike `json:"alike,omitempty"`
		Reason string  `json:"embedding_reason,omitempty"`
	}{short, n.Alike, n.Reason}
}

// The states of the embedding of a note.
const (
	Ready   = "ready"
	Pending = "pending"
	Off     = "off"
)

// Alike is a note that says much the same as another.
type Alike struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// Write creates a note or changes one. It is saved before anything else is done with it: whatever becomes of the
// embedder, it is written.
func Write(ctx context.Context, w *verb.Workspace, s *store.Store, in WriteIn) (Note, error) {
	if in.About != nil {
		if err := verb.Exist(s, *in.About); err != nil {
			return Note{}, err
		}
	}
	rec, err := in.save(ctx, w, s)
	if err != nil {
		return Note{}, err
	}
	return complete(ctx, w, s, rec)
}

func (in WriteIn) save(ctx context.Context, w *verb.Workspace, s *store.Store) (verb.Record, error) {
	if in.ID != "" {
		return verb.Change{Kind: kind.Knowledge.Kind, IDs: []string{string(in.ID)}, ExpectedRev: in.ExpectedRev, Decide: func(wc verb.WriteContext) (any, error) {
			return wc.Was.(ledger.Note).Change(in.change(), w.Stamp(""))
		}}.Record(ctx, w, s)
	}
	switch {
	case in.Title == nil:
		return verb.Record{}, verb.BadInput("title", "is missing").WithHint("give title and body, or the id of the note to change")
	case in.Body == nil:
		return verb.Record{}, verb.BadInput("body", "is missing").WithHint("write down what others should find")
	case in.ExpectedRev != "":
		return verb.Record{}, verb.BadInput("expected_rev", "is given without id").WithHint("a new note has no revision yet")
	}
	return verb.CreateRecord(ctx, w, s, kind.Knowledge, func(_ *store.Tx, token string) (ledger.Note, error) {
		return ledger.NewNote(in.change(), token, w.Stamp(""))
	})
}

func (in WriteIn) change() ledger.NoteChange {
	c := ledger.NoteChange{Title: in.Title, Body: in.Body, Type: in.Type, Labels: in.Labels, Status: in.Status}
	if in.About != nil {
		about := verb.AsTexts(*in.About)
		c.About = &about
	}
	return c
}

// complete shows a note that was written, embeds it, and names those that are much alike.
func complete(ctx context.Context, w *verb.Workspace, s *store.Store, rec verb.Record) (Note, error) {
	out := Note{Record: rec, Alike: []Alike{}, Embedding: Off}
	n, err := kind.Knowledge.Get(s, ledger.NoteID(rec.ID))
	if err != nil { // it is gone meanwhile
		return out, nil //nolint:nilerr // it was written
	}
	e := embed.Of(w, s)
	row := kind.Knowledge.Row(n)
	vectors, err := e.Vectors(ctx, []embed.Text{{Key: keyOf(&row), Read: func() (string, error) { return n.Text(), nil }}}, nil)
	vector := vectors.Of(keyOf(&row))
	switch {
	case vector != nil:
		out.Embedding = Ready
	case !e.Off():
		out.Embedding = Pending
		out.Reason = record.MessageOf(err)
	}
	if alike, err := alikeTo(ctx, w, s, n, vector, vectors); err == nil {
		out.Alike = alike
	}
	return out, nil
}

// keyOf stands for what a note says, in what is kept of the embedder.
func keyOf(r *kind.Row) string { return r.Title + "\x00" + r.Body }

// Replay shows the note as it is now.
func (Note) Replay(w *verb.Workspace, s *store.Store, made session.Key) (any, error) {
	rec, err := w.View(s).RecordByID(kind.Knowledge.Kind, verb.MadeID(made), verb.Usual)
	if err != nil {
		return Note{}, err
	}
	return complete(context.Background(), w, s, rec)
}

// Verbs are the verbs of notes of knowledge. Reading, commenting and history need none: get, note and history take the
// id of a note.
var Verbs = verb.Group{Name: "ledger", Noun: "knowledge", Toolset: verb.Ledger}.Of(
	verb.Declare(Write, verb.Verb{Name: "knowledge_write", Title: "Write down what you know", Kind: verb.Write,
		Profile: verb.Operator,
		Summary: "Write a note of knowledge for others to find, or change one.",
		When:    "When you found out something that somebody will need again. The answer names notes much alike: change one of these instead of keeping two.",
	}),
	verb.Declare(Search, verb.Verb{Name: "knowledge_search", Title: "Search knowledge",
		Lists:   ledger.NoteKind,
		Summary: "Find active notes of knowledge by words and, where you have set up an embedder, by meaning, the best first.",
		When:    "Before you find out something again. The answer says by which it searched, in mode.",
	}),
)
