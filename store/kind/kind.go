// Package kind is the table of the kinds of record: those of cairn, and what else is registered. A row
// says where the files of a kind lie, how they are named, how bytes become a value and back, how two versions merge,
// and what cairn check asks of them. Everything else that cairn does with a record, it does with every kind.
//
// config.yaml is read here too: it is one file and no kind, but it has the same form and keeps a provenance.
//
// The package is pure: it reads no file. Package store does, in the same way for every kind.
package kind

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// Kind is one kind of record. It is the row of a table: make one with Define, and Register it.
type Kind struct {
	Name    string             // in a record.Ref, in messages and in JSON: "task"
	Folder  string             // under .cairn: "tasks"
	Rest    string             // under .cairn, around the folders of records at rest: "closed"; "" for a kind without these
	Form    format.Kind        // Markdown with front matter, or plain YAML
	keys    func() []string    // every key that cairn knows, in the order in which they stand in a file; nil for those of the codec
	Prefix  string             // before the dash of ids that are made, as of a task's; "" for a kind with others
	ParseID func(string) error // returns INVALID_INPUT for what cannot be an id; nil for the ids that the prefix says
	Lists   string             // the verb that lists such records, for hints
	Mover   string             // the verb that moves them from state to state, for hints, where update may not; "" for none
	Swaps   string             // two characters: names of files have the second where ids have the first one; "" where the id is the name
	Words   bool               // its ids are plain words, so that an id that no record has is not taken for one of this kind

	Life   task.Life                              // what an entry makes of a record; without Kinds its own verbs alone know that
	Named  bool                                   // whoever makes a record gives it its id, so that two branches can make the same one
	States []record.Status                        // that a record can have; nil for a kind without states, or with those of the config
	Closed func(task.Flow, record.Status) bool    // whether a state is closed; nil for a kind that nothing can depend on
	Judge  *proof.Kind                            // what cairn check asks of the kind beyond what it asks of every record; nil for nothing
	Settle func(*Kind, *format.Merged, task.Flow) // sets the keys of a merged file that follow from others; nil for none

	*codec
}

// Of is a kind whose records have ids of type ID and are values of type T.
type Of[ID ~string, T any] struct{ *Kind }

var kinds = []*Kind{Tasks.Kind, Sessions.Kind, Proposals.Kind, Decisions.Kind, Handoffs.Kind, Actors.Kind, Skills.Kind, Feedback.Kind, Knowledge.Kind, Milestones.Kind, Repositories.Kind}

// Register adds a kind to the table. Call it before anything is read. It panics if the name or a folder is taken.
func Register(k *Kind) {
	taken := append(Folders(), Rests()...)
	if _, ok := Named(k.Name); ok || slices.Contains(taken, k.Folder) || k.Rest != "" && slices.Contains(append(taken, k.Folder), k.Rest) {
		panic(fmt.Sprintf("record: the kind %s, in %s, is there already", k.Name, k.Folder))
	}
	kinds = append(kinds, k)
}

// Kinds lists every kind.
func Kinds() []*Kind { return slices.Clone(kinds) }

// Named finds a kind by its name.
func Named(name string) (*Kind, bool) {
	return record.Find(kinds, func(k *Kind) bool { return k.Name == name })
}

// For finds the kind of a reference. It reports false if there is no such kind, or the id cannot be one of it: only a
// reference that it accepts may become a part of a path.
func For(of record.Ref) (*Kind, bool) {
	k, ok := Named(of.Kind)
	return k, ok && k.ParseID(of.ID) == nil
}

// Ext ends the names of the files of a kind.
func (k *Kind) Ext() string {
	if k.Form == format.Markdown {
		return ".md"
	}
	return ".yaml"
}

// Ref names a record of the kind.
func (k *Kind) Ref(id string) record.Ref { return record.Ref{Kind: k.Name, ID: id} }

// Parse reads the text of a file as a record.
func (k *Kind) Parse(src []byte) (any, error) {
	doc, err := format.Parse(src, k.Form)
	if err != nil {
		return nil, err
	}
	return k.Decode(doc)
}

// With appends an entry to the provenance of a record.
func (k *Kind) With(v any, e record.Entry) any {
	h := k.Header(v)
	h.Log = h.Log.Add(e)
	return k.withHeader(v, h)
}

// Referring is a record whose references an entry changed, or the record as it is without an entry.
func (k *Kind) Referring(v any, refs []record.Reference, e *record.Entry) any {
	if e == nil {
		return v
	}
	h := k.Header(v)
	h.Refs = refs
	return k.With(k.withHeader(v, h), *e)
}

// Move takes a record to another state by its life, with the entry that says so. It returns INVALID_INPUT for a state
// that the kind does not have, and for a record of a kind that is moved by verbs of its own; the hint names the verb.
func (k *Kind) Move(v any, to record.Status, s record.Stamp) (any, error) {
	switch {
	case k.Mover != "":
		return nil, record.Errorf(record.InvalidInput, "a %s is not moved by update", k.Name).
			WithHint("%s does", record.CallTo(k.Mover)).WithNext(record.CallTo("get", "id", k.Header(v).Ref.ID))
	case k.common == nil:
		return nil, record.Errorf(record.InvalidInput, "a %s is moved by verbs of its own", k.Name).WithHint("leave out to")
	case !slices.Contains(k.States, to):
		return nil, record.Errorf(record.InvalidInput, "%q is not a state of a %s", to, k.Name).
			WithHint("it is one of %s", strings.Join(record.Texts(k.States), ", "))
	}
	h, err := k.Life.Move(v, k.Header(v), to, s, task.Rules{})
	return k.withHeader(v, h), err
}

// Relabel gives a record other labels, with the entry that says so. It returns INVALID_INPUT for labels that no record
// may have, and for a kind without labels.
func (k *Kind) Relabel(v any, labels []string, s record.Stamp) (any, error) {
	if k.common == nil {
		return nil, record.Errorf(record.InvalidInput, "a %s has no labels", k.Name).WithHint("a note may say what you would label it with")
	}
	h, err := k.Header(v).Labeled(labels, s)
	return k.withHeader(v, h), err
}

// NotFound is the error of an id without a record. Its hint is how to list those that exist.
func (k *Kind) NotFound(id string) error {
	e := record.Errorf(record.NotFound, "there is no %s %s", k.Name, id)
	e.Err = record.MissingError{Ref: k.Ref(id)}
	if k.Lists == "" {
		return e.WithHint("the files are in %s/%s", layout.Folder, k.Folder)
	}
	return e.WithHint("%s shows what there is", record.CallTo(k.Lists))
}

// WrongName is the error of a file whose name is not that of its id.
func (k *Kind) WrongName(doc *format.Doc, want, got string) error {
	name := strings.TrimSuffix(k.FileName(want), k.Ext())
	return &format.Error{Line: doc.Line(doc.Get("id")), Msg: fmt.Sprintf("the file is called %s, and its id is %s", name, got)}
}

// Reader reads records: those on disk, or as a write under way has staged them.
type Reader interface {
	// Read returns a record. It returns INVALID_INPUT for what cannot be an id, NOT_FOUND if there is no such record, and
	// BAD_FILE, with the line, if its file is broken.
	Read(k *Kind, id string) (any, error)
}

// Lister lists records.
type Lister interface {
	// All returns every record of a kind, sorted by id and as lists have them, and the files that cannot be read.
	All(ctx context.Context, k *Kind) ([]any, []problem.Problem, error)
}

// Writer stages records.
type Writer interface {
	Reader
	// Put stages a new state of a record that Read returned, or a new record.
	Put(k *Kind, v any)
}

// Parse reads the text of a file as a record.
func (k Of[ID, T]) Parse(src []byte) (T, error) {
	v, err := k.Kind.Parse(src)
	if err != nil {
		return *new(T), err
	}
	return v.(T), nil
}

// Decode reads a document as a record. The error is a *format.Error with the line.
func (k Of[ID, T]) Decode(doc *format.Doc) (T, error) {
	v, err := k.Kind.Decode(doc)
	return v.(T), err
}

// File is the usual path of a record from the workspace root, with forward slashes.
func (k Of[ID, T]) File(id ID) string { return k.Kind.File(string(id)) }

// Get reads a record, as Reader.Read does.
func (k Of[ID, T]) Get(r Reader, id ID) (T, error) {
	v, err := r.Read(k.Kind, string(id))
	if err != nil {
		return *new(T), err
	}
	return v.(T), nil
}

// Find returns a look-up of records. It reports false for one that does not exist or cannot be read.
func (k Of[ID, T]) Find(r Reader) func(ID) (T, bool) {
	return func(id ID) (T, bool) {
		v, err := k.Get(r, id)
		return v, err == nil
	}
}

// List returns every record of the kind, as Lister.All does.
func (k Of[ID, T]) List(ctx context.Context, l Lister) ([]T, []problem.Problem, error) {
	all, problems, err := l.All(ctx, k.Kind)
	out := make([]T, len(all))
	for i, v := range all {
		out[i] = v.(T)
	}
	return out, problems, err
}

// Move brings a record to another state, as Kind.Move does.
func (k Of[ID, T]) Move(v T, to record.Status, s record.Stamp) (T, error) {
	moved, err := k.Kind.Move(v, to, s)
	if err != nil {
		return v, err
	}
	return moved.(T), nil
}

// Put stages a record, as Writer.Put does.
func (k Of[ID, T]) Put(w Writer, v T) { w.Put(k.Kind, v) }

// Rev is the revision of a file's bytes.
func Rev(src []byte) record.Rev {
	sum := sha256.Sum256(src)
	return record.Rev(hex.EncodeToString(sum[:8]))
}

// Same reports whether two values of a record are equal.
func (k *Kind) Same(a, b any) bool { return reflect.DeepEqual(a, b) }

// Proof is what cairn check asks of the records of a kind: Judge, with the states of the row. It reports false for
// tasks, which are what the rules of package proof are about.
func (k *Kind) Proof() (proof.Kind, bool) {
	if k == Tasks.Kind {
		return proof.Kind{}, false
	}
	out := proof.Kind{Name: k.Name}
	if k.Judge != nil {
		out = *k.Judge
	}
	out.Life, out.States, out.Closed = k.Life, k.States, k.Closed
	return out, true
}

// Held reports whether records of the kind can be claimed and moved from state to state. Live state has claims and
// progress of those.
func (k *Kind) Held() bool { return k.Closed != nil }
