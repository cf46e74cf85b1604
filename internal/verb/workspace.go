package verb

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/progress"
	"github.com/cairn-tasks/cairn/task"
)

// Workspace is what a verb is called on: a folder, who acts in it and with what rights, and what the calls of a process
// share. Front-ends make one for each call. Nothing is opened before a verb needs it, so that identity answers
// anywhere.
type Workspace struct {
	Dir       string              // the workspace is the nearest at or above it
	StateDir  string              // the user's folder, for what must not be kept in a repository
	ConfigDir string              // the user's folder of settings, which holds their own skills; "" for none
	Actor     func() record.Actor // who acts; fixed by the front-end, never an argument. A verb that only reads need not ask
	Fresh     bool                // every look reads every file, and uses nothing that was kept of an earlier one
	Client    string              // the program that speaks for the actor, if it said
	Session   string              // under which the actor is at work, so that every entry names it; "" for none
	Version   string              // of cairn
	Rights                        // what the actor may do
	Bounded   bool                // answers go into an agent's context, so what is long is cut and says so
	Now       func() time.Time
	Rand      io.Reader
	Progress  func(Progress) // is called with how far a long call has come, by several goroutines; nil if nobody wants to know
	Output    io.Writer      // gets what commands print while they print it; nil if nobody wants to see it
	Patience  time.Duration  // how long a caller without Progress waits for an answer; 0 for as long as it takes
	Watcher   Watcher        // shared by the calls of a process; nil for one of its own
	Reads     *SharedReads   // shared by the calls of a process; nil where there is one call alone
	Signer    *sshsign.Tool  // with which the actor signs what attest records; nil for no signature

	// Confirm asks the person who acts to confirm what only a person may do. It is called outside of all locks, and
	// returns nil once they have confirmed it, else why it is not done. Where it is nil, everything that only a person may
	// do is refused.
	Confirm func(context.Context, []task.Ask) error

	// Approve shows commands to the person who acts, asks them once whether these may run on this machine, and reports
	// their answer. Nil where there is nobody to ask.
	Approve func(context.Context, []store.Command) (bool, error)

	// Pipeline says that the pipeline of a CI has the command in its own text, which is the consent to what it runs here.
	Pipeline bool

	// Handed says that what is written comes from a file that the caller hands over, and that somebody else may have made.
	Handed bool

	// MayAct returns why this process may not write as an actor: it is a part of a job, and that acts as another. Nil
	// where any may.
	MayAct func(record.Actor) error

	ForAgents bool // what is ready is asked for agents in work trees of their own, whoever asks
	Queued    bool // and a task whose job waits for a slot is at work

	Executor string // the executor of the job for which the call is made, and Job its id, so that a session that begins says so; "" for none
	Job      string
	Boxed    bool // the program of that job runs in a sandbox

	// Supervise starts the supervisor of a job that was created in a workspace, this one as it is by then, in a process
	// that outlives this one, and returns once that process has said that it runs. Nil where no process can be started, as
	// in a program that embeds cairn.
	Supervise func(ctx context.Context, w *Workspace, job string) error

	// Switch makes the calls that follow ones about another workspace, by its root. Nil where the caller cannot go
	// elsewhere.
	Switch func(root string) error

	Idempotency Idempotency // of the call under way; Verb.Call sets it
	followed    followed    // the record that the call under way followed to another worktree; zero for none
	confirmed   []task.Ask  // what the person has confirmed of the call under way
}

// As is the actor of a front-end that knows who acts.
func As(who record.Actor) func() record.Actor { return func() record.Actor { return who } }

// Open opens the store that the verbs of this workspace work on. It returns NO_WORKSPACE if there is none.
func (w *Workspace) Open() (*store.Store, error) {
	s, err := store.Open(w.Dir, w.StateDir)
	if err == nil && w.Fresh {
		s = s.Fresh()
	}
	if err == nil && w.Pipeline {
		s = s.InPipeline()
	}
	return s, err
}

// Nobody is the refusal of what somebody has to do, where nobody is named.
func Nobody() error {
	return record.Errorf(record.InvalidInput, "nobody is named who does this").
		WithHint("git config --global user.name 'Ada Lovelace' says who you are")
}

// Stamp is what the entries of this call say.
func (w *Workspace) Stamp(text string) record.Stamp {
	return record.Stamp{Who: w.Actor(), At: w.Now(), Text: text, Session: w.Session, Key: w.Idempotency.stamp()}
}

// sessionKnown returns INVALID_INPUT if the session under which a write is to be made is not known here: neither among
// the files nor, because it began in another worktree, to the clone. It may be somebody else's, whose program started
// this one, and it may be over.
func sessionKnown(w *Workspace, s *store.Store) error {
	if w.Session == "" {
		return nil
	}
	if _, err := session.ParseID(w.Session); err == nil {
		if _, err = kind.Sessions.Get(s, w.Session); record.CodeOf(err) != record.NotFound || s.Heartbeat(w.Session) != nil {
			return nil
		}
	}
	return record.Errorf(record.InvalidInput, "works under the session %q, and there is none here", Head(w.Session, 100)).
		WithHint("take CAIRN_SESSION out of the environment, or set it to a session that %s shows", record.CallTo("list_sessions"))
}

// ActorNamed reads an actor in an input: "me" and "@me" are who acts, "unassigned" and "" nobody.
func (w *Workspace) ActorNamed(s string) (record.Actor, error) {
	switch {
	case IsMe(s):
		return w.Actor(), nil
	case s == "", s == "unassigned":
		return "", nil
	default:
		return record.ParseActor(s)
	}
}

// MayWeaken reports whether the caller may take checks away.
func (w *Workspace) MayWeaken() bool { return w.Actor().Human() || w.Profile >= Maintainer }

// At is the workspace for calls about another folder of the clone. What the calls of a process share is about the
// caller's own folder, and stays there.
func (w *Workspace) At(dir string) *Workspace {
	there := *w
	there.Dir, there.Reads, there.Watcher = dir, nil, nil
	return &there
}

// InNameOf is the workspace for what cairn itself does as another actor, such as the agent that it starts: under no key
// and no session, with nothing that the caller alone can sign or confirm.
func (w *Workspace) InNameOf(who record.Actor) *Workspace {
	other := w.WithoutKey()
	other.Actor, other.Session, other.Confirm, other.Approve, other.Signer = As(who), "", nil, nil, nil
	return other
}

// WithoutKey is the workspace for writes that belong to no call, such as the heartbeats beside a run.
func (w *Workspace) WithoutKey() *Workspace {
	free := *w
	free.Idempotency = Idempotency{}
	return &free
}

// ErrEndOfInput is the cause of a context that ended because the server that made the call is coming to its end. A verb
// that waits answers with what it knows by then.
var ErrEndOfInput = errors.New("the input ended")

// Progress is how far a call has come. A verb whose work has many parts counts them with progress.Start, by its
// context.
type Progress = progress.Report

// Wing is what the core asks of cairn's own work: jobs, work trees, reviews. Package internal/work imports the core and
// is imported by none of it, so it hands these functions over, by LinkWing.
type Wing struct {
	// Unmerged names the branch on which the work on a task lies, and reports whether the base lacks it.
	Unmerged func(context.Context, *Workspace, *store.Store, task.Task) (branch string, unmerged bool, err error)

	// FilesIn is the top of the work tree in another repository that was made for a task; "" for none.
	FilesIn func(*store.Store, task.Task) string

	// GoesInto is the branch that the work on a task goes into, by its short name; "" where none is named.
	GoesInto func(*store.Store, task.Task) string

	// Throwaway makes a work tree of the repository in which a task has its files, and removes it when use returns. use gets
	// its top, and the folder in it in which commands run.
	Throwaway func(ctx context.Context, s *store.Store, files store.Files, what Throwaway, use func(top, root string) error) error

	// Sweep removes the throw-away work trees that killed processes left, as far as it can now.
	Sweep func(context.Context, *store.Store)

	// PutFile gives a path below a folder a content, with git's mode of it; with the mode "" it takes away what is there.
	PutFile func(top, path, mode, content string) error

	// Place finds where the newest record of a task lies. It returns NOT_FOUND if there is no such task anywhere.
	Place func(context.Context, *Workspace, record.ID) (Place, error)

	// Conflicts are those among the branches of the clone as far as they are known, and with try of a few more pairs.
	Conflicts func(ctx context.Context, w *Workspace, s *store.Store, g *Graph, try bool) []Conflict

	IsJob     func(id string) bool // whether a text has the form of the id of a job
	JobStates []record.Status
	Job       func(*store.Store, string) (Job, error)
	Jobs      func(*store.Store) ([]Job, error) // the newest first; one whose supervisor was killed is ended
	PeekJobs  func(*store.Store) ([]Job, error) // the same, and nothing is ended or written

	// Wake has the jobs go on whose questions have an answer by now, in processes of their own.
	Wake func(context.Context, *Workspace, *store.Store)

	// Parked are the newest branches with given up work of tasks, by those that have no work tree.
	Parked func(*store.Store) map[record.ID]string
}

// Throwaway is what a throw-away work tree has.
type Throwaway struct {
	For    string   // what it is for; of one purpose there is one at a time
	Commit string   // whose files it has; "" for those that are there now, committed or not
	Links  []string // folders that git ignores, by their paths from the top, to which it has links
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
	By       record.Actor // who asked for it
	Actor    record.Actor // as whom the executor acts; "" before it does
	Session  string       // under which it acted last
	Ended    time.Time    // or was created, if it has not
	State    record.Status
	Live     bool                    // it has not ended
	Stalled  bool                    // it is silent for long
	Used     string                  // tokens and what they cost, in words, as its program told; "" for nothing
	Why      string                  // why it ended otherwise than by success, or stopped; "" for one that did not
	Retry    func() string           // the command that leads on from there
	Row      any                     // what can change of it, for a wait
	Show     func(now time.Time) any // as its own verbs show it
}

var wing Wing

// LinkWing hands over what answers for cairn's own work. Package catalogue calls it before main begins, so that no
// verb is called without it.
func LinkWing(w Wing) { wing = w }

// OwnWork is what was handed over.
func OwnWork() Wing { return wing }
