package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/store"
	"github.com/mark3labs/mcp-go/mcp"
)

// jobVerb is the verb whose callers may read the resources of jobs.
const jobVerb = "job_poll"

// jobResources returns the status of a job, and the files that a job leaves.
func jobResources() []resource {
	out := []resource{{
		uri: job.StatusURI(idPart), name: "job_status", title: "The status of a job", verb: jobVerb, argument: "job", read: ofJob(statusOf),
		says: "Its state, with a version that grows with each change, and its times in milliseconds since 1970.",
	}}
	for _, file := range job.Artifacts {
		out = append(out, resource{
			uri: job.ArtifactURI(idPart, file.Name), name: "job_" + strings.ReplaceAll(file.Name, ".", "_"), title: file.Name + " of a job",
			says: "A file that a job leaves; ARTIFACT_MISSING until it is there.", verb: jobVerb, argument: "job", content: file.Type,
			read: ofJob(func(s *store.Store, one job.Job) (string, string, error) { return jobs.ArtifactText(s, one, file) }),
		})
	}
	return out
}

// jobStatus is the status of a job as a resource.
type jobStatus struct {
	State        job.State  `json:"state"`
	StateVersion int        `json:"stateVersion"`
	CreatedAt    int64      `json:"createdAt"` // times are in milliseconds since 1970
	StartedAt    int64      `json:"startedAt,omitempty"`
	FinishedAt   int64      `json:"finishedAt,omitempty"`
	DurationMS   int64      `json:"durationMs,omitempty"` // of one that has ended
	Attempt      int        `json:"attempt"`
	ReasonCode   job.Reason `json:"reasonCode,omitempty"`
	PR           *job.PR    `json:"pr,omitempty"`
}

// ofJob reads a resource of a job. It returns RESOURCE_NOT_FOUND if there is no such job, and ARTIFACT_MISSING if it has
// not left the file.
func ofJob(read func(*store.Store, job.Job) (text, state string, err error)) func(context.Context, *verb.Workspace, string) (reading, error) {
	return func(_ context.Context, w *verb.Workspace, id string) (reading, error) {
		at, err := w.Open()
		if err != nil {
			return reading{}, err
		}
		one, err := work.Jobs(at).Get(id)
		if record.CodeOf(err) == record.JobNotFound {
			err = record.Errorf(record.ResourceNotFound, "there is no job %s in this clone", verb.Head(id, 60)).WithHint("%s shows those there are", record.CallTo("job_list").OnlyShown())
		}
		if err != nil {
			return reading{}, err
		}
		text, state, err := read(at, one)
		return reading{text, state, one.Status.Version}, err
	}
}

func statusOf(_ *store.Store, one job.Job) (text, version string, err error) {
	s := one.Status
	out := jobStatus{
		State: s.State, StateVersion: s.Version, CreatedAt: millis(one.Spec.CreatedAt), StartedAt: millis(s.StartedAt), FinishedAt: millis(s.FinishedAt),
		Attempt: s.Attempt, ReasonCode: s.Reason, PR: s.PR,
	}
	if s.State.Final() {
		out.DurationMS = s.Duration(s.FinishedAt).Milliseconds()
	}
	src, err := encode(out)
	return string(src), fmt.Sprint(s.Version), err
}

func millis(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli()
}

// jobsNamed completes the id of a job, the newest first.
func (s *Server) jobsNamed(at *store.Store, part string) (*mcp.Completion, error) {
	all, err := work.Jobs(at).Peek()
	if err != nil {
		return nil, s.protocolError(err)
	}
	found := &mcp.Completion{}
	for _, one := range all {
		if !strings.Contains(one.Spec.Job, part) {
			continue
		}
		if found.Total++; len(found.Values) < completed {
			found.Values = append(found.Values, one.Spec.Job)
		}
	}
	found.HasMore = found.Total > len(found.Values)
	return found, nil
}
