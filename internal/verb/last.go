package verb

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Last is how the last attempt at a task ended, for who goes on with it.
type Last struct {
	Who      record.Actor `json:"who"`
	At       time.Time    `json:"at"`
	Did      record.Did   `json:"did"` // finished, failed or canceled
	Session  string       `json:"session,omitempty"`
	Summary  string       `json:"summary,omitempty"` // or why it was given up
	Next     []string     `json:"next,omitempty"`
	Blockers []string     `json:"blockers,omitempty"`
	Rejected *Rejection   `json:"rejected,omitempty"` // by a reviewer, since then
}

// Rejection is why a reviewer sent a task back to work.
type Rejection struct {
	By   record.Actor `json:"by"`
	At   time.Time    `json:"at"`
	Text string       `json:"text"`
}

// LastBefore is how the last attempt at a task ended before a session began; "" for the last one of all. It is nil if
// none has ended.
func LastBefore(log record.Log, ses string) *Last {
	began := func(e record.Entry) bool {
		return ses != "" && e.Session == ses && (e.Did == record.Began || e.Did == record.TakenOver)
	}
	if at := slices.IndexFunc(log, began); at >= 0 {
		log = log[:at]
	}
	var rejected *Rejection
	for _, e := range slices.Backward(log) {
		switch {
		case e.Rejection() && rejected == nil:
			rejected = &Rejection{e.Who, e.At, e.Text}
		case e.Did == record.Finished || e.Did == record.Failed || e.Did == record.Canceled:
			return &Last{
				Who: e.Who, At: e.At, Did: e.Did, Session: e.Session, Summary: e.Text,
				Next: e.Said().Next, Blockers: e.Said().Blockers, Rejected: rejected,
			}
		}
	}
	return nil
}
