package session

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Live state is not trusted: it may have come with a copied folder. Each value that later becomes part of a path, of an
// argument to git or of a file is parsed here, once. Unknown keys are ignored, because a newer version may have written
// them. A file that does not parse counts as absent.

// parse reads a value of live state, or returns INVALID_INPUT for what is not of the right form.
func parse[T any](src []byte, what string, valid func(*T) bool) (T, error) {
	var v, none T
	err := json.Unmarshal(src, &v)
	if err == nil && valid(&v) {
		return v, nil
	}
	e := record.Errorf(record.InvalidInput, "%s is not what cairn writes", what).
		WithHint("%s shows what to do about it", record.CallTo("doctor"))
	e.Err = err
	return none, e
}

// ParseState reads the state of a record. It returns INVALID_INPUT if it is about another record, or has a value that
// is not of the right form.
func ParseState(src []byte, ref record.Ref) (State, error) {
	return parse(src, "the state", func(s *State) bool {
		return s.Ref == ref && s.Lease.valid() && all(s.Progress, Progress.valid) && all(s.Ended, isSession) &&
			(s.Entry == "" || isHash(s.Entry))
	})
}

// ParseHeartbeat reads the heartbeat of a session.
func ParseHeartbeat(src []byte, ses string) (Heartbeat, error) {
	return parse(src, "the heartbeat", func(b *Heartbeat) bool {
		return b.Session == ses && isSession(ses) && (b.Actor == "" || isActor(b.Actor)) &&
			len(b.Progress) <= record.MaxText && b.Valid() == nil && isObject(b.Head) && isName(b.Branch)
	})
}

// ParseInbox reads what is kept of the inbox of an actor.
func ParseInbox(src []byte, who record.Actor) (Inbox, error) {
	return parse(src, "the inbox", func(in *Inbox) bool {
		return in.Actor == who && in.Seen >= 0 && len(in.Acked) <= ackedKept && all(in.Acked, isItem)
	})
}

// isItem accepts what may be the id of an item of an inbox: of a record, and perhaps the hash of an entry.
func isItem(id string) bool { return id != "" && len(id) <= 200 && isName(id) }

// ParseKey reads what is known of a call with an idempotency key.
func ParseKey(src []byte, call string) (Key, error) {
	return parse(src, "the key", func(k *Key) bool {
		return k.Call == call && isHash(k.Call) && (k.Args == "" || isHash(k.Args)) &&
			(k.Task == "" || isTask(k.Task)) && all(k.Tasks, isTask) &&
			(k.Session == "" || isSession(k.Session) || isTask(record.ID(k.Session))) && // a proposal's id has the form of a task's
			(k.Record == nil || isName(k.Record.Kind) && isName(k.Record.ID))
	})
}

// ParseWritten reads a line of a journal.
func ParseWritten(line []byte) (Written, error) {
	return parse(line, "the line", func(w *Written) bool {
		e, on := w.Entry, w.On
		return isFolder(on.Worktree) && isName(on.Branch) && isObject(on.Head) && (on.Rev == "" || isHash(string(on.Rev))) &&
			e.Did != "" && !e.At.IsZero() && len(e.Text) <= record.MaxText
	})
}

func (l *Lease) valid() bool {
	return l == nil || isActor(l.Actor) && (l.Session == "" || isSession(l.Session)) && isFolder(l.Worktree) && isName(l.Branch) && ValidLease(l.Seconds) == nil &&
		(l.Made.Entry == "" || isHash(l.Made.Entry)) && isFolder(l.Made.Worktree) && isName(l.Made.Branch) &&
		(l.GitDir == "" || filepath.IsLocal(filepath.FromSlash(l.GitDir)))
}

func (p Progress) valid() bool {
	return isName(string(p.Status)) && isName(p.Branch) && isFolder(p.Worktree) && isObject(p.Head) && isHash(p.Entry)
}

// ok reports whether what a parser returned is no error.
func ok[T any](_ T, err error) bool { return err == nil }

func isTask(id record.ID) bool    { return ok(record.ParseID(string(id))) }
func isSession(id string) bool    { return ok(ParseID(id)) }
func isActor(a record.Actor) bool { return ok(record.ParseActor(string(a))) }

// isFolder accepts an absolute path, and "" for none.
func isFolder(path string) bool {
	return path == "" || filepath.IsAbs(path) && !strings.ContainsRune(path, 0)
}

// isName accepts what may be the name of a branch or of a state, and "" for none.
func isName(s string) bool { return len(s) <= 1024 && !strings.ContainsFunc(s, unicode.IsControl) }

// isObject accepts the full id of a commit, and "" for none.
func isObject(id string) bool {
	return id == "" || (len(id) == 40 || len(id) == 64) && strings.Trim(id, "0123456789abcdef") == ""
}

// isHash accepts what may be the hash of an entry, of a call or of a file: one word, with which no path can be formed.
func isHash(s string) bool { return len(s) <= 64 && record.IsWord(s, "_") }

func all[T any](list []T, valid func(T) bool) bool {
	return !slices.ContainsFunc(list, func(v T) bool { return !valid(v) })
}
