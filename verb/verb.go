package verb

import (
	"context"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// Kind says what a verb does to the workspace.
type Kind int

// The kinds.
const (
	Read        Kind = iota // changes nothing
	Write                   // changes tasks or sessions; nothing is lost
	Destructive             // takes something away
)

// Verb is one thing that can be done.
type Verb struct {
	Name       string
	Noun       string // what it is about: task or session
	Title      string // a few words, for menus
	Summary    string // one sentence, for lists and help
	When       string // when to use it, for whoever has to choose
	Kind       Kind
	Profile    Profile // the least that may call it
	Toolset    Toolset // the one it belongs to
	Idempotent bool    // doing it twice does no more than doing it once
	Holds      bool    // its caller holds the task afterwards
	Runs       bool    // may run commands from the repository
	Waits      bool    // waits for something to happen, so the end of input ends it at once
	Fields     []Field // of the input

	in     reflect.Type
	out    any // the zero result
	invoke func(context.Context, *Workspace, any) (any, error)
}

// Call decodes a JSON object as the verb's input and does it. Errors are *task.Error with Op set: FORBIDDEN if the
// workspace's profile does not reach, INVALID_INPUT for input that is not of the right form, else what the verb says.
func (v Verb) Call(ctx context.Context, w *Workspace, input []byte) (any, error) {
	out, err := v.call(ctx, w, input)
	return out, v.named(err)
}

func (v Verb) call(ctx context.Context, w *Workspace, input []byte) (any, error) {
	if err := w.Allow(v); err != nil {
		return nil, err
	}
	in := reflect.New(v.in)
	if err := decode(input, in.Elem(), v.Fields); err != nil {
		return nil, err
	}
	return v.once(ctx, w, in.Elem().Interface())
}

// once does the verb, unless the call was made before under the same idempotency key.
func (v Verb) once(ctx context.Context, w *Workspace, in any) (any, error) {
	w, err := w.under(v.Name, in)
	if err != nil {
		return nil, err
	}
	err = w.knownHere()
	var out any
	if err == nil {
		out, err = v.invoke(ctx, w, in)
		for asks := asksOf(err); asks != nil && w.Confirm != nil; asks = asksOf(err) {
			if err = w.Confirm(ctx, asks); err != nil {
				return nil, err
			}
			w = w.having(asks)
			out, err = v.invoke(ctx, w, in)
		}
	}
	if done := (doneError{}); errors.As(err, &done) {
		s, err := w.open()
		if err == nil {
			err = s.Settle(ctx) // what it made may still wait to be brought to its end
		}
		if err != nil {
			return nil, err
		}
		if v.Holds {
			if err := w.holdsHere(s, done.key.Task); err != nil {
				return nil, err
			}
		}
		return v.out.(again).again(w, s, done.key)
	}
	return out, err
}

// named puts the verb's name into an error that has none yet, a code into one that has none, and a hint into a complaint
// about the input that has none.
func (v Verb) named(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	var e *task.Error
	if !errors.As(err, &e) {
		e = task.Errorf(task.IO, "%w", err)
	}
	named := *e
	if named.Op == "" {
		named.Op = v.Name
	}
	if named.Hint.Empty() && named.Code == task.InvalidInput {
		named.Hint = task.Hintf("%s", arguments(fieldsAt(v.Fields, named.Msg)))
	}
	return &named
}

// arguments says which fields an object takes, for whoever sent a wrong one.
func arguments(fields []Field, within string) string {
	var names []string
	for _, f := range shown(fields) {
		if !f.Required {
			names = append(names, f.Name)
			continue
		}
		names = append(names, f.Name+" (required)")
	}
	switch {
	case len(names) == 0:
		return "it takes no arguments"
	case within != "":
		return "the keys of " + within + " are " + strings.Join(names, ", ")
	default:
		return "the arguments are " + strings.Join(names, ", ")
	}
}

var insideList = regexp.MustCompile(`^([a-z_]+)\[\d+\](?:\.|: | )`)

// fieldsAt finds what a message is about: the fields of the innermost object that it begins by naming, as "checks[0].cmd is
// ..." does, and what that object is called; the fields of the whole input if it names none.
func fieldsAt(fields []Field, msg string) (inner []Field, within string) {
	defer func() { within = strings.TrimSuffix(within, ".") }()
	for {
		m := insideList.FindStringSubmatch(msg)
		if m == nil {
			return fields, within
		}
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == m[1] && f.Type == Objects })
		if i < 0 {
			return fields, within
		}
		fields, msg = fields[i].Fields, msg[len(m[0]):]
		within += strings.TrimRight(m[0], ".: ") + "."
	}
}

// declare makes a verb of a method. The input's fields are read off its struct.
func declare[In, Out any](v Verb, method func(*Workspace, context.Context, In) (Out, error)) Verb {
	v.in = reflect.TypeFor[In]()
	v.out = *new(Out)
	v.Fields = fieldsOf(v.in)
	if v.Kind != Read {
		clearing(v.Fields)
	}
	v.invoke = func(ctx context.Context, w *Workspace, in any) (any, error) { return method(w, ctx, in.(In)) }
	return v
}

// Named finds a verb.
func Named(name string) (Verb, bool) {
	i := slices.IndexFunc(All, func(v Verb) bool { return v.Name == name })
	if i < 0 {
		return Verb{}, false
	}
	return All[i], true
}
