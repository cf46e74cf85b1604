package verb_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
)

// What is to be is read forwards, and what was backwards; a date and a time mean the same both ways.
func TestTimesAsPeopleTypeThem(t *testing.T) {
	now := time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC) // a Sunday
	for text, want := range map[string]string{
		"": "", "2026-07-01": "2026-07-01", "2026-07-01T10:00:00Z": "2026-07-01T10:00:00Z", "7d": "2026-06-28", "2w": "2026-07-05",
		"90m": "2026-06-21T11:30:00Z", "1mo": "2026-07-21", "1w1d": "2026-06-29", "today": "2026-06-21", "Tomorrow": "2026-06-22", "fri": "2026-06-26", "sunday": "2026-06-28",
	} {
		if got, err := verb.Due("due", text, now); string(got) != want || err != nil {
			t.Errorf("due %q = %q, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"7d": "2026-06-14T10:00:00Z", "-7d": "2026-06-14T10:00:00Z", "Now": "2026-06-21T10:00:00Z", "yesterday": "2026-06-20T00:00:00Z", "FRI": "2026-06-19T00:00:00Z", "sun": "2026-06-14T00:00:00Z", "2026-06-01": "2026-06-01T00:00:00Z",
	} {
		if got, err := verb.Moment("since", text, now); got.Format(time.RFC3339) != want || err != nil {
			t.Errorf("since %q = %v, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"soon", "-7d", "+7d", "7", "d", "fr", "frid", "next fri", "2026-6-1", "0d"} {
		if due, err := verb.Due("due", text, now); err == nil {
			t.Errorf("due %q is read as %q", text, due)
		}
	}
	for _, text := range []string{"soon", "--7d", "+7d", "7", "fr", "2026-6-1"} {
		if at, err := verb.Moment("since", text, now); err == nil {
			t.Errorf("since %q is read as %v", text, at)
		}
	}
}
