package kind

import (
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// Markdown describes the values of a kind whose files are Markdown and have the usual keys: id, title, status, labels,
// refs, provenance and a body. The codec, the order of the keys, the closed states and how versions merge follow from
// it.
type Markdown[T any] struct {
	Header func(*T) *record.Header // where a value has what all kinds have in common
	Body   func(*T) *string        // where it has its body
	Keys   []Key[T]                // that only this kind has; in a file they stand between labels and refs
	States []record.Status         // in which a record can be, the first one first
	Closed []record.Status         // those of the states in which nothing waits for the record any more; none if nothing can depend on it
	Row    func(T, *Row)           // sets the facts of a row that do not follow from the header; nil for none
}

// DefineMarkdown makes a row of the table for a kind that Markdown describes. The row has a name, a folder and a
// ParseID; Form, Keys, States, Closed and Merge follow, and rules that it has for merging its own keys stay.
func DefineMarkdown[ID ~string, T any](row Kind, m Markdown[T]) Of[ID, T] {
	row.Form, row.States = format.Markdown, m.States
	row.Keys = append(make([]string, 0, len(commonKeys)+len(m.Keys)+2), commonKeys...)
	for _, k := range m.Keys {
		row.Keys = append(row.Keys, k.name)
	}
	row.Keys = append(row.Keys, "refs", "provenance")
	if row.ParseID == nil {
		row.ParseID = Prefixed(row.Name, row.Prefix)
	}
	if row.Life.Kinds == nil {
		row.Life = task.Plain(m.States...)
	}
	row.Life.Named = row.Named
	if len(m.Closed) > 0 {
		row.Closed = func(_ task.Flow, s record.Status) bool { return slices.Contains(m.Closed, s) }
	}
	both := &struct { // in one piece of memory
		row   Kind
		codec markdownCodec[T]
	}{row: row}
	c := &both.codec
	c.of, c.kind, both.row.codec = m, &both.row, c
	return Of[ID, T]{&both.row}
}

// New returns a record of a kind that Markdown describes as it is written first, in the first state of its life, or why
// there may be no such record. Its id has the token after the prefix.
func (k Of[ID, T]) New(v T, token string, s record.Stamp) (T, error) {
	c := k.codec.(*markdownCodec[T])
	h, body := c.of.Header(&v), c.of.Body(&v)
	h.Ref, h.Status, h.Log, *body = k.Ref(k.Prefix+"-"+token), k.Life.First, nil, record.CleanBody(*body)
	made, err := k.Life.Apply(v, *h, s.Entry(record.Created), task.Rules{})
	*h = made
	if valid, ok := any(v).(interface{ Valid() error }); ok && err == nil {
		err = valid.Valid()
	}
	return v, err
}

// commonKeys are the keys that stand before those that only one kind has.
var commonKeys = []string{"id", "title", "status", "labels"}

// markdownCodec is the codec of a kind that Markdown describes.
type markdownCodec[T any] struct {
	of   Markdown[T]
	kind *Kind
	made sync.Once
	keys []Key[T] // all of them; made at first use
}

func (c *markdownCodec[T]) all() []Key[T] {
	c.made.Do(func() {
		c.keys = slices.Concat([]Key[T]{
			Text("id", func(v *T) *string { return &c.of.Header(v).Ref.ID }).Required(),
			Text("title", func(v *T) *string { return &c.of.Header(v).Title }).Required(),
			Text("status", func(v *T) *record.Status { return &c.of.Header(v).Status }).Required(),
			Texts("labels", func(v *T) *[]string { return &c.of.Header(v).Labels }),
		}, c.of.Keys)
	})
	return c.keys
}

func (c *markdownCodec[T]) decode(doc *format.Doc) (any, error) {
	var v T
	r := &reader{doc: doc}
	r.noMerge(doc.Root())
	for _, k := range c.all() {
		k.read(r, &v)
	}
	h := c.of.Header(&v)
	if err := c.kind.ParseID(h.Ref.ID); err != nil && r.err == nil {
		r.fail(doc.Get("id"), "%s", record.MessageOf(err))
	}
	h.Ref.Kind, h.Refs, h.Log, h.Rev = c.kind.Name, r.refs(), r.entries(), Rev(doc.Bytes())
	*c.of.Body(&v) = record.CleanBody(string(doc.Body()))
	return v, r.err
}

func (c *markdownCodec[T]) create(now any) (*format.Doc, error) {
	v := now.(T)
	var m mapping
	for _, k := range c.all() {
		k.of.write(&m, k.name, v)
	}
	addRefs(&m, c.of.Header(&v).Refs)
	m = append(m, format.Field{Key: "provenance", Value: LogValue(c.of.Header(&v).Log)})
	return format.New(format.Markdown, format.Map(m), spaced(*c.of.Body(&v)))
}

func (c *markdownCodec[T]) edit(doc *format.Doc, before, after any) (*format.Doc, error) {
	was, now := before.(T), after.(T)
	var edits []format.Edit
	for _, k := range c.all() {
		edits = append(edits, k.of.edit(doc, k.name, was, now)...)
	}
	edits = append(edits, editRefs(doc, c.of.Header(&was).Refs, c.of.Header(&now).Refs)...)
	edits = append(edits, EditLog(doc, c.of.Header(&was).Log, c.of.Header(&now).Log)...)
	if body := *c.of.Body(&now); body != *c.of.Body(&was) {
		edits = append(edits, format.SetBody(spaced(body)))
	}
	return doc.Edit(c.kind.Keys, edits...)
}

func (c *markdownCodec[T]) merge() map[string]format.Rule {
	return map[string]format.Rule{
		"status": closedWins(c.of.Closed), "labels": {Kind: format.Texts}, "refs": refsRule, "provenance": LogRule,
	}
}

func (*markdownCodec[T]) again(_, _, _ any) (any, bool) { return nil, false }

func (*markdownCodec[T]) canAgain() bool { return false }

func (c *markdownCodec[T]) header(one any) record.Header {
	v := one.(T)
	return *c.of.Header(&v)
}

func (c *markdownCodec[T]) lean(one any) any {
	v := one.(T)
	*c.of.Body(&v) = shortBody(*c.of.Body(&v))
	return v
}

func (c *markdownCodec[T]) row(one any, r *Row) {
	if c.of.Row != nil {
		c.of.Row(one.(T), r)
	}
}

func (c *markdownCodec[T]) body(one any) string {
	v := one.(T)
	return *c.of.Body(&v)
}

// search returns the texts of the keys that only the kind has.
func (c *markdownCodec[T]) search(one any) []string {
	var m mapping
	for _, k := range c.of.Keys {
		k.of.write(&m, k.name, one.(T))
	}
	return textsOf(format.Map(m))
}

func (c *markdownCodec[T]) with(one any, e record.Entry) (any, bool) {
	v := one.(T)
	c.of.Header(&v).Log = c.of.Header(&v).Log.Add(e)
	return v, true
}

func (c *markdownCodec[T]) canMove() bool { return c.kind.Mover == "" }

func (c *markdownCodec[T]) move(one any, to record.Status, s record.Stamp) (any, error) {
	v := one.(T)
	h, err := c.kind.Life.Move(v, *c.of.Header(&v), to, s, task.Rules{})
	*c.of.Header(&v) = h
	return v, err
}

func (*markdownCodec[T]) canRelabel() bool { return true }

func (c *markdownCodec[T]) relabel(one any, labels []string, s record.Stamp) (any, error) {
	v := one.(T)
	h, err := c.of.Header(&v).Labeled(labels, s)
	*c.of.Header(&v) = h
	return v, err
}

func (c *markdownCodec[T]) withRefs(one any, refs []record.Reference) (any, bool) {
	v := one.(T)
	c.of.Header(&v).Refs = refs
	return v, true
}

func (*markdownCodec[T]) repeats(any, record.Entry) bool { return false }

func (c *markdownCodec[T]) putBack(_ task.Flow, one any, lost []record.Entry, _ task.Find, s record.Stamp) (any, *record.Entry, []string) {
	v := one.(T)
	h, entry, contradictions := c.of.Header(&v).PutBack(lost, s)
	*c.of.Header(&v) = h
	return v, entry, contradictions
}

// closedWins merges a status that both sides changed: a closed state wins over one that is open. Two closed states, and
// two open ones, are a conflict.
func closedWins(closed []record.Status) format.Rule {
	in := func(doc *format.Doc) bool {
		r := &reader{doc: doc}
		return slices.Contains(closed, record.Status(r.text("status", doc.Get("status"))))
	}
	return format.Rule{Choose: func(_, ours, theirs *format.Doc) format.Side {
		switch o, t := in(ours), in(theirs); {
		case o && !t:
			return format.Ours
		case t && !o:
			return format.Theirs
		default:
			return format.Neither
		}
	}}
}

// Prefixed is a ParseID for ids that have the form of a task's, and this prefix before the dash.
func Prefixed(kind, prefix string) func(string) error {
	return func(id string) error {
		if _, err := record.ParseID(id); err != nil || !strings.HasPrefix(id, prefix+"-") {
			return record.Errorf(record.InvalidInput, "%q is not the id of a %s", id, kind).WithHint("an id looks like %s-01j8x2k7q7f3az", prefix)
		}
		return nil
	}
}
