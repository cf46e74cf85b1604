package verb

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Waits is the question that a task waits for: its last attempt ended by asking it, nobody holds the task, and there is
// no answer yet.
type Waits struct {
	Handoff  string       `json:"handoff"`
	Question string       `json:"question,omitempty"`
	By       record.Actor `json:"by"`           // who asked
	Of       []string     `json:"of,omitempty"` // whom
	Since    time.Time    `json:"since"`
	Until    string       `json:"until,omitempty"`
	Default  string       `json:"default,omitempty"` // what counts as the answer then
}

// String says it in words, without the question.
func (q Waits) String() string {
	text := "waits for an answer"
	if len(q.Of) > 0 {
		text += " of " + strings.Join(q.Of, " or ")
	}
	if text += " since " + q.Since.Format("2006-01-02 15:04"); q.Until != "" {
		text += ", until " + q.Until
	}
	return fmt.Sprintf("%s (%s)", text, q.Handoff)
}

// waits is the question that a task waits for, by its row; nil for none. Whether it is answered is looked for here and in
// the workspace at root, which is the work tree of the task; "" for none.
func (v View) waits(r *kind.Row, root string) *Waits {
	said := r.Said(kind.AskedFact)
	if len(said) == 0 || r.Assignee != "" {
		return nil
	}
	asked := said[len(said)-1]
	out := &Waits{Handoff: asked.More, By: asked.Who, Since: asked.At}
	readers := []kind.Reader{v.Store}
	if there, err := store.Open(root, ""); root != "" && err == nil {
		readers = append(readers, there)
	}
	for _, from := range readers {
		h, err := kind.Handoffs.Get(from, ledger.HandoffID(asked.More))
		if err != nil {
			continue // it is on another branch, say
		}
		if _, settled := h.Outcome(v.now); settled {
			return nil
		}
		out.Question, out.Of = cmp.Or(out.Question, h.Title), record.Texts(h.To)
		out.Until, out.Default = string(h.Due), h.Default
	}
	return out
}

// Waits is the question that a task of a graph waits for; nil for none.
func (v View) Waits(g *Graph, r *kind.Row) *Waits { return v.waits(r, g.ahead[r.ID].Root) }
