package verb

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/remote"
	"github.com/cairn-tasks/cairn/task"
)

// Change is one write of this call: of all that it names, or, if one of them may not be changed as decided, of none. It is
// the one way to write; a verb says only what is decided.
type Change struct {
	Kind        *kind.Kind   // of the records; nil for a write of which Decide stages all, of any kinds or of none
	IDs         []string     // those that are there; none for one that Decide names, be it there or not
	ExpectedRev string       // that each must still have, else CONFLICT; "" for any
	Made        *session.Key // what a repeat of the call is answered with, which Decide may fill in; nil for the record

	// Decide returns a record as it is to be, with the entry that says so. One that stays the same is not written. It runs
	// under the lock, and may run more than once.
	Decide func(WriteContext) (after any, err error)
}

// WriteContext is a record as a write finds it: under the lock, with everything that decides about it.
type WriteContext struct {
	Store *store.Store
	Tx    *store.Tx
	Was   any       // nil for one that Decide names
	Task  task.Task // the same, if it is a task
	Hold  session.Claim
	Now   time.Time

	Beside bool // whoever asked for the work has decided that it is done beside what it collides with

	w *Workspace
}

// Run makes the write, unless the call was made before, and names the record, of several the last. Where claims hold
// among clones, a write that takes a record, or brings one further that this clone holds, asks the git remote first.
//
// It returns NOT_FOUND for a record that is not there, OUT_OF_SCOPE for one that the caller may not change, FORBIDDEN for
// what a person has to confirm, the errors of Decide, those of store.Store.Update and those of session.Leases. If the call
// was made before, it returns an error that Verb.Call turns into the answer of a replay; see IsDone.
func (c Change) Run(ctx context.Context, w *Workspace, s *store.Store) (ref record.Ref, err error) {
	if len(c.IDs) == 1 {
		ref = c.Kind.Ref(c.IDs[0])
	}
	write := func(wc WriteContext) (err error) {
		ref, err = wc.Stage(c)
		return err
	}
	err = settling{w: w, s: s, leases: remote.Leases(s, w.Actor(), w.Now), write: write}.run(ctx)
	if sweep := OwnWork().Sweep; sweep != nil {
		sweep(ctx, s)
	}
	return ref, WithID(err, record.ID(ref.ID))
}

// Record makes the write, and shows the record as verbs do that know no more of its kind than what all kinds have in
// common.
func (c Change) Record(ctx context.Context, w *Workspace, s *store.Store) (Record, error) {
	ref, err := c.Run(ctx, w, s)
	if err != nil {
		return Record{}, err
	}
	return w.View(s).RecordByID(c.Kind, ref.ID, Usual)
}

// Any makes the write, and shows the record as get does: as a Task, a Session, or else a Record.
func (c Change) Any(ctx context.Context, w *Workspace, s *store.Store) (any, error) {
	ref, err := c.Run(ctx, w, s)
	if err != nil {
		return nil, err
	}
	return w.View(s).AnyByID(c.Kind, ref.ID)
}

// Stage is Run as a part of another write. An error comes with the record that it is about.
func (wc WriteContext) Stage(c Change) (ref record.Ref, err error) {
	var by record.Entry
	for _, id := range c.IDs {
		ref = c.Kind.Ref(id)
		if by, err = wc.change(c, ref); err != nil {
			return ref, err
		}
	}
	if len(c.IDs) == 0 {
		v, err := c.Decide(wc)
		if err != nil {
			return ref, err
		}
		if c.Kind != nil {
			wc.Tx.Put(c.Kind, v)
			ref = c.Kind.Header(v).Ref
		}
	}
	answerable := c.Kind != nil || c.Made != nil
	if answerable && (by.Did == "" || by.Key != "") { // the results of a refused call carry no key, so that it can be made again
		wc.w.Idempotency.Remember(wc.Tx, c.made(ref, by))
	}
	return ref, nil
}

// change stages what becomes of one record, and returns the entry that says so; zero if nothing changes.
func (wc WriteContext) change(c Change, ref record.Ref) (by record.Entry, err error) {
	v, err := wc.Tx.Read(c.Kind, ref.ID)
	if err == nil {
		err = wc.w.InScope(scopeOf(ref.ID, v))
	}
	if err != nil {
		return by, err
	}
	h := c.Kind.Header(v)
	err = cmp.Or(wc.w.Idempotency.Recorded(h.Log, c.made(ref, by)), Expect(c.ExpectedRev, h))
	if err != nil {
		return by, err
	}
	wc.Was, wc.Hold = v, session.Holder(h, wc.Tx.Known(ref), wc.Now)
	wc.Task, _ = v.(task.Task)
	after, err := c.Decide(wc)
	if err != nil {
		return by, err
	}
	if log := c.Kind.Header(after).Log; len(log) > len(h.Log) {
		by = log.Last()
		if err = wc.w.mayMove(wc.Store.Config.Flow, wc.Task, wc.Hold, by); err != nil {
			return by, err
		}
		if err = wc.w.Confirmed(wc.asks(after, by)); err == nil {
			err = wc.nextRound(after, by)
		}
	}
	if !reflect.DeepEqual(after, v) {
		wc.Tx.Put(c.Kind, after)
	}
	return by, err
}

// nextRound makes the round after a task that repeats and that an entry closed, unless it is there already.
func (wc WriteContext) nextRound(after any, by record.Entry) error {
	closed, ok := after.(task.Task)
	if round := task.Round(by); !ok || round == "" || record.CodeOf(second(wc.Tx.Read(kind.Tasks.Kind, string(round)))) != record.NotFound {
		return nil
	}
	flow := wc.Store.Config.Flow
	next, err := flow.NextRound(closed)
	if err != nil {
		return err
	}
	find := kind.Deps(wc.Tx, flow)
	if _, there := find(next.Parent); !there {
		next.Parent = ""
	}
	stamp := record.Stamp{Who: by.Who, At: by.At, Detail: record.Detail{Round: string(closed.ID)}}
	made, err := flow.Create(next, find, stamp)
	if err != nil {
		return record.Errorf(record.CodeOf(err), "the next round cannot be made: %s", record.MessageOf(err)).
			WithHint("%s has it repeat no more", record.CallTo("update", "id", closed.ID, "repeat", "").OnlyShown())
	}
	kind.Tasks.Put(wc.Tx, made)
	return nil
}

func second[A, B any](_ A, b B) B { return b }

// goesAgain says which task a close made, or that a task that repeated was given up.
func (w *Workspace) goesAgain(s *store.Store, id record.ID) []Notice {
	t, err := kind.Tasks.Get(s, id)
	by := t.Provenance.Last()
	if err != nil || by.To == "" || !t.Repeats() {
		return nil
	}
	if s.Config.Flow.IsAbandoned(by.To) {
		return []Notice{{Code: "REPEATS_NO_MORE", Message: "it repeats " + t.Own["repeat"] + ", and that ends: no next one was made"}}
	}
	next, err := kind.Tasks.Get(s, t.ID.Next())
	if task.Round(by) == "" || err != nil {
		return nil
	}
	return []Notice{{Code: "REPEATS", Message: string(next.ID) + " is the next one, " + next.When()}}
}

// mayMove returns NOT_YOURS if an entry moves a task on which another actor is at work, and the caller is neither a
// person nor a maintainer. What was handed over is nobody's work.
func (w *Workspace) mayMove(flow task.Flow, t task.Task, hold session.Claim, by record.Entry) error {
	if t.ID == "" || flow.HandedOver(t) || by.Who.Human() || w.Profile >= Maintainer && !w.Unchosen {
		return nil
	}
	return hold.RefuseMove(t.ID, by)
}

// MayMove is what a write of a task would be refused with if it moved the task, before anything expensive is done for
// it. A refusal that what other clones hold could take back is left to the write.
func (w *Workspace) MayMove(s *store.Store, t task.Task, to record.Status) error {
	hold := session.Holder(t.Header(), s.Known(t.ID.Ref()), w.Now())
	if hold.Clone != "" {
		return nil
	}
	return w.mayMove(s.Config.Flow, t, hold, record.Entry{Who: w.Actor(), To: to})
}

// asks is what a person has to confirm before a record may stand as it is in their name, with its newest entry.
func (wc WriteContext) asks(after any, by record.Entry) []task.Ask {
	flow := wc.Store.Config.Flow
	switch after := after.(type) {
	case task.Task:
		return flow.Asks(wc.Task, after, by, kind.Deps(wc.Tx, flow))
	case ledger.Handoff:
		return after.Asks(wc.Was.(ledger.Handoff))
	case ledger.Decision:
		return after.Asks(flow, wc.Was.(ledger.Decision).Status, record.Stamp{Who: by.Who, Text: by.Text})
	default:
		return nil
	}
}

// made is what is remembered of a call that made the record by an entry.
func (c Change) made(ref record.Ref, by record.Entry) session.Key {
	if c.Made != nil {
		return *c.Made
	}
	made := KeyOf(ref)
	if made.Task != "" {
		made.Session = by.Session
	}
	return made
}

// scopeOf is the task that a record belongs to for who may change one task only: that of a session, and of a task
// itself.
func scopeOf(id string, v any) record.ID {
	if ses, ok := v.(session.Session); ok {
		return ses.Task
	}
	return record.ID(id)
}

// KeyOf is what is remembered of a call that made a record.
func KeyOf(ref record.Ref) session.Key {
	if ref.Kind == kind.Tasks.Name {
		return session.Key{Task: record.ID(ref.ID)}
	}
	return session.Key{Record: &ref}
}

// Expect returns CONFLICT if a record has another revision than the caller says; "" is any.
func Expect(rev string, h record.Header) error {
	if rev == "" || record.Rev(rev) == h.Rev {
		return nil
	}
	return Moved(h, "has revision %s, not %s", h.Rev, Head(rev, 40))
}

// Moved is the CONFLICT of a record that is not as the caller expects.
func Moved(h record.Header, format string, args ...any) error {
	return record.Errorf(record.Conflict, format, args...).
		WithHint("read it again and decide anew").WithNext(record.CallTo("get", "id", h.Ref.ID)).ForGood()
}

// ReadForWrite reads a task before the lock is taken, for a write that does something expensive first. Its errors are
// those that Change.Run returns before it decides.
func (w *Workspace) ReadForWrite(s *store.Store, id record.ID) (task.Task, error) {
	t, err := kind.Tasks.Get(s, id)
	if err == nil {
		err = w.InScope(id)
	}
	if err == nil {
		err = w.Idempotency.Recorded(t.Provenance, session.Key{Task: id})
	}
	return t, err
}

// Decision decides about a task under the lock. An entry of nil means that nothing changes and nothing is written.
type Decision func(WriteContext) (task.Task, *record.Entry, error)

// ofTasks is the write of tasks that a decision decides about.
func ofTasks(decide Decision, ids ...string) Change {
	return Change{Kind: kind.Tasks.Kind, IDs: ids, Decide: func(wc WriteContext) (any, error) {
		t, entry, err := decide(wc)
		if entry == nil {
			t = wc.Task
		}
		return t, err
	}}
}

// ChangeIn makes one write of one task, and returns the task as get does.
func (w *Workspace) ChangeIn(ctx context.Context, s *store.Store, id record.ID, decide Decision) (Task, error) {
	if _, err := ofTasks(decide, string(id)).Run(ctx, w, s); err != nil {
		return Task{}, err
	}
	out, err := w.View(s).TaskByID(id)
	if err == nil {
		out.Notices = slices.Concat(w.goesOn(s, id), w.goesAgain(s, id), w.meets(ctx, s, id))
	}
	return out, err
}

// goesOn says that a job works on a task and goes on, whatever the caller just made of the task by an entry that is for
// who has it.
func (w *Workspace) goesOn(s *store.Store, id record.ID) []Notice {
	t, err := kind.Tasks.Get(s, id)
	if by := t.Provenance.Last(); err != nil || OwnWork().PeekJobs == nil || by.Who != w.Actor() || !by.Moves() {
		return nil
	}
	all, _ := OwnWork().PeekJobs(s)
	for _, one := range all {
		if one.Task == id && one.Live && one.Actor != w.Actor() {
			return []Notice{{Code: "JOB_GOES_ON", Message: one.ID + " works on it, and goes on until it is canceled"}}
		}
	}
	return nil
}

// Several is what a write made of several tasks, in the order in which they were named.
type Several struct {
	Tasks    []Row    `json:"tasks" result:"rows"`
	Notices  []Notice `json:"notices,omitempty"`  // jobs that go on, whatever became of their tasks
	Replayed bool     `json:"replayed,omitempty"` // the call was made before, under the same idempotency key
}

// ChangeSeveral makes one write of several tasks: of all, or, if one of them may not be changed as decided, of none.
func (w *Workspace) ChangeSeveral(ctx context.Context, s *store.Store, ids []record.ID, decide Decision) (Several, error) {
	c := ofTasks(decide, AsTexts(ids)...)
	c.Made = &session.Key{Tasks: ids}
	if _, err := c.Run(ctx, w, s); err != nil {
		return Several{}, err
	}
	out, err := w.View(s).Several(ids)
	for _, id := range ids {
		out.Notices = slices.Concat(out.Notices, w.goesOn(s, id), w.goesAgain(s, id))
	}
	return out, err
}

// Several reads several tasks.
func (v View) Several(ids []record.ID) (Several, error) {
	out := Several{Tasks: []Row{}}
	for _, id := range ids {
		t, err := kind.Tasks.Get(v.Store, id)
		if err != nil {
			return Several{}, err
		}
		out.Tasks = append(out.Tasks, v.RowOf(t))
	}
	return out, nil
}

// Lease is a live claim of the caller from this worktree, under a session or none.
func (wc WriteContext) Lease(ctx context.Context, ses string) *session.Lease {
	now, s := wc.Now.UTC(), wc.Store
	head := s.Head(ctx)
	return &session.Lease{
		Actor: wc.w.Actor(), Session: ses, Worktree: s.Worktree, GitDir: s.GitDir(), Branch: head.Branch, Head: head.Commit, Since: now, Seen: now,
	}
}

// Take decides whether the caller may take the task, and reports whether that takes it over from somebody: then the old
// session is ended as abandoned. Of a closed task it decides nothing: the refusal of the rules, TASK_CLOSED, says more.
func (wc WriteContext) Take(ctx context.Context, takeover bool) (takesOver bool, err error) {
	if wc.Store.Config.Flow.IsClosed(wc.Task.Status) {
		return false, nil
	}
	if err := wc.Refusal(ctx, takeover); err != nil {
		return false, err
	}
	if wc.Hold.Free(wc.w.Actor(), wc.Store.Worktree) {
		return false, wc.refuseCollision(ctx)
	}
	wc.EndSession(session.Abandoned, wc.w.Stamp("taken over by "+string(wc.w.Actor())))
	return true, nil
}

// Refusal is why the caller may not take the task, or nil. If the task was carried further on a branch that is gone, it
// says so, since there is nothing to switch to.
func (wc WriteContext) Refusal(ctx context.Context, takeover bool) error {
	hold, s := wc.Hold, wc.Store
	err := hold.Refuse(wc.Task.ID, wc.w.Actor(), s.Worktree, takeover)
	if err != nil && hold.Ahead && hold.Local() && !s.Git().HasBranch(ctx, hold.Branch) {
		hold.NoBranch = true
		err = hold.Refuse(wc.Task.ID, wc.w.Actor(), s.Worktree, takeover)
	}
	return OfJob(s, wc.Task.ID, hold, err)
}

// OfJob adds to the refusal of a task that a job holds which job that is, and the command that follows it; and to that of
// one whose work lies on the branch that cairn made for it, what shows and what frees it.
func OfJob(s *store.Store, id record.ID, hold session.Claim, err error) error {
	var refused *record.Error
	if !errors.As(err, &refused) || refused.Code != record.AlreadyClaimed && refused.Code != record.Elsewhere {
		return err
	}
	told, atWork := *refused, hold.Session != ""
	all, _ := wing.PeekJobs(s)
	for _, one := range all {
		switch {
		case one.Task != id || one.Session != hold.Session:
		case !one.Live:
			atWork = false
		case atWork:
			told.Msg += ", in " + one.ID
			return told.WithHint("%s follows it; %s ends it", record.CallTo("job_poll", "job", one.ID, "wait", true).OnlyShown(), record.CallTo("job_cancel", "job", one.ID).OnlyShown())
		}
	}
	if hold.Branch == layout.OwnBranch(string(id)) && hold.Local() && !atWork && !hold.Lapsed && !hold.NoBranch {
		return told.WithHint("%s shows the work there; %s frees the task, and keeps that work on a branch of its own",
			record.CallTo("get", "id", id, "include", []string{"review"}).OnlyShown(), record.CallTo("job_discard", "id", id).OnlyShown()).
			WithNext(record.CallTo("get", "id", id, "include", []string{"review"}))
	}
	return err
}

// Mine reports whether the caller holds the task, in this worktree.
func (wc WriteContext) Mine() bool { return wc.Hold.Mine(wc.w.Actor(), wc.Store.Worktree) }

// ActiveSession is the session under which the task is held, if it is active. One that cannot be read is not.
func (wc WriteContext) ActiveSession() (session.Session, bool) {
	if wc.Hold.Session == "" {
		return session.Session{}, false
	}
	ses, err := kind.Sessions.Get(wc.Tx, wc.Hold.Session)
	return ses, err == nil && ses.Status == session.Active
}

// MayEndSession returns SESSION_LIVE if the caller is at work on the task in a live session. That session is ended with
// cancel, which asks for a reason. One whose claim was lost to another clone may end with whatever lets go of the task.
func (wc WriteContext) MayEndSession() error {
	if !wc.Mine() || wc.Hold.Lapsed || wc.Hold.LostTo != nil {
		return nil
	}
	ses, active := wc.ActiveSession()
	if !active {
		return nil
	}
	return record.Errorf(record.SessionLive, "session %s is at work on it", ses.ID).
		WithHint("%s with a reason ends the session and releases the task", record.CallTo("cancel", "session", ses.ID)).
		WithNext(record.CallTo("get_session", "session", ses.ID))
}

// EndSession ends the session under which the task is held or was last worked on, if it is still active. One whose
// record lies on another branch, or is broken, must not keep a task from being closed.
func (wc WriteContext) EndSession(to session.Status, by record.Stamp) {
	id := wc.Hold.Session
	if id == "" {
		id = wc.Task.Provenance.LastSession()
	}
	if id == "" {
		return
	}
	ses, err := kind.Sessions.Get(wc.Tx, id)
	if err == nil && ses.Status == session.Active {
		kind.Sessions.Put(wc.Tx, ses.End(to, by))
	}
}

// OwnSession reads a session for a write of its actor that ends it, in the worktree that it is at work in.
func (wc WriteContext) OwnSession(id string) (session.Session, error) {
	ses, err := kind.Sessions.Get(wc.Tx, id)
	if err != nil {
		return ses, err
	}
	if err := ses.Usable(wc.w.Actor()); err != nil {
		return ses, WithSession(err, id)
	}
	if ses.Task == "" {
		return ses, nil // nothing is held under it
	}
	known := wc.Tx.Known(wc.Task.ID.Ref())
	return ses, WithSession(ses.Held(wc.Task.Header(), known, wc.Store.Worktree), id)
}

// SessionAtWork is OwnSession for a write by which the session goes on: it returns CLAIM_LOST if the git remote gave
// the task to another clone.
func (wc WriteContext) SessionAtWork(id string) (session.Session, error) {
	ses, err := wc.OwnSession(id)
	if err == nil {
		err = WithSession(ses.Lost(wc.Task.Header(), wc.Tx.Known(wc.Task.ID.Ref()), wc.w.Now()), id)
	}
	return ses, err
}

// Beat writes a heartbeat of a session of the caller, which changes no committed file. What it leaves out stays as it
// was said before.
func (w *Workspace) Beat(ctx context.Context, s *store.Store, beat session.Heartbeat) error {
	made := &session.Key{Session: beat.Session}
	_, err := Change{Kind: kind.Sessions.Kind, IDs: []string{beat.Session}, Made: made, Decide: func(wc WriteContext) (any, error) {
		var err error
		made.Task = wc.Was.(session.Session).Task
		if wc.Task, err = kind.Tasks.Get(wc.Tx, made.Task); err != nil {
			wc.Task = task.Task{ID: made.Task} // its file may lie on another branch; live state knows who holds it
		}
		if _, err := wc.SessionAtWork(beat.Session); err != nil {
			return nil, err
		}
		beat.Actor, beat.At = w.Actor(), wc.Now.UTC()
		wc.Tx.Beat(beat.After(s.Heartbeat(beat.Session)))
		return wc.Was, nil
	}}.Run(ctx, w, s)
	return err
}

// EditConfig changes the config of the workspace under the write lock. A call that was made before, by the entries of
// the config, is not made again. If fn fails, nothing is written and its error returns; otherwise the errors are those
// of Update. It returns the workspace with the config as it is then.
func (w *Workspace) EditConfig(
	ctx context.Context, s *store.Store, fn func(*format.Doc) (*format.Doc, error),
) (*store.Store, error) {
	_, err := Change{Made: &session.Key{}, Decide: func(wc WriteContext) (any, error) {
		entries, err := s.ConfigEntries()
		if err == nil {
			err = w.Idempotency.Recorded(entries, session.Key{})
		}
		if err != nil {
			return nil, err
		}
		return nil, wc.Tx.EditConfig(fn)
	}}.Run(ctx, w, s)
	if err != nil {
		return nil, err
	}
	return w.Open()
}

// RememberCall keeps in live state what a call made that has an idempotency key, if it wrote nothing that does. A kill
// before it leaves a call that is made again when it is repeated.
func (w *Workspace) RememberCall(ctx context.Context, s *store.Store, made session.Key) error {
	if !w.Idempotency.Given() {
		return nil
	}
	_, err := Change{Made: &made, Decide: func(WriteContext) (any, error) { return nil, nil }}.Run(ctx, w, s)
	return err
}

// liveError says that a record with the same fingerprint is there, and is not closed.
type liveError struct{ id string }

func (liveError) Error() string { return "there is one already" }

// CreateUnlessLive is Create, unless a record of the kind that is not closed has the same fingerprint: then that one is
// named, and no record is written. Whether there is one is decided under the lock. Without a fingerprint it is Create.
func CreateUnlessLive[ID ~string, T any](ctx context.Context, w *Workspace, s *store.Store, k kind.Of[ID, T], fingerprint string, build func(tx *store.Tx, token string) (T, error)) (ref record.Ref, reused bool, err error) {
	ref, err = Create(ctx, w, s, k, func(tx *store.Tx, token string) (T, error) {
		made, err := build(tx, token)
		if err == nil && fingerprint != "" {
			err = noneLive(ctx, s, k.Kind, fingerprint)
		}
		return made, err
	})
	var live liveError
	if !errors.As(err, &live) {
		return ref, false, err
	}
	ref = k.Ref(live.id)
	return ref, true, w.RememberCall(ctx, s, session.Key{Record: &ref}) // it can be repeated when that one is closed
}

// noneLive returns a liveError if a record of a kind that is not closed has a fingerprint.
func noneLive(ctx context.Context, s *store.Store, k *kind.Kind, fingerprint string) error {
	all, err := s.Rows(k).Look(ctx)
	if err != nil {
		return err
	}
	for _, r := range all.Rows() {
		if r.Fact(kind.FingerprintFact) == fingerprint && !k.Closed(s.Config.Flow, r.Status) {
			return liveError{r.ID}
		}
	}
	return nil
}
