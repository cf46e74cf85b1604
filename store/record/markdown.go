package record

import (
	"reflect"
	"slices"
	"strings"
	"time"

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
	Row    func(T, *Row)                               // sets the facts of a row that do not follow from the header; nil for none
}

// Key is one key of a kind, and where its value is in a record.
type Key[T any] struct {
	name  string
	read  func(*reader, *T)
	write func(*mapping, T)
	edit  func(*frontmatter.Doc, T, T) []frontmatter.Edit
}

// Text is a key that holds one text. A record may do without it.
func Text[T any, S ~string](name string, at func(*T) *S) Key[T] {
	return Key[T]{
		name:  name,
		read:  func(r *reader, v *T) { *at(v) = S(r.text(name, r.doc.Get(name))) },
		write: func(m *mapping, v T) { m.text(name, string(*at(&v))) },
		edit: func(_ *frontmatter.Doc, was, now T) []frontmatter.Edit {
			return editOptional(name, string(*at(&was)), string(*at(&now)))
		},
	}
}

// Required is the key as one that every record must have.
func (k Key[T]) Required() Key[T] {
	read := k.read
	k.read = func(r *reader, v *T) { _ = r.required(k.name); read(r, v) }
	return k
}

// Texts is a key that holds a list of texts.
func Texts[T any, S ~string](name string, at func(*T) *[]S) Key[T] {
	return Key[T]{
		name: name,
		read: func(r *reader, v *T) {
			var list []S
			for _, text := range r.texts(name, r.doc.Get(name)) {
				list = append(list, S(text))
			}
			*at(v) = list
		},
		write: func(m *mapping, v T) { addList(m, name, *at(&v)) },
		edit: func(doc *frontmatter.Doc, was, now T) []frontmatter.Edit {
			return editList(doc, name, *at(&was), *at(&now))
		},
	}
}

// Number is a key that holds a whole number. A record may do without it, which is 0.
func Number[T any](name string, at func(*T) *int) Key[T] {
	return scalarKey(name, at, (*reader).number, func(n int) frontmatter.Value { return frontmatter.Int(n) })
}

// Flag is a key that holds true or false. A record may do without it, which is false.
func Flag[T any](name string, at func(*T) *bool) Key[T] {
	return scalarKey(name, at, (*reader).boolean, func(b bool) frontmatter.Value { return frontmatter.Bool(b) })
}

// FlagUnless is a key that holds true or false. A record may do without it, which is true. At is where a value has the opposite.
func FlagUnless[T any](name string, at func(*T) *bool) Key[T] {
	read := func(r *reader, name string, n *yaml.Node) bool { return !isNull(n) && !r.boolean(name, n) }
	return scalarKey(name, at, read, func(b bool) frontmatter.Value { return frontmatter.Bool(!b) })
}

// Instant is a key that holds a time, to the second. A record may do without it, which is the zero time.
func Instant[T any](name string, at func(*T) *time.Time) Key[T] {
	return scalarKey(name, at, (*reader).instant, func(t time.Time) frontmatter.Value { return frontmatter.Plain(t.UTC().Format(time.RFC3339)) })
}

// scalarKey is a key that holds one value. It is not in the file where the value is zero.
func scalarKey[T any, V comparable](name string, at func(*T) *V, read func(*reader, string, *yaml.Node) V, value func(V) frontmatter.Value) Key[T] {
	var zero V
	return Key[T]{
		name: name,
		read: func(r *reader, v *T) { *at(v) = read(r, name, r.doc.Get(name)) },
		write: func(m *mapping, v T) {
			if now := *at(&v); now != zero {
				*m = append(*m, frontmatter.Field{Key: name, Value: value(now)})
			}
		},
		edit: func(_ *frontmatter.Doc, was, now T) []frontmatter.Edit {
			switch now := *at(&now); {
			case now == *at(&was):
				return nil
			case now == zero:
				return []frontmatter.Edit{frontmatter.Remove(frontmatter.Path{name})}
			default:
				return []frontmatter.Edit{frontmatter.Set(frontmatter.Path{name}, value(now))}
			}
		},
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
	value := func(list []V) frontmatter.Value {
		return seqOf(list, func(v V) frontmatter.Value {
			var m mapping
			for _, f := range fields(v) {
				m.text(f.Name, f.Value)
			}
			return frontmatter.Map(m)
		})
	}
	return Key[T]{
		name: name,
		read: func(r *reader, v *T) {
			var list []V
			for _, m := range r.maps(name, r.doc.Get(name)) {
				list = append(list, read(Object{r, m}))
			}
			*at(v) = list
		},
		write: func(m *mapping, v T) {
			if list := *at(&v); len(list) > 0 {
				*m = append(*m, frontmatter.Field{Key: name, Value: value(list)})
			}
		},
		edit: func(_ *frontmatter.Doc, was, now T) []frontmatter.Edit {
			list := *at(&now)
			switch {
			case reflect.DeepEqual(*at(&was), list):
				return nil
			case len(list) == 0:
				return []frontmatter.Edit{frontmatter.Remove(frontmatter.Path{name})}
			default:
				return []frontmatter.Edit{frontmatter.Set(frontmatter.Path{name}, value(list))}
			}
		},
	}
}

// Field is one member of a mapping that is written.
type Field struct{ Name, Value string }

// DefineMarkdown makes a row of the table for a kind that Markdown describes. The row has a name, a folder and a ParseID; Form, Keys,
// States, Closed and Merge follow, and rules that it has for merging its own keys stay.
func DefineMarkdown[ID ~string, T any](row Kind, m Markdown[T]) Of[ID, T] {
	keys := slices.Concat([]Key[T]{
		Text("id", func(v *T) *string { return &m.Header(v).Ref.ID }).Required(),
		Text("title", func(v *T) *string { return &m.Header(v).Title }).Required(),
		Text("status", func(v *T) *task.Status { return &m.Header(v).Status }).Required(),
		Texts("labels", func(v *T) *[]string { return &m.Header(v).Labels }),
	}, m.Keys)
	row.Form, row.States, row.Keys = frontmatter.Markdown, m.States, nil
	for _, k := range keys {
		row.Keys = append(row.Keys, k.name)
	}
	row.Keys = append(row.Keys, "refs", "provenance")
	if len(m.Closed) > 0 {
		row.Closed = func(_ task.Flow, s task.Status) bool { return slices.Contains(m.Closed, s) }
	}
	merge := map[string]frontmatter.Rule{
		"status": closedWins(m.Closed), "labels": {Kind: frontmatter.Texts}, "refs": refsRule, "provenance": LogRule,
	}
	for key, rule := range row.Merge {
		merge[key] = rule
	}
	row.Merge = merge
	return Define[ID](row, markdownCodec[T]{m, row.Name, row.ParseID, keys, row.Keys}.codec())
}

// markdownCodec is the codec of a kind that Markdown describes.
type markdownCodec[T any] struct {
	Markdown[T]
	kind    string
	parseID func(string) error
	keys    []Key[T]
	order   []string
}

func (c markdownCodec[T]) codec() Codec[T] {
	return Codec[T]{
		Decode: c.decode, Edit: c.edit, Create: c.create,
		Header: func(v T) task.Header { return *c.Header(&v) },
		Move:   c.Move,
		Relabel: func(v T, labels []string, s task.Stamp) (T, error) {
			h, err := c.Header(&v).Labeled(labels, s)
			*c.Header(&v) = h
			return v, err
		},
		With: func(v T, e task.Entry) T {
			c.Header(&v).Log = c.Header(&v).Log.Add(e)
			return v
		},
		WithRefs: func(v T, refs []task.Reference) T {
			c.Header(&v).Refs = refs
			return v
		},
		PutBack: func(_ task.Flow, v T, lost []task.Entry, _ task.Find, s task.Stamp) (T, *task.Entry, []string) {
			h, entry, contradictions := c.Header(&v).PutBack(lost, s)
			*c.Header(&v) = h
			return v, entry, contradictions
		},
		Lean: func(v T) T {
			*c.Body(&v) = shortBody(*c.Body(&v))
			return v
		},
		Row:    c.Row,
		Body:   func(v T) string { return *c.Body(&v) },
		Search: c.words,
	}
}

func (c markdownCodec[T]) decode(doc *frontmatter.Doc) (T, error) {
	var v T
	r := &reader{doc: doc}
	r.noMerge(doc.Root())
	for _, k := range c.keys {
		k.read(r, &v)
	}
	h := c.Header(&v)
	if err := c.parseID(h.Ref.ID); err != nil && r.err == nil {
		r.fail(doc.Get("id"), "%s", task.MessageOf(err))
	}
	h.Ref.Kind, h.Refs, h.Log, h.Rev = c.kind, r.refs(), r.entries(), Rev(doc.Bytes())
	*c.Body(&v) = task.CleanBody(string(doc.Body()))
	return v, r.err
}

func (c markdownCodec[T]) create(v T) (*frontmatter.Doc, error) {
	var m mapping
	for _, k := range c.keys {
		k.write(&m, v)
	}
	addRefs(&m, c.Header(&v).Refs)
	m = append(m, frontmatter.Field{Key: "provenance", Value: LogValue(c.Header(&v).Log)})
	return frontmatter.New(frontmatter.Markdown, frontmatter.Map(m), spaced(*c.Body(&v)))
}

// words are the texts of the keys that only the kind has.
func (c markdownCodec[T]) words(v T) []string {
	var m mapping
	for _, k := range c.Keys {
		k.write(&m, v)
	}
	return textsOf(frontmatter.Map(m))
}

func (c markdownCodec[T]) edit(doc *frontmatter.Doc, was, now T) (*frontmatter.Doc, error) {
	var edits []frontmatter.Edit
	for _, k := range c.keys {
		edits = append(edits, k.edit(doc, was, now)...)
	}
	edits = append(edits, editRefs(doc, c.Header(&was).Refs, c.Header(&now).Refs)...)
	edits = append(edits, EditLog(doc, c.Header(&was).Log, c.Header(&now).Log)...)
	if body := *c.Body(&now); body != *c.Body(&was) {
		edits = append(edits, frontmatter.SetBody(spaced(body)))
	}
	return doc.Edit(c.order, edits...)
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
