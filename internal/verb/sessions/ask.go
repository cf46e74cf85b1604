package sessions

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/notify"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// AskIn is the input of Ask.
type AskIn struct {
	Question string         `json:"question" doc:"with all that it takes to answer" cli:"arg"`
	Options  []string       `json:"options,omitempty" doc:"answers to choose from" cli:"flag=option"`
	Default  string         `json:"default,omitempty" doc:"the answer if none comes by until"`
	Until    string         `json:"until,omitempty" doc:"a time, or how long from now, such as 24h"`
	Session  verb.SessionID `json:"session,omitempty" doc:"session that asks, or its task; your only one by default" else:"session" mcp:"quiet"`
	verb.Once
}

// Asked is a question, and its answer if there is one already.
type Asked struct {
	Handoff  string    `json:"handoff"`
	Task     record.ID `json:"task"`
	Question string    `json:"question"`
	To       []string  `json:"to"`
	Until    string    `json:"until,omitempty"`
	Default  string    `json:"default,omitempty"`
	Reused   bool      `json:"reused,omitempty"` // it was asked before
	Answer   string    `json:"answer,omitempty"` // then the session goes on
	By       string    `json:"answered_by,omitempty"`
	Next     string    `json:"next"` // what the asker does now
	Replayed bool      `json:"replayed,omitempty"`
}

// answeredError ends a write that finds the question answered.
type answeredError struct{ ledger.Handoff }

func (answeredError) Error() string { return "it is answered" }

// Ask asks something of those whom the task of a session concerns, and ends the session as waiting, all in one write:
// nobody holds the task until there is an answer. A question that was asked on the task before, in the same words, is
// that one; with an answer it is answered at once, and nothing is written.
func Ask(ctx context.Context, w *verb.Workspace, s *store.Store, in AskIn) (Asked, error) {
	if err := record.RequiredText("question", in.Question, "say what you need to know"); err != nil {
		return Asked{}, err
	}
	id, err := meant(ctx, w, s, in.Session)
	if err != nil {
		return Asked{}, err
	}
	ses, err := own(w, s, string(id))
	if err != nil {
		return Asked{}, err
	}
	if ses.Task == "" {
		return Asked{}, verb.BadInput("session", "is about no task").WithHint("%s asks without one", record.CallTo("handoff_create"))
	}
	ask, err := in.handoff(ctx, w, s, ses.Task)
	if err != nil {
		return Asked{}, err
	}
	reused := false
	_, err = w.ChangeIn(ctx, s, ses.Task, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		ses, err := wc.OwnSession(ses.ID)
		if err != nil {
			return wc.Task, nil, err
		}
		var h ledger.Handoff
		if h, reused, err = in.once(ctx, w, wc, s, ask); err != nil {
			return wc.Task, nil, err
		}
		if _, settled := h.Outcome(wc.Now); settled {
			return wc.Task, nil, answeredError{h}
		}
		ask = h
		stamp := w.Stamp(record.Clip(in.Question, record.MaxText-len("…")))
		stamp.Session, stamp.Detail = ses.ID, record.Detail{About: []string{h.Ref.ID}}
		t, entry, err := task.EndAttempt(wc.Task, record.Asked, ses.Actor, stamp)
		kind.Sessions.Put(wc.Tx, ses.End(session.Waiting, stamp))
		if wc.Hold.Session == ses.ID {
			wc.Tx.Claim(t.ID.Ref(), nil)
		}
		return t, entry, err
	})
	var answered answeredError
	if errors.As(err, &answered) {
		return askedOf(w, answered.Handoff, ses.Task, true), nil
	}
	if err != nil {
		return Asked{}, err
	}
	out := askedOf(w, ask, ses.Task, reused)
	if w.Job == "" && !reused { // of a job its supervisor tells, once the work is committed
		_ = notify.Tell(ctx, w.ConfigDir, w.Version, notify.News{
			What: "question", Task: ses.Task, Title: ask.Title, Text: in.Question, From: string(ses.Actor), Next: "cairn answer " + ask.Ref.ID + " TEXT",
		})
	}
	return out, nil
}

func askedOf(w *verb.Workspace, h ledger.Handoff, id record.ID, reused bool) Asked {
	out := Asked{
		Handoff: h.Ref.ID, Task: id, Question: h.Title, To: record.Texts(h.To), Until: string(h.Due), Default: h.Default, Reused: reused,
		Next: "end your turn now; what is not handed over stays as it is, and you are told the answer when you go on",
	}
	if w.Job == "" {
		out.Next = "wait with id " + h.Ref.ID + " and wait_for_status responded, resolved and canceled; read the answer with get, and begin the task anew"
	}
	if came, settled := h.Outcome(w.Now()); settled {
		out.Answer, out.By = came.Text, cmp.Or(string(came.By), "the default, since nobody answered in time")
		out.Next = "it is answered: go on"
	}
	return out
}

// Replay shows the question as it is now.
func (Asked) Replay(w *verb.Workspace, s *store.Store, made session.Key) (any, error) {
	t, err := kind.Tasks.Get(s, made.Task)
	if err != nil {
		return Asked{}, verb.NotHere(err, string(made.Task))
	}
	e, _ := t.Provenance.Newest(func(e record.Entry) bool { return e.Did == record.Asked })
	h, err := kind.Handoffs.Get(s, ledger.HandoffID(strings.Join(e.Said().About, " ")))
	out := askedOf(w, h, t.ID, false)
	out.Replayed = true
	return out, err
}

const titleRoom = 200 // bytes of a question; a longer one is in the body too

// handoff is what is asked, of whom, before it has an id.
func (in AskIn) handoff(ctx context.Context, w *verb.Workspace, s *store.Store, about record.ID) (ledger.Handoff, error) {
	words := strings.Fields(in.Question)
	h := ledger.Handoff{
		Header: record.Header{Title: record.Clip(strings.Join(words, " "), titleRoom)}, Type: ledger.Question, Options: in.Options, Default: in.Default,
		About: []string{string(about)}, Fingerprint: ledger.ParkingPrint(about, in.Question),
	}
	if len(words) > 0 && h.Title != strings.TrimSpace(in.Question) {
		h.Body = in.Question
	}
	if (in.Default == "") != (in.Until == "") {
		return h, verb.BadInput("default", "and until go together").WithHint("give both, or neither: then it waits for an answer")
	}
	t, err := kind.Tasks.Get(s, about)
	if err == nil {
		h.Due, err = verb.Due("until", in.Until, w.Now())
	}
	if err == nil {
		h.To, err = concerned(ctx, w, s, t)
	}
	return h, err
}

// once is the question as it was asked on the task before, or a new one.
func (in AskIn) once(ctx context.Context, w *verb.Workspace, wc verb.WriteContext, s *store.Store, ask ledger.Handoff) (ledger.Handoff, bool, error) {
	all, err := s.Rows(kind.Handoffs.Kind).Look(ctx)
	if err != nil {
		return ask, false, err
	}
	for _, r := range all.Rows() {
		if r.Fact(kind.FingerprintFact) == ask.Fingerprint && r.Status != ledger.HandoffCanceled {
			was, err := kind.Handoffs.Get(wc.Tx, ledger.HandoffID(r.ID))
			return was, true, err
		}
	}
	token, err := record.Token(w.Now(), w.Rand)
	if err == nil {
		ask, err = ledger.NewHandoff(ask, token, w.Stamp(""))
	}
	if err == nil {
		kind.Handoffs.Put(wc.Tx, ask)
	}
	return ask, false, err
}

// concerned are those whom a question about a task is put to: whoever asked for the job, and the person who made the
// task; where neither is a person, those at work on it or who review it; else every person who is known here.
func concerned(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task) ([]ledger.Recipient, error) {
	var to []ledger.Recipient
	add := func(who record.Actor) bool {
		if who != "" && (who != w.Actor() || who.Human()) && !slices.Contains(to, ledger.Recipient(who)) {
			to = append(to, ledger.Recipient(who))
		}
		return who.Human()
	}
	found := false
	if w.Job != "" && verb.OwnWork().Job != nil {
		if one, err := verb.OwnWork().Job(s, w.Job); err == nil {
			found = add(one.By)
		}
	}
	if by := t.Provenance.First().Who; by.Human() {
		found = add(by)
	}
	for _, e := range t.Provenance {
		if !found && e.Who.Human() {
			add(e.Who)
		}
	}
	for _, c := range t.Checks {
		if by := c.Reviewer(); !found && by.Human() {
			add(by)
		}
	}
	if slices.ContainsFunc(to, func(r ledger.Recipient) bool { return record.Actor(r).Human() }) {
		return to, nil
	}
	people, err := w.EverybodyIn(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, who := range people.All() {
		if who.Human() && len(to) < mostAsked {
			add(who)
		}
	}
	if len(to) == 0 {
		return nil, record.Errorf(record.NotFound, "no person is known here whom it could be put to").
			WithHint("%s names who is asked", record.CallTo("handoff_create", "title", "TITLE", "to", "WHO").OnlyShown())
	}
	return to, nil
}

const mostAsked = 10
