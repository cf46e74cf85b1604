package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/cmd/render"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
)

// next says what can be typed when all jobs have ended.
func (l *labor) next() {
	failed, review := "", ""
	for _, j := range l.done {
		switch {
		case j.State == job.Succeeded && review == "":
			review = string(j.Task)
		case j.State != job.Succeeded && failed == "":
			failed = j.Job
		}
	}
	if len(l.done) == 0 {
		l.printf("no task is ready for a job; cairn list shows the tasks, and who works on them\n")
	}
	if review != "" {
		l.printf("cairn review show %s shows what there is to review\n", review)
	}
	if failed != "" {
		l.printf("cairn job show %s shows what became of it, cairn job retry %s tries it again\n", failed, failed)
	}
}

// left says which jobs live on when the command ends before them.
func (l *labor) left(err error) error {
	l.close()
	if len(l.running) > 0 && !l.json {
		var names []string
		for _, j := range l.running {
			names = append(names, j.Job)
		}
		how := "jobs live on"
		if len(names) == 1 {
			how = "job lives on"
		}
		l.printf("%d %s: %s\ncairn job list shows them, cairn job cancel JOB ends one\n", len(names), how, strings.Join(names, ", "))
	}
	return err
}

// say prints that a job became what it is: a line, on a terminal only for one that ended, since the others are shown
// live.
func (l *labor) say(j jobs.Job) {
	if l.json || l.live && j.State.Live() {
		return
	}
	l.clear()
	l.printf("%s\n", l.line(j))
}

// line is a job in one line.
func (l *labor) line(j jobs.Job) string {
	words := []string{string(j.Task), j.Job, string(j.State)}
	if j.Phase != "" && j.State.Live() {
		words = append(words, string(j.Phase))
	}
	if j.Attempt > 1 {
		words = append(words, fmt.Sprintf("round %d", j.Attempt))
	}
	if j.Reason != "" {
		words = append(words, string(j.Reason))
	}
	if text := render.FirstLine(strings.TrimSpace(j.Message)); text != "" && !j.State.Live() {
		words = append(words, text)
	}
	if l.live {
		words = append(words, (time.Duration(j.DurationMS) * time.Millisecond).Round(time.Second).String(), l.tried[j.Task])
	}
	return strings.Join(words, "  ")
}

// show draws the running jobs anew where they were drawn before.
func (l *labor) show() {
	if !l.live {
		return
	}
	l.clear()
	for _, j := range l.running {
		text := l.line(j)
		if width := l.width(); len(text) >= width {
			text = record.Clip(text, max(width-4, 1))
		}
		l.printf("%s\n", text)
	}
	l.shown = len(l.running)
}

// clear takes away what was drawn of running jobs.
func (l *labor) clear() {
	if l.shown > 0 {
		l.printf("%s", screen.Painted(fmt.Sprintf("\x1b[%dA\x1b[J", l.shown)))
		l.shown = 0
	}
}

// close ends the drawing.
func (l *labor) close() { l.shown = 0 }
