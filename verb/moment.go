package verb

import (
	"time"
)

// Moment reads a point in time in an input: a date, a time, or how long before now; the zero time for "".
func Moment(field, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, BadInput(field, "is %q", text).WithHint("2026-06-21, 2026-06-21T10:00:00Z, or 24h for the last day")
}
