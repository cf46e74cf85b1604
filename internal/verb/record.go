package verb

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Record is a record of any kind, as verbs return it that know no more of a kind than what all kinds have in common.
type Record struct {
	RecordRow
	Fields          map[string]any    `json:"fields"`                  // the keys of its file that not all kinds have
	SupersededBy    ledger.DecisionID `json:"superseded_by,omitempty"` // of a decision: which governs in its place
	Body            string            `json:"body,omitempty"`
	Refs            []Ref             `json:"refs,omitempty"`
	Comments        *Thread           `json:"comments,omitempty"` // of get, if they are asked for
	Provenance      []Entry           `json:"provenance"`
	BodyTruncated   bool              `json:"body_truncated,omitempty"`   // get with mode full has more
	BodyNextOffset  int               `json:"body_next_offset,omitempty"` // where get with part body goes on, if it is cut
	ProvenanceTotal int               `json:"provenance_total,omitempty"` // how many entries there are, if only the newest are here
	FieldsTotal     int               `json:"fields_total,omitempty"`     // how many fields there are, if only the first are here
	RefsTotal       int               `json:"refs_total,omitempty"`       // how many references there are, if only the newest are here
	Rest            string            `json:"rest,omitempty"`             // how to read what was cut
	OnBranch        string            `json:"on_branch,omitempty"`        // the branch that alone has it: take brings it here
	Notices         []Notice          `json:"notices,omitempty"`          // of a note: the mentions that reach nobody
	Replayed        bool              `json:"replayed,omitempty"`         // the call was made before, under the same idempotency key
}

// KnownKind returns INVALID_INPUT for a name that is that of no kind of record, and none of the others that an input
// takes; "" is none.
func KnownKind(name string, others ...string) error {
	if _, known := kind.Named(name); known || name == "" || slices.Contains(others, name) {
		return nil
	}
	names := record.Each(kind.Kinds(), func(k *kind.Kind) string { return k.Name })
	bad := BadInput("kind", "is %q", Head(name, 40))
	if len(others) > 0 {
		return bad.WithHint("%s or %s", strings.Join(names, ", "), strings.Join(others, " or "))
	}
	return bad.WithHint("one of %s", strings.Join(names, ", "))
}

// RecordRow is a record of any kind in a list.
type RecordRow struct {
	Kind        string        `json:"kind"`
	ID          string        `json:"id"`
	Title       string        `json:"title,omitempty"`
	Status      record.Status `json:"status,omitempty"`
	Labels      []string      `json:"labels"`
	LabelsTotal int           `json:"labels_total,omitempty"` // how many there are, if only the first are here
	Claim       *Claim        `json:"claim,omitempty"`
	Rev         record.Rev    `json:"rev"`
}

// RecordRow shows a record as a list does.
func (v View) RecordRow(k *kind.Kind, value any) RecordRow {
	h := k.Header(value)
	out := RecordRow{Kind: k.Name, ID: h.Ref.ID, Title: h.Title, Status: h.Status, Labels: NoNil(h.Labels), Rev: h.Rev}
	if k.Held() && !k.Closed(v.Store.Config.Flow, h.Status) {
		known := v.Store.Known(h.Ref)
		out.Claim = viewClaim(session.Holder(h, known, v.now), known)
	}
	if v.Bounded {
		out.Labels, out.LabelsTotal = firsts(out.Labels, Usual.List, Usual.ListRoom)
	}
	return out
}

// RecordByID reads a record of a kind and shows it, cut to the bounds for a caller whose context is small.
func (v View) RecordByID(k *kind.Kind, id string, b Bounds) (Record, error) {
	doc, value, err := v.Store.Document(k, id)
	if err != nil {
		return Record{}, err
	}
	return v.Record(k, doc, value, b), nil
}

// Record shows a record as RecordByID does.
func (v View) Record(k *kind.Kind, doc *format.Doc, value any, b Bounds) Record {
	out := Record{
		RecordRow: v.RecordRow(k, value), Fields: kind.Fields(doc),
		Body: record.CleanBody(string(doc.Body())), Provenance: []Entry{}, Refs: k.Header(value).Refs,
	}
	if k == kind.Decisions.Kind {
		out.SupersededBy = v.supersededBy(ledger.DecisionID(out.ID))
	}
	for _, e := range k.Header(value).Log {
		out.Provenance = append(out.Provenance, ViewEntry(e, nil))
	}
	if v.Bounded {
		out = out.Cut(b)
	}
	return out
}

// Cut leaves out what would fill a small context, and says so.
func (r Record) Cut(b Bounds) Record {
	if body := Beginning(r.Body, b.Body, b.BodyRoom); len(body) < len(r.Body) {
		r.Body, r.BodyTruncated, r.BodyNextOffset = body+"…", true, len(body)
	}
	if newest := lasts(r.Provenance, b.Entries, b.EntryRoom); len(newest) < len(r.Provenance) {
		r.Provenance, r.ProvenanceTotal = newest, len(r.Provenance)
	}
	r.Fields, r.FieldsTotal = firstKeys(r.Fields, b.List, b.ListRoom)
	r.Refs, r.RefsTotal = newest(r.Refs, b.List, b.ListRoom)
	if r.BodyTruncated || r.ProvenanceTotal+r.FieldsTotal+r.RefsTotal > 0 {
		r.Rest = "get with part (body, provenance or file) and offset reads what was cut, piece by piece"
	}
	return r
}

// Replay shows the record as it is now.
func (Record) Replay(w *Workspace, s *store.Store, made session.Key) (any, error) {
	if len(made.Tasks) > 0 {
		return w.View(s).Several(made.Tasks)
	}
	if made.Record == nil {
		return Task{}.Replay(w, s, made)
	}
	k, ok := kind.Named(made.Record.Kind)
	if !ok {
		return nil, record.Errorf(record.Conflict, "the idempotency key made %s, of a kind that is not known here", *made.Record).ForGood()
	}
	if k == kind.Sessions.Kind {
		return Session{}.Replay(w, s, session.Key{Session: made.Record.ID})
	}
	return w.View(s).RecordByID(k, made.Record.ID, Usual)
}

// CreateRecord makes one write that creates a record, under an id that nobody has, and shows it. Build makes the record
// from the token of an id; it runs under the lock, and may run more than once.
func CreateRecord[ID ~string, T any](
	ctx context.Context, w *Workspace, s *store.Store, k kind.Of[ID, T], build func(tx *store.Tx, token string) (T, error),
) (Record, error) {
	ref, err := Create(ctx, w, s, k, build)
	if err != nil {
		return Record{}, err
	}
	return w.View(s).RecordByID(k.Kind, ref.ID, Usual)
}

const createTries = 5 // two ids of one millisecond are the same once in a million

// Create is CreateRecord for a caller that shows the record otherwise.
func Create[ID ~string, T any](ctx context.Context, w *Workspace, s *store.Store, k kind.Of[ID, T], build func(tx *store.Tx, token string) (T, error)) (ref record.Ref, err error) {
	for range createTries {
		var token string
		if token, err = record.Token(w.Now(), w.Rand); err != nil {
			return ref, err
		}
		taken := false
		ref, err = Change{Kind: k.Kind, Decide: func(wc WriteContext) (any, error) {
			v, err := build(wc.Tx, token)
			if err != nil {
				return nil, err
			}
			made := k.Header(v).Ref
			_, err = wc.Tx.Read(k.Kind, made.ID)
			switch taken = err == nil || record.CodeOf(err) == record.BadFile; {
			case taken:
				return nil, record.Errorf(record.Conflict, "%s is there already", made).WithHint("try again")
			case record.CodeOf(err) != record.NotFound:
				return nil, err
			}
			return v, nil
		}}.Run(ctx, w, s)
		if !taken {
			break
		}
	}
	return ref, err
}

// AnyByID reads a record of any kind and shows it as get does: as a Task, a Session, or else a Record.
func (v View) AnyByID(k *kind.Kind, id string) (any, error) {
	switch k {
	case kind.Tasks.Kind:
		return v.TaskByID(record.ID(id))
	case kind.Sessions.Kind:
		return v.SessionByID(id)
	default:
		return v.RecordByID(k, id, Usual)
	}
}

// ListRecords is a page of the records of a kind, the newest first. Row shows one; it reports false for one that is
// left out.
func ListRecords[ID ~string, T, Row any](
	ctx context.Context, w *Workspace, s *store.Store, k kind.Of[ID, T], page Paging, row func(T) (Row, bool),
) (Items[Row], error) {
	all, problems, err := k.List(ctx, s)
	if err != nil {
		return Items[Row]{}, err
	}
	var fit []Ranked[Row]
	for _, v := range all {
		if one, ok := row(v); ok {
			h := k.Header(v)
			at := Position{Key: NewestFirst(h.Log.First().At), ID: Descending(h.Ref.ID)}
			fit = append(fit, Ranked[Row]{At: at, Item: one})
		}
	}
	return Page(fit, problems, w.PageIn(k.Name, page))
}

// ListOfIn is the input of a verb that ListOf makes.
type ListOfIn struct {
	Status record.Status `json:"status,omitempty" doc:"only those in this state"`
	Paging
}

// ListOf makes the verb that lists the records of a kind, the newest first, as row shows them.
func ListOf[ID ~string, T, Row any](k kind.Of[ID, T], row func(T) Row) Func[ListOfIn, Items[Row]] {
	return func(ctx context.Context, w *Workspace, s *store.Store, in ListOfIn) (Items[Row], error) {
		if err := OneOf("status", in.Status, k.States); err != nil {
			return Items[Row]{}, err
		}
		return ListRecords(ctx, w, s, k, in.Paging, func(v T) (Row, bool) {
			return row(v), in.Status == "" || in.Status == k.Header(v).Status
		})
	}
}

// QueryRows is a page of the records of a kind, the newest first, by their rows: no file is read that did not change.
// Show makes an item of a row, for those on the page alone. Others are rows of those that
// only other branches have.
func QueryRows[T any](
	ctx context.Context, w *Workspace, s *store.Store, k *kind.Kind, page Paging,
	fits func(*kind.Row) bool, show func(*kind.Row) T, others ...*kind.Row,
) (Items[T], error) {
	view, err := w.Reads.Look(ctx, s, k)
	if err != nil {
		return Items[T]{}, err
	}
	var fit []Ranked[*kind.Row]
	for _, r := range slices.Concat(view.Rows(), others) {
		if fits(r) {
			fit = append(fit, Ranked[*kind.Row]{At: Position{Key: NewestFirst(time.Unix(r.Created, 0)), ID: Descending(r.ID)}, Item: r})
		}
	}
	return PageOf(fit, show, view.Problems(), w.PageIn(k.Name, page))
}

// EachRow calls do for the row of each record of every kind, and lists the files that could not be read.
func (w *Workspace) EachRow(ctx context.Context, s *store.Store, do func(*kind.Kind, *kind.Row)) ([]problem.Problem, error) {
	var problems []problem.Problem
	for _, k := range kind.Kinds() {
		view, err := w.Reads.Look(ctx, s, k)
		if err != nil {
			return nil, err
		}
		problems = append(problems, view.Problems()...)
		for _, r := range view.Rows() {
			do(k, r)
		}
	}
	return problems, nil
}
