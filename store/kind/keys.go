package kind

import (
	"reflect"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// Key is one key of a mapping in a file: what it holds, and where a value of type T has that.
type Key[T any] struct {
	name     string
	also     []string // under which earlier programs wrote it
	required bool
	foreign  func(*format.Node) bool // whether a value is another program's, which is kept as that of an unknown key is; nil for none
	rule     format.Rule             // how it merges
	choose   choice[T]               // which side has it after a merge, if both changed it; nil for a conflict
	of       keyType[T]
}

// keyType is what a key holds. It is an interface and not a list of functions, since all kinds are made before main
// begins.
type keyType[T any] interface {
	read(r *reader, name string, n *format.Node, v *T)
	value(v *T) format.Value // nil for what a file does not say
	edit(doc *format.Doc, name string, was, now *T) []format.Edit
}

// readKeys reads the values of keys, whose nodes at returns.
func readKeys[T any](r *reader, keys []Key[T], at func(key string) *format.Node, v *T) {
	for _, k := range keys {
		n := at(k.name)
		for _, old := range k.also {
			if format.IsNull(n) {
				n = at(old)
			}
		}
		switch {
		case k.required && format.IsNull(n):
			r.missing(k.name, n)
		case k.foreign == nil || n == nil || !k.foreign(format.Deref(n)):
			k.of.read(r, k.name, n, v)
		}
	}
}

// readObject reads a mapping.
func readObject[T any](r *reader, m *format.Node, keys []Key[T]) (v T) {
	readKeys(r, keys, func(key string) *format.Node { return field(m, key) }, &v)
	return v
}

// objectOf is a value as a mapping, without what is empty.
func objectOf[T any](keys []Key[T], v *T) mapping {
	var m mapping
	for _, k := range keys {
		if value := k.of.value(v); value != nil {
			m = append(m, format.Field{Key: k.name, Value: value})
		}
	}
	return m
}

// Required is the key as one that every record must have.
func (k Key[T]) Required() Key[T] {
	k.required = true
	return k
}

// Before is the key as one that earlier programs wrote under other names.
func (k Key[T]) Before(names ...string) Key[T] {
	k.also = names
	return k
}

// United is the key of a list as one that has the texts of both sides after a merge.
func (k Key[T]) United() Key[T] {
	k.rule = format.Rule{Kind: format.Texts}
	return k
}

// choice says which side of a merge has what a key holds.
type choice[T any] func(ours, theirs T) format.Side

// From is the key as one that has the value of the chosen side after a merge in which both changed it.
func (k Key[T]) From(side choice[T]) Key[T] {
	k.choose = side
	return k
}

// higher chooses the side of the higher rank. Neither is chosen of equal ones, and where a side has no rank.
func higher[T any](rank func(T) (at int64, ok bool)) choice[T] {
	return func(ours, theirs T) format.Side {
		o, ok1 := rank(ours)
		t, ok2 := rank(theirs)
		switch {
		case !ok1 || !ok2 || o == t:
			return format.Neither
		case o > t:
			return format.Ours
		default:
			return format.Theirs
		}
	}
}

// Text is a key that holds one text. A record may do without it.
func Text[T any, S ~string](name string, at func(*T) *S) Key[T] {
	return Key[T]{name: name, of: textKey[T, S]{at}}
}

type textKey[T any, S ~string] struct{ at func(*T) *S }

func (k textKey[T, S]) read(r *reader, name string, n *format.Node, v *T) {
	*k.at(v) = S(r.text(name, n))
}

func (k textKey[T, S]) value(v *T) format.Value {
	return unlessEmpty(*k.at(v))
}

func unlessEmpty[S ~string](text S) format.Value {
	if text == "" {
		return nil
	}
	return format.String(text)
}

func (k textKey[T, S]) edit(_ *format.Doc, name string, was, now *T) []format.Edit {
	return editValue(name, k.value(was), k.value(now))
}

// editValue changes what a key holds; nil removes it.
func editValue(name string, was, now format.Value) []format.Edit {
	switch {
	case reflect.DeepEqual(was, now):
		return nil
	case now == nil:
		return []format.Edit{format.Remove(format.Path{name})}
	default:
		return []format.Edit{format.Set(format.Path{name}, now)}
	}
}

// Texts is a key that holds a list of texts.
func Texts[T any, S ~string](name string, at func(*T) *[]S) Key[T] {
	return Key[T]{name: name, of: textsKey[T, S]{at}}
}

type textsKey[T any, S ~string] struct{ at func(*T) *[]S }

func (k textsKey[T, S]) read(r *reader, name string, n *format.Node, v *T) {
	*k.at(v) = textsIn[S](r, name, n)
}

// textsIn reads a list of texts.
func textsIn[S ~string](r *reader, name string, n *format.Node) []S {
	var out []S
	for _, text := range r.texts(name, n) {
		out = append(out, S(text))
	}
	return out
}

func (k textsKey[T, S]) value(v *T) format.Value {
	if texts := *k.at(v); len(texts) > 0 {
		return list(texts)
	}
	return nil
}

func (k textsKey[T, S]) edit(doc *format.Doc, name string, was, now *T) []format.Edit {
	return editList(doc, name, *k.at(was), *k.at(now))
}

// oneKey is a key that holds one value. It is not in the file where value returns nil.
type oneKey[T, V any] struct {
	at    func(*T) *V
	one   func(*reader, string, *format.Node) V
	write func(V) format.Value
}

func (k *oneKey[T, V]) read(r *reader, name string, n *format.Node, v *T) {
	*k.at(v) = k.one(r, name, n)
}
func (k *oneKey[T, V]) value(v *T) format.Value { return k.write(*k.at(v)) }

func (k *oneKey[T, V]) edit(_ *format.Doc, name string, was, now *T) []format.Edit {
	return editValue(name, k.value(was), k.value(now))
}

// unlessZero writes a value that is not zero.
func unlessZero[V comparable](write func(V) format.Value) func(V) format.Value {
	return func(v V) format.Value {
		if v == *new(V) {
			return nil
		}
		return write(v)
	}
}

// Number is a key that holds a whole number. A record may do without it, which is 0.
func Number[T any](name string, at func(*T) *int) Key[T] {
	return Key[T]{name: name, of: &oneKey[T, int]{at, (*reader).number, unlessZero(func(n int) format.Value { return format.Int(n) })}}
}

// Flag is a key that holds true or false. A record may do without it, which is false.
func Flag[T any](name string, at func(*T) *bool) Key[T] {
	return Key[T]{name: name, of: &oneKey[T, bool]{at, (*reader).boolean, unlessZero(func(b bool) format.Value { return format.Bool(b) })}}
}

// FlagUnless is a key that holds true or false. A record may do without it, which is true. At is where a value has the
// opposite.
func FlagUnless[T any](name string, at func(*T) *bool) Key[T] {
	read := func(r *reader, name string, n *format.Node) bool { return !format.IsNull(n) && !r.boolean(name, n) }
	return Key[T]{name: name, of: &oneKey[T, bool]{at, read, unlessZero(func(b bool) format.Value { return format.Bool(!b) })}}
}

// DueDate is a key that holds when something is due: a date or a time, which needs no quotes. A record may do without
// it.
func DueDate[T any](name string, at func(*T) *task.Due) Key[T] {
	read := func(r *reader, name string, n *format.Node) task.Due { return task.Due(r.text(name, n)) }
	return Key[T]{name: name, of: &oneKey[T, task.Due]{at, read, unlessZero(func(d task.Due) format.Value {
		if _, ok := d.By(); ok {
			return format.Plain(string(d))
		}
		return format.String(string(d))
	})}}
}

// Instant is a key that holds a time. A record may do without it.
func Instant[T any](name string, at func(*T) *time.Time) Key[T] {
	return Key[T]{name: name, of: &oneKey[T, time.Time]{at, (*reader).instant, func(t time.Time) format.Value {
		if t.IsZero() {
			return nil
		}
		return format.Plain(t.UTC().Format(time.RFC3339))
	}}}
}

// Objects is a key that holds a list of mappings with keys of their own. A change of the list writes it anew.
func Objects[T, V any](name string, at func(*T) *[]V, keys ...Key[V]) Key[T] {
	return Key[T]{name: name, of: &oneKey[T, []V]{
		at, func(r *reader, name string, n *format.Node) []V { return objects(r, name, n, keys) },
		func(all []V) format.Value {
			if len(all) == 0 {
				return nil
			}
			return seqOf(all, func(v V) format.Value { return format.Map(objectOf(keys, &v)) })
		},
	}}
}

// objects reads a list of mappings.
func objects[V any](r *reader, name string, n *format.Node, keys []Key[V]) []V {
	var all []V
	for _, m := range r.maps(name, n) {
		all = append(all, readObject(r, m, keys))
	}
	return all
}

// refsKey is the key of the references.
func refsKey[T any](at func(*T) *[]record.Reference) Key[T] {
	return Key[T]{name: "refs", of: referencesKey[T]{at}, rule: refsRule}
}

type referencesKey[T any] struct{ at func(*T) *[]record.Reference }

func (k referencesKey[T]) read(r *reader, _ string, n *format.Node, v *T) { *k.at(v) = r.refs(n) }

func (k referencesKey[T]) value(v *T) format.Value {
	if refs := *k.at(v); len(refs) > 0 {
		return seqOf(refs, refValue)
	}
	return nil
}

func (k referencesKey[T]) edit(doc *format.Doc, _ string, was, now *T) []format.Edit {
	return editRefs(doc, *k.at(was), *k.at(now))
}

// logKey is the key of the provenance. Entries that the value has from elsewhere come before those of the file.
func logKey[T any](at func(*T) *record.Log) Key[T] {
	return Key[T]{name: "provenance", of: provenanceKey[T]{at}, rule: LogRule}
}

type provenanceKey[T any] struct{ at func(*T) *record.Log }

func (k provenanceKey[T]) read(r *reader, _ string, n *format.Node, v *T) {
	*k.at(v) = append(*k.at(v), r.entries(n)...)
}

func (k provenanceKey[T]) value(v *T) format.Value {
	if log := *k.at(v); len(log) > 0 {
		return LogValue(log)
	}
	return nil
}

func (k provenanceKey[T]) edit(doc *format.Doc, _ string, was, now *T) []format.Edit {
	return EditLog(doc, *k.at(was), *k.at(now))
}
