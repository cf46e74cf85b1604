package verb

import (
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
