package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// HandoffKind is the kind of a handoff, in a record.Ref, and HandoffPrefix what stands before the dash of its id.
const (
	HandoffKind   = "handoff"
	HandoffPrefix = "HO"
)

// HandoffID names a handoff: HO-, and the token of a task's id.
type HandoffID string

// Handoff is something that somebody asks of others: to take over work, to answer a question, to approve. It is
// addressed to actors and to groups of them; one of these claims it, and answers. What it says never changes: its first
// entry has a hash of that.
type Handoff struct {
	record.Header // what all kinds have in common; Assignee is who has claimed it
	Type          HandoffType
	To            []Recipient
	Options       []string // answers to choose from
	OptionsOnly   bool     // an answer must be one of the options
	Due           task.Due // when it should be answered; "" for none
	Default       string   // what counts as the answer once Due has passed without one; "" for none
	About         []string // ids of records
	Fingerprint   string   // of two live handoffs with the same one the second is not made
	Body          string
}

// HandoffType says what is asked.
type HandoffType string

// The types of handoffs.
const (
	Handover HandoffType = "handoff" // the usual one: go on with this
	Question HandoffType = "question"
	Review   HandoffType = "review"
	Collab   HandoffType = "collab"
	Approval HandoffType = "approval"
)

// HandoffTypes lists every type.
var HandoffTypes = []HandoffType{Handover, Question, Review, Collab, Approval}

// The states of a handoff. The last two are closed: nothing waits for such a handoff.
const (
	HandoffOpen      record.Status = "open"
	HandoffClaimed   record.Status = "claimed"
	HandoffResponded record.Status = "responded"
	HandoffResolved  record.Status = "resolved"
	HandoffCanceled  record.Status = "canceled"
)

// HandoffStates lists every state, and HandoffEnds those that are closed.
var (
	HandoffStates = []record.Status{HandoffOpen, HandoffClaimed, HandoffResponded, HandoffResolved, HandoffCanceled}
	HandoffEnds   = []record.Status{HandoffResolved, HandoffCanceled}
)

// Recipient is an actor, or a group of actors as group:NAME.
type Recipient string

const groupMark = "group:"

// GroupsOf returns the groups that an actor belongs to. Nil stands for a team without groups.
type GroupsOf func(record.Actor) []string

// ParseRecipient accepts an actor, or group: and a name as actors have it.
func ParseRecipient(s string) (Recipient, error) {
	if name, ok := strings.CutPrefix(s, groupMark); ok {
		return Recipient(s), ValidGroup(name)
	}
	who, err := record.ParseActor(s)
	return Recipient(who), err
}

// Is reports whether an actor is meant.
func (r Recipient) Is(who record.Actor, groups GroupsOf) bool {
	name := r.Group()
	if name == "" {
		return string(r) == string(who)
	}
	return groups != nil && slices.Contains(groups(who), name)
}

// Group is the name of the group that is meant; "" for an actor.
func (r Recipient) Group() string {
	if name, ok := strings.CutPrefix(string(r), groupMark); ok {
		return name
	}
	return ""
}

const maxRecipients = 50

// NewHandoff returns a handoff as it is written first, or INVALID_INPUT if there may be no such handoff.
func NewHandoff(h Handoff, token string, s record.Stamp) (Handoff, error) {
	h.Ref, h.Status, h.Assignee = record.Ref{Kind: HandoffKind, ID: HandoffPrefix + "-" + token}, HandoffOpen, ""
	h.Type, h.Log = cmp.Or(h.Type, Handover), nil
	h.To, h.Body = record.Unique(h.To), record.CleanBody(h.Body)
	h, _ = h.apply(s.Entry(record.Created).Saying(record.Detail{Content: h.ContentHash()}), nil)
	return h, h.valid()
}

func (h Handoff) valid() error {
	if err := record.OneOf("type", h.Type, HandoffTypes); err != nil {
		return err
	}
	switch {
	case len(h.To) == 0:
		return record.Errorf(record.InvalidInput, "to is empty").WithHint("name at least one actor, or a group such as group:reviewers")
	case len(h.To) > maxRecipients:
		return record.Errorf(record.InvalidInput, "to names %d recipients, more than %d", len(h.To), maxRecipients).WithHint("address a group")
	case len(h.Options) > maxOptions:
		return record.Errorf(record.InvalidInput, "there are %d options, more than %d", len(h.Options), maxOptions).WithHint("ask something narrower")
	case h.OptionsOnly && len(h.Options) == 0:
		return record.Errorf(record.InvalidInput, "allow_free_text is false, and there are no options").WithHint("give options to choose from, or leave allow_free_text out")
	case h.Default != "" && h.Due == "":
		return record.Errorf(record.InvalidInput, "there is a default, and no time at which it counts").WithHint("say until when an answer is waited for")
	case h.OptionsOnly && h.Default != "" && !slices.Contains(h.Options, h.Default):
		return record.Errorf(record.InvalidInput, "the default is none of the options").WithHint("the options are: %s", strings.Join(h.Options, "; "))
	}
	for _, r := range h.To {
		if _, err := ParseRecipient(string(r)); err != nil {
			return err
		}
	}
	for i, option := range h.Options {
		if err := record.ValidLine(fmt.Sprintf("options[%d]", i), option); err != nil {
			return err
		}
		if slices.Contains(h.Options[:i], option) {
			return record.Errorf(record.InvalidInput, "options names %q twice", record.Clip(option, 100)).WithHint("leave one of them out")
		}
	}
	return cmp.Or(validAbout(h.About), validOptional("fingerprint", h.Fingerprint), validOptional("default", h.Default), h.Due.Valid(), h.Valid(h.Body))
}

// ContentHash is the hash of what never changes in a handoff. Its parts are the id, the title, the type, when it is
// due, the fingerprint, false if an answer must be one of the options; the recipients, the options, and the ids in
// about, each list after its length; the body, in its normal form; the default, if there is one.
func (h Handoff) ContentHash() string { return h.contentHash(Prose(h.Body)) }

// HasContent reports whether a hash is that of the content. Earlier programs hashed the body as it was.
func (h Handoff) HasContent(hash string) bool {
	return hash == h.contentHash(h.Body) || hash == h.ContentHash()
}

func (h Handoff) contentHash(body string) string {
	due, err := task.ParseDue(string(h.Due)) // whatever form of the same time the file has
	if err != nil {
		due = h.Due
	}
	parts := []string{h.Ref.ID, h.Title, string(h.Type), string(due), h.Fingerprint, ""}
	if h.OptionsOnly {
		parts[len(parts)-1] = "false"
	}
	parts = counted(counted(counted(parts, h.To), h.Options), h.About)
	if parts = append(parts, body); h.Default != "" {
		parts = append(parts, h.Default)
	}
	return record.ContentHash(parts...)
}

// From is who asks.
func (h Handoff) From() record.Actor { return h.Log.First().Who }

// Closed reports whether the handoff is over.
func (h Handoff) Closed() bool { return slices.Contains(HandoffEnds, h.Status) }

// AddressedTo reports whether an actor is one of the recipients.
func (h Handoff) AddressedTo(who record.Actor, groups GroupsOf) bool {
	return slices.ContainsFunc(h.To, func(r Recipient) bool { return r.Is(who, groups) })
}

// Answered reports whether an actor has answered.
func (h Handoff) Answered(who record.Actor) bool {
	return slices.ContainsFunc(h.Log, func(e record.Entry) bool { return e.Did == record.Responded && e.Who == who })
}

// Response returns the newest answer. It reports false if there is none.
func (h Handoff) Response() (record.Entry, bool) {
	for _, e := range slices.Backward(h.Log) {
		if e.Did == record.Responded {
			return e, true
		}
	}
	return record.Entry{}, false
}

// HandoffLife is the life of a handoff.
var HandoffLife = task.Life{
	First: HandoffOpen, Step: handoffStep,
	Order: []record.Status{HandoffOpen, HandoffClaimed, HandoffResponded, HandoffCanceled, HandoffResolved},
	Kinds: []record.Did{record.Created, record.Claimed, record.TakenOver, record.Released, record.Responded, record.Resolved, record.Noted, record.Updated},
}

// handoffStep says which entry brings a handoff where, and who may write it.
func handoffStep(v any, now record.Header, e record.Entry, in task.Rules) (record.Status, record.Actor, error) {
	h, _ := v.(Handoff)
	h.Header = now
	switch e.Did {
	case record.Created:
		return h.Status, h.Assignee, hasContent(e)
	case record.Claimed, record.TakenOver:
		return HandoffClaimed, e.Who, h.mayClaim(e, in)
	case record.Released:
		switch {
		case h.Status != HandoffClaimed:
			return "", "", record.Errorf(record.Conflict, "is %s, and nobody claims it", h.Status)
		case h.Assignee != e.Who && !e.Who.Human():
			return "", "", record.Errorf(record.NotYours, "held by %s", h.Assignee).
				WithHint("ask %s, or a person, to release it", h.Assignee)
		}
		return HandoffOpen, "", nil
	case record.Responded:
		return HandoffResponded, h.Assignee, cmp.Or(h.mayAct(e.Who, in), h.validAnswer(e))
	case record.Resolved:
		return e.To, h.Assignee, h.mayEnd(e.To, e.Who)
	default:
		return h.Status, h.Assignee, nil
	}
}

func (h Handoff) apply(e record.Entry, groups GroupsOf) (Handoff, error) {
	now, err := HandoffLife.Apply(h, h.Header, e, task.Rules{Groups: groups})
	h.Header = now
	return h, err
}

// mayAct returns CONFLICT for a handoff that is over, and FORBIDDEN for an actor who is neither a recipient nor has
// claimed it.
func (h Handoff) mayAct(who record.Actor, in task.Rules) error {
	switch {
	case h.Closed():
		return record.Errorf(record.Conflict, "is %s", h.Status).WithHint("it is over; who still needs something asks anew").ForGood()
	case in.Granted || h.Assignee == who || h.AddressedTo(who, h.groups(in)):
		return nil
	}
	hint := "one of those it is addressed to claims and answers it"
	if h.Type == Approval {
		hint += "; what is asked of a group is approved by whom a person put there before"
	}
	const named = 5
	to := record.Texts(h.To[:min(len(h.To), named)])
	return record.Errorf(record.Forbidden, "is addressed to %s%s, and not to %s", strings.Join(to, ", "), record.AndMore(len(h.To)-len(to)), who).
		WithHint("%s", hint).WithNext(record.CallTo("inbox"))
}

// groups are those that count for the handoff.
func (h Handoff) groups(in task.Rules) GroupsOf {
	if h.Type == Approval && in.Vouched != nil {
		return in.Vouched
	}
	return in.Groups
}

func (h Handoff) mayClaim(e record.Entry, in task.Rules) error {
	switch err := h.mayAct(e.Who, in); {
	case err != nil:
		return err
	case h.Status == HandoffResponded:
		answer, _ := h.Response()
		return record.Errorf(record.Conflict, "%s has answered it", answer.Who).WithHint("there is nothing left to claim").ForGood()
	case h.Status == HandoffClaimed && e.Did == record.Claimed:
		return record.Errorf(record.Conflict, "held by %s", h.Assignee)
	}
	return nil
}

// Claim makes the actor the one who deals with the handoff. It does not ask whether it is free: session.Holder decides
// that. Over says that the claim of somebody else has lapsed. Claiming what one holds changes nothing. It returns
// FORBIDDEN for who is no recipient, and CONFLICT for a handoff that is answered or over.
func (h Handoff) Claim(over bool, groups GroupsOf, s record.Stamp) (Handoff, error) {
	did := record.Claimed
	switch {
	case h.Assignee == s.Who && h.Status == HandoffClaimed:
		return h, nil
	case over, h.Status == HandoffClaimed:
		did = record.TakenOver
	}
	return h.apply(s.Entry(did), groups)
}

// Release gives a claim up, so that another recipient can take it. Only who has it may, or a person. Without a claim it
// changes nothing.
func (h Handoff) Release(s record.Stamp) (Handoff, error) {
	if h.Status != HandoffClaimed {
		return h, nil
	}
	next, err := h.apply(s.Entry(record.Released), nil)
	return next, cmp.Or(err, record.ValidText("reason", s.Text))
}

// Answer is what a response says beside its text, which is that of the stamp.
type Answer struct {
	Option string   // one of the options; "" for none
	About  []string // ids of records
}

// Respond answers the handoff. Only a recipient may, or who has claimed it. An answer has an option, a text, or both;
// where only the options are allowed, an option. A handoff that has an answer can get another, and the newest counts.
func (h Handoff) Respond(a Answer, groups GroupsOf, s record.Stamp) (Handoff, error) {
	return h.apply(s.Entry(record.Responded).Saying(record.Detail{Option: a.Option, About: a.About}), groups)
}

func (h Handoff) validAnswer(e record.Entry) error {
	hint, a := "say it in text", e.Said()
	if len(h.Options) > 0 {
		hint = "the options are: " + strings.Join(h.Options, "; ")
	}
	switch {
	case a.Option != "" && !slices.Contains(h.Options, a.Option):
		return record.Errorf(record.InvalidInput, "%q is none of the options", record.Clip(a.Option, 100)).WithHint("%s", hint)
	case a.Option == "" && h.OptionsOnly:
		return record.Errorf(record.InvalidInput, "an answer must be one of the options").WithHint("%s", hint)
	case a.Option == "" && strings.TrimSpace(e.Text) == "":
		return record.Errorf(record.InvalidInput, "an answer needs an option or a text").WithHint("%s", hint)
	}
	return cmp.Or(validAbout(a.About), record.ValidText("text", e.Text))
}

// MayResolve reports whether an actor may end the handoff: who asked, who has claimed it, and who has answered it.
func (h Handoff) MayResolve(who record.Actor) bool {
	return who == h.From() || who == h.Assignee || h.Answered(who)
}

func (h Handoff) mayEnd(as record.Status, who record.Actor) error {
	switch {
	case !slices.Contains(HandoffEnds, as):
		return record.Errorf(record.InvalidInput, "a handoff does not end as %q", record.Clip(string(as), 100)).WithHint("resolved or canceled")
	case !h.MayResolve(who):
		return record.Errorf(record.Forbidden, "%s did not ask it, and has neither claimed nor answered it", who).
			WithHint("%s, who asked, or who answers it, ends it", h.From())
	case h.Closed():
		return record.Errorf(record.Conflict, "is %s already", h.Status).WithHint("it is over").ForGood()
	}
	return nil
}

// Resolve ends the handoff, as HandoffResolved or HandoffCanceled. A handoff that has ended in this way already stays
// as it is. It returns FORBIDDEN for who may not, and CONFLICT for one that ended in the other way.
func (h Handoff) Resolve(as record.Status, s record.Stamp) (Handoff, error) {
	if h.Closed() && h.Status == as && h.MayResolve(s.Who) {
		return h, nil
	}
	e := s.Entry(record.Resolved)
	e.To = as
	next, err := h.apply(e, nil)
	return next, cmp.Or(err, record.ValidText("note", s.Text))
}

// Asks lists what a person must confirm before the handoff, which was another before, may stand as it is in their name:
// an answer to what asks for approval, or to a question by which an agent let go of its task, and the end of one of these that nobody answered,
// unless the person asked it.
// Actors that are no persons have nothing to confirm.
func (h Handoff) Asks(before Handoff) []task.Ask {
	what := "what asks for approval"
	switch {
	case len(h.Log) == len(before.Log):
		return nil
	case Parks(h.Fingerprint) && !h.From().Human():
		what = "a question of " + string(h.From())
	case h.Type != Approval:
		return nil
	}
	e := h.Log[len(h.Log)-1]
	ask := task.Ask{Who: e.Who, Kind: HandoffKind, ID: record.ID(h.Ref.ID), Title: h.Title, Text: e.Text}
	_, answered := h.Response()
	switch {
	case !e.Who.Human():
		return nil
	case e.Did == record.Responded:
		ask.Does, ask.Word = "answering "+what, "answer"
		if option := e.Said().Option; option != "" {
			ask.Does += " with \"" + option + "\""
		}
	case e.Did == record.Resolved && e.To == HandoffResolved && !answered && e.Who != h.From():
		ask.Does, ask.Word = "ending "+what+", without an answer", "end"
	default:
		return nil
	}
	return []task.Ask{ask}
}

// parking begins the fingerprint of a question by which somebody let go of a task until it is answered.
const parking = "asked "

// ParkingPrint is the fingerprint of such a question: the same for the same words on the same task.
func ParkingPrint(task record.ID, question string) string {
	return parking + record.ContentHash(string(task), strings.ToLower(strings.Join(strings.Fields(question), " ")))
}

// Parks reports whether a fingerprint is that of such a question.
func Parks(fingerprint string) bool { return strings.HasPrefix(fingerprint, parking) }

// Outcome is what came of a question: its newest answer; else how it ended; else its default, once its time is up.
type Outcome struct {
	By   record.Actor // "" for the default
	Text string       // in words
}

// Outcome reports false while there is none.
func (h Handoff) Outcome(now time.Time) (Outcome, bool) {
	if e, ok := h.Response(); ok {
		said := []string{e.Said().Option, strings.TrimSpace(e.Text)}
		return Outcome{e.Who, strings.Trim(strings.Join(said, ": "), ": ")}, true
	}
	if h.Closed() {
		e := h.Log.Last()
		return Outcome{e.Who, strings.TrimSpace(fmt.Sprintf("nobody answers it any more (%s) %s", h.Status, e.Text))}, true
	}
	return Outcome{Text: h.Default}, h.Default != "" && h.Due.Passed(now)
}
