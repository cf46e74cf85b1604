package task

import (
	"strconv"
	"strings"
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

// Valid returns INVALID_INPUT for what is neither a date nor a time, nor "".
func (d Due) Valid() error {
	_, err := ParseDue(string(d))
	return err
}

// maxSpan is the longest span that can be written: about a hundred years.
const maxSpan = 100 * 366 * 24 * time.Hour

// ParseSpan reads how long something takes, as people write it: 90m, 2h, 1h30m, 3d, 1w2d. A day is 24 hours and a week
// 7 days, here as everywhere in cairn; who thinks in hours of work writes hours. It returns INVALID_INPUT for what is
// not more than nothing, for a plain number, and for more than a hundred years.
func ParseSpan(s string) (time.Duration, error) {
	total, rest := time.Duration(0), s
	for _, unit := range []struct {
		letter string
		is     time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}} {
		number, after, ok := strings.Cut(rest, unit.letter)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || !isDecimal(number) || n*float64(unit.is) > float64(maxSpan) {
			return 0, noSpan(s)
		}
		total, rest = total+time.Duration(n*float64(unit.is)), after
	}
	if rest != "" {
		d, err := time.ParseDuration(rest)
		if err != nil || d <= 0 || strings.ContainsAny(rest, "+-nuµμ") {
			return 0, noSpan(s)
		}
		total += d
	}
	if total <= 0 || total > maxSpan {
		return 0, noSpan(s)
	}
	return total, nil
}

func noSpan(s string) error {
	return record.Errorf(record.InvalidInput, "%q does not say how long", record.Clip(s, 40)).WithHint("such as 90m, 2h, 1h30m, 3d or 2w; a day is 24 hours")
}

// isDecimal reports whether a text is a number as people write it: digits, with a point and more digits or without, and
// nothing else.
func isDecimal(s string) bool {
	whole, part, point := strings.Cut(s, ".")
	return isDigits(whole) && (!point || isDigits(part))
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
