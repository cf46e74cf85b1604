package kind

import (
	"reflect"

	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// Key is one key of a kind, and where its value is in a record.
type Key[T any] struct {
	name     string
	required bool
	of       keyType[T]
}

// keyType is what a key holds. It is an interface and not a list of functions, since all kinds are made before main
// begins.
type keyType[T any] interface {
	read(r *reader, name string, v *T)
	write(m *mapping, name string, v T)
	edit(doc *format.Doc, name string, was, now T) []format.Edit
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

func (k textKey[T, S]) edit(_ *format.Doc, name string, was, now T) []format.Edit {
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

func (k textsKey[T, S]) edit(doc *format.Doc, name string, was, now T) []format.Edit {
	return editList(doc, name, *k.at(&was), *k.at(&now))
}

// Number is a key that holds a whole number. A record may do without it, which is 0.
func Number[T any](name string, at func(*T) *int) Key[T] {
	return Key[T]{name: name, of: &scalarKey[T, int]{at, (*reader).number, func(n int) format.Value { return format.Int(n) }}}
}

// Flag is a key that holds true or false. A record may do without it, which is false.
func Flag[T any](name string, at func(*T) *bool) Key[T] {
	return Key[T]{name: name, of: &scalarKey[T, bool]{at, (*reader).boolean, func(b bool) format.Value { return format.Bool(b) }}}
}

// FlagUnless is a key that holds true or false. A record may do without it, which is true. At is where a value has the
// opposite.
func FlagUnless[T any](name string, at func(*T) *bool) Key[T] {
	read := func(r *reader, name string, n *format.Node) bool { return !format.IsNull(n) && !r.boolean(name, n) }
	return Key[T]{name: name, of: &scalarKey[T, bool]{at, read, func(b bool) format.Value { return format.Bool(!b) }}}
}

// DueDate is a key that holds when something is due: a date or a time. A record may do without it.
func DueDate[T any](name string, at func(*T) *task.Due) Key[T] {
	read := func(r *reader, name string, n *format.Node) task.Due { return task.Due(r.text(name, n)) }
	return Key[T]{name: name, of: &scalarKey[T, task.Due]{at, read, dueValue}}
}

// scalarKey is a key that holds one value. It is not in the file where the value is zero.
type scalarKey[T any, V comparable] struct {
	at    func(*T) *V
	one   func(*reader, string, *format.Node) V
	value func(V) format.Value
}

func (k *scalarKey[T, V]) read(r *reader, name string, v *T) {
	*k.at(v) = k.one(r, name, r.doc.Get(name))
}

func (k *scalarKey[T, V]) write(m *mapping, name string, v T) {
	var zero V
	if now := *k.at(&v); now != zero {
		*m = append(*m, format.Field{Key: name, Value: k.value(now)})
	}
}

func (k *scalarKey[T, V]) edit(_ *format.Doc, name string, was, now T) []format.Edit {
	var zero V
	switch now := *k.at(&now); {
	case now == *k.at(&was):
		return nil
	case now == zero:
		return []format.Edit{format.Remove(format.Path{name})}
	default:
		return []format.Edit{format.Set(format.Path{name}, k.value(now))}
	}
}

// Object is one mapping of a key that holds a list of them.
type Object struct {
	r *reader
	m *format.Node
}

// Text returns what a member of the mapping says; "" if it is not there.
func (o Object) Text(name string) string { return o.r.text(name, field(o.m, name)) }

// Objects is a key that holds a list of mappings. Read makes a value of one, and fields lists what is written of a
// value: members that are empty are left out. A change of the list writes it anew.
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
		*m = append(*m, format.Field{Key: name, Value: k.value(list)})
	}
}

func (k *objectsKey[T, V]) edit(_ *format.Doc, name string, was, now T) []format.Edit {
	list := *k.at(&now)
	switch {
	case reflect.DeepEqual(*k.at(&was), list):
		return nil
	case len(list) == 0:
		return []format.Edit{format.Remove(format.Path{name})}
	default:
		return []format.Edit{format.Set(format.Path{name}, k.value(list))}
	}
}

func (k *objectsKey[T, V]) value(list []V) format.Value {
	return seqOf(list, func(v V) format.Value {
		var m mapping
		for _, f := range k.fields(v) {
			m.text(f.Name, f.Value)
		}
		return format.Map(m)
	})
}

// Field is one member of a mapping that is written.
type Field struct{ Name, Value string }
