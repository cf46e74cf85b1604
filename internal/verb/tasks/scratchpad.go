package tasks

import (
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// scratchpadPart is the part of a context with the notes on a task as one text.
const scratchpadPart = "scratchpad"

const maxScratchpad = 16 << 10 // bytes

// scratchpadOf is the notes on a task as one text, each below a line with when and by whom, the oldest first. Of long
// ones it has the newest, as many as have room, and says that it was cut.
func scratchpadOf(log record.Log) (text string, truncated bool) {
	var notes []string
	room := maxScratchpad
	for i := len(log) - 1; i >= 0; i-- {
		e := log[i]
		if e.Did != record.Noted || e.Text == "" {
			continue
		}
		note := e.At.UTC().Format(time.RFC3339) + " " + string(e.Who) + "\n" + e.Text + "\n"
		if room -= len(note) + 1; room < 0 {
			truncated = true
			break
		}
		notes = append(notes, note)
	}
	var out strings.Builder
	for i := len(notes) - 1; i >= 0; i-- {
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(notes[i])
	}
	return out.String(), truncated
}
