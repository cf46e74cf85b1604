package mcpserver

import (
	"cmp"
	"slices"
	"strings"
	"sync"
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

// jobNews tells every client once when a job of the workspace has ended, for as long as there are clients.
type jobNews struct {
	*Server

	mu      sync.Mutex // protects the two below
	clients int
	stop    func() // ends the watch; nil if nobody is told
}

// jobEnds finds the jobs of one workspace that have ended.
type jobEnds struct {
	*Server
	told map[string]bool // jobs of whose end nothing is to be told any more
	live map[string]bool // jobs that had not ended at the last look
	last string          // Jobs.Version of the last look
}

// follow begins to tell a client of jobs that end, if the server was given the toolset of jobs.
func (n *jobNews) follow() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.clients++; n.clients == 1 {
		n.begin()
	}
}

// unfollow ends what follow began.
func (n *jobNews) unfollow() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.clients--; n.clients == 0 {
		n.end()
	}
}

// move follows the jobs of another workspace from now on, if a client is told of any.
func (n *jobNews) move() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.clients > 0 {
		n.end()
		n.begin()
	}
}

// begin watches the workspace that calls are about. Outside a workspace there are no jobs.
func (n *jobNews) begin() {
	if !slices.Contains(n.w.Toolsets, verb.Jobs) || !n.offers(jobVerb) {
		return
	}
	w := n.workspace()
	at, err := w.Open()
	if err != nil {
		return
	}
	ends := &jobEnds{Server: n.Server, told: map[string]bool{}, live: map[string]bool{}}
	ticks, stop := n.w.Watcher.Watch(at.Layout)
	ends.look(at, false)
	n.stop = atEach(ticks, stop, func() { ends.look(at, true) })
}

func (n *jobNews) end() {
	if n.stop != nil {
		n.stop()
		n.stop = nil
	}
}

// look finds the jobs that have ended since the look before. All jobs are listed only after one has changed; else those
// are looked at that run, since a supervisor that was killed changes nothing.
func (n *jobEnds) look(at *store.Store, tell bool) {
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

// tell notifies every client of a job that has ended. Each gets params of its own.
func (n *jobEnds) tell(at *store.Store, one job.Job) {
	method := map[bool]string{true: jobFinished, false: jobFailed}[one.Status.State == job.Succeeded]
	n.sessions.Range(func(_, u any) bool {
		client := u.(*updates)
		_ = n.notify(client.ctx, one.Spec.Job, method, newsOf(at, one))
		return true
	})
}

// newsOf is what a client is told of a job that has ended, with the URIs of the files that it left by their names
// without extension.
func newsOf(at *store.Store, one job.Job) map[string]any {
	s := one.Status
	out := map[string]any{
		"jobId": one.Spec.Job, "state": s.State, "summary": cmp.Or(s.Summary, s.Message), "stateVersion": s.Version, "attempt": s.Attempt,
	}
	if s.State != job.Succeeded {
		if s.Reason != "" {
			out["reasonCode"] = s.Reason
		}
		return out
	}
	if !s.StartedAt.IsZero() {
		out["startedAt"], out["finishedAt"] = millis(s.StartedAt), millis(s.FinishedAt)
		out["durationMs"] = s.Duration(s.FinishedAt).Milliseconds()
	}
	files := map[string]any{}
	for _, a := range jobs.View(at, one, time.Time{}).Artifacts {
		name, _, _ := strings.Cut(a.Name, ".")
		files[name] = a.URI
	}
	out["artifacts"] = files
	return out
}
