package verb

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Ref is a reference as verbs return it.
type Ref = record.Reference

// Comment is an entry that says something about its record and changes nothing.
type Comment struct {
	Hash string       `json:"hash"` // names it, for the re of an answer
	Who  record.Actor `json:"who"`
	At   time.Time    `json:"at"`
	Text string       `json:"text"`

	Session string `json:"session,omitempty"`
	*record.Detail
}

// Thread is the comments on a record, the oldest first.
type Thread struct {
	Comments  []Comment `json:"comments"`
	Total     int       `json:"total"`
	Truncated bool      `json:"truncated"` // only the newest are here; history with did noted has the rest
}

// Comments returns the comments among the entries of a record, the oldest first.
func Comments(log record.Log) []Comment {
	out := []Comment{}
	for _, e := range log {
		if e.Did == record.Noted {
			out = append(out, Comment{Hash: e.ShortHash(), Who: e.Who, At: e.At, Text: e.Text, Session: e.Session, Detail: e.Detail})
		}
	}
	return out
}

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

// NonEmpty are the texts that are not empty.
func NonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}
