package ledger_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
)

func TestNewFeedback(t *testing.T) {
	f, err := ledger.NewFeedback(ledger.Feedback{Header: record.Header{Title: "Slow"}, Body: "A list took a minute.\n"}, "1", stamp(""))
	if err != nil || f.Ref.ID != "FB-1" || f.Type != ledger.Friction || f.Severity != ledger.MediumSeverity || f.Status != ledger.FeedbackOpen || len(f.Log) != 1 {
		t.Errorf("got %+v, %v", f, err)
	}
	for name, bad := range map[string]ledger.Feedback{
		"no title":           {Body: "b"},
		"no body":            {Header: record.Header{Title: "t"}, Body: " \n"},
		"another type":       {Header: record.Header{Title: "t"}, Body: "b", Type: "rant"},
		"another severity":   {Header: record.Header{Title: "t"}, Body: "b", Severity: "huge"},
		"a tool of two":      {Header: record.Header{Title: "t"}, Body: "b", Tool: "a\nb"},
		"a context of blank": {Header: record.Header{Title: "t"}, Body: "b", Context: "  "},
	} {
		if _, err := ledger.NewFeedback(bad, "1", stamp("")); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s: got %v, want INVALID_INPUT", name, err)
		}
	}
}
