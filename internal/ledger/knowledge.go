package ledger

import (
	"cmp"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// NoteKind is the kind of a note of knowledge, in a record.Ref, and NotePrefix what stands before the dash of its id.
const (
	NoteKind   = "knowledge"
	NotePrefix = "KB"
)

// NoteID names a note of knowledge: KB-, and the token of a task's id.
type NoteID string

// Note is something that a team knows. Whoever knows better changes it; what it said before is in git.
type Note struct {
	record.Header // what all kinds have in common
	Type          NoteType
	About         []string // ids of records
	Body          string
}

// NoteType says what kind of knowledge a note holds.
type NoteType string

// The types of notes.
const (
	PlainNote NoteType = "note" // the usual one, and that of a file that names none
	Runbook   NoteType = "runbook"
	Finding   NoteType = "finding"
	Snippet   NoteType = "snippet"
)

// NoteTypes lists every type.
var NoteTypes = []NoteType{PlainNote, Runbook, Finding, Snippet}

// The states of a note. One that is archived holds no longer, and searches by meaning leave it out.
const (
	NoteActive   record.Status = "active"
	NoteArchived record.Status = "archived"
)

// NoteStates lists every state.
var NoteStates = []record.Status{NoteActive, NoteArchived}

// NoteChange is what somebody writes of a note. What is nil stays as it is.
type NoteChange struct {
	Title, Body   *string
	Type          *NoteType
	Labels, About *[]string
	Status        *record.Status
}

// NewNote returns a note as it is written first, or INVALID_INPUT if there may be no such note. It is active.
func NewNote(c NoteChange, token string, s record.Stamp) (Note, error) {
	n := Note{Header: record.Header{Ref: record.Ref{Kind: NoteKind, ID: NotePrefix + "-" + token}, Status: NoteActive}, Type: PlainNote}
	n, _ = n.with(c)
	n.Log = n.Log.Add(s.Entry(record.Created))
	if n.Status != NoteActive {
		return n, record.Errorf(record.InvalidInput, "status is %q for a new note", record.Clip(string(n.Status), 100)).WithHint("leave it out: a new note is active")
	}
	return n, cmp.Or(n.says(), n.Valid())
}

// Change returns the note with what somebody wrote, and with an entry that says what changed. It is the same note if
// nothing would change, and INVALID_INPUT is returned for what no note may be.
func (n Note) Change(c NoteChange, s record.Stamp) (Note, error) {
	now, keys := n.with(c)
	if len(keys) == 0 && now.Status == n.Status {
		return n, nil
	}
	to := now.Status
	now.Status = n.Status
	var err error
	now.Header, err = updated(now.Header, keys, to, NoteStates, s)
	return now, cmp.Or(err, now.says(), now.Valid())
}

// says returns INVALID_INPUT for a note that says nothing. In a file that may be: whoever wrote it has not finished.
func (n Note) says() error {
	if strings.TrimSpace(n.Body) == "" {
		return record.Errorf(record.InvalidInput, "body is empty").WithHint("write down what others should find")
	}
	return nil
}

// with returns the note as a change makes it, and the keys of the file that differ, but for the status.
func (n Note) with(c NoteChange) (Note, []string) {
	change(nil, "status", &n.Status, c.Status)
	keys := change(nil, "title", &n.Title, c.Title)
	keys = change(keys, "labels", &n.Labels, c.Labels, record.Unique)
	keys = change(keys, "type", &n.Type, c.Type)
	keys = change(keys, "about", &n.About, c.About, record.Unique)
	return n, change(keys, "body", &n.Body, c.Body, record.CleanBody)
}

// Valid returns INVALID_INPUT for what no note may be. The message begins with the key.
func (n Note) Valid() error {
	err := record.OneOf("type", cmp.Or(n.Type, PlainNote), NoteTypes)
	return cmp.Or(err, record.OneOf("status", n.Status, NoteStates), validAbout(n.About), n.Header.Valid(n.Body))
}

// Text is what a note says as one text, for a search by meaning.
func (n Note) Text() string { return n.Title + "\n\n" + n.Body }
