// Package feedback holds the verbs of feedback: what somebody found about cairn itself.
package feedback

import (
	"context"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Verbs are the verbs of feedback.
var Verbs = verb.Group{Name: "team", Noun: "feedback", Toolset: verb.Team}.Of(
	verb.Declare(Create, verb.Verb{Name: "feedback_create", Title: "Report on cairn", Kind: verb.Write,
		Profile: verb.Operator,
		Summary: "Report where cairn itself gets in the way: a bug, friction, or something that is missing.",
		When:    "The moment you meet it. It is kept in this workspace, among its committed files: never put secrets into it. One that is live with the same fingerprint is returned instead of a second.",
	}),
	verb.Declare(Query, verb.Verb{Name: "feedback_query", Title: "Read reports on cairn", Lists: "feedback",
		Summary: "List the reports on cairn that fit all filters given, the newest first.",
		When:    "Before a report, and to see what became of yours: with its id it comes with its text and with what was said about it.",
	}),
)

// CreateIn is the input of Create.
type CreateIn struct {
	Title       string              `json:"title" doc:"what is in the way, on one line" cli:"arg"`
	Body        string              `json:"body" doc:"what you did, what you expected, and what happened; no secrets" cli:"arg"`
	Type        ledger.FeedbackType `json:"type,omitempty" doc:"bug, friction, capability (something is missing) or docs; friction by default" enum:"bug,friction,capability,docs"`
	Severity    ledger.Severity     `json:"severity,omitempty" doc:"low, medium or high; medium by default" enum:"low,medium,high"`
	Tool        string              `json:"tool,omitempty" doc:"the verb or command that it is about" from:"verbs"`
	ErrorCode   string              `json:"error_code,omitempty" doc:"the code that it was refused with, such as CONFLICT" from:"codes"`
	Context     string              `json:"context,omitempty" doc:"what you were doing when you met it"`
	Fingerprint string              `json:"fingerprint,omitempty" doc:"any text by which the same finding is known again"`
	verb.Once
}

// Created is the feedback that a call made, or that was there.
type Created struct {
	verb.Record
	Reused bool `json:"reused,omitempty"` // one that is live was there already, with the same fingerprint
}

// Short says of feedback how it stands.
func (c Created) Short(v verb.Verb) any {
	short, _ := c.Record.Short(v).(verb.Short)
	short.Reused = c.Reused
	return short
}

// Create reports on cairn. While one with the same fingerprint is not shipped or declined, that one is returned and
// nothing is written.
func Create(ctx context.Context, w *verb.Workspace, s *store.Store, in CreateIn) (Created, error) {
	f := ledger.Feedback{
		Header: record.Header{Title: strings.TrimSpace(in.Title)}, Type: in.Type, Severity: in.Severity, Tool: in.Tool, ErrorCode: in.ErrorCode,
		Context: in.Context, Fingerprint: strings.TrimSpace(in.Fingerprint), Body: in.Body,
	}
	ref, reused, err := verb.CreateUnlessLive(ctx, w, s, kind.Feedback, f.Fingerprint, func(_ *store.Tx, token string) (ledger.Feedback, error) {
		return ledger.NewFeedback(f, token, w.Stamp(""))
	})
	if err != nil {
		return Created{}, err
	}
	out, err := shown(w, s, ref.ID)
	out.Reused = reused
	return out, err
}

func shown(w *verb.Workspace, s *store.Store, id string) (Created, error) {
	out, err := w.View(s).RecordByID(kind.Feedback.Kind, id, verb.Usual)
	return Created{Record: out}, err
}

// Replay shows the feedback as it is now.
func (Created) Replay(w *verb.Workspace, s *store.Store, made session.Key) (any, error) {
	return shown(w, s, verb.MadeID(made))
}

// QueryIn is the input of Query. A filter that is left out lets everything through.
type QueryIn struct {
	ID     ledger.FeedbackID   `json:"id,omitempty" doc:"only this one, with its text and what was said about it" cli:"arg" names:"feedback"`
	Status record.Status       `json:"status,omitempty" doc:"only those in this state" oneof:"open,accepted,in_progress,shipped,declined"`
	Type   ledger.FeedbackType `json:"type,omitempty" doc:"only those of this type" oneof:"bug,friction,capability,docs"`
	Q      string              `json:"q,omitempty" doc:"only those that say this: in title, text, tool, error code, context or a note"`
	verb.Paging
}

// Item is feedback in a list.
type Item struct {
	ID        string        `json:"id"`
	Title     string        `json:"title"`
	Status    record.Status `json:"status"`
	Type      string        `json:"type"`
	Severity  string        `json:"severity"`
	Tool      string        `json:"tool,omitempty"`
	ErrorCode string        `json:"error_code,omitempty"`
	At        *time.Time    `json:"at,omitempty"`      // when it was reported
	Context   string        `json:"context,omitempty"` // of the one that was asked for by its id
	Body      string        `json:"body,omitempty"`    // likewise
	Notes     []Note        `json:"notes,omitempty"`   // likewise: what was said about it, and what became of it, the oldest first
}

// Note is something that was said about feedback.
type Note struct {
	Who  record.Actor  `json:"who"`
	At   time.Time     `json:"at"`
	To   record.Status `json:"to,omitempty"` // the state that it was moved to
	Text string        `json:"text,omitempty"`
}

// Query returns the feedback that fits the filters, the newest first.
func Query(ctx context.Context, w *verb.Workspace, s *store.Store, in QueryIn) (verb.Items[Item], error) {
	if in.ID != "" {
		if _, err := kind.Feedback.Get(s, in.ID); err != nil {
			return verb.Items[Item]{}, err
		}
	}
	out, err := verb.QueryRows(ctx, w, s, kind.Feedback.Kind, in.Paging,
		func(r *kind.Row) bool { return in.fits(r) && in.says(s, r) }, itemOf)
	if err == nil && in.ID != "" && len(out.Items) == 1 {
		out.Items[0], err = whole(w, s, out.Items[0])
	}
	return out, err
}

func (in QueryIn) fits(r *kind.Row) bool {
	return (in.ID == "" || r.ID == string(in.ID)) && (in.Status == "" || r.Status == in.Status) &&
		(in.Type == "" || r.Fact(kind.TypeFact) == string(in.Type))
}

// says reports whether feedback has the text that is looked for, for which it is read if its row has it not.
func (in QueryIn) says(s *store.Store, r *kind.Row) bool {
	if verb.AnyHas(in.Q, r.ID, r.Title, r.Fact(kind.ToolFact), r.Fact(kind.CodeFact)) {
		return true
	}
	f, err := kind.Feedback.Get(s, ledger.FeedbackID(r.ID))
	return err == nil && verb.AnyHas(in.Q, kind.Feedback.Text(f), f.Context)
}

func itemOf(r *kind.Row) Item {
	return Item{
		ID: r.ID, Title: r.Title, Status: r.Status, Type: r.Fact(kind.TypeFact), Severity: r.Fact(kind.SeverityFact),
		Tool: r.Fact(kind.ToolFact), ErrorCode: r.Fact(kind.CodeFact), At: verb.SecondsAt(r.Created),
	}
}

// maxNotes is how many notes an answer has for an agent: the newest.
const maxNotes = 20

func whole(w *verb.Workspace, s *store.Store, out Item) (Item, error) {
	f, err := kind.Feedback.Get(s, ledger.FeedbackID(out.ID))
	if err != nil {
		return out, err
	}
	out.Body, out.Context = f.Body, f.Context
	for _, e := range f.Log {
		if e.To != "" || e.Did == record.Noted {
			out.Notes = append(out.Notes, Note{e.Who, e.At, e.To, e.Text})
		}
	}
	if w.Bounded {
		out.Body = verb.Beginning(f.Body, verb.Usual.Body, verb.Usual.BodyRoom)
		out.Notes = out.Notes[max(0, len(out.Notes)-maxNotes):]
	}
	return out, nil
}
