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
// ParseID; Form, Keys, States and Closed follow.
func DefineMarkdown[ID ~string, T any](row Kind, m Markdown[T]) Of[ID, T] {
	row.Form, row.States = format.Markdown, m.States
	row.Keys = append(make([]string, 0, len(m.Keys)+6), "id", "title", "status", "labels")
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
	return define[ID](row, &codec[T]{markdown: &m})
}

// define makes a row of the table.
func define[ID ~string, T any](row Kind, c *codec[T]) Of[ID, T] {
	c.kind, row.values = &row, c
	return Of[ID, T]{&row}
}

// New returns a record of a kind that Markdown describes as it is written first, in the first state of its life, or why
// there may be no such record. Its id has the token after the prefix.
func (k Of[ID, T]) New(v T, token string, s record.Stamp) (T, error) {
	m := k.values.(*codec[T]).markdown
	h, body := m.Header(&v), m.Body(&v)
	h.Ref, h.Status, h.Log, *body = k.Ref(k.Prefix+"-"+token), k.Life.First, nil, record.CleanBody(*body)
	made, err := k.Life.Apply(v, *h, s.Entry(record.Created), task.Rules{})
	*h = made
	if valid, ok := any(v).(interface{ Valid() error }); ok && err == nil {
		err = valid.Valid()
	}
	return v, err
}

// values is a codec for values whose type is not known. It is an interface and not a list of functions, since every
// kind has one and all are made before main begins.
type values interface {
	// Decode reads a document as a record. The error is a *format.Error with the line.
	Decode(doc *format.Doc) (any, error)

	// Edit returns the document after a change of the record from was to now. It touches only what differs.
	Edit(doc *format.Doc, was, now any) (*format.Doc, error)

	// Create returns the document of a record that has no file yet.
	Create(now any) (*format.Doc, error)

	// Header returns what a record has in common with records of other kinds.
	Header(v any) record.Header

	// Lean returns a record as lists have it: without a long body.
	Lean(v any) any

	// CanAgain reports whether Again can be possible for the kind.
	CanAgain() bool

	// Again makes the change from was to now on found, if another program changed the file in the middle of a write of
	// several files. It reports whether that is possible.
	Again(found, was, now any) (next any, ok bool)

	// Repeats reports whether an entry repeats one of the record that this one is about, so that a history of all records
	// leaves it out.
	Repeats(v any, e record.Entry) bool

	// PutBack restores entries that the file has lost, as record.Header.PutBack does. Of sessions and proposals nothing is
	// put back, and the entry is nil.
	PutBack(f task.Flow, v any, lost []record.Entry, find task.Find, s record.Stamp) (any, *record.Entry, []string)

	withHeader(v any, h record.Header) any // its references, its log and, of a kind that Markdown describes, all else
	common() bool                          // that Markdown describes
	row(v any, r *Row)
	body(v any) string
	search(v any) []string
	rules() map[string]format.Rule
}

// codec is how the values of a kind become bytes and back, by their keys.
type codec[T any] struct {
	kind     *Kind
	markdown *Markdown[T] // nil for a kind that it does not describe, which has what follows

	keys   func() []Key[T]  // all of them, in the order in which they stand in a file
	text   func(*T) *string // where a value has its body; nil for a kind without one
	header func(T) record.Header
	set    func(*T, record.Header) // the references, the log and the revision
	rows   func(T, *Row)
	words  func(T) []string // that a ranked search looks in, beside what all kinds have and the body

	read    func(r *reader, v *T)                                                                    // sets what more than one key says; nil for nothing
	more    func(T) mapping                                                                          // fields beside the keys, which stand before the references; nil for none, and edits too
	edits   func(was, now T) []format.Edit                                                           // of those
	order   func(was, now T) []string                                                                // of the keys; nil for that of the kind
	after   func(*format.Doc, T) (*format.Doc, error)                                                // edits what no key of its own says; nil for nothing
	again   func(found, was, now T) (next T, ok bool)                                                // nil for a kind that keeps what the file holds
	repeats func(T, record.Entry) bool                                                               // nil for a kind whose entries repeat none
	putBack func(task.Flow, T, []record.Entry, task.Find, record.Stamp) (T, *record.Entry, []string) // nil for none

	made sync.Once
	list []Key[T] // made at first use
}

// all are the keys.
func (c *codec[T]) all() []Key[T] {
	c.made.Do(func() {
		m := c.markdown
		if m == nil {
			c.list = c.keys()
			return
		}
		c.text, c.rows = m.Body, m.Row
		c.list = slices.Concat([]Key[T]{
			Text("id", func(v *T) *string { return &m.Header(v).Ref.ID }).Required(),
			Text("title", func(v *T) *string { return &m.Header(v).Title }).Required(),
			Text("status", func(v *T) *record.Status { return &m.Header(v).Status }).Required().From(higher(func(v T) (int64, bool) {
				if slices.Contains(m.Closed, m.Header(&v).Status) {
					return 1, true
				}
				return 0, true // two closed states, and two open ones, are a conflict
			})),
			Texts("labels", func(v *T) *[]string { return &m.Header(v).Labels }).United(),
		}, m.Keys, []Key[T]{
			refsKey(func(v *T) *[]record.Reference { return &m.Header(v).Refs }),
			logKey(func(v *T) *record.Log { return &m.Header(v).Log }),
		})
	})
	return c.list
}

func (c *codec[T]) Decode(doc *format.Doc) (any, error) {
	var v T
	r := &reader{doc: doc}
	r.noMerge(doc.Root())
	readKeys(r, c.all(), doc.Get, &v)
	if c.text != nil {
		*c.text(&v) = record.CleanBody(string(doc.Body()))
	}
	if c.read != nil {
		c.read(r, &v)
	}
	h := c.Header(v)
	if err := c.kind.ParseID(h.Ref.ID); c.text != nil && err != nil && r.err == nil {
		r.fail(doc.Get("id"), "%s", record.MessageOf(err))
	}
	h.Ref.Kind, h.Rev = c.kind.Name, Rev(doc.Bytes())
	return c.withHeader(v, h), r.err
}

func (c *codec[T]) Create(now any) (*format.Doc, error) {
	v, body := now.(T), ""
	m := objectOf(c.all(), &v)
	if c.more != nil {
		at := slices.IndexFunc(m, func(f format.Field) bool { return f.Key == "refs" || f.Key == "provenance" })
		if at < 0 {
			at = len(m)
		}
		m = slices.Insert(m, at, c.more(v)...)
	}
	if c.text != nil {
		body = spaced(*c.text(&v))
	}
	return format.New(c.kind.Form, format.Map(m), body)
}

func (c *codec[T]) Edit(doc *format.Doc, before, after any) (*format.Doc, error) {
	was, now := before.(T), after.(T)
	var edits []format.Edit
	for _, k := range c.all() {
		edits = append(edits, k.of.edit(doc, k.name, &was, &now)...)
	}
	if c.edits != nil {
		edits = append(edits, c.edits(was, now)...)
	}
	if c.text != nil && *c.text(&was) != *c.text(&now) {
		edits = append(edits, format.SetBody(spaced(*c.text(&now))))
	}
	order := c.kind.Keys
	if c.order != nil {
		order = c.order(was, now)
	}
	doc, err := doc.Edit(order, edits...)
	if err != nil || c.after == nil {
		return doc, err
	}
	return c.after(doc, now)
}

func (c *codec[T]) Header(v any) record.Header {
	one := v.(T)
	if c.markdown != nil {
		return *c.markdown.Header(&one)
	}
	return c.header(one)
}

func (c *codec[T]) withHeader(v any, h record.Header) any {
	one := v.(T)
	if c.markdown != nil {
		*c.markdown.Header(&one) = h
	} else {
		c.set(&one, h)
	}
	return one
}

func (c *codec[T]) common() bool { return c.markdown != nil }

func (c *codec[T]) Lean(v any) any {
	one := v.(T)
	if c.all(); c.text != nil {
		*c.text(&one) = shortBody(*c.text(&one))
	}
	return one
}

func (c *codec[T]) body(v any) string {
	one := v.(T)
	if c.all(); c.text == nil {
		return ""
	}
	return *c.text(&one)
}

func (c *codec[T]) row(v any, r *Row) {
	if c.all(); c.rows != nil {
		c.rows(v.(T), r)
	}
}

func (c *codec[T]) search(v any) []string {
	one := v.(T)
	if c.words != nil {
		return c.words(one)
	}
	return textsOf(format.Map(objectOf(c.markdown.Keys, &one)))
}

func (c *codec[T]) rules() map[string]format.Rule {
	out := map[string]format.Rule{}
	for _, k := range c.all() {
		if k.choose != nil {
			k.rule.Choose = func(_, ours, theirs *format.Doc) format.Side {
				o, err1 := c.Decode(ours)
				t, err2 := c.Decode(theirs)
				if err1 != nil || err2 != nil {
					return format.Neither
				}
				return k.choose(o.(T), t.(T))
			}
		}
		if k.rule.Kind != format.One || k.choose != nil {
			out[k.name] = k.rule
		}
	}
	return out
}

func (c *codec[T]) CanAgain() bool { return c.again != nil }

func (c *codec[T]) Again(found, was, now any) (any, bool) {
	if c.again == nil {
		return nil, false
	}
	return c.again(found.(T), was.(T), now.(T))
}

func (c *codec[T]) Repeats(v any, e record.Entry) bool {
	return c.repeats != nil && c.repeats(v.(T), e)
}

func (c *codec[T]) PutBack(f task.Flow, v any, lost []record.Entry, find task.Find, s record.Stamp) (any, *record.Entry, []string) {
	switch {
	case c.putBack != nil:
		return c.putBack(f, v.(T), lost, find, s)
	case c.markdown == nil:
		return v, nil, nil
	}
	h, entry, contradictions := c.Header(v).PutBack(lost, s)
	return c.withHeader(v, h), entry, contradictions
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
