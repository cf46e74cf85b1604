package mcpserver

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/job"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/jobs"
	"github.com/mark3labs/mcp-go/mcp"
)

// jobVerb is the verb whose callers may read the resources of jobs.
const jobVerb = "job_poll"

// jobResources returns the status of a job, and the files that a job leaves.
func jobResources() []resource {
	out := []resource{{
		uri: job.StatusURI(idPart), name: "job_status", title: "The status of a job", verb: jobVerb, argument: "job", job: statusOf,
		says: "Its state, with a version that grows with each change, and its times in milliseconds since 1970.",
	}}
	for _, file := range job.Artifacts {
		out = append(out, resource{
			uri: job.ArtifactURI(idPart, file.Name), name: "job_" + strings.ReplaceAll(file.Name, ".", "_"), title: file.Name + " of a job",
			says: "A file that a job leaves; ARTIFACT_MISSING until it is there.", verb: jobVerb, argument: "job", content: file.Type,
			job: func(s *store.Store, one job.Job) (string, string, error) { return artifactOf(s, one, file) },
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

// readJob reads a resource of a job. It returns RESOURCE_NOT_FOUND if there is no such job, and ARTIFACT_MISSING if it has not left the file.
func (s *Server) readJob(r resource, id string) (text string, one job.Job, version string, err error) {
	if !s.offers(r.verb) {
		return "", one, "", s.w.Allow(s.tools[r.verb])
	}
	w := s.workspace()
	at, err := w.Open()
	if err != nil {
		return "", one, "", err
	}
	one, err = at.Jobs().Get(id)
	if task.CodeOf(err) == task.JobNotFound {
		err = task.Errorf(task.ResourceNotFound, "there is no job %s in this clone", verb.Head(id, 60)).WithHint("%s shows those there are", task.CallTo("job_list").OnlyShown())
	}
	if err != nil {
		return "", one, "", err
	}
	text, version, err = r.job(at, one)
	return text, one, version, err
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

const maxArtifact = 2 << 20 // bytes of one that are returned; its end is left out

// artifactOf is a file that a job left: one, or several behind one another, each with its name.
func artifactOf(s *store.Store, one job.Job, file job.Artifact) (text, version string, err error) {
	var out, stamp strings.Builder
	there := false
	for _, name := range file.Files {
		path := s.Jobs().File(one.Spec.Job, name)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		src, err := layout.ReadUpTo(path, 4*maxArtifact)
		if err != nil {
			return "", "", err
		}
		there = true
		fmt.Fprintf(&stamp, "%s %d %d ", name, info.Size(), info.ModTime().UnixNano())
		if len(file.Files) > 1 {
			fmt.Fprintf(&out, "==> %s <==\n", name)
		}
		_, _ = out.Write(src)
	}
	if !there {
		return "", "", task.Errorf(task.ArtifactMissing, "%s has not left %s (%s)", one.Spec.Job, file.Name, one.Status.State).
			WithHint("%s shows what it has left", task.CallTo("job_poll", "job", one.Spec.Job).OnlyShown())
	}
	text = strings.ToValidUTF8(out.String(), "\uFFFD")
	if len(text) > maxArtifact {
		text = fmt.Sprintf("%s\n[%d bytes more are in the folder of the job]\n", verb.Head(text, maxArtifact), len(text)-maxArtifact)
	}
	return text, stamp.String(), nil
}

// jobsNamed completes the id of a job, the newest first.
func jobsNamed(at *store.Store, part string) (*mcp.Completion, error) {
	all, err := at.Jobs().Peek()
	if err != nil {
		return nil, protocolError(err)
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

// stateOfJob is the state of a resource of a job, and the version of the job. One that is not there yet has a state too, so that a client can
// subscribe before the job has been started, or has left the file.
func (s *Server) stateOfJob(r resource, id string) (state string, version int, err error) {
	_, one, state, err := s.readJob(r, id)
	switch task.CodeOf(err) {
	case "", task.ArtifactMissing:
		return state, one.Status.Version, nil
	case task.ResourceNotFound:
		return "", 0, nil
	default:
		return "", 0, err
	}
}

// The notifications that a job has ended.
const (
	jobFinished = "notifications/job/finished"
	jobFailed   = "notifications/job/failed"
)

// jobNews tells every client once when a job of this workspace has ended.
type jobNews struct {
	server *Server
	told   map[string]bool // jobs of whose end nothing is to be told any more
	live   map[string]bool // jobs that had not ended at the last look
	last   string          // Jobs.Version of the last look
}

// followJobs begins to tell clients of jobs that end, if the server was given the toolset of jobs and no client before them began it. It goes on until
// the last client is gone.
func (s *Server) followJobs() {
	s.news.Lock()
	defer s.news.Unlock()
	if s.newsFor++; s.newsFor == 1 {
		s.startNews()
	}
}

// startNews begins to follow the jobs of the workspace that calls are about. The caller holds s.news.
func (s *Server) startNews() {
	if !slices.Contains(s.w.Toolsets, verb.Jobs) || !s.offers(jobVerb) {
		return
	}
	w := s.workspace()
	at, err := w.Open()
	if err != nil {
		return // outside a workspace there are no jobs
	}
	n := &jobNews{server: s, told: map[string]bool{}, live: map[string]bool{}}
	ticks, stop := s.w.Watcher.Watch(at.Layout)
	n.look(at, false)
	done := make(chan struct{})
	s.newsStop = func() { stop(); close(done) }
	go func() {
		for {
			select {
			case <-done:
				return
			case <-ticks:
				n.look(at, true)
			}
		}
	}()
}

func (s *Server) unfollowJobs() {
	s.news.Lock()
	defer s.news.Unlock()
	if s.newsFor--; s.newsFor == 0 {
		s.stopNews()
	}
}

// stopNews ends what startNews began. The caller holds s.news.
func (s *Server) stopNews() {
	if s.newsStop != nil {
		s.newsStop()
		s.newsStop = nil
	}
}

// moveNews follows the jobs of another workspace from now on, if a client is told of any.
func (s *Server) moveNews() {
	s.news.Lock()
	defer s.news.Unlock()
	if s.newsFor > 0 {
		s.stopNews()
		s.startNews()
	}
}

// look finds the jobs that have ended since the look before. All jobs are listed only after one has changed; else those are looked at that run, since a
// supervisor that was killed changes nothing.
func (n *jobNews) look(at *store.Store, tell bool) {
	for id := range n.live {
		_, _ = at.Jobs().Get(id)
	}
	version := at.Jobs().Version()
	if version == n.last && tell {
		return
	}
	all, err := at.Jobs().List()
	if err != nil {
		return
	}
	n.last = version
	clear(n.live)
	for _, one := range all {
		id, s := one.Spec.Job, one.Status
		if s.State.Live() {
			n.live[id] = true
		}
		if n.told[id] || !s.State.Final() {
			continue
		}
		n.told[id] = true
		if tell {
			n.tell(at, one)
		}
	}
}

// tell notifies every client of a job that has ended.
func (n *jobNews) tell(at *store.Store, one job.Job) {
	method, params := newsOf(at, one)
	n.server.sessions.Range(func(_, u any) bool {
		client := u.(*updates)
		_ = n.server.notify(client.ctx, one.Spec.Job, method, params())
		return true
	})
}

// newsOf is the notification that a job has ended. Each client gets params of its own.
func newsOf(at *store.Store, one job.Job) (method string, params func() map[string]any) {
	s := one.Status
	return map[bool]string{true: jobFinished, false: jobFailed}[s.State == job.Succeeded], func() map[string]any {
		out := map[string]any{"jobId": one.Spec.Job, "state": s.State, "summary": summaryOf(s), "stateVersion": s.Version, "attempt": s.Attempt}
		if s.State != job.Succeeded {
			if s.Reason != "" {
				out["reasonCode"] = s.Reason
			}
			return out
		}
		out["artifacts"] = artifactURIs(at, one)
		if !s.StartedAt.IsZero() {
			out["startedAt"], out["finishedAt"] = millis(s.StartedAt), millis(s.FinishedAt)
			out["durationMs"] = s.Duration(s.FinishedAt).Milliseconds()
		}
		return out
	}
}

func summaryOf(s job.Status) string {
	if s.Summary == "" {
		return s.Message
	}
	return s.Summary
}

// artifactURIs are the URIs of the files that a job has left, by their names without extension.
func artifactURIs(at *store.Store, one job.Job) map[string]any {
	out := map[string]any{}
	for _, a := range jobs.View(at, one, time.Time{}).Artifacts {
		name, _, _ := strings.Cut(a.Name, ".")
		out[name] = a.URI
	}
	return out
}
