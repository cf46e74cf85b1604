package catalogue_test

import (
	"io"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// A failure says what an error does. A next verb that the caller may not call is left out.
func TestFailureOf(t *testing.T) {
	stuck := record.Errorf(record.Conflict, "changed meanwhile").WithHint("read it again").
		WithNext(record.CallTo("update", "id", "A-1"))
	stuck.Op, stuck.ID, stuck.Details = "transition", "A-1", map[string]any{"run": 1}

	got := catalogue.FailureOf(stuck, verb.Rights{Profile: verb.Operator}, catalogue.CommandLine).Error
	if got.Code != record.Conflict || got.Message != "transition A-1: changed meanwhile" || got.Hint != "read it again" || !got.Retryable {
		t.Errorf("got %+v", got)
	}
	if got.NextTool != "update" || got.NextArguments["id"] != "A-1" || got.Details["run"] != 1 {
		t.Errorf("got %+v", got)
	}
	if got := catalogue.FailureOf(stuck, verb.Rights{Profile: verb.PairWorker}, catalogue.CommandLine).Error; got.NextTool != "" || got.NextArguments != nil {
		t.Errorf("a pair worker is sent to %s", got.NextTool)
	}
	unknown := record.Errorf(record.Conflict, "changed").WithNext(record.CallTo("no_such_verb"))
	if got := catalogue.FailureOf(unknown, verb.Rights{Profile: verb.Maintainer}, catalogue.CommandLine).Error; got.NextTool != "" {
		t.Errorf("sent to %s, which does not exist", got.NextTool)
	}
	if got := catalogue.FailureOf(io.ErrUnexpectedEOF, verb.Rights{}, catalogue.CommandLine).Error; got.Code != record.IO || got.Message != "unexpected EOF" {
		t.Errorf("an error without a code becomes %+v", got)
	}
}
