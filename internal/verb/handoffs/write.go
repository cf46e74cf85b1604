package handoffs

import (
	"context"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Handoff is a handoff as the verbs return it that write one.
type Handoff struct {
	verb.Record
	From     record.Actor `json:"from"`               // who asked
	Response *Response    `json:"response,omitempty"` // the newest answer
	Reused   bool         `json:"reused,omitempty"`   // a live one with the same fingerprint was there already
}

// Short says of a handoff how it stands.
func (h Handoff) Short(v verb.Verb) any {
	short, _ := h.Record.Short(v).(verb.Short)
	short.Reused = h.Reused
	return short
}

// Response is an answer to a handoff.
type Response struct {
	By     record.Actor `json:"by"`
	At     time.Time    `json:"at"`
	Option string       `json:"option,omitempty"`
	Text   string       `json:"text,omitempty"`
	About  []string     `json:"about,omitempty"`
}

// responseOf is the newest answer of a handoff; nil if there is none.
func responseOf(h ledger.Handoff) *Response {
	e, ok := h.Response()
	if !ok {
		return nil
	}
	return &Response{By: e.Who, At: e.At, Option: e.Said().Option, Text: e.Text, About: e.Said().About}
}

// Replay shows the handoff as it is now.
func (Handoff) Replay(w *verb.Workspace, s *store.Store, made session.Key) (any, error) {
	return show(w, s, verb.MadeID(made))
}

func show(w *verb.Workspace, s *store.Store, id string) (Handoff, error) {
	doc, v, err := s.Document(kind.Handoffs.Kind, id)
	if err != nil {
		return Handoff{}, err
	}
	h, _ := v.(ledger.Handoff)
	return Handoff{Record: w.View(s).Record(kind.Handoffs.Kind, doc, v, verb.Usual), From: h.From(), Response: responseOf(h)}, nil
}

// CreateIn is the input of Create.
type CreateIn struct {
	Title         string             `json:"title" doc:"what is asked, on one line" cli:"arg"`
	To            []string           `json:"to" doc:"who is asked: actors, me, or groups as group:NAME" from:"recipients"`
	Type          ledger.HandoffType `json:"type,omitempty" doc:"handoff (the usual one), question, review, collab or approval" oneof:"handoff,question,review,collab,approval"`
	Body          string             `json:"body,omitempty" doc:"what the recipients should know, in Markdown"`
	Options       []string           `json:"options,omitempty" doc:"answers to choose from" cli:"flag=option"`
	AllowFreeText *bool              `json:"allow_free_text" doc:"false: an answer must be one of the options"`
	About         []verb.RecordID    `json:"about,omitempty" doc:"records that it is about"`
	Due           string             `json:"due,omitempty" doc:"when it should be answered: a date, a time such as 2026-06-21T10:00:00Z, or how long from now, such as 24h, 7d or fri"`
	Fingerprint   string             `json:"fingerprint,omitempty" doc:"any text; while a handoff with it is not over, that one is returned"`
	verb.Once
}

// Create makes a handoff, unless a live one has its fingerprint. Whether there is one is decided under the lock.
func Create(ctx context.Context, w *verb.Workspace, s *store.Store, in CreateIn) (Handoff, error) {
	h, err := in.handoff(w)
	if err == nil {
		err = verb.Exist(s, in.About)
	}
	if err != nil {
		return Handoff{}, err
	}
	missed, err := unreached(ctx, w, s, h.To)
	if err != nil {
		return Handoff{}, err
	}
	ref, reused, err := verb.CreateUnlessLive(ctx, w, s, kind.Handoffs, h.Fingerprint, func(_ *store.Tx, token string) (ledger.Handoff, error) {
		return ledger.NewHandoff(h, token, w.Stamp(""))
	})
	if err != nil {
		return Handoff{}, err
	}
	out, err := show(w, s, ref.ID)
	out.Reused, out.Notices = reused, missed
	return out, err
}

// unreached says which recipients nobody is as far as is known: they may register later.
func unreached(ctx context.Context, w *verb.Workspace, s *store.Store, to []ledger.Recipient) (missed []verb.Notice, err error) {
	people, err := w.EverybodyIn(ctx, s)
	if err != nil {
		return nil, err
	}
	all := append(people.All(), w.Actor())
	for _, r := range to {
		why := ""
		if group := r.Group(); group != "" && len(people.Members(group)) == 0 {
			why = " has no members"
		} else if group == "" && !slices.Contains(all, record.Actor(r)) {
			why = " is not known here"
		}
		if why != "" {
			missed = append(missed, verb.Notice{Code: "HANDOFF_REACHES_NOBODY", Message: string(r) + why + ", and gets it once that is otherwise"})
		}
	}
	return missed, nil
}

func over(s record.Status) bool { return slices.Contains(ledger.HandoffEnds, s) }

func (in CreateIn) handoff(w *verb.Workspace) (ledger.Handoff, error) {
	h := ledger.Handoff{
		Header: record.Header{Title: in.Title}, Type: in.Type, Options: in.Options, Fingerprint: in.Fingerprint, Body: in.Body,
		OptionsOnly: in.AllowFreeText != nil && !*in.AllowFreeText, About: verb.AsTexts(in.About),
	}
	for _, to := range in.To {
		if verb.IsMe(to) {
			to = string(w.Actor())
		}
		r, err := ledger.ParseRecipient(to)
		if err != nil {
			return h, err
		}
		h.To = append(h.To, r)
	}
	var err error
	h.Due, err = verb.Due("due", in.Due, w.Now())
	return h, err
}

// writing is a handoff as a write finds it, under the lock.
type writing struct {
	verb.WriteContext
	w *verb.Workspace
	h ledger.Handoff

	groups ledger.GroupsOf // by the directory; nil where nobody needs to know
}

// change makes one write of one handoff.
func change(
	ctx context.Context, w *verb.Workspace, s *store.Store, id ledger.HandoffID, decide func(writing) (ledger.Handoff, error),
) (Handoff, error) {
	groups, err := w.GroupsOf(ctx, s)
	if err == nil {
		_, err = changeOf(w, string(id), groups, decide).Run(ctx, w, s)
	}
	if err != nil {
		return Handoff{}, verb.WithID(err, record.ID(id))
	}
	verb.OwnWork().Wake(ctx, w, s)
	return show(w, s, string(id))
}

// changeOf is one write of one handoff.
func changeOf(w *verb.Workspace, id string, groups ledger.GroupsOf, decide func(writing) (ledger.Handoff, error)) verb.Change {
	return verb.Change{Kind: kind.Handoffs.Kind, IDs: []string{id}, Decide: func(wc verb.WriteContext) (any, error) {
		c := writing{WriteContext: wc, w: w, h: wc.Was.(ledger.Handoff), groups: groups}
		if c.h.Type == ledger.Approval && groups != nil {
			c.groups = c.vouched(groups)
		}
		return decide(c)
	}}
}

// vouched returns those of the groups that count where something is approved.
func (c writing) vouched(groups ledger.GroupsOf) ledger.GroupsOf {
	return func(who record.Actor) []string {
		if a, err := kind.Actors.Get(c.Tx, who); err != nil || !a.Vouched() {
			return nil
		}
		return groups(who)
	}
}

// mine returns CONFLICT, naming who has it, for a handoff that somebody else holds, and ELSEWHERE for one that was
// carried further on another branch. It reports whether a claim that has lapsed is in the way.
func (c writing) mine() (over bool, err error) {
	if c.h.Closed() {
		return false, nil // the refusal of the rules says more
	}
	err = c.Hold.Refuse(record.ID(c.h.Ref.ID), c.w.Actor(), c.Store.Worktree, c.Hold.Lapsed)
	if record.CodeOf(err) == record.AlreadyClaimed {
		err = record.Errorf(record.Conflict, "%s", record.MessageOf(err)).WithHint("leave it to %s, who answers it or releases it", c.Hold.Actor)
	}
	return c.Hold.Lapsed, err
}

// ClaimIn is the input of Claim.
type ClaimIn struct {
	ID ledger.HandoffID `json:"id" doc:"handoff to take" cli:"arg" names:"handoff"`
	verb.Once
}

// Claim makes the caller the one who deals with a handoff. Of many recipients in all worktrees of a clone one gets it.
// Claiming what one has changes nothing.
func Claim(ctx context.Context, w *verb.Workspace, s *store.Store, in ClaimIn) (Handoff, error) {
	return change(ctx, w, s, in.ID, func(c writing) (ledger.Handoff, error) {
		over, err := c.mine()
		if err != nil {
			return c.h, err
		}
		next, err := c.h.Claim(over, c.groups, w.Stamp(""))
		if err == nil {
			c.Tx.Claim(c.h.Ref, c.Lease(ctx, ""))
		}
		return next, err
	})
}

// ReleaseIn is the input of Release.
type ReleaseIn struct {
	ID     ledger.HandoffID
	Reason string
}

// Release gives a claim up.
func Release(ctx context.Context, w *verb.Workspace, s *store.Store, in ReleaseIn) (Handoff, error) {
	return change(ctx, w, s, in.ID, func(c writing) (ledger.Handoff, error) {
		if err := c.Hold.RefuseEnd(); err != nil {
			return c.h, err
		}
		next, err := c.h.Release(w.Stamp(in.Reason))
		if err == nil && next.Assignee == "" {
			c.Tx.Claim(c.h.Ref, nil)
		}
		return next, err
	})
}

// RespondIn is the input of Respond.
type RespondIn struct {
	ID     ledger.HandoffID `json:"id" doc:"handoff to answer" cli:"arg" names:"handoff"`
	Option string           `json:"option,omitempty" doc:"one of its options" from:"options"`
	Text   string           `json:"text,omitempty" doc:"the answer in words; 4 KiB at most"`
	About  []verb.RecordID  `json:"about,omitempty" doc:"records that the answer is about, such as a decision"`
	verb.Once
}

// Respond answers a handoff. What another recipient is at work on is not answered.
func Respond(ctx context.Context, w *verb.Workspace, s *store.Store, in RespondIn) (Handoff, error) {
	if err := verb.Exist(s, in.About); err != nil {
		return Handoff{}, err
	}
	return change(ctx, w, s, in.ID, func(c writing) (ledger.Handoff, error) {
		if _, err := c.mine(); err != nil {
			return c.h, err
		}
		return c.h.Respond(ledger.Answer{Option: in.Option, About: verb.AsTexts(in.About)}, c.groups, w.Stamp(in.Text))
	})
}

// ResolveIn is the input of Resolve.
type ResolveIn struct {
	ID         ledger.HandoffID `json:"id" doc:"handoff to end" cli:"arg" names:"handoff"`
	Resolution string           `json:"resolution,omitempty" doc:"processed (the usual one) or canceled" oneof:"processed,canceled"`
	Note       string           `json:"note,omitempty" doc:"what came of it"`
	verb.Once
}

// Resolve ends a handoff.
func Resolve(ctx context.Context, w *verb.Workspace, s *store.Store, in ResolveIn) (Handoff, error) {
	as := ledger.HandoffResolved
	if in.Resolution == "canceled" {
		as = ledger.HandoffCanceled
	}
	return change(ctx, w, s, in.ID, func(c writing) (ledger.Handoff, error) { return c.resolve(as, in.Note) })
}

// resolve ends a handoff, and its claim.
func (c writing) resolve(as record.Status, note string) (ledger.Handoff, error) {
	next, err := c.h.Resolve(as, c.w.Stamp(note))
	if err == nil {
		c.Tx.Claim(c.h.Ref, nil)
	}
	return next, err
}
