package kind

import (
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// ManualCheck is what a row keeps of a manual check that nobody has settled.
type ManualCheck struct {
	task.Check     // its description, and who may settle it
	N          int // its number in the task
	Behind     int // how many checks of the task are commands
}

// manualLeft is what a row keeps of the manual checks that nobody has settled; nil unless every command has passed.
func manualLeft(t task.Task, evidence *task.EvidenceIndex) (out []string) {
	commands := 0
	for i, c := range t.Checks {
		if c.Manual() {
			continue
		}
		if commands++; c.Result != record.Pass || evidence.NotHeld(i) {
			return nil
		}
	}
	for i, c := range t.Checks {
		if c.Manual() && c.Result != record.Pass && c.Result != record.Fail {
			out = append(out, strings.Join([]string{strconv.Itoa(i), strconv.Itoa(commands), c.By, c.Desc}, "\t"))
		}
	}
	return newest(out)
}

// Manual returns the manual checks of a task that nobody has settled, if every command has passed.
func (r *Row) Manual() (out []ManualCheck) {
	for _, value := range r.All(ManualFact) {
		if parts := strings.SplitN(value, "\t", 4); len(parts) == 4 {
			one := ManualCheck{Check: task.Check{By: parts[2], Desc: parts[3]}}
			one.N, _ = strconv.Atoi(parts[0])
			one.Behind, _ = strconv.Atoi(parts[1])
			out = append(out, one)
		}
	}
	return out
}
