package verb

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// Once is part of the input of every verb that writes. A call that is repeated under its idempotency key does nothing more,
// and answers with the record as it is by then, marked as replayed.
type Once struct {
	IdempotencyKey string `json:"idempotency_key,omitempty" doc:"any text of your own; a call repeated with it does nothing more"`
}

func (o Once) key() string { return o.IdempotencyKey }

// keyed is an input that may carry an idempotency key.
type keyed interface{ key() string }

// under is the workspace for one call of a verb, whose writes are made under the key of its input, if it has one.
func (w *Workspace) under(verb string, in any) (*Workspace, error) {
	k, ok := in.(keyed)
	if !ok || k.key() == "" {
		return w, nil
	}
	if strings.TrimSpace(k.key()) == "" {
		return nil, badInput("idempotency_key", "is blank").WithHint("any text that you use for this call only")
	}
	given, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	call := *w
	call.once = &session.Key{Call: callOf(w.Actor, verb, k.key()), Args: hash(string(given))[:8]}
	return &call, nil
}

// callOf names a call: 16 hex digits.
func callOf(who task.Actor, verb, key string) string { return hash(string(who), verb, key)[:16] }

func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// unkeyed is the workspace for writes that belong to no call, such as the heartbeats beside a run.
func (w *Workspace) unkeyed() *Workspace {
	free := *w
	free.once = nil
	return &free
}

// doneError says that the call was made before.
type doneError struct{ key session.Key }

func (doneError) Error() string { return "the call was made before" }

// known returns doneError if live state remembers the call, and CONFLICT if it was one with other arguments.
func (w *Workspace) known(remembered func(call string) *session.Key) error {
	if w.once == nil {
		return nil
	}
	return w.sameCall(remembered(w.once.Call))
}

// knownHere is known before anything else is done, so that a replay never runs a check.
func (w *Workspace) knownHere() error {
	if w.once == nil {
		return nil
	}
	s, err := w.open()
	if err != nil {
		return err
	}
	return w.known(s.Key)
}

// recorded is known for what a task's own entries say: they know what a clone has forgotten or never saw.
func (w *Workspace) recorded(t task.Task) error {
	return w.among(t.Provenance, session.Key{Task: t.ID})
}

// among looks for the call among entries, which belong to what the key names.
func (w *Workspace) among(entries []task.Entry, made session.Key) error {
	if w.once == nil {
		return nil
	}
	for _, e := range entries {
		if call, args, _ := strings.Cut(e.Key, "-"); call == w.once.Call {
			made.Call, made.Args, made.Session = call, args, cmp.Or(e.Session, made.Session)
			return w.sameCall(&made)
		}
	}
	return nil
}

func (w *Workspace) sameCall(had *session.Key) error {
	switch {
	case had == nil:
		return nil
	case had.Args != w.once.Args:
		return task.Errorf(task.Conflict, "the idempotency key was used with other arguments").
			WithHint("repeat the call exactly, or use a new key").ForGood()
	default:
		return doneError{*had}
	}
}

// remember keeps what a write under a key made.
func (w *Workspace) remember(tx *store.Tx, id task.ID, ses string) {
	if w.once != nil {
		tx.Remember(session.Key{Call: w.once.Call, Args: w.once.Args, Task: id, Session: ses})
	}
}

// rememberAll keeps that a write under a key made several tasks.
func (w *Workspace) rememberAll(tx *store.Tx, ids []task.ID) {
	if w.once != nil {
		tx.Remember(session.Key{Call: w.once.Call, Args: w.once.Args, Tasks: ids})
	}
}

// again is the result of a verb that writes: it knows how to answer a call that was made before, with what it made, as that
// is now.
type again interface {
	again(*Workspace, *store.Store, session.Key) (any, error)
}

func (Task) again(w *Workspace, s *store.Store, key session.Key) (any, error) {
	out, err := w.show(s, key.Task)
	out.Replayed = true
	return out, notHere(err, string(key.Task))
}

func (Session) again(w *Workspace, s *store.Store, key session.Key) (any, error) {
	out, err := w.showSession(s, key.Session)
	out.Replayed = true
	return out, notHere(err, key.Session)
}

// holdsHere returns ALREADY_CLAIMED if the caller holds a task in another worktree, where repeating the call that took it
// would let it go on in two.
func (w *Workspace) holdsHere(s *store.Store, id task.ID) error {
	t, err := s.Get(id)
	if err != nil {
		return notHere(err, string(id))
	}
	if hold := session.Holder(t.Header(), s.Live(id), w.Now()); hold.Actor == w.Actor {
		return withID(hold.Refuse(id, w.Actor, s.Worktree, false), id)
	}
	return nil
}

// notHere says of a record that was not found that it is in another worktree.
func notHere(err error, made string) error {
	if task.CodeOf(err) != task.NotFound {
		return err
	}
	return task.Errorf(task.Conflict, "the idempotency key made %s, which is not here: it is on another branch, or was deleted since", made).
		WithHint("go on where it is, or use a new key").ForGood()
}
