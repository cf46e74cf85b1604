package verb

import (
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// Priority reads a priority as a caller gives it: as a file has it, or as tables and other trackers write it, such as
// p1. Its errors are those of task.ParsePriority.
func Priority(text string) (task.Priority, error) {
	if number, ok := strings.CutPrefix(strings.ToLower(text), "p"); ok && len(number) == 1 {
		text = number
	}
	return task.ParsePriority(text)
}
