package verb_test

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/verb"
)

func TestSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{"24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "2w": 14 * 24 * time.Hour, "d": 0, "-1d": 0, "99999999w": 0} {
		if got, err := verb.Span(text); got != want || (err != nil) != (want == 0) {
			t.Errorf("Span(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}
