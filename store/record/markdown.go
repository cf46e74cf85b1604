package record

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
	"gopkg.in/yaml.v3"
)

// Markdown describes the values of a kind whose files are Markdown and have the usual keys: id, title, status, labels, refs, provenance and
// a body. The codec, the order of the keys, the closed states and how versions merge follow from it.
type Markdown[T any] struct {
	Header func(*T) *task.Header                       // where a value has what all kinds have in common
	Body   func(*T) *string                            // where it has its body
	Keys   []Key[T]                                    // that only this kind has; in a file they stand between labels and refs
	States []task.Status                               // in which a record can be, the first one first
	Closed []task.Status                               // those of the states in which nothing waits for the record any more; none if nothing can depend on it
	Move   func(T, task.Status, task.Stamp) (T, error) // takes a record to another state, for update; nil where the kind's own verbs do
	Free   bool                                        // update takes a record from any state to any other
	Row    func(T, *Row)                               // sets the facts of a row that do not follow from the header; nil for none
}

// Key is one key of a kind, and where its value is in a record.
type Key[T any] struct {
	name     string
	required bool
	of       keyType[T]
}

// keyType is what a key holds. It is an interface and not a list of functions, since all kinds are made before main begins.
type keyType[T any] interface {
	read(r *reader, name string, v *T)
	write(m *mapping, name string, v T)
	edit(doc *frontmatter.Doc, name string, was, now T) []frontmatter.Edit
}

func (k Key[T]) read(r *reader, v *T) {
	if k.required {
		_ = r.required(k.name)
	}
	k.of.read(r, k.name, v)
}

// Required is the key as one that every record must have.
func (k Key[T]) Required() Key[T] {
	k.required = true
	return k
}

// Text is a key that holds one text. A record may do without it.
func Text[T any, S ~string](name string, at func(*T) *S) Key[T] {
	return Key[T]{name: name, of: textKey[T, S]{at}}
}

type textKey[T any, S ~string] struct{ at func(*T) *S }

func (k textKey[T, S]) read(r *reader, name string, v *T) {
	*k.at(v) = S(r.text(name, r.doc.Get(name)))
}

func (k textKey[T, S]) write(m *mapping, name string, v T) { m.text(name, string(*k.at(&v))) }

func (k textKey[T, S]) edit(_ *frontmatter.Doc, name string, was, now T) []frontmatter.Edit {
	return editOptional(name, string(*k.at(&was)), string(*k.at(&now)))
}

// Texts is a key that holds a list of texts.
func Texts[T any, S ~string](name string, at func(*T) *[]S) Key[T] {
	return Key[T]{name: name, of: textsKey[T, S]{at}}
}

type textsKey[T any, S ~string] struct{ at func(*T) *[]S }

func (k textsKey[T, S]) read(r *reader, name string, v *T) {
	var list []S
	for _, text := range r.texts(name, r.doc.Get(name)) {
		list = append(list, S(text))
	}
	*k.at(v) = list
}

func (k textsKey[T, S]) write(m *mapping, name string, v T) { addList(m, name, *k.at(&v)) }

func (k textsKey[T, S]) edit(doc *frontmatter.Doc, name string, was, now T) []frontmatter.Edit {
	return editList(doc, name, *k.at(&was), *k.at(&now))
}

// Number is a key that holds a whole number. A record may do without it, which is 0.
func Number[T any](name string, at func(*T) *int) Key[T] {
	return Key[T]{name: name, of: &scalarKey[T, int]{at, (*reader).number, func(n int) frontmatter.Value { return frontmatter.Int(n) }}}
}

// Flag is a key that holds true or false. A record may do without it, which is false.
func Flag[T any](name string, at func(*T) *bool) Key[T] {
	return Key[T]{name: name, of: &scalarKey[T, bool]{at, (*reader).boolean, func(b bool) frontmatter.Value { return frontmatter.Bool(b) }}}
}

// FlagUnless is a key that holds true or false. A record may do without it, which is true. At is where a value has the opposite.
func FlagUnless[T any](name string, at func(*T) *bool) Key[T] {
	read := func(r *reader, name string, n *yaml.Node) bool { return !isNull(n) && !r.boolean(name, n) }
	return Key[T]{name: name, of: &scalarKey[T, bool]{at, read, func(b bool) frontmatter.Value { return frontmatter.Bool(!b) }}}
}

// DueDate is a key that holds when something is due: a date or a time. A record may do without it.
func DueDate[T any](name string, at func(*T) *task.Due) Key[T] {
	read := func(r *reader, name string, n *yaml.Node) task.Due { return task.Due(r.text(name, n)) }
	return Key[T]{name: name, of: &scalarKey[T, task.Due]{at, read, dueValue}}
}

// scalarKey is a key that holds one value. It is not in the file where the value is zero.
type scalarKey[T any, V comparable] struct {
	at    func(*T) *V
	one   func(*reader, string, *yaml.Node) V
	value func(V) frontmatter.Value
}

func (k *scalarKey[T, V]) read(r *reader, name string, v *T) {
	*k.at(v) = k.one(r, name, r.doc.Get(name))
}

func (k *scalarKey[T, V]) write(m *mapping, name string, v T) {
	var zero V
	if now := *k.at(&v); now != zero {
		*m = append(*m, frontmatter.Field{Key: name, Value: k.value(now)})
	}
}

func (k *scalarKey[T, V]) edit(_ *frontmatter.Doc, name string, was, now T) []frontmatter.Edit {
	var zero V
	switch now := *k.at(&now); {
	case now == *k.at(&was):
		return nil
	case now == zero:
		return []frontmatter.Edit{frontmatter.Remove(frontmatter.Path{name})}
	default:
		return []frontmatter.Edit{frontmatter.Set(frontmatter.Path{name}, k.value(now))}
	}
}

// Object is one mapping of a key that holds a list of them.
type Object struct {
	r *reader
	m *yaml.Node
}

// Text returns what a member of the mapping says; "" if it is not there.
func (o Object) Text(name string) string { return o.r.text(name, field(o.m, name)) }

// Objects is a key that holds a list of mappings. Read makes a value of one, and fields lists what is written of a value: members that are
// empty are left out. A change of the list writes it anew.
func Objects[T, V any](name string, at func(*T) *[]V, read func(Object) V, fields func(V) []Field) Key[T] {
	return Key[T]{name: name, of: &objectsKey[T, V]{at, read, fields}}
}

type objectsKey[T, V any] struct {
	at     func(*T) *[]V
	one    func(Object) V
	fields func(V) []Field
}

func (k *objectsKey[T, V]) read(r *reader, name string, v *T) {
	var list []V
	for _, m := range r.maps(name, r.doc.Get(name)) {
		list = append(list, k.one(Object{r, m}))
	}
	*k.at(v) = list
}

func (k *objectsKey[T, V]) write(m *mapping, name string, v T) {
	if list := *k.at(&v); len(list) > 0 {
		*m = append(*m, frontmatter.Field{Key: name, Value: k.value(list)})
	}
}

func (k *objectsKey[T, V]) edit(_ *frontmatter.Doc, name string, was, now T) []frontmatter.Edit {
	list := *k.at(&now)
	switch {
	case reflect.DeepEqual(*k.at(&was), list):
		return nil
	case len(list) == 0:
		return []frontmatter.Edit{frontmatter.Remove(frontmatter.Path{name})}
	default:
		return []frontmatter.Edit{frontmatter.Set(frontmatter.Path{name}, k.value(list))}
	}
}

func (k *objectsKey[T, V]) value(list []V) frontmatter.Value {
	return seqOf(list, func(v V) frontmatter.Value {
		var m mapping
		for _, f := range k.fields(v) {
			m.text(f.Name, f.Value)
		}
		return frontmatter.Map(m)
	})
}

// Field is one member of a mapping that is written.
type Field struct{ Name, Value string }

// DefineMarkdown makes a row of the table for a kind that Markdown describes. The row has a name, a folder and a ParseID; Form, Keys,
// States, Closed and Merge follow, and rules that it has for merging its own keys stay.
func DefineMarkdown[ID ~string, T any](row Kind, m Markdown[T]) Of[ID, T] {
	row.Form, row.States = frontmatter.Markdown, m.States
	row.Keys = append(make([]string, 0, len(commonKeys)+len(m.Keys)+2), commonKeys...)
	for _, k := range m.Keys {
		row.Keys = append(row.Keys, k.name)
	}
	row.Keys = append(row.Keys, "refs", "provenance")
	if len(m.Closed) > 0 {
		row.Closed = func(_ task.Flow, s task.Status) bool { return slices.Contains(m.Closed, s) }
	}
	both := &struct { // in one piece of memory
		row   Kind
		codec markdownCodec[T]
	}{row: row}
	c := &both.codec
	c.of, c.kind, c.parseID, c.order = m, row.Name, row.ParseID, row.Keys
	both.row.codec = c
	return Of[ID, T]{&both.row}
}

// commonKeys are the keys that stand before those that only one kind has.
var commonKeys = []string{"id", "title", "status", "labels"}

// markdownCodec is the codec of a kind that Markdown describes.
type markdownCodec[T any] struct {
	of      Markdown[T]
	kind    string
	parseID func(string) error
	order   []string // of the keys in a file
	made    sync.Once
	keys    []Key[T] // all of them; made at first use
}

func (c *markdownCodec[T]) all() []Key[T] {
	c.made.Do(func() {
		c.keys = slices.Concat([]Key[T]{
			Text("id", func(v *T) *string { return &c.of.Header(v).Ref.ID }).Required(),
			Text("title", func(v *T) *string { return &c.of.Header(v).Title }).Required(),
			Text("status", func(v *T) *task.Status { return &c.of.Header(v).Status }).Required(),
			Texts("labels", func(v *T) *[]string { return &c.of.Header(v).Labels }),
		}, c.of.Keys)
	})
	return c.keys
}

func (c *markdownCodec[T]) decode(doc *frontmatter.Doc) (any, error) {
	var v T
	r := &reader{doc: doc}
	r.noMerge(doc.Root())
	for _, k := range c.all() {
		k.read(r, &v)
	}
	h := c.of.Header(&v)
	if err := c.parseID(h.Ref.ID); err != nil && r.err == nil {
		r.fail(doc.Get("id"), "%s", task.MessageOf(err))
	}
	h.Ref.Kind, h.Refs, h.Log, h.Rev = c.kind, r.refs(), r.entries(), Rev(doc.Bytes())
	*c.of.Body(&v) = task.CleanBody(string(doc.Body()))
	return v, r.err
}

func (c *markdownCodec[T]) create(now any) (*frontmatter.Doc, error) {
	v := now.(T)
	var m mapping
	for _, k := range c.all() {
		k.of.write(&m, k.name, v)
	}
	addRefs(&m, c.of.Header(&v).Refs)
	m = append(m, frontmatter.Field{Key: "provenance", Value: LogValue(c.of.Header(&v).Log)})
	return frontmatter.New(frontmatter.Markdown, frontmatter.Map(m), spaced(*c.of.Body(&v)))
}

func (c *markdownCodec[T]) edit(doc *frontmatter.Doc, before, after any) (*frontmatter.Doc, error) {
	was, now := before.(T), after.(T)
	var edits []frontmatter.Edit
	for _, k := range c.all() {
		edits = append(edits, k.of.edit(doc, k.name, was, now)...)
	}
	edits = append(edits, editRefs(doc, c.of.Header(&was).Refs, c.of.Header(&now).Refs)...)
	edits = append(edits, EditLog(doc, c.of.Header(&was).Log, c.of.Header(&now).Log)...)
	if body := *c.of.Body(&now); body != *c.of.Body(&was) {
		edits = append(edits, frontmatter.SetBody(spaced(body)))
	}
	return doc.Edit(c.order, edits...)
}

func (c *markdownCodec[T]) merge() map[string]frontmatter.Rule {
	return map[string]frontmatter.Rule{
		"status": closedWins(c.of.Closed), "labels": {Kind: frontmatter.Texts}, "refs": refsRule, "provenance": LogRule,
	}
}

func (*markdownCodec[T]) again(_, _, _ any) (any, bool) { return nil, false }

func (*markdownCodec[T]) canAgain() bool { return false }

func (c *markdownCodec[T]) header(one any) task.Header {
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
	return textsOf(frontmatter.Map(m))
}

func (c *markdownCodec[T]) with(one any, e task.Entry) (any, bool) {
	v := one.(T)
	c.of.Header(&v).Log = c.of.Header(&v).Log.Add(e)
	return v, true
}

func (c *markdownCodec[T]) canMove() bool { return c.of.Move != nil || c.of.Free }

func (c *markdownCodec[T]) move(one any, to task.Status, s task.Stamp) (any, error) {
	v := one.(T)
	if c.of.Move != nil {
		return c.of.Move(v, to, s)
	}
	if err := task.ValidText("reason", s.Text); err != nil {
		return nil, err
	}
	h := c.of.Header(&v)
	*h = h.Moved(to, s)
	return v, nil
}

func (*markdownCodec[T]) canRelabel() bool { return true }

func (c *markdownCodec[T]) relabel(one any, labels []string, s task.Stamp) (any, error) {
	v := one.(T)
	h, err := c.of.Header(&v).Labeled(labels, s)
	*c.of.Header(&v) = h
	return v, err
}

func (c *markdownCodec[T]) withRefs(one any, refs []task.Reference) (any, bool) {
	v := one.(T)
	c.of.Header(&v).Refs = refs
	return v, true
}

func (*markdownCodec[T]) repeats(any, task.Entry) bool { return false }

func (c *markdownCodec[T]) putBack(_ task.Flow, one any, lost []task.Entry, _ task.Find, s task.Stamp) (any, *task.Entry, []string) {
	v := one.(T)
	h, entry, contradictions := c.of.Header(&v).PutBack(lost, s)
	*c.of.Header(&v) = h
	return v, entry, contradictions
}

// closedWins merges a status that both sides changed: a closed state wins over one that is open. Two closed states, and two open
// ones, are a conflict.
func closedWins(closed []task.Status) frontmatter.Rule {
	in := func(doc *frontmatter.Doc) bool {
		r := &reader{doc: doc}
		return slices.Contains(closed, task.Status(r.text("status", doc.Get("status"))))
	}
	return frontmatter.Rule{Choose: func(_, ours, theirs *frontmatter.Doc) frontmatter.Side {
		switch o, t := in(ours), in(theirs); {
		case o && !t:
			return frontmatter.Ours
		case t && !o:
			return frontmatter.Theirs
		default:
			return frontmatter.Neither
		}
	}}
}

// Prefixed is a ParseID for ids that have the form of a task's, and this prefix before the dash.
func Prefixed(kind, prefix string) func(string) error {
	return func(id string) error {
		if _, err := task.ParseID(id); err != nil || !strings.HasPrefix(id, prefix+"-") {
			return task.Errorf(task.InvalidInput, "%q is not the id of a %s", id, kind).WithHint("an id looks like %s-01j8x2k7q7f3az", prefix)
		}
		return nil
	}
}
