package kind

import (
	"reflect"
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
	Keys   func() []Key            // that only this kind has, made at first use; in a file they stand between labels and refs
	States []record.Status         // in which a record can be, the first one first
	Closed []record.Status         // those of the states in which nothing waits for the record any more; none if nothing can depend on it
	Row    func(T, *Row)           // sets the facts of a row that follow neither from the header nor from a key alone; nil for none
}

// DefineMarkdown makes a row of the table for a kind that Markdown describes. The row has a name, a folder and a
// ParseID; Form, Keys, States and Closed follow.
func DefineMarkdown[ID ~string, T any](row Kind, m Markdown[T]) Of[ID, T] {
	c := codec{common: place(m.Header), text: place(m.Body), own: m.Keys, closed: m.Closed}
	if m.Row != nil {
		c.rows = func(v any, r *Row) { m.Row(v.(T), r) }
	}
	return define[ID, T](c.row(row, m.States), c)
}

// row fills in what follows of a row of the table for a kind that Markdown describes.
func (c *codec) row(row Kind, states []record.Status) Kind {
	row.Form, row.States = format.Markdown, states
	if row.Life.Kinds == nil {
		row.Life = task.Plain(states...)
	}
	if row.Life.Named = row.Named; row.ParseID == nil {
		row.ParseID = Prefixed(row.Name, row.Prefix)
	}
	if closed := c.closed; len(closed) > 0 {
		row.Closed = func(_ task.Flow, s record.Status) bool { return slices.Contains(closed, s) }
	}
	return row
}

// define makes a row of the table.
func define[ID ~string, T any](row Kind, c codec) Of[ID, T] {
	return Of[ID, T]{defined(row, c, reflect.TypeFor[T]())}
}

func defined(k Kind, c codec, holds reflect.Type) *Kind {
	of := &struct {
		kind  Kind
		codec codec
		made  madeKeys
	}{kind: k, codec: c}
	of.codec.kind, of.codec.holds, of.codec.made, of.kind.codec = &of.kind, holds, &of.made, &of.codec
	return &of.kind
}

// Keys is every key that cairn knows of the kind, in the order in which they stand in a file.
func (k *Kind) Keys() []string {
	if k.keys != nil {
		return k.keys()
	}
	return k.codec.makeKeys().names
}

// madeKeys are the keys of a kind, made at first use.
type madeKeys struct {
	once     sync.Once
	own, all []Key
	names    []string
}

func (c *codec) makeKeys() *madeKeys {
	m := c.made
	m.once.Do(func() {
		if c.own != nil {
			m.own = c.own()
		}
		if m.all = c.commonKeys(m.own); c.keys != nil {
			m.all = c.keys()
		}
		for _, k := range m.all {
			m.names = append(m.names, k.name)
		}
	})
	return m
}

func (c *codec) all() []Key { return c.makeKeys().all }

// New returns a record of a kind that Markdown describes as it is written first, in the first state of its life, or why
// there may be no such record. Its id has the token after the prefix.
func (k Of[ID, T]) New(v T, token string, s record.Stamp) (T, error) {
	err := k.begin(&v, token, s)
	return v, err
}

func (c *codec) begin(v any, token string, s record.Stamp) error {
	h, body := c.headerOf(v), c.text(v).(*string)
	h.Ref, h.Status, h.Log, *body = c.kind.Ref(c.kind.Prefix+"-"+token), c.kind.Life.First, nil, record.CleanBody(*body)
	made, err := c.kind.Life.Apply(whole(v), *h, s.Entry(record.Created), task.Rules{})
	*h = made
	if valid, ok := v.(interface{ Valid() error }); ok && err == nil {
		err = valid.Valid()
	}
	return err
}

// codec is how the values of a kind become bytes and back, by their keys. Callers have values, and the functions of a
// codec are given pointers where they change something. No code of it depends on the type of the values, since each
// would be in the program once for each kind.
type codec struct {
	kind   *Kind
	holds  reflect.Type       // of a value
	common func(v any) any    // where a value, by a pointer, has its record.Header; nil for a kind that Markdown does not describe
	own    func() []Key       // of a kind that it describes
	closed []record.Status    // likewise
	keys   func() []Key       // of any other kind, in the order in which they stand in a file
	text   func(v any) any    // where a value, by a pointer, has its body; nil for a kind without one
	rows   func(any, *Row)    // nil for nothing
	words  func(any) []string // that a ranked search looks in, beside what all kinds have and the body; nil for the texts of own

	set     func(v any, h record.Header)                                                                 // the references, the log and the revision, by a pointer
	read    func(r *reader, v any)                                                                       // sets what more than one key says, by a pointer; nil for nothing
	order   func(was, now any) []string                                                                  // of the keys; nil for that of the kind
	again   func(found, was, now any) (next any, ok bool)                                                // nil for a kind that keeps what the file holds
	putBack func(task.Flow, any, []record.Entry, task.Find, record.Stamp) (any, *record.Entry, []string) // nil for none

	made *madeKeys
}

// commonKeys are the keys of a kind that Markdown describes, with its own among them.
func (c *codec) commonKeys(own []Key) []Key {
	return slices.Concat([]Key{
		inHeader(c, "id", func(h *record.Header) *string { return &h.Ref.ID }).Required(),
		inHeader(c, "title", func(h *record.Header) *string { return &h.Title }).Required(),
		inHeader(c, "status", func(h *record.Header) *record.Status { return &h.Status }).Required().From(higher(func(v any) (int64, bool) {
			if slices.Contains(c.closed, c.Header(v).Status) {
				return 1, true
			}
			return 0, true // two closed states, and two open ones, are a conflict
		})),
		inHeader(c, "labels", func(h *record.Header) *[]string { return &h.Labels }).United(),
	}, own, []Key{
		refsKey(func(v any) any { return &c.headerOf(v).Refs }),
		logKey(func(v any) any { return &c.headerOf(v).Log }),
	})
}

// inHeader is a key that the header of a value has.
func inHeader[V any](c *codec, name string, at func(*record.Header) *V) Key {
	return Key{name: name, at: func(v any) any { return at(c.headerOf(v)) }, of: contentOf((*V)(nil))}
}

// pointer leads to a copy of a value.
func pointer(v any) any {
	p := reflect.New(reflect.TypeOf(v))
	p.Elem().Set(reflect.ValueOf(v))
	return p.Interface()
}

// whole is the value that a pointer leads to.
func whole(p any) any { return reflect.ValueOf(p).Elem().Interface() }

// Decode reads a document as a record. The error is a *format.Error with the line.
func (c *codec) Decode(doc *format.Doc) (any, error) {
	v := reflect.New(c.holds).Interface()
	r := &reader{doc: doc}
	r.noMerge(doc.Root())
	readKeys(r, c.all(), doc.Get, v)
	if c.text != nil {
		*c.text(v).(*string) = record.CleanBody(string(doc.Body()))
	}
	if c.read != nil {
		c.read(r, v)
	}
	h := c.headerAt(v)
	if err := c.kind.ParseID(h.Ref.ID); c.text != nil && err != nil && r.err == nil {
		r.fail(doc.Get("id"), "%s", record.MessageOf(err))
	}
	h.Ref.Kind, h.Rev = c.kind.Name, Rev(doc.Bytes())
	c.setHeader(v, h)
	return whole(v), r.err
}

// Create returns the document of a record that has no file yet.
func (c *codec) Create(now any) (*format.Doc, error) {
	v, body := pointer(now), ""
	if c.text != nil {
		body = spaced(*c.text(v).(*string))
	}
	return format.New(c.kind.Form, objectOf(c.all(), v), body)
}

// Edit returns the document after a change of the record from was to now. It touches only what differs.
func (c *codec) Edit(doc *format.Doc, before, after any) (*format.Doc, error) {
	was, now := pointer(before), pointer(after)
	var edits []format.Edit
	for _, k := range c.all() {
		edits = append(edits, k.of.edit(doc, k.name, k.at(was), k.at(now))...)
	}
	if old, body := c.body(before), c.body(after); old != body {
		edits = append(edits, format.SetBody(spaced(body)))
	}
	order := c.kind.Keys()
	if c.order != nil {
		order = c.order(before, after)
	}
	return doc.Edit(order, edits...)
}

// Header returns what a record has in common with records of other kinds.
func (c *codec) Header(v any) record.Header {
	if c.common == nil {
		return v.(interface{ Header() record.Header }).Header()
	}
	return c.headerAt(pointer(v))
}

// headerOf is where a value of a kind that Markdown describes has its header, by a pointer to the value.
func (c *codec) headerOf(v any) *record.Header { return c.common(v).(*record.Header) }

func (c *codec) headerAt(v any) record.Header {
	if c.common == nil {
		return c.Header(whole(v))
	}
	return *c.headerOf(v)
}

func (c *codec) setHeader(v any, h record.Header) {
	if c.common == nil {
		c.set(v, h)
	} else {
		*c.headerOf(v) = h
	}
}

// withHeader is a record with other references, another log and, of a kind that Markdown describes, all else of a
// header.
func (c *codec) withHeader(v any, h record.Header) any {
	p := pointer(v)
	c.setHeader(p, h)
	return whole(p)
}

// Lean returns a record as lists have it: without a long body.
func (c *codec) Lean(v any) any {
	if c.text == nil {
		return v
	}
	p := pointer(v)
	body := c.text(p).(*string)
	*body = shortBody(*body)
	return whole(p)
}

func (c *codec) body(v any) string {
	if c.text == nil {
		return ""
	}
	return *c.text(pointer(v)).(*string)
}

func (c *codec) addFacts(v any, r *Row) {
	p := pointer(v)
	for _, k := range c.all() {
		if k.fact != "" {
			r.Add(k.fact, k.facts(p)...)
		}
	}
	if c.rows != nil {
		c.rows(v, r)
	}
}

func (c *codec) search(v any) []string {
	if c.words != nil {
		return c.words(v)
	}
	return textsOf(objectOf(c.makeKeys().own, pointer(v)))
}

func (c *codec) rules() map[string]format.Rule {
	out := map[string]format.Rule{}
	for _, k := range c.all() {
		if k.choose != nil || k.added != nil {
			k.rule.Choose = func(base, ours, theirs *format.Doc) (side format.Side) {
				o, err1 := c.Decode(ours)
				t, err2 := c.Decode(theirs)
				if err1 != nil || err2 != nil {
					return format.Neither
				}
				if k.choose != nil {
					side = k.choose(o, t)
				}
				if side == format.Neither && base == nil && k.added != nil {
					side = k.added(o, t)
				}
				return side
			}
		}
		if k.rule.Kind != format.One || k.choose != nil || k.added != nil {
			out[k.name] = k.rule
		}
	}
	return out
}

// CanAgain reports whether Again can be possible for the kind.
func (c *codec) CanAgain() bool { return c.again != nil }

// Again makes the change from was to now on found, if another program changed the file in the middle of a write of
// several files. It reports whether that is possible.
func (c *codec) Again(found, was, now any) (next any, ok bool) {
	if c.again == nil {
		return nil, false
	}
	return c.again(found, was, now)
}

// Repeats reports whether an entry repeats one of the record that this one is about, so that a history of all records
// leaves it out.
func (c *codec) Repeats(v any, e record.Entry) bool {
	about, ok := v.(interface{ Repeats(record.Entry) bool })
	return ok && about.Repeats(e)
}

// WithEntry is a record with one more entry.
func (c *codec) WithEntry(v any, e record.Entry) any {
	h := c.Header(v)
	h.Log = h.Log.Add(e)
	return c.withHeader(v, h)
}

// PutBack restores entries that the file has lost, as record.Header.PutBack does. Of sessions and proposals nothing is
// put back, and the entry is nil.
func (c *codec) PutBack(f task.Flow, v any, lost []record.Entry, find task.Find, s record.Stamp) (any, *record.Entry, []string) {
	switch {
	case c.putBack != nil:
		return c.putBack(f, v, lost, find, s)
	case c.common == nil:
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
