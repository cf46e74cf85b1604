package verb

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// Wing is what the core asks of cairn's own work: jobs, work trees, reviews. Package internal/work imports the core and
// is imported by none of it, so it hands these functions over, by LinkWing.
type Wing struct {
	// Unmerged names the branch on which the work on a task lies, and reports whether the base lacks it.
	Unmerged func(context.Context, *Workspace, *store.Store, task.Task) (branch string, unmerged bool, err error)

	// Place finds where the newest record of a task lies. It returns NOT_FOUND if there is no such task anywhere.
	Place func(context.Context, *Workspace, record.ID) (Place, error)

	IsJob     func(id string) bool // whether a text has the form of the id of a job
	JobStates []record.Status
	Job       func(*store.Store, string) (Job, error)
	Jobs      func(*store.Store) ([]Job, error) // the newest first; one whose supervisor was killed is ended
	PeekJobs  func(*store.Store) ([]Job, error) // the same, and nothing is ended or written
}

// Place is where the newest record of a task lies, and what there is to review of the work on it.
type Place struct {
	W      *Workspace
	S      *store.Store
	Task   task.Task
	Review func(context.Context) (any, error) // nil for nothing
	Diff   func(context.Context) (string, error)
}

// Job is a job as the core knows it.
type Job struct {
	ID       string
	Task     record.ID
	Executor string
	State    record.Status
	Live     bool                    // it has not ended
	Row      any                     // what can change of it, for a wait
	Show     func(now time.Time) any // as its own verbs show it
}

var wing Wing

// LinkWing hands over what answers for cairn's own work. Package catalogue calls it before main begins, so that no
// verb is called without it.
func LinkWing(w Wing) { wing = w }

// OwnWork is what was handed over.
func OwnWork() Wing { return wing }
