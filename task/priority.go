package task

import "strconv"

// Priority runs from 0 (drop everything) to 4 (someday).
type Priority int

// DefaultPriority is what a task has that says nothing.
const DefaultPriority Priority = 2

var priorityWords = map[string]Priority{
	"critical": 0, "urgent": 0, "high": 1, "medium": 2, "normal": 2, "low": 3, "backlog": 4,
}

// ParsePriority reads a number from 0 to 4 or one of the usual words; "" is the default.
func ParsePriority(s string) (Priority, error) {
	if s == "" {
		return DefaultPriority, nil
	}
	if p, ok := priorityWords[s]; ok {
		return p, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 4 {
		return 0, Errorf(InvalidInput, "priority %q is not 0 to 4", clip(s, 40)).
			WithHint("0 is urgent, 4 is someday; critical, urgent, high, medium, normal, low and backlog are accepted too")
	}
	return Priority(n), nil
}
