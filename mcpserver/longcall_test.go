package mcpserver

import (
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// The refusal names the very call that was made, so making it joins the run.
func TestComeBack(t *testing.T) {
	v, _ := catalogue.Named("run_checks")
	const input = `{"id": "PROJ-1", "only": [0]}`
	got := catalogue.FailureOf(comeBack(v, []byte(input), time.Second, verb.Progress{Message: "check 1 of 2"}), verb.Rights{Profile: verb.Operator}, inTools(verb.Rights{Profile: verb.Operator})).Error
	if got.Code != record.ChecksRunning || !got.Retryable || got.Message != "run_checks PROJ-1: still at work after 1s: check 1 of 2" {
		t.Errorf("it says %+v", got)
	}
	if got.NextTool != "run_checks" || callKey(v, marshal(got.NextArguments)) != callKey(v, []byte(input)) {
		t.Errorf("the next call is %s %v", got.NextTool, got.NextArguments)
	}
}
