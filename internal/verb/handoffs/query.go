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

// QueryIn is the input of Query. A filter that is left out lets everything through.
type QueryIn struct {
	Direction string          `json:"direction,omitempty" doc:"to_me (the usual one), from_me with the answers, or any for all there are" oneof:"to_me,from_me,any"`
	Status    []record.Status `json:"status,omitempty" doc:"only handoffs in these states" oneof:"open,claimed,responded,resolved,canceled"`
	Type      []string        `json:"type,omitempty" doc:"only handoffs of these types" oneof:"handoff,question,review,collab,approval"`
	About     string          `json:"about,omitempty" doc:"only handoffs about this record" from:"tasks"`
	verb.Paging
}

// Row is a handoff in a list.
type Row struct {
	ID        string             `json:"id"`
	Title     string             `json:"title"`
	Status    record.Status      `json:"status"`
	Type      ledger.HandoffType `json:"type"`
	From      record.Actor       `json:"from"`
	To        []string           `json:"to"`
	ClaimedBy record.Actor       `json:"claimed_by,omitempty"`
	At        time.Time          `json:"at"` // when it was asked
	Due       string             `json:"due,omitempty"`
	About     []string           `json:"about,omitempty"`
	Response  *Response          `json:"response,omitempty"`  // the newest answer
	Elsewhere *verb.Elsewhere    `json:"elsewhere,omitempty"` // how far another branch or worktree of the clone has carried it
	OnBranch  string             `json:"on_branch,omitempty"` // the branch that alone has it: take brings it here
}

// Query lists handoffs, the newest first.
func Query(ctx context.Context, w *verb.Workspace, s *store.Store, in QueryIn) (verb.Items[Row], error) {
	me := w.Actor()
	groups, err := w.GroupsOf(ctx, s)
	if err != nil {
		return verb.Items[Row]{}, err
	}
	fits := func(r *kind.Row) bool {
		switch {
		case in.Direction == fromMe && r.Fact(kind.FromFact) != string(me):
			return false
		case (in.Direction == "" || in.Direction == toMe) && !addressed(r, me, groups):
			return false
		}
		return (len(in.Status) == 0 || slices.Contains(in.Status, r.Status)) &&
			(len(in.Type) == 0 || slices.Contains(in.Type, r.Fact(kind.TypeFact))) &&
			(in.About == "" || slices.Contains(r.All(kind.AboutFact), in.About))
	}
	others, err := w.Others(ctx, s, kind.Handoffs.Kind)
	if err != nil {
		return verb.Items[Row]{}, err
	}
	return verb.QueryRows(ctx, w, s, kind.Handoffs.Kind, in.Paging, fits,
		func(r *kind.Row) Row { return rowOf(s, r, others) }, others.Rows()...)
}

// The directions that are not any.
const (
	toMe   = "to_me"
	fromMe = "from_me"
)

// addressed reports whether a handoff is addressed to an actor, or claimed by it.
func addressed(r *kind.Row, who record.Actor, groups ledger.GroupsOf) bool {
	return r.Assignee == who || slices.ContainsFunc(r.Facts, func(f kind.Fact) bool {
		return f.Name == kind.ToFact && ledger.Recipient(f.Value).Is(who, groups)
	})
}

// rowOf shows a handoff. The file of one that is answered is read for the answer.
func rowOf(s *store.Store, r *kind.Row, others verb.Others) Row {
	out := Row{
		ID: r.ID, Title: r.Title, Status: r.Status, Type: ledger.HandoffType(r.Fact(kind.TypeFact)), From: record.Actor(r.Fact(kind.FromFact)),
		To: verb.NoNil(r.All(kind.ToFact)), ClaimedBy: r.Assignee, At: time.Unix(r.Created, 0).UTC(), Due: r.Fact(kind.DueFact), About: r.All(kind.AboutFact), OnBranch: others.Branch(r.ID),
	}
	ref := kind.Handoffs.Ref(r.ID)
	answered := len(r.All(kind.AnsweredFact)) > 0
	known := s.Known(ref)
	if !answered && known.State == nil && known.Next == nil {
		return out
	}
	h, err := kind.Handoffs.Get(others, ledger.HandoffID(r.ID))
	if err != nil {
		return out
	}
	out.Response = responseOf(h)
	out.Elsewhere = verb.ElsewhereOf(session.IsBehind(h.Header, known))
	return out
}
