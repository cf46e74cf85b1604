package cairn

import (
	"cmp"
	"context"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Kind is the row of a kind of record: its name, the prefix of its ids, its folder below .cairn, and how its records
// live.
type Kind = kind.Kind

// KindOf is a kind with the types of its ids and of its values.
type KindOf[ID ~string, T any] = kind.Of[ID, T]

// Markdown says what the files of a kind hold: Markdown with front matter, with the keys that only this kind has.
type Markdown[T any] = kind.Markdown[T]

// Key is a key that only one kind has.
type Key = kind.Key

// Header is what the records of all kinds have in common. A value of a kind embeds it.
type Header = record.Header

// Status is a state.
type Status = record.Status

// Actor is who acts: human:NAME, agent:NAME or service:NAME.
type Actor = record.Actor

// Entry is one line of provenance.
type Entry = record.Entry

// Life is how the records of a kind live: which entries there are, and what each makes of a record. Verbs apply
// entries, and cairn check and merges fold them.
type Life = task.Life

// Caller is whom a verb was called by, and where.
type Caller = verb.Workspace

// Verb says what a verb is called, who may call it, and what for. Declare fills in what is left out.
type Verb = verb.Verb

// Once is embedded in the input of a verb that writes: the idempotency key of the call.
type Once = verb.Once

// DefineKind makes the row of a kind. AddKind adds it to the table.
func DefineKind[ID ~string, T any](row Kind, files Markdown[T]) KindOf[ID, T] {
	return kind.DefineMarkdown[ID](row, files)
}

// Text is a key that holds one text.
func Text[T any, S ~string](name string, at func(*T) *S) Key { return kind.KeyOf(name, at) }

// Texts is a key that holds a list of texts.
func Texts[T any](name string, at func(*T) *[]string) Key { return kind.KeyOf(name, at) }

// Plain is the life of a record that any actor brings from any of its states to any other. The first state is that of a
// new record.
func Plain(states ...Status) Life { return task.Plain(states...) }

// Refuse returns INVALID_INPUT with what is wrong, in the middle of a sentence, and what would be right.
func Refuse(hint, format string, args ...any) error {
	return record.Errorf(record.InvalidInput, format, args...).WithHint("%s", hint)
}

// OneOf returns INVALID_INPUT, naming the key, for a value that is not one of those there are.
func OneOf[T ~string](key string, value T, values ...T) error {
	return record.OneOf(key, value, values)
}

// ValidActor returns INVALID_INPUT for what names no actor. "" is nobody, and fine.
func ValidActor(who Actor) error {
	if who == "" {
		return nil
	}
	_, err := record.ParseActor(string(who))
	return err
}

// AddKind adds a kind to the table, and its verbs to the catalogue. Call it before Main and Open. It panics if a name
// is taken.
func AddKind(k *Kind, verbs ...Verb) {
	kind.Register(k)
	catalogue.Add(verbs...)
}

// declared is a verb of a kind, with what follows from the kind.
func declared[In, Out any](k *Kind, name string, v Verb, do verb.Func[In, Out]) Verb {
	v.Name = cmp.Or(v.Name, k.Name+"_"+name)
	v.Noun = cmp.Or(v.Noun, k.Name)
	return verb.Group{Name: k.Folder, Toolset: verb.Core}.Of(verb.Declare(do, v))[0]
}

// CreateVerb is the verb KIND_create: it makes a record of what an input says. The title of v, its summary and its
// profile are needed.
func CreateVerb[ID ~string, T, In any](k KindOf[ID, T], v Verb, of func(*Caller, In) (T, error)) Verb {
	v.Kind = verb.Write
	return declared(k.Kind, "create", v, func(ctx context.Context, w *Caller, s *store.Store, in In) (Record, error) {
		made, err := of(w, in)
		if err != nil {
			return Record{}, err
		}
		return verb.CreateRecord(ctx, w, s, k, func(_ *store.Tx, token string) (T, error) {
			return k.New(made, token, w.Stamp(""))
		})
	})
}

// ListVerb is the verb KIND_list: a page of the records, the newest first, in one state or in all. Row shows one.
func ListVerb[ID ~string, T, Row any](k KindOf[ID, T], v Verb, row func(T) Row) Verb {
	v.Kind, v.Profile, v.Lists = verb.Read, verb.Viewer, k.Name
	return declared(k.Kind, "list", v, verb.ListOf(k, row))
}

// ChangeVerb is the verb KIND_NAME: it changes the record that an input names. A record that stays the same is not
// written.
func ChangeVerb[ID ~string, T, In any](k KindOf[ID, T], name string, v Verb, id func(In) ID, change func(*Caller, T, In) (T, error)) Verb {
	v.Kind, v.Idempotent = verb.Write, true
	return declared(k.Kind, name, v, func(ctx context.Context, w *Caller, s *store.Store, in In) (Record, error) {
		return verb.Change{Kind: k.Kind, IDs: []string{string(id(in))}, Decide: func(wc verb.WriteContext) (any, error) {
			return change(w, wc.Was.(T), in)
		}}.Record(ctx, w, s)
	})
}
