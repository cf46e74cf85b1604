package mcpserver

import (
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/store"
)

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

// followJobs begins to tell clients of jobs that end, if the server was given the toolset of jobs and no client before
// them began it. It goes on until the last client is gone.
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
	s.newsStop = atEach(ticks, stop, func() { n.look(at, true) })
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

// look finds the jobs that have ended since the look before. All jobs are listed only after one has changed; else those
// are looked at that run, since a supervisor that was killed changes nothing.
func (n *jobNews) look(at *store.Store, tell bool) {
	for id := range n.live {
		_, _ = work.Jobs(at).Get(id)
	}
	version := work.Jobs(at).Version()
	if version == n.last && tell {
		return
	}
	all, err := work.Jobs(at).List()
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
