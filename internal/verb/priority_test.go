package verb

import (
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// A caller may write a priority as tables show it.
func TestPriorityAsTablesShowIt(t *testing.T) {
	for text, want := range map[string]task.Priority{"p0": 0, "P1": 1, "p4": 4, "3": 3, "high": 1, "": task.DefaultPriority} {
		if got, err := Priority(text); got != want || err != nil {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"p", "p5", "p01", "pp1", "phigh", "p-1"} {
		if _, err := Priority(text); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%q: %v", text, err)
		}
	}
}
