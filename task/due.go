package task

import (
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Due is when a task should be done, or a handoff answered: a date, or a time in UTC to the second, as the file has it.
// Other programs may have written it in another form, which is kept and means nothing.
type Due string

// ParseDue reads a date, such as 2026-06-21, or a time, such as 2026-06-21T10:00:00Z. "" is none.
func ParseDue(s string) (Due, error) {
	if s == "" {
		return "", nil
	}
	if at, err := time.Parse(time.RFC3339, s); err == nil && fourDigits(at) {
		return DueAt(at), nil
	}
	if at, err := time.Parse(time.DateOnly, s); err == nil && fourDigits(at) {
		return Due(s), nil
	}
	return "", record.Errorf(record.InvalidInput, "due %q is neither a date nor a time", record.Clip(s, 40)).
		WithHint("2026-06-21, which is to the end of that day in UTC, or 2026-06-21T10:00:00Z")
}

// DueAt is a time as one at which something is due.
func DueAt(at time.Time) Due { return Due(at.UTC().Format(time.RFC3339)) }

func fourDigits(at time.Time) bool { return at.UTC().Year() >= 1 && at.UTC().Year() <= 9999 }

// By returns the moment at which the time is up: of a date the end of that day in UTC. It reports false for none, and
// for one that cannot be read.
func (d Due) By() (time.Time, bool) {
	if at, err := time.Parse(time.DateOnly, string(d)); err == nil {
		return at.AddDate(0, 0, 1), true
	}
	at, err := time.Parse(time.RFC3339, string(d))
	return at, err == nil
}

// From returns the moment at which it begins: of a date the beginning of that day in UTC.
func (d Due) From() (time.Time, bool) {
	by, ok := d.By()
	if len(d) == len(time.DateOnly) {
		by = by.AddDate(0, 0, -1)
	}
	return by, ok
}

// Passed reports whether the time is up.
func (d Due) Passed(now time.Time) bool {
	by, ok := d.By()
	return ok && !now.Before(by)
}

// Ahead reports whether the moment at which it begins is still to come.
func (d Due) Ahead(now time.Time) bool {
	from, ok := d.From()
	return ok && now.Before(from)
}

// Valid returns INVALID_INPUT for what is neither a date nor a time, nor "".
func (d Due) Valid() error {
	_, err := ParseDue(string(d))
	return err
}
