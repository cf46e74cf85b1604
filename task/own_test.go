package task_test

import (
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// Values of each type, in the order in which they sort. What a field cannot have sorts behind all of them.
func TestFieldsSortByWhatTheirValuesMean(t *testing.T) {
	for _, c := range []struct {
		field  task.Field
		values []string
	}{
		{task.Field{Name: "cost", Type: task.FieldNumber}, []string{"-100", "-2.5", "-2", "0", "0.5", "9", "10", "100", "much"}},
		{task.Field{Name: "takes", Type: task.FieldDuration}, []string{"45s", "90m", "2h", "1h61m", "1d", "25h", "1w", "1w1d", "soon"}},
		{task.Field{Name: "shown", Type: task.FieldDate}, []string{"1969-12-31", "2025-06-21", "2026-06-20T10:00:00Z", "2026-06-20", "2026-06-21", "tomorrow"}},
		{task.Field{Name: "size", Type: task.FieldChoice, Choices: []string{"small", "large", "huge"}}, []string{"small", "large", "huge", "tiny"}},
		{task.Field{Name: "paid", Type: task.FieldBoolean}, []string{"false", "true", "yes"}},
	} {
		keys := make([]string, len(c.values))
		for i, value := range c.values {
			keys[i] = c.field.SortKey(value)
		}
		if !slices.IsSorted(keys) || len(slices.Compact(slices.Clone(keys))) != len(keys) {
			t.Errorf("%s sorts %v by %q", c.field.Type, c.values, keys)
		}
		if c.field.SortKey("") < keys[len(keys)-2] {
			t.Errorf("a task without %s stands before one that has it", c.field.Name)
		}
	}
}

// A name that cairn uses, or may use, and one that is no plain word, cannot be that of a field.
func TestNamesOfFields(t *testing.T) {
	names := []string{"", "Size", "a-b", "a b", "1st", "_x", "cairn_x", "body", "ready", "größe"}
	for _, f := range task.Fields() {
		names = append(names, f.Name)
	}
	for _, name := range names {
		if task.ValidFieldName(name) == nil {
			t.Errorf("a field can be called %q", name)
		}
	}
	for _, name := range []string{"severity", "story_points", "x2", "release"} {
		if err := task.ValidFieldName(name); err != nil {
			t.Errorf("no field can be called %q: %v", name, err)
		}
	}
}

func TestSpans(t *testing.T) {
	for text, hours := range map[string]float64{"90m": 1.5, "2h": 2, "1h30m": 1.5, "3d": 72, "1w": 168, "1w2d3h": 219, "1.5d": 36} {
		if got, err := record.ParseSpan(text); err != nil || got.Hours() != hours {
			t.Errorf("%s is %v (%v)", text, got, err)
		}
	}
	for _, text := range []string{"", "3", "0h", "-2h", "2d1w", "h", "d", "1e3d", "1d-2h", "2h3", "999999w", "9999999999999999999d", "Infd", "soon", "1µs"} {
		if got, err := record.ParseSpan(text); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%q is %v (%v)", text, got, err)
		}
	}
}
