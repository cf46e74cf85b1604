package verb

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Once is part of the input of every verb that writes. A call that is repeated under its idempotency key does nothing
// more, and answers with the record as it is by then, marked as replayed.
type Once struct {
	IdempotencyKey string `json:"idempotency_key,omitempty" doc:"makes repeats safe" mcp:"quiet"`
}

// CallKey is the idempotency key, or "".
func (o Once) CallKey() string { return o.IdempotencyKey }

// Keyed is an input that may carry an idempotency key.
type Keyed interface{ CallKey() string }

// Idempotency makes a call one that can be repeated. That of a call without a key, the zero value, does nothing.
type Idempotency struct{ key *session.Key }

// idempotencyOf is that of a call of a verb, by the key that its input carries.
func idempotencyOf(who func() record.Actor, verb string, in any) (Idempotency, error) {
	k, ok := in.(Keyed)
	if !ok || k.CallKey() == "" {
		return Idempotency{}, nil
	}
	if strings.TrimSpace(k.CallKey()) == "" {
		return Idempotency{}, BadInput("idempotency_key", "is blank").WithHint("any text that you use for this call only")
	}
	given, err := json.Marshal(in)
	if err != nil {
		return Idempotency{}, err
	}
	return Idempotency{&session.Key{Call: callOf(who(), verb, k.CallKey()), Args: hash(string(given))[:8]}}, nil
}

// Given reports whether the call has an idempotency key.
func (i Idempotency) Given() bool { return i.key != nil }

// callOf names a call: 16 hex digits.
func callOf(who record.Actor, verb, key string) string { return hash(string(who), verb, key)[:16] }

func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// stamp is what the entries of the call say of it, or "".
func (i Idempotency) stamp() string {
	if !i.Given() {
		return ""
	}
	return i.key.String()
}

// Called reports whether an entry was written by a call of this verb that its actor made under this key.
func Called(e record.Entry, verb, key string) bool {
	call, _, _ := strings.Cut(e.Key, "-")
	return call == callOf(e.Who, verb, key)
}

// doneError says that the call was made before.
type doneError struct{ made session.Key }

func (doneError) Error() string { return "the call was made before" }

// IsDone reports whether an error says that the call was made before. Verb.Call turns it into the answer of a replay.
func IsDone(err error) bool { return errors.As(err, new(doneError)) }

// known returns doneError if live state remembers the call, and CONFLICT if it was one with other arguments.
func (i Idempotency) known(remembered func(call string) *session.Key) error {
	if !i.Given() {
		return nil
	}
	return i.same(remembered(i.key.Call))
}

// Recorded looks the call up in the entries of a record, which outlive live state and are known in every clone. Made
// names the record. It returns an error for which IsDone is true if the call is there, and CONFLICT if it was one with
// other arguments.
func (i Idempotency) Recorded(log record.Log, made session.Key) error {
	if !i.Given() {
		return nil
	}
	for _, e := range log {
		if call, args, _ := strings.Cut(e.Key, "-"); call == i.key.Call {
			made.Call, made.Args, made.Session = call, args, cmp.Or(made.Session, e.Session)
			return i.same(&made)
		}
	}
	return nil
}

func (i Idempotency) same(had *session.Key) error {
	switch {
	case had == nil:
		return nil
	case had.Args != i.key.Args:
		return record.Errorf(record.Conflict, "the idempotency key was used with other arguments").
			WithHint("repeat the call exactly, or use a new key").ForGood()
	default:
		return doneError{*had}
	}
}

// Remember keeps in live state what a write of the call made.
func (i Idempotency) Remember(tx *store.Tx, made session.Key) {
	if i.Given() {
		made.Call, made.Args = i.key.Call, i.key.Args
		tx.Remember(made)
	}
}

// Replayer is the result of a verb that writes. Replay answers a call that was made before, with what it made, as that
// is now; Verb.Call says that it is a replay, and of what is not there that it is elsewhere. A verb whose result is of no
// one type, since it writes records of any kind, is answered for by Record.
type Replayer interface {
	Replay(*Workspace, *store.Store, session.Key) (any, error)
}

// replayed is the answer of a call: that of a replay if its error is doneError, else what it came to.
func (v Verb) replayed(ctx context.Context, w *Workspace, s *store.Store, out any, err error) (any, error) {
	done := doneError{}
	if !errors.As(err, &done) {
		return out, err
	}
	err = s.Settle(ctx) // what it made may still wait to be brought to its end
	if err == nil && v.Holds && done.made.Task != "" {
		err = holdsHere(w, s, done.made.Task)
	}
	if err != nil {
		return nil, err
	}
	replayer, ok := v.out.(Replayer)
	if !ok {
		replayer = Record{}
	}
	out, err = replayer.Replay(w, s, done.made)
	return markReplayed(out), NotHere(err, MadeID(done.made))
}

// markReplayed says in the result of a verb that the call was made before.
func markReplayed(out any) any { return withField(out, "Replayed", true) }

// Noticed is the result of a verb with notices, where it has a place for them.
func Noticed(out any, notices []Notice) any { return withField(out, "Notices", notices) }

// Leading is the result of a verb without the call that it leads to, if the caller is not offered that.
func Leading(out any, offers func(name string) bool) any {
	at := reflect.ValueOf(out)
	if at.Kind() != reflect.Struct {
		return out
	}
	next := at.FieldByName("NextTool")
	if !next.IsValid() || next.String() == "" || offers(next.String()) {
		return out
	}
	return withField(withField(out, "NextTool", ""), "NextArguments", map[string]any(nil))
}

// withField is a result with a value in a field, if it has that.
func withField(out any, name string, value any) any {
	if reflect.ValueOf(out).Kind() != reflect.Struct {
		return out
	}
	with := reflect.New(reflect.TypeOf(out)).Elem()
	with.Set(reflect.ValueOf(out))
	if f := with.FieldByName(name); f.IsValid() {
		f.Set(reflect.ValueOf(value))
	}
	return with.Interface()
}

// MadeID is the id of what a call made, of several things that of the first.
func MadeID(made session.Key) string {
	switch {
	case made.Record != nil:
		return made.Record.ID
	case len(made.Tasks) > 0:
		return string(made.Tasks[0])
	default:
		return cmp.Or(string(made.Task), made.Session)
	}
}

// holdsHere returns ALREADY_CLAIMED if the caller holds a task in another worktree, where repeating the call that took
// it would let it go on in two.
func holdsHere(w *Workspace, s *store.Store, id record.ID) error {
	t, err := kind.Tasks.Get(s, id)
	if err != nil {
		return NotHere(err, string(id))
	}
	if hold := session.Holder(t.Header(), s.Known(id.Ref()), w.Now()); hold.Actor == w.Actor() {
		return WithID(hold.Refuse(id, w.Actor(), s.Worktree, false), id)
	}
	return nil
}

// NotHere turns NOT_FOUND of a record that a repeated call made into CONFLICT, which says that it is in another
// worktree.
func NotHere(err error, made string) error {
	if record.CodeOf(err) != record.NotFound {
		return err
	}
	return record.Errorf(record.Conflict, "the idempotency key made %s, which is not here: it is on another branch, or was deleted since", made).
		WithHint("go on where it is, or use a new key").ForGood()
}

// Replay shows the task as it is now.
func (Task) Replay(w *Workspace, s *store.Store, made session.Key) (any, error) {
	return w.View(s).TaskByID(made.Task)
}

// Replay shows the session as it is now.
func (Session) Replay(w *Workspace, s *store.Store, made session.Key) (any, error) {
	out, err := w.View(s).SessionByID(made.Session)
	if err == nil && out.Status == session.Active { // as begin has it, if that is what was called
		about, taskErr := kind.Tasks.Get(s, out.Task)
		if taskErr == nil {
			out.Last = LastBefore(about.Provenance, out.ID)
		} else {
			about = task.Task{Title: out.Label, Body: out.Goal}
		}
		out.Decisions = w.Governing(context.Background(), s, about)
	}
	return out, err
}
