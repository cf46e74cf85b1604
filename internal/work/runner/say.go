package runner

import (
	"strings"

	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
)

// unheard is what was said to the job and no run of the executor has heard to its end. What cannot be read is said by
// nobody: it is a note of the task too.
func (r *run) unheard() []jobs.Word {
	words, err := r.owned.Unheard()
	if err != nil {
		r.note(err)
	}
	return words
}

// gave records that the executor is given words, which are the unheard ones.
func (r *run) gave(words []jobs.Word) error {
	given := r.owned.Job().Status.Heard + len(words)
	if given == r.owned.Job().Status.Given {
		return nil
	}
	for _, w := range words {
		_ = r.owned.Event(job.Event{Type: job.EventSaid, Text: string(w.By) + ": " + w.Text})
	}
	return r.owned.Change(func(s *job.Status) { s.Given = given })
}

// tell gives the executor the words that it was not given yet, while it works. They are recorded once it has them: after
// a cut they are given again.
func (r *run) tell(send func(text string) bool) {
	words := r.unheard()
	given := r.owned.Job().Status.Given - r.owned.Job().Status.Heard
	for n := given; n < len(words); n++ {
		b := &page{}
		b.said(words[n : n+1])
		if !send(b.String()) {
			return
		}
		_ = r.owned.Event(job.Event{Type: job.EventSaid, Text: string(words[n].By) + ": " + words[n].Text})
		if err := r.owned.Change(func(s *job.Status) { s.Given = s.Heard + n + 1 }); err != nil {
			r.note(err)
			return
		}
	}
}

// heard records that a run that was given words came to its end, without having taken so many of the last ones.
func (r *run) heard(missed int) error {
	if s := r.owned.Job().Status; s.Heard == s.Given {
		return nil
	}
	return r.owned.Change(func(s *job.Status) {
		s.Given = max(s.Given-missed, s.Heard)
		s.Heard = s.Given
	})
}

func (b *page) said(words []jobs.Word) {
	if len(words) == 0 {
		return
	}
	b.add("## Said to you\n\nThis came while the job was under way, and counts for the work:\n")
	for _, w := range words {
		b.list("", []string{string(w.By) + ": " + strings.ReplaceAll(strings.TrimSpace(w.Text), "\n", "\n  ")})
	}
}
