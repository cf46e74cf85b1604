package session

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// Prefix is what stands before the dash of a session's id.
const Prefix = "ses"

// KindName is the kind of a session, in a record.Ref.
const KindName = "session"

// Status is the status of a session. It changes once, from active to an ended one.
type Status string

// The statuses of a session.
const (
	Active    Status = "active"
	Finished  Status = "finished" // it succeeded
	Failed    Status = "failed"
	Canceled  Status = "canceled"
	Waiting   Status = "waiting"   // its actor asked something; the work goes on in another session once that is answered
	Abandoned Status = "abandoned" // ended by somebody else's takeover
)

// Health is how a session is doing at a moment.
type Health string

// The healths of a session.
const (
	Alive          Health = "active"
	Stalled        Health = "stalled"         // no sign of life for longer than session_stale_after
	AwaitingReview Health = "awaiting_review" // finished, the last attempt at its task, and the task is in review
	Ended          Health = "ended"
)

// Session is the durable record of an attempt: at a task, or at something that no task is about, which then has a label
// and a goal.
type Session struct {
	ID        string
	Task      record.ID // "" for one that is about no task
	Label     string    // a few words
	Goal      string
	Role      string // of the actor in the attempt
	Parent    string // the session under which it began; "" for none
	Series    string // the name of work that recurs, of which it is one round
	Actor     record.Actor
	Client    string
	Model     string
	Executor  string // of the job that is the attempt; "" if nobody but its actor runs it
	Job       string // its id, in the clone that ran it
	Status    Status
	StartedAt time.Time
	EndedAt   time.Time // zero while active
	Branch    string
	Worktree  string // name of the folder, never its path
	Head      string // commit it began at; after finish, the one it ended at
	Base      string // of one that ended at another commit than it began at: that one
	Summary   string
	Reason    string
	Used      Usage // by the program of a job, as it told

	Refs       []record.Reference
	Rev        record.Rev // revision of the file that this was read from
	Provenance record.Log // empty before a write, in sessions of earlier programs
}

// Usage is what a program told that it used in a session. What it does not tell is left out.
type Usage struct {
	Input  int    `json:"input_tokens,omitempty"`
	Cached int    `json:"cached_tokens,omitempty"` // those of the input that came from a cache
	Output int    `json:"output_tokens,omitempty"`
	Cost   string `json:"cost,omitempty"` // US dollars
}

// Dollars is an amount as a session says it; "" for one that is not told.
func Dollars(amount float64) string {
	if amount <= 0 {
		return ""
	}
	return strconv.FormatFloat(amount, 'f', 4, 64)
}

// usageFields are the keys of a session that an entry names which says what was used.
var usageFields = []string{"input_tokens", "cached_tokens", "output_tokens", "cost"}

// Using returns the session with what was used in it, and the entry that says so. It may have ended.
func (s Session) Using(used Usage, by record.Stamp) Session {
	e := entry(record.Updated, by)
	e.Fields = usageFields
	s.Used, s.Provenance = used, s.Provenance.Add(e)
	return s
}

// Header returns what the session has in common with records of other kinds.
func (s Session) Header() record.Header {
	return record.Header{
		Ref: record.Ref{Kind: KindName, ID: s.ID}, Title: s.Label, Status: record.Status(s.Status), Assignee: s.Actor, Refs: s.Refs, Log: s.Provenance, Rev: s.Rev,
	}
}

// Repeats reports whether an entry of the session repeats one of its task: that it began, or ended.
func (s Session) Repeats(e record.Entry) bool {
	_, ends := EndOf(e.Did)
	return s.Task != "" && (ends || e.Did == record.Began)
}

const maxID = 80 // bytes, as for a task

// ParseID accepts what may be the name of a session file: the form of a task id that begins with ses-, or that of the
// original cairn, which has an underscore instead of the dash. Neither can name a file outside its folder.
func ParseID(s string) (string, error) {
	_, err := record.ParseID(s)
	ours := err == nil && strings.HasPrefix(s, Prefix+"-")
	token, original := strings.CutPrefix(s, Prefix+"_") // the original cairn minted ses_ and 24 hex digits
	if !ours && (!original || len(s) > maxID || !record.IsWord(token, "._-")) {
		return "", record.Errorf(record.InvalidInput, "%q is not a session id", s).WithHint("an id looks like ses-01j8x2k7q7f3az")
	}
	return s, nil
}

// Valid returns INVALID_INPUT for a label, a goal, a role or a series that a session may not have, and for a session
// about no task that lacks a label or a goal.
func (s Session) Valid() error {
	for _, line := range []struct{ name, text string }{{"label", s.Label}, {"role", s.Role}, {"series", s.Series}} {
		if line.text == "" {
			continue
		}
		if err := record.ValidLine(line.name, line.text); err != nil {
			return err
		}
	}
	if s.Task == "" && (s.Label == "" || s.Goal == "") {
		return record.Errorf(record.InvalidInput, "names neither a task nor a label and a goal").
			WithHint("give the id of a task to work on, or a label and a goal for a session about no task")
	}
	return record.ValidText("goal", s.Goal)
}

// Ancestors returns the sessions above one, the nearest first: its parent, the parent of that, and so on, as far as
// find knows them. It reports false if they form a circle.
func Ancestors(s Session, find func(string) (Session, bool)) (above []string, ok bool) {
	seen := map[string]bool{s.ID: true}
	for id := s.Parent; id != ""; {
		if seen[id] {
			return above, false
		}
		seen[id], above = true, append(above, id)
		next, _ := find(id)
		id = next.Parent
	}
	return above, true
}

// AtHead returns the session with the commit at which it ends. The one at which it began stays known as its base.
func (s Session) AtHead(commit string) Session {
	if commit != "" && commit != s.Head {
		s.Base, s.Head = s.Head, commit
	}
	return s
}

// New returns a session that begins: active since the time of the stamp, with the entry that says so.
func New(s Session, by record.Stamp) Session {
	s.Status, s.StartedAt = Active, by.At.UTC()
	s.Provenance = record.Log{}.Add(entry(record.Began, by))
	return s
}

// ends is how each end of a session is recorded.
var ends = map[Status]record.Did{Finished: record.Finished, Failed: record.Failed, Canceled: record.Canceled, Waiting: record.Asked, Abandoned: record.Abandoned}

// EndOf returns the status that an entry of this kind gives a session. It reports false if such an entry does not end
// one.
func EndOf(did record.Did) (Status, bool) {
	for to, ended := range ends {
		if ended == did {
			return to, true
		}
	}
	return "", false
}

// Life is the life of a session: it begins, and ends once.
var Life = task.Life{
	First: record.Status(Active), Step: step,
	Kinds: []record.Did{record.Began, record.Finished, record.Failed, record.Canceled, record.Asked, record.Abandoned, record.Noted, record.Updated},
}

// step says which entry brings a session where, and who may write it. An update brings references, or what was used.
func step(v any, now record.Header, e record.Entry, _ task.Rules) (record.Status, record.Actor, error) {
	s, _ := v.(Session)
	var err error
	to, ends := EndOf(e.Did)
	switch {
	case e.Did == record.Began && e.Who != s.Actor:
		err = record.Errorf(record.NotYours, "it is a session of %s", s.Actor)
	case e.Did == record.Updated && len(e.Said().Refs) == 0 && !slices.Equal(e.Fields, usageFields):
		err = record.Errorf(record.InvalidInput, "it changes what never changes in a session")
	case ends && now.Status != record.Status(Active):
		err = record.Errorf(record.SessionEnded, "the session had ended (%s)", now.Status)
	case ends:
		now.Status = record.Status(to)
	}
	return now.Status, now.Assignee, err
}

// End ends an active session as Finished, Failed, Canceled or Abandoned, and appends the entry that says by whom. The
// text of the stamp is the summary of one that finished or failed, and the reason of any other. A session that is over
// stays as it is.
func (s Session) End(to Status, by record.Stamp) Session {
	now, err := Life.Apply(s, s.Header(), entry(ends[to], by), task.Rules{})
	if err != nil {
		return s
	}
	s.Provenance, s.Status, s.EndedAt = now.Log, to, by.At.UTC().Truncate(time.Second)
	if to == Finished || to == Failed {
		s.Summary = by.Text
	} else {
		s.Reason = by.Text
	}
	return s
}

// entry is what a stamp says in the session's own provenance, where the session need not be named.
func entry(did record.Did, by record.Stamp) record.Entry {
	by.Session = ""
	return by.Entry(did)
}

// EndAs ends a session as another version of it has ended, with the entries that only that version has.
func (s Session) EndAs(end Session) Session {
	s.Status, s.EndedAt, s.Head, s.Base, s.Summary, s.Reason = end.Status, end.EndedAt, end.Head, end.Base, end.Summary, end.Reason
	for _, e := range end.Provenance {
		if !s.Provenance.Has(e.Hash()) {
			s.Provenance = s.Provenance.Add(e)
		}
	}
	return s
}

// Usable returns SESSION_ENDED if the session is over, and NOT_YOURS if it is not the actor's.
func (s Session) Usable(by record.Actor) error {
	switch over := ended(" (%s)", s.Status); {
	case s.Actor != by:
		return record.Errorf(record.NotYours, "the session belongs to %s", s.Actor).WithHint("begin a session of your own")
	case s.Status == Active:
		return nil
	case s.Task == "":
		return over
	default:
		return over.WithNext(record.CallTo("get", "id", s.Task))
	}
}

// Held returns why a session that is active by its file may neither go on nor be ended here: SESSION_ENDED if its claim
// was taken over, or ended in another worktree, and ALREADY_CLAIMED if it is at work there.
func (s Session) Held(file record.Header, live Live, worktree string) error {
	lease := live.held(file)
	if lease == nil {
		if live.State != nil && slices.Contains(live.State.Ended, s.ID) {
			return ended(": its claim was let go in another worktree")
		}
		return nil // never claimed in this clone: the session came with the files
	}
	switch {
	case lease.Session != s.ID:
		return ended(": %s holds the task on %s", lease.Actor, location(lease.Branch, lease.Worktree))
	case !s.Actor.Human() && !live.Gone && lease.Worktree != "" && lease.Worktree != worktree:
		return record.Errorf(record.AlreadyClaimed, "the session is at work on %s", location(lease.Branch, lease.Worktree)).
			WithHint("go on there, or take another task: %s", ready).WithNext(record.CallTo("wait", "ready", true))
	default:
		return nil
	}
}

// Lost returns CLAIM_LOST if the git remote gave the record of a session to another clone, or git brought a file that
// overrules its claim. The session may not go on then, but be ended.
func (s Session) Lost(file record.Header, live Live, now time.Time) error {
	if lease := live.Overruled(file); lease != nil && lease.Session == s.ID {
		return lease.Yielded(file)
	}
	to := live.Remote.LostTo(now)
	if to == nil || s.Task == "" {
		return nil
	}
	return to.Lost(s.Task)
}

func ended(why string, args ...any) *record.Error {
	return record.Errorf(record.SessionEnded, "the session is over"+why, args...).WithHint("begin a new one, if there is more to do")
}

// Health derives how the session is doing from the record that it is about and its newest sign of life. beat is nil in
// any clone but the session's own; then the actor's newest entry is the sign of life.
func (s Session) Health(about record.Header, review record.Status, beat *Heartbeat, staleAfter time.Duration, now time.Time) Health {
	switch s.Status {
	case Active:
		if now.Sub(s.LastSign(about.Log, beat)) > staleAfter {
			return Stalled
		}
		return Alive
	case Finished:
		if about.Ref == s.Task.Ref() && about.Status == review && about.Log.LastSession() == s.ID {
			return AwaitingReview
		}
	case Failed, Canceled, Waiting, Abandoned:
	}
	return Ended
}

// LastSign is the newest sign of life: a heartbeat, an entry by the actor in the record that the session is about, or
// the session's start.
func (s Session) LastSign(about record.Log, beat *Heartbeat) time.Time {
	sign := latest(s.StartedAt, about.NewestBy(s.Actor))
	if beat != nil {
		sign = latest(sign, beat.At)
	}
	return sign
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
