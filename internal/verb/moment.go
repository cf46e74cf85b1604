package verb

import (
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// Times in an input are read in one way, by every verb that takes one:
//
//	2026-06-21               a date: that day in UTC
//	2026-06-21T10:00:00Z     a time
//	90m 24h 7d 1w2d 1mo      how long before now, or from now on, as the verb asks for what was or for what is to be
//	now -7d                  of what was, as filters write it
//	today tomorrow yesterday a date, in the zone of the machine
//	mon to sun, or monday    the last such day before today, or the next one after today
//
// Upper and lower case mean the same in words.

// Moment reads a point in time that has been: a date, a time, a word for a day, or how long before now; the zero time
// for "".
func Moment(field, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if strings.EqualFold(text, "now") {
		return now, nil
	}
	if ago, ok := record.Span(strings.TrimPrefix(text, "-")); ok { // as filters write it
		return now.Add(-ago), nil
	}
	if day, ok := record.DayNamed(text, now, -1); ok {
		text = day
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, BadInput(field, "is %q", Head(text, 40)).
		WithHint("2026-06-21, 2026-06-21T10:00:00Z, yesterday, monday, or 24h, 7d or 2w for how long ago")
}

// Due reads until when something is to be: a date, a time, a word for a day, or how long from now on; none for "". Days
// and weeks are counted in dates, so that 7d is the same day of the next week.
func Due(field, text string, now time.Time) (task.Due, error) {
	if day, ok := record.DayNamed(text, now, +1); ok {
		return task.Due(day), nil
	}
	if ahead, err := record.ParseSpan(text); err == nil {
		if !strings.ContainsAny(text, "hs") && !strings.HasSuffix(text, "m") {
			return task.Due(now.AddDate(0, 0, int(ahead/(24*time.Hour))).Format(time.DateOnly)), nil
		}
		return task.DueAt(now.Add(ahead)), nil
	}
	due, err := task.ParseDue(text)
	if err != nil {
		return "", BadInput(field, "%q is neither a date nor a time", Head(text, 40)).
			WithHint("2026-06-21, a day in UTC, 2026-06-21T10:00:00Z, 7d, 2w, tomorrow, or fri")
	}
	return due, nil
}

// Priority reads a priority as a caller gives it: as a file has it, or as tables and other trackers write it, such as
// p1. Its errors are those of task.ParsePriority.
func Priority(text string) (task.Priority, error) {
	if number, ok := strings.CutPrefix(strings.ToLower(text), "p"); ok && len(number) == 1 {
		text = number
	}
	return task.ParsePriority(text)
}
