package jobs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/problem"
)

// maxEvents is how many bytes of events are kept of what the executor says. Those of the job itself are kept up to
// twice as many.
const maxEvents = 4 << 20

// Event adds an event to those of the job, with the time if it has none. Long texts are cut. Once there are too many,
// what the executor says is left out, and one event says so. A kill in the middle leaves a part of a line, which counts
// as one event that cannot be read.
func (o *Owned) Event(e job.Event) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.append(e)
}

// append adds an event. The caller holds the lock of the struct.
func (o *Owned) append(e job.Event) error {
	if e.At.IsZero() {
		e.At = time.Now().UTC()
	}
	e.Text = cut(e.Text, job.MaxEventText)
	line, err := encode(e)
	if err != nil {
		return err
	}
	after := o.events + int64(len(line))
	switch {
	case after > 2*maxEvents, o.events > maxEvents && !ofJob(e.Type):
		return nil
	case after > maxEvents && o.events <= maxEvents:
		more, err := encode(job.Event{At: e.At, Type: job.EventText, Text: "more than this is not kept of what the executor says"})
		if err != nil {
			return err
		}
		line = append(line, more...)
	}
	if err := disk.Append(o.file(EventsName), line); err != nil {
		return o.jobs.live.Failed(err)
	}
	o.events += int64(len(line))
	return nil
}

// ofJob reports whether an event tells of the job itself.
func ofJob(t job.EventType) bool {
	return t == job.EventState || t == job.EventSession || t == job.EventArtifact || t == job.EventError || t == job.EventEnd
}

func stateEvent(s job.Status, at time.Time) job.Event {
	return job.Event{At: at, Type: job.EventState, State: s.State, Phase: s.Phase, Attempt: s.Attempt, Text: s.Message}
}

// cut shortens a text to so many bytes, between two characters.
func cut(text string, most int) string {
	if text = strings.ToValidUTF8(text, "\uFFFD"); len(text) <= most {
		return text
	}
	return record.Clip(text, most-len("…"))
}

// Events returns some of the events of a job, the oldest first: limit of them behind the first offset, and how many
// there are. It returns BAD_FILE if they cannot be read, and otherwise the errors of Get.
func (j Jobs) Events(id string, offset, limit int) (events []job.Event, total int, err error) {
	if _, err := j.Get(id); err != nil {
		return nil, 0, err
	}
	src, err := disk.ReadRegular(j.path(id, EventsName), 2*maxEvents+maxFile)
	if problem.Missing(err) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, damaged(id, err)
	}
	for line := range bytes.Lines(src) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // it is being written
		}
		if total >= offset && len(events) < limit {
			var e job.Event
			if err := json.Unmarshal(line, &e); err != nil {
				e = job.Event{Type: job.EventError, Text: fmt.Sprintf("this line cannot be read: %v", err)}
			}
			events = append(events, e)
		}
		total++
	}
	return events, total, nil
}
