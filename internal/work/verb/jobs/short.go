package jobs

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/problem"
)

// ShortJob is a job for a caller whose context is small: how it stands, and what follows.
type ShortJob struct {
	Job           string         `json:"job"`
	Task          record.ID      `json:"task"`
	Executor      string         `json:"executor"`
	State         job.State      `json:"state"`
	Phase         job.Phase      `json:"phase,omitempty"`
	Attempt       int            `json:"attempt,omitempty"`
	Reason        job.Reason     `json:"reason,omitempty"`
	Message       string         `json:"message,omitempty"`
	Question      string         `json:"question,omitempty"`
	Stalled       bool           `json:"stalled,omitempty"`
	Branch        string         `json:"branch,omitempty"`
	DurationMS    int64          `json:"duration_ms,omitempty"`
	Summary       string         `json:"summary,omitempty"`
	PR            *job.PR        `json:"pr,omitempty"`
	Code          string         `json:"code,omitempty"`
	NextTool      string         `json:"next_tool,omitempty"`
	NextArguments map[string]any `json:"next_arguments,omitempty"`
	Replayed      bool           `json:"replayed,omitempty"`
}

type shortPoll struct {
	ShortJob
	Events     []job.Event `json:"events,omitzero"`
	Total      *int        `json:"total,omitempty"`
	NextOffset *int        `json:"next_offset,omitempty"`
	TimedOut   bool        `json:"timed_out,omitempty"`
}

type shortList struct {
	Items    []ShortJob        `json:"items"`
	Total    int               `json:"total"`
	HasMore  bool              `json:"has_more,omitempty"`
	Problems []problem.Problem `json:"problems,omitempty"`
}

// Short says of a job how it stands, and what follows.
func (j Job) Short(verb.Verb) any {
	short := j.short()
	short.Message = verb.Head(short.Message, messageShown)
	return short
}

const messageShown = 200 // bytes, of a job that was not read by itself

// Short has the events that were asked for, and of the job how it stands.
func (p Polled) Short(verb.Verb) any {
	return shortPoll{p.short(), p.Events, p.Total, p.NextOffset, p.TimedOut}
}

// Short has slim rows.
func (l Listed) Short(verb.Verb) any {
	rows := verb.NoNil(record.Each(l.Items, func(j Job) ShortJob {
		row := j.short()
		row.NextTool, row.NextArguments = "", nil
		row.Summary = verb.Head(row.Summary, messageShown)
		return row
	}))
	return shortList{rows, l.Total, l.HasMore, l.Problems}
}

func (j Job) short() ShortJob {
	return ShortJob{
		Job: j.Job, Task: j.Task, Executor: j.Executor, State: j.State, Phase: j.Phase, Attempt: j.Attempt, Reason: j.Reason,
		Message: j.Message, Question: j.Question, Stalled: j.Stalled, Branch: j.Branch, DurationMS: j.DurationMS, Summary: j.Summary, PR: j.PR,
		Code: j.Code, NextTool: j.NextTool, NextArguments: j.NextArguments, Replayed: j.Replayed,
	}
}
