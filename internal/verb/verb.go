package verb

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/progress"
)

// Kind says what a verb does to the workspace.
type Kind int

// The kinds.
const (
	Read        Kind = iota // changes nothing
	Run                     // runs commands from the repository and changes no record, so nobody need be named
	Write                   // changes tasks or sessions; nothing is lost
	Destructive             // takes something away
)

// Verb is one thing that can be done.
type Verb struct {
	Name       string
	Group      string   // the heading under which help lists it, such as tasks
	Noun       string   // the command under which its own stands, such as decision for cairn decision log; "" for one of its own
	Aliases    []string // other names of its command
	Title      string   // a few words, for menus
	Summary    string   // one sentence, for lists and help
	When       string   // when to use it
	Kind       Kind
	Profile    Profile // the least that may call it
	Toolset    Toolset // the one it belongs to
	Idempotent bool    // doing it twice does no more than doing it once
	Scopes     bool    // it asks itself whether what its input names may be changed by a caller with a scope
	Holds      bool    // its caller holds the task afterwards
	Opens      bool    // it opens a session
	Slim       bool    // it only reads, and what it answers is short for a caller whose context is small; see Short
	Runs       bool    // may run commands from the repository
	Waits      bool    // waits for something to happen, so the end of input ends it at once
	Signs      bool    // a person can sign what it records, so its command takes a key
	Reads      string  // the kind of record of which it reads one by its id: "task", "session" or ""
	Here       bool    // it is refused for a task that a work tree of its own has brought to another state; see notFurther
	Follows    bool    // it is done in the worktree of the clone that has carried the record furthest; see Follow
	Lists      string  // the kind of record that it lists, or ""

	// Exit is the number that the command exits with after a call that did its work, for a result by which scripts
	// decide; nil for 0. Errors have the numbers of their codes.
	Exit func(out any) int

	Returns []any // a value of each type that it may return, where its function returns any

	in     *input
	out    any  // the zero result
	bare   bool // it works outside of all workspaces too, and opens the store itself
	invoke func(context.Context, *Workspace, *store.Store, any) (any, error)
}

// Group is what verbs have in common that are declared together.
type Group struct {
	Name    string // the heading under which help lists them
	Noun    string // the command under which those stand whose names begin with it
	Toolset Toolset
}

// Of gives verbs what they have in common, where they say nothing else.
func (g Group) Of(verbs ...Verb) []Verb {
	for i := range verbs {
		v := &verbs[i]
		v.Group, v.Toolset = cmp.Or(v.Group, g.Name), cmp.Or(v.Toolset, g.Toolset)
		if g.Noun != "" && strings.HasPrefix(v.Name, g.Noun+"_") {
			v.Noun = cmp.Or(v.Noun, g.Noun)
		}
	}
	return verbs
}

// Command is what the command of the verb is called, behind cairn: one word, or the noun and a word.
func (v Verb) Command() string {
	if v.Noun == "" {
		return CommandName(v.Name)
	}
	return v.Noun + " " + CommandName(strings.TrimPrefix(v.Name, v.Noun+"_"))
}

// Call decodes a JSON object as the verb's input and does it. A task may be named as it was where it was imported from,
// and for reading by the end of its id; see meant. Errors are *record.Error with Op set: FORBIDDEN if the workspace's profile does not suffice,
// INVALID_INPUT for input that is not of the right form, else what the verb says.
func (v Verb) Call(ctx context.Context, w *Workspace, input []byte) (any, error) {
	var got jsonObject
	read := func() (any, error) {
		in := reflect.New(v.in.of).Elem()
		err := fill(got, in, v.Fields(), "")
		return in.Interface(), err
	}
	out, err := v.call(ctx, w, func() (_ any, err error) {
		if got, err = objectOf(input); err != nil {
			return nil, err
		}
		if v.Kind == Read { // which null tells nothing
			maps.DeleteFunc(got, func(name string, value any) bool {
				return value == nil && slices.ContainsFunc(v.Fields(), func(f Field) bool { return f.Name == name })
			})
		}
		return read()
	})
	if err == nil || got == nil {
		return out, err
	}
	switch again, wrong := v.meant(ctx, w, got, err); {
	case wrong != nil:
		return nil, v.named(wrong)
	case again:
		return v.call(ctx, w, read)
	}
	return out, err
}

// CallTyped is Call for Go code that has the input as a value. In must be of the type of the verb's input, and Out the
// type of its output. Only the decoding is left out: the rights of the caller and the idempotency key of the input are
// asked as in Call.
func CallTyped[Out any](ctx context.Context, w *Workspace, v Verb, in any) (Out, error) {
	out, err := v.call(ctx, w, func() (any, error) { return in, nil })
	typed, _ := out.(Out) // nil after an error
	return typed, err
}

// call asks for the caller's rights before it reads the input.
func (v Verb) call(ctx context.Context, w *Workspace, read func() (any, error)) (out any, err error) {
	defer func() { err = v.named(err) }()
	if err := w.Allow(v); err != nil {
		return nil, err
	}
	in, err := read()
	if err != nil {
		return nil, err
	}
	return v.do(progress.With(ctx, w.Progress), w, in)
}

// do does the verb, unless the call was made before under the same idempotency key. What only a person may do is asked
// of them, and the verb is done again with what they confirmed.
func (v Verb) do(ctx context.Context, w *Workspace, in any) (any, error) {
	if v.Kind >= Write && w.Actor() == "" { // asked before any lock: git may have to be started
		if err := ctx.Err(); err != nil {
			return nil, err // git was stopped before it said who this is
		}
		return nil, Nobody()
	}
	if v.Kind >= Write && w.MayAct != nil {
		if err := w.MayAct(w.Actor()); err != nil {
			return nil, err
		}
	}
	call := *w
	w = &call
	s, err := v.ready(w, in)
	if err != nil {
		return v.replayed(ctx, w, s, nil, err)
	}
	if v.Kind >= Write && s != nil { // git may have taken out what the caller's session stands on
		if _, err := s.Restore(ctx, w.Actor(), false); err != nil {
			return nil, err
		}
	}
	if v.Here {
		if err := w.notFurther(s, in); err != nil {
			return v.replayed(ctx, w, s, nil, err)
		}
	}
	if v.Follows {
		w, s = w.Follow(s, in)
	}
	out, err := v.invoke(ctx, w, s, in)
	err = offersRestore(s, OffersTake(s, err))
	for asks := asksOf(err); asks != nil && w.Confirm != nil; asks = asksOf(err) {
		if err = w.Confirm(ctx, asks); err != nil {
			return nil, err
		}
		w.confirmed = slices.Concat(w.confirmed, asks)
		out, err = v.invoke(ctx, w, s, in)
	}
	return v.replayed(ctx, w, s, out, err)
}

// ready opens the store, and returns doneError if live state remembers the call: that is asked before anything else is
// done, so that a replay never runs a check. What was called outside of all workspaces is remembered in none.
func (v Verb) ready(w *Workspace, in any) (s *store.Store, err error) {
	if w.Idempotency, err = idempotencyOf(w.Actor, v.Name, in); err != nil {
		return nil, err
	}
	keyed := w.Idempotency.Given()
	if v.bare && !keyed && (v.Kind == Read || w.Session == "") {
		return nil, nil
	}
	switch s, err = w.Open(); {
	case err == nil && v.Kind != Read:
		if err = sessionKnown(w, s); err == nil {
			err = w.Idempotency.known(s.Key)
		}
	case v.bare && (!keyed || record.CodeOf(err) == record.NoWorkspace):
		err = nil
	}
	return s, err
}

// named puts the verb's name into an error that has none yet, a code into one that has none, and a hint into a
// complaint about the input that has none.
func (v Verb) named(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	var e *record.Error
	if !errors.As(err, &e) {
		e = record.Errorf(record.IO, "%w", err)
	}
	named := *e
	if named.Op == "" {
		named.Op = v.Name
	}
	if named.Hint.Empty() && named.Code == record.InvalidInput {
		named.Hint = record.Hintf("%s", arguments(fieldsAt(v.Fields(), named.Msg)))
	}
	return &named
}

// arguments lists the fields that an object takes, for a caller that sent a wrong one.
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

var insideList = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z_]+)\[\d+\](?:\.|: | )`) })

// fieldsAt finds what a message is about: the fields of the innermost object that it begins by naming, as
// "checks[0].cmd is ..." does, and what that object is called; the fields of the whole input if it names none.
func fieldsAt(fields []Field, msg string) (inner []Field, within string) {
	defer func() { within = strings.TrimSuffix(within, ".") }()
	for {
		m := insideList().FindStringSubmatch(msg)
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

// The numbers that a command exits with after a call that did its work.
const (
	ExitNothingFound = 3 // what was looked for is not there
	ExitCheckFailed  = 4
	ExitTimedOut     = 6
)

// input is what a verb takes. A process calls few of the verbs, so the fields are read off the struct when they are
// first asked for.
type input struct {
	of     reflect.Type
	reads  bool              // of a verb that only reads
	lists  map[string]string // the verb that lists the records of a kind
	once   sync.Once
	fields []Field
}

// Fields are the fields of the input; nil for the zero Verb. Callers must not change them.
func (v Verb) Fields() []Field {
	if v.in == nil {
		return nil
	}
	v.in.once.Do(v.in.readFields)
	return v.in.fields
}

func (in *input) readFields() {
	in.fields = fieldsOf(in.of)
	if !in.reads {
		clearing(in.fields)
	}
	link(in.fields, in.lists)
}

// Func is what does a verb, in the store that the call opened.
type Func[In, Out any] = func(context.Context, *Workspace, *store.Store, In) (Out, error)

// Declare makes a verb of a function, which gets the store that its call opened. The fields of its input are read off
// the input's struct. A verb that only reads can be repeated.
func Declare[In, Out any](do Func[In, Out], v Verb) Verb {
	v.invoke = func(ctx context.Context, w *Workspace, s *store.Store, in any) (any, error) {
		return do(ctx, w, s, in.(In))
	}
	return v.takes(reflect.TypeFor[In](), *new(Out))
}

// DeclareBare is Declare for a function that opens the store itself, if it needs one.
func DeclareBare[In, Out any](do func(context.Context, *Workspace, In) (Out, error), v Verb) Verb {
	v.invoke = func(ctx context.Context, w *Workspace, _ *store.Store, in any) (any, error) {
		return do(ctx, w, in.(In))
	}
	v.bare = true
	return v.takes(reflect.TypeFor[In](), *new(Out))
}

func (v Verb) takes(in reflect.Type, out any) Verb {
	v.in, v.out, v.Idempotent = &input{of: in, reads: v.Kind == Read}, out, v.Idempotent || v.Kind == Read
	return v
}

// Do is what a verb does, for Go code: in the workspace as it is now, without asking for rights.
func Do[In, Out any](ctx context.Context, w *Workspace, do Func[In, Out], in In) (Out, error) {
	s, err := w.Open()
	if err != nil {
		return *new(Out), err
	}
	return do(ctx, w, s, in)
}

// Link completes verbs by what they say of one another: a field that names a record gets the verb that lists such
// records. It must be called before the fields of any of them are asked for.
func Link(verbs ...Verb) []Verb {
	lists := map[string]string{}
	for _, v := range verbs {
		if v.Lists != "" {
			lists[v.Lists] = v.Name
		}
	}
	for _, v := range verbs {
		v.in.lists = lists
	}
	return verbs
}

func link(fields []Field, lists map[string]string) {
	for i := range fields {
		fields[i].ListedBy = lists[fields[i].Names]
		link(fields[i].Fields, lists)
	}
}
