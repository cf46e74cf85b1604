package jobs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// How much of a log is kept: its beginning, and at least so much of its end.
const (
	logHead = 256 << 10
	logTail = 2 << 20
)

// Log is a file of a job to which output is appended. What is written is in the file when Write returns, so a killed
// supervisor loses nothing. Once the file has grown too large its middle is left out, and a line says how much. Several
// goroutines may write.
type Log struct {
	mu   sync.Mutex
	path string
	size int64 // of the file
	left int64 // bytes left out
	err  error // the first one; nothing is written after it
}

// Log opens a file of the job for output. It goes on behind what an earlier supervisor of the job wrote.
func (o *Owned) Log(name string) (*Log, error) {
	if err := isName(name); err != nil {
		return nil, err
	}
	l := &Log{path: o.file(name)}
	if info, err := os.Lstat(l.path); err == nil {
		l.size = info.Size()
	}
	if l.size > logHead {
		if src, err := disk.ReadRegular(l.path, 2*(logHead+2*logTail)); err == nil {
			_, _ = fmt.Sscanf(string(src[logHead:]), leftOut, &l.left)
		}
	}
	return l, o.jobs.live.Failed(disk.Append(l.path, nil))
}

const leftOut = "\n[... %d bytes left out ...]\n"

// Write appends to the file. It never fails, so that an executor whose output cannot be kept is not stopped by that;
// Err has the error.
func (l *Log) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := data; len(rest) > 0 && l.err == nil; {
		part := rest[:min(len(rest), logTail)]
		rest = rest[len(part):]
		if l.err = disk.Append(l.path, part); l.err == nil {
			l.size += int64(len(part))
			l.err = l.bound()
		}
	}
	return len(data), nil
}

// Err is why nothing more is kept, or nil.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// bound leaves out the middle of a file that has grown too large.
func (l *Log) bound() error {
	if l.size <= logHead+2*logTail {
		return nil
	}
	src, err := disk.ReadRegular(l.path, 2*(logHead+2*logTail))
	if err != nil {
		return err
	}
	middle := src[logHead : len(src)-logTail]
	if old := fmt.Appendf(nil, leftOut, l.left); l.left > 0 && bytes.HasPrefix(middle, old) {
		middle = middle[len(old):]
	}
	l.left += int64(len(middle))
	kept := fmt.Appendf(bytes.Clone(src[:logHead]), leftOut, l.left)
	kept = append(kept, src[len(src)-logTail:]...)
	l.size = int64(len(kept))
	return atomicfile.WriteVolatile(l.path, kept)
}

// WriteFile replaces a file of the job whole. After a crash it has its old or its new content.
func (o *Owned) WriteFile(name string, data []byte) error {
	if err := isName(name); err != nil {
		return err
	}
	return o.jobs.live.Failed(atomicfile.Write(o.file(name), data, 0o644))
}

// isName returns INVALID_INPUT for what would not name a file in the folder of the job.
func isName(name string) error {
	if name != filepath.Base(name) || name == "." || name == ".." {
		return record.Errorf(record.InvalidInput, "%q is no name of a file", name)
	}
	return nil
}

// Private makes an empty folder in that of the job, for what only its executor is to read, and returns its path. Files
// in it of an earlier run are removed.
func (o *Owned) Private() (string, error) {
	dir := o.file(job.PrivateFiles)
	if err := disk.MakeFolder(o.file(""), dir); err != nil {
		return "", o.jobs.live.Failed(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", o.jobs.live.Failed(err)
	}
	for _, e := range entries {
		if err := disk.RemoveFile(filepath.Join(dir, e.Name())); err != nil && !e.IsDir() {
			return "", o.jobs.live.Failed(err)
		}
	}
	return dir, nil
}

// Part is a file of an artifact.
type Part struct {
	Name    string
	Bytes   int64
	Changed time.Time
	path    string
}

// Read returns the content of the file, at most so many bytes; IO for one that is longer.
func (p Part) Read(most int64) ([]byte, error) {
	return layout.ReadUpTo(p.path, most)
}

// Left returns the files of an artifact that a job has left so far, in their order.
func (j Jobs) Left(id string, a job.Artifact) (parts []Part) {
	for _, name := range a.Files {
		path := j.File(id, name)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			parts = append(parts, Part{name, info.Size(), info.ModTime(), path})
		}
	}
	return parts
}

// Artifact is Left, and returns ARTIFACT_MISSING if there is no file.
func (j Jobs) Artifact(one job.Job, a job.Artifact) ([]Part, error) {
	parts := j.Left(one.Spec.Job, a)
	if len(parts) == 0 {
		return nil, record.Errorf(record.ArtifactMissing, "%s has not left %s (%s)", one.Spec.Job, a.Name, one.Status.State).
			WithHint("%s shows what it has left", record.CallTo("job_poll", "job", one.Spec.Job).OnlyShown())
	}
	return parts, nil
}

// PR records the pull request of the job's branch: in pr.json, and then in its state. A job that has ended may get one
// too. After a crash between the two the file alone says it.
func (o *Owned) PR(pr job.PR) error {
	src, err := encode(pr)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(o.file(job.PRFile), src, 0o644); err != nil {
		return o.jobs.live.Failed(err)
	}
	return o.Change(func(s *job.Status) { s.PR = &pr })
}

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
	return t == job.EventState || t == job.EventSession || t == job.EventArtifact || t == job.EventSaid || t == job.EventError || t == job.EventEnd
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
