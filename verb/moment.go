package verb

import (
	"strconv"
	"strings"
	"time"
)

// Span reads how long something is: as in Go, such as 90m or 24h, or a number of days or weeks, such as 7d or 2w. A day has 24 hours.
func Span(text string) (time.Duration, error) {
	for unit, hours := range map[string]int{"d": 24, "w": 7 * 24} {
		number, ok := strings.CutSuffix(text, unit)
		if n, err := strconv.Atoi(number); ok && err == nil && n >= 0 && n < 10_000 {
			return time.Duration(n*hours) * time.Hour, nil
		}
	}
	return time.ParseDuration(text)
}

// Moment reads a point in time in an input: a date, a time, or how long before now; the zero time for "".
func Moment(field, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := Span(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, BadInput(field, "is %q", text).WithHint("2026-06-21, 2026-06-21T10:00:00Z, or 24h or 7d for how long ago")
}
