package kind

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// Key is one key of a mapping in a file: what it holds, and where a value has that.
type Key struct {
	name     string
	also     []string // under which earlier programs wrote it
	required bool
	foreign  func(*format.Node) bool // whether a value is another program's, which is kept as that of an unknown key is; nil for none
	rule     format.Rule             // how it merges
	choose   choice                  // which side has it after a merge, if both changed it; nil for a conflict
	added    choice                  // the same where both added the record; nil for a conflict
	fact     string                  // the name of the facts of a row that say it; "" for none
	at       func(v any) any         // where a value has what the key holds: both are pointers
	of       content
}

// content is what a key holds. It is given pointers to where values have it.
type content interface {
	read(r *reader, name string, n *format.Node, at any)
	value(at any) format.Value // nil for what a file does not say
	edit(doc *format.Doc, name string, was, now any) []format.Edit
}

// KeyOf is a key of a value of type T. What it holds follows from the type of what is there: one text, texts, a whole
// number, a yes or no, a time. A record may do without it.
func KeyOf[T, V any](name string, at func(*T) *V) Key {
	return Key{name: name, at: place(at), of: contentOf((*V)(nil))}
}

func place[T, V any](at func(*T) *V) func(any) any {
	return func(v any) any { return at(v.(*T)) }
}

// fieldsOf are the fields of a struct as keys, by their names in JSON.
func fieldsOf[T any](names ...string) []Key {
	t, out := reflect.TypeFor[T](), make([]Key, len(names))
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if n := slices.Index(names, name); n >= 0 {
			at := func(v any) any { return reflect.ValueOf(v).Elem().Field(i).Addr().Interface() }
			out[n] = Key{name: name, at: at, of: contentOf(reflect.Zero(reflect.PointerTo(f.Type)).Interface())}
		}
	}
	return out
}

// contentOf is what is held where such a pointer leads.
func contentOf(at any) content {
	switch at.(type) {
	case *int:
		return &single[int]{(*reader).number, unlessZero(func(n int) format.Value { return format.Int(n) }), nil}
	case *bool:
		return &single[bool]{(*reader).boolean, unlessZero(func(b bool) format.Value { return format.Bool(b) }), nil}
	case *time.Time:
		return &single[time.Time]{(*reader).instant, instantValue, nil}
	case *task.Due:
		return due
	}
	if reflect.TypeOf(at).Elem().Kind() == reflect.Slice {
		return texts{}
	}
	return text{}
}

// readKeys reads the values of keys, whose nodes node returns, into what v points to.
func readKeys(r *reader, keys []Key, node func(key string) *format.Node, v any) {
	for i := range keys {
		k := &keys[i]
		n := node(k.name)
		for _, old := range k.also {
			if format.IsNull(n) {
				n = node(old)
			}
		}
		switch {
		case k.required && format.IsNull(n):
			r.missing(k.name, n)
		case k.foreign == nil || n == nil || !k.foreign(format.Deref(n)):
			k.of.read(r, k.name, n, k.at(v))
		}
	}
}

// readObject reads a mapping.
func readObject[T any](r *reader, m *format.Node, keys []Key) (v T) {
	readKeys(r, keys, func(key string) *format.Node { return field(m, key) }, &v)
	return v
}

// objectOf is what v points to as a mapping, without what is empty.
func objectOf(keys []Key, v any) format.Map {
	var m format.Map
	for _, k := range keys {
		if many, ok := k.of.(interface{ fields(at any) format.Map }); ok {
			m = append(m, many.fields(k.at(v))...)
		} else if value := k.of.value(k.at(v)); value != nil {
			m = append(m, format.Field{Key: k.name, Value: value})
		}
	}
	return m
}

// Required is the key as one that every record must have.
func (k Key) Required() Key {
	k.required = true
	return k
}

// Before is the key as one that earlier programs wrote under other names.
func (k Key) Before(names ...string) Key {
	k.also = names
	return k
}

// United is the key of a list as one that has the texts of both sides after a merge.
func (k Key) United() Key {
	k.rule = format.Rule{Kind: format.Texts}
	return k
}

// Fact is the key as one whose texts are facts of a row, under a name.
func (k Key) Fact(name string) Key {
	k.fact = name
	return k
}

// facts are the texts of a key.
func (k Key) facts(v any) []string {
	switch at := reflect.ValueOf(k.at(v)).Elem(); at.Kind() {
	case reflect.Slice:
		return textsAt(k.at(v))
	case reflect.Int:
		return []string{strconv.FormatInt(at.Int(), 10)}
	default:
		return []string{at.String()}
	}
}

// From is the key as one that has the value of the chosen side after a merge in which both changed it.
func (k Key) From(side choice) Key {
	k.choose = side
	return k
}

// choice says which of two records, the sides of a merge, has what a key holds.
type choice func(ours, theirs any) format.Side

// higher chooses the side of the higher rank. Neither is chosen of equal ones, and where a side has no rank.
func higher[T any](rank func(T) (at int64, ok bool)) choice {
	return func(ours, theirs any) format.Side {
		o, ok1 := rank(ours.(T))
		t, ok2 := rank(theirs.(T))
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

// text is one text, of any type.
type text struct{}

func (text) read(r *reader, name string, n *format.Node, at any) {
	reflect.ValueOf(at).Elem().SetString(r.text(name, n))
}

func (text) value(at any) format.Value {
	return unlessEmpty(reflect.ValueOf(at).Elem().String())
}

func unlessEmpty(text string) format.Value {
	if text == "" {
		return nil
	}
	return format.String(text)
}

func (k text) edit(_ *format.Doc, name string, was, now any) []format.Edit {
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

// texts is a list of texts, of any type.
type texts struct{}

func (texts) read(r *reader, name string, n *format.Node, at any) {
	all := r.texts(name, n)
	list := reflect.ValueOf(at).Elem()
	if list.SetZero(); len(all) > 0 {
		list.Set(reflect.MakeSlice(list.Type(), len(all), len(all)))
	}
	for i, text := range all {
		list.Index(i).SetString(text)
	}
}

// textsAt are the texts of a list.
func textsAt(at any) []string {
	list := reflect.ValueOf(at).Elem()
	out := make([]string, list.Len())
	for i := range out {
		out[i] = list.Index(i).String()
	}
	return out
}

func (texts) value(at any) format.Value {
	if all := textsAt(at); len(all) > 0 {
		return list(all)
	}
	return nil
}

func (texts) edit(doc *format.Doc, name string, was, now any) []format.Edit {
	return editList(doc, name, textsAt(was), textsAt(now))
}

// single is one value. It is not in the file where write returns nil.
type single[V any] struct {
	one   func(*reader, string, *format.Node) V
	write func(V) format.Value
	edits func(doc *format.Doc, was, now V) []format.Edit // nil for a value that is written anew
}

func (s *single[V]) read(r *reader, name string, n *format.Node, at any) {
	*at.(*V) = s.one(r, name, n)
}
func (s *single[V]) value(at any) format.Value { return s.write(*at.(*V)) }

func (s *single[V]) edit(doc *format.Doc, name string, was, now any) []format.Edit {
	if s.edits != nil {
		return s.edits(doc, *was.(*V), *now.(*V))
	}
	return editValue(name, s.value(was), s.value(now))
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

// oneKey is a key that holds one value, which is read and written as here.
func oneKey[T, V any](name string, at func(*T) *V, read func(*reader, string, *format.Node) V, write func(V) format.Value) Key {
	return Key{name: name, at: place(at), of: &single[V]{read, write, nil}}
}

// flagUnless is a key that holds true or false. A record may do without it, which is true. At is where a value has the
// opposite.
func flagUnless[T any](name string, at func(*T) *bool) Key {
	return oneKey(name, at, func(r *reader, name string, n *format.Node) bool {
		return !format.IsNull(n) && !r.boolean(name, n)
	}, unlessZero(func(b bool) format.Value { return format.Bool(!b) }))
}

// due is a date or a time, which needs no quotes.
var due = &single[task.Due]{
	func(r *reader, name string, n *format.Node) task.Due { return task.Due(r.text(name, n)) },
	unlessZero(func(d task.Due) format.Value {
		if _, ok := d.By(); ok {
			return format.Plain(string(d))
		}
		return format.String(string(d))
	}),
	nil,
}

// instantValue writes a time.
func instantValue(t time.Time) format.Value {
	if t.IsZero() {
		return nil
	}
	return format.Plain(t.UTC().Format(time.RFC3339))
}

// objectsOf is a list of mappings with keys of their own. A change of the list writes it anew.
func objectsOf[V any](keys ...Key) content {
	return &single[[]V]{
		func(r *reader, name string, n *format.Node) []V {
			return record.Each(r.maps(name, n), func(m *format.Node) V { return readObject[V](r, m, keys) })
		},
		func(all []V) format.Value {
			if len(all) == 0 {
				return nil
			}
			return seqOf(all, func(v V) format.Value { return objectOf(keys, &v) })
		},
		nil,
	}
}

// refsKey is the key of the references, and logKey that of the provenance.
func refsKey(at func(any) any) Key {
	return Key{name: "refs", at: at, of: &single[[]record.Reference]{(*reader).refs, refsValue, editRefs}, rule: refsRule}
}

func logKey(at func(any) any) Key {
	return Key{name: "provenance", at: at, of: &single[record.Log]{(*reader).entries, logValue, editLog}, rule: LogRule}
}
