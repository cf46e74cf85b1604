package job

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Prefix is what stands before the dash of a job's id.
const Prefix = "job"

// ParseID accepts what may be the id of a job, which names its folder: job- and letters and digits. It returns
// INVALID_INPUT for anything else.
func ParseID(s string) (string, error) {
	token, ok := strings.CutPrefix(s, Prefix+"-")
	if _, err := record.ParseID(s); err != nil || !ok || !record.IsWord(token, "") {
		return "", record.Errorf(record.InvalidInput, "%q is not a job id", s).WithHint("an id looks like job-01j8x2k7q7f3az; %s lists them", record.CallTo("job_list"))
	}
	return s, nil
}

// State is where a job is in its life.
type State string

// The states. A job is created Queued, or Running if a slot was free. Succeeded, Failed, Canceled and Expired are
// final. Stale is not: the supervisor of the job is gone, and whoever noticed that ended what it had started; a retry
// lets the job go on. Waiting is neither: its program asked something, nothing of the job runs, and the answer lets it go
// on.
const (
	Queued    State = "QUEUED"
	Running   State = "RUNNING"
	Succeeded State = "SUCCEEDED"
	Failed    State = "FAILED"
	Canceled  State = "CANCELED"
	Expired   State = "EXPIRED"
	Stale     State = "STALE"
	Waiting   State = "WAITING"
)

// States is every state, in the order of a life.
var States = []State{Queued, Running, Succeeded, Failed, Canceled, Expired, Stale, Waiting}

// Final reports whether nothing can follow a state.
func (s State) Final() bool { return s == Succeeded || s == Failed || s == Canceled || s == Expired }

// Live reports whether a supervisor is to be at work.
func (s State) Live() bool { return s == Queued || s == Running }

var follow = map[State][]State{
	Queued:  {Running, Failed, Canceled, Expired, Stale},
	Running: {Succeeded, Failed, Canceled, Expired, Stale, Waiting},
	Waiting: {Queued, Failed, Canceled},
	Stale:   {Queued, Running, Failed, Canceled, Expired},
}

// MayBecome reports whether a job may go from one state to another.
func (s State) MayBecome(next State) bool { return slices.Contains(follow[s], next) }

// Phase says what a running job does.
type Phase string

// The phases of a running job.
const (
	Preparing  Phase = "preparing"   // the work tree is made and set up
	Working    Phase = "working"     // the executor works
	NeedsInput Phase = "needs_input" // the executor asked for something that nobody answers
	Checking   Phase = "checking"    // the checks of the task run
)

// Reason says why a job ended otherwise than by success.
type Reason string

// The reasons.
const (
	BadArtifacts    Reason = "BAD_ARTIFACTS"    // a patch was asked for, and the answer holds none
	Conflict        Reason = "CONFLICT"         // the patch does not apply
	Policy          Reason = "POLICY"           // it changed what it may not change
	ExecutorError   Reason = "EXECUTOR_ERROR"   // the executor failed, or ended without handing over
	Timeout         Reason = "TIMEOUT"          // the time limit
	InternalError   Reason = "INTERNAL_ERROR"   // cairn or the system failed
	Setup           Reason = "SETUP"            // the work tree could not be made or set up
	ChecksFailed    Reason = "CHECKS_FAILED"    // the checks failed in every round
	Stalled         Reason = "STALLED"          // no event for as long as the spec allows
	Budget          Reason = "BUDGET"           // it cost more than the spec allows
	ExecutorMissing Reason = "EXECUTOR_MISSING" // the program is not on this machine
	ClaimLost       Reason = "CLAIM_LOST"       // the git remote gave the task to another clone
)

// Status is what becomes of a job: the content of its state.json, which only its supervisor replaces, or whoever found
// that it has none.
type Status struct {
	State      State        `json:"state"`
	Version    int          `json:"version"` // grows by one with each change
	Phase      Phase        `json:"phase,omitempty"`
	Attempt    int          `json:"attempt"` // rounds begun, the first of them 1; 0 while queued
	Reason     Reason       `json:"reason,omitempty"`
	Message    string       `json:"message,omitempty"` // one line about the reason
	Summary    string       `json:"summary,omitempty"` // what the executor handed over, or what went wrong
	Actor      record.Actor `json:"actor,omitempty"`   // as whom the executor acts
	Session    string       `json:"session,omitempty"`
	Branch     string       `json:"branch,omitempty"`
	Worktree   string       `json:"worktree,omitempty"` // absolute path
	Base       string       `json:"base,omitempty"`     // branch from which the work started, and into which it goes
	BaseCommit string       `json:"base_commit,omitempty"`
	Head       string       `json:"head,omitempty"` // the last commit of the branch when the job ended
	Stalled    bool         `json:"stalled,omitempty"`
	Usage                   // of all runs
	ResumeID   string       `json:"resume_id,omitempty"`
	Counted    Usage        `json:"counted,omitzero"` // what the conversation ResumeID had used when a run of it ended, where its program counts that
	CreatedAt  time.Time    `json:"created_at"`
	StartedAt  time.Time    `json:"started_at,omitzero"`
	FinishedAt time.Time    `json:"finished_at,omitzero"`
	PR         *PR          `json:"pr,omitempty"`
	Disowned   []string     `json:"disowned,omitempty"`  // hashes of entries under the names of others that it was refused for
	Given      int          `json:"given,omitempty"`     // how many words that were said to the job its executor was given
	Heard      int          `json:"heard,omitempty"`     // how many of these in runs that came to their end; a run after a crash is given the others again
	Question   string       `json:"question,omitempty"`  // the handoff that its program asked, until it was given the answer
	Questions  int          `json:"questions,omitempty"` // how often it asked
	Process    int          `json:"process,omitempty"`   // of the supervisor, for people; the lock is the proof that it lives
}

// PR is a pull request of a job's branch.
type PR struct {
	URL    string `json:"url"`
	Number int    `json:"number"`
	Status string `json:"status"` // open, merged or closed
}

// CanceledBy is the message of a job that somebody canceled.
func CanceledBy(who record.Actor, reason string) string {
	message := "canceled by " + string(who)
	if reason != "" {
		message += ": " + reason
	}
	return message
}

// Duration is how long the job has been running, or ran.
func (s Status) Duration(now time.Time) time.Duration {
	switch {
	case s.StartedAt.IsZero():
		return 0
	case s.FinishedAt.IsZero():
		return now.Sub(s.StartedAt)
	default:
		return s.FinishedAt.Sub(s.StartedAt)
	}
}

// Job is a job with what was asked and what became of it.
type Job struct {
	Spec   Spec
	Status Status
}

// Before orders jobs that wait: the most urgent first, then the oldest, then by id.
func Before(a, b Spec) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Job, b.Job))
}

// Deadline is when a job is over its time to live: a queued one expires then, and a running one is ended as Timeout.
func (j Job) Deadline() time.Time { return j.Spec.CreatedAt.Add(j.Spec.TTL.Duration()) }

// EndOfRun is when a running job is ended as Timeout: the earlier of its time limit and its time to live.
func (j Job) EndOfRun() time.Time {
	end := j.Status.StartedAt.Add(j.Spec.Timeout.Duration())
	if d := j.Deadline(); d.Before(end) {
		return d
	}
	return end
}

// After how long an executor is started again.
const (
	firstBackoff = 10 * time.Second
	maxBackoff   = 5 * time.Minute
)

// Backoff is how long to wait before the executor is started again after its nth crash, or error that passes, the first
// being 1.
func Backoff(crash int) time.Duration {
	if crash > 5 {
		return maxBackoff
	}
	return min(firstBackoff<<(crash-1), maxBackoff)
}

// KeyStands reports whether an idempotency key still stands for a job: while it has not ended, and for a day after.
func (s Status) KeyStands(now time.Time) bool {
	return !s.State.Final() || now.Sub(s.FinishedAt) < WindowOfKeys
}
