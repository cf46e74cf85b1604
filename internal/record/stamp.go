package record

import "time"

// Stamp is what every entry says about the write that appended it, whatever that write did.
type Stamp struct {
	Who     Actor
	At      time.Time
	Text    string // a reason, a summary, a note
	Session string // under which it was made, or of which it tells
	Key     string // hash of the idempotency key
	Detail  Detail // what few kinds of write say
}

// Entry returns an entry with what the stamp says.
func (s Stamp) Entry(did Did) Entry {
	return Entry{Who: s.Who, At: s.At, Did: did, Text: s.Text, Session: s.Session, Key: s.Key}.Saying(s.Detail)
}
