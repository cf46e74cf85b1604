package activity

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

const tasksShown = 20

type readFunc func(context.Context) (snapshot, error)

// reader returns how a wait reads what it watches. Records of every kind are watched by their id. It returns the errors
// of valid, and those of states and filters that there are not.
func reader(w *verb.Workspace, s *store.Store, in WaitIn) (readFunc, error) {
	if err := in.valid(); err != nil {
		return nil, err
	}
	k := kind.Tasks.Kind
	if in.ID != "" {
		k, _, _ = kind.Find(w.Reads.Of(s), string(in.ID)) // one that is not there is the first read's to report
	}
	states := s.Config.Flow
	switch {
	case in.Job != "":
		states = task.Flow{Lifecycle: task.Lifecycle{States: verb.OwnWork().JobStates}}
	case k == kind.Tasks.Kind:
	case k.States == nil && len(in.WaitForStatus) > 0:
		return nil, badWait("a %s is in none of the states that wait_for_status names", k.Name).WithHint("leave it out to wait for any change")
	default:
		states = task.Flow{Lifecycle: task.Lifecycle{States: k.States}}
	}
	for _, status := range in.WaitForStatus {
		if err := states.Known(status); err != nil {
			return nil, err
		}
	}
	if k == kind.Sessions.Kind {
		in.Session = verb.SessionID(in.ID)
	}
	switch {
	case in.Session != "":
		return func(context.Context) (snapshot, error) { return watchSession(w, s, in) }, nil
	case in.Job != "":
		return func(context.Context) (snapshot, error) { return watchJob(w, s, in) }, nil
	case k != kind.Tasks.Kind:
		return func(context.Context) (snapshot, error) { return watchRecord(w, s, k, in) }, nil
	case in.ID != "":
		return func(context.Context) (snapshot, error) { return watchTask(w, s, in) }, nil
	default:
		many, err := watchMany(w, s, in)
		if err != nil {
			return nil, err
		}
		return many.read, nil
	}
}

// valid returns INVALID_PARAMS for an input that names more than one thing, or has a cursor that wait never returned.
func (in WaitIn) valid() error {
	filters := in.Ready || in.Status != "" || in.Assignee != nil || in.Label != "" || in.Parent != ""
	named := 0
	for _, given := range []bool{in.ID != "", in.Session != "", in.Job != "", filters} {
		if given {
			named++
		}
	}
	switch {
	case named > 1:
		return badWait("watches one thing: a task, a session, a job, or the tasks that fit filters").
			WithHint("give id, or session, or job, or one or more of ready, status, assignee, label and parent")
	case len(in.WaitForStatus) > 0 && in.ID == "" && in.Job == "":
		return badWait("wait_for_status is about one task, or one job").WithHint("give its id; to watch all tasks in a state use status")
	case in.Cursor != "" && !cursorForm().MatchString(in.Cursor) && (in.ID == "" || timeOf(in.Cursor).IsZero()):
		return badWait("the cursor is not one that wait returned").WithHint("leave it out to wait from now on; of one record it can be a time too, such as its updated_at")
	default:
		return nil
	}
}

func badWait(format string, args ...any) *record.Error {
	return record.Errorf(record.InvalidParams, format, args...)
}

// watchOne is a snapshot of one record. Its stamp has its revision, so that every write of its file is a change.
func watchOne(kind, id string, rev record.Rev, value any, log record.Log) snapshot {
	rows := []*row{{id: id, stamp: string(rev) + " " + string(jsonOf(value)), value: func() any { return value }}}
	return snapshot{
		rows: rows, exists: func(string) bool { return true }, log: log, cursor: cursorOf(kind, rows, len(log)),
	}
}

// links are those of a task as cursors have always had them.
type links struct{ DiscoveredFrom, Duplicates, Related []record.ID }

// taskRow is what can change of a task: what its file says, and what it waits for.
type taskRow struct {
	Status    record.Status `json:"status"`
	Assignee  record.Actor  `json:"assignee"`
	BlockedBy []record.ID   `json:"blocked_by"`
	Title     string        `json:"title"`
	Priority  task.Priority `json:"priority"`
	Due       task.Due      `json:"due"`
	Mode      task.Mode     `json:"mode"`
	Repo      string        `json:"repo"`
	task.Optional
	Links  links             `json:"links"`
	Own    map[string]string `json:"own"` // keys of the user's own
	Labels []string          `json:"labels"`
	Parent record.ID         `json:"parent"`
	Deps   []record.ID       `json:"deps"`
	Checks []string          `json:"checks"` // each with its result
	Body   string            `json:"body"`
}

// rowOf is what can change of one of many tasks. Of its body it says only whether it changed.
func rowOf(r *kind.Row, blockedBy []record.ID) taskRow {
	return taskRow{
		Status: r.Status, Assignee: r.Assignee, BlockedBy: blockedBy, Title: r.Title, Priority: r.Priority, Due: task.Due(r.Fact(kind.DueFact)),
		Mode: task.Mode(r.Fact(kind.ModeFact)), Repo: r.Fact(kind.RepoFact), Labels: r.Labels,
		Optional: task.OptionalOf(r.OwnValue), Links: links(r.Links()), Own: task.WithoutOptional(r.OwnValues()),
		Parent: r.Parent, Deps: r.Deps, Checks: r.Checks, Body: kind.AsDigest(r.Body),
	}
}

// heldTaskRow is what can change of a task that is watched alone. Heartbeats change none of it.
type heldTaskRow struct {
	taskRow
	Claim     record.Actor  `json:"claim"`
	Session   string        `json:"session"`
	Worktree  string        `json:"worktree"`
	Elsewhere record.Status `json:"elsewhere"`
	Clone     string        `json:"clone"`
	Lost      bool          `json:"lost"`
}

func watchTask(w *verb.Workspace, s *store.Store, in WaitIn) (snapshot, error) {
	w, s = w.Follow(s, in)
	t, live, err := readWithLive(w, s, record.ID(in.ID))
	if err != nil {
		return snapshot{}, err
	}
	live = live.Seen(t.Header()) // without what a write under way has recorded, until its entry is in the file
	hold, of := session.Holder(t.Header(), live, w.Now()), kind.Tasks.Row(t)
	value := heldTaskRow{
		rowOf(&of, s.Config.Flow.BlockedBy(t, w.Reads.Find(s))), hold.Actor, hold.Session, hold.Worktree,
		session.IsBehind(t.Header(), live).Status, hold.Clone, hold.LostTo != nil || hold.Overruled != nil,
	}
	value.Body = t.Body
	out := watchOne("task", string(t.ID), t.Rev, value, t.Provenance)
	yielded := hold.Overruled != nil && hold.Overruled.Actor == w.Actor()
	out.lost = yielded || hold.LostTo != nil && hold.Mine(w.Actor(), s.Worktree)
	out.descs, out.met = verb.DescsOf(t), slices.Contains(in.WaitForStatus, t.Status)
	out.answer = sync.OnceValue(func() Waited { row := w.View(s).RowOf(t); return Waited{Task: &row} })
	return out, nil
}

// readWithLive reads a task and its live state as they were at one moment: a write changes one after the other.
func readWithLive(w *verb.Workspace, s *store.Store, id record.ID) (t task.Task, live session.Live, err error) {
	for range 10 { // one that is written without a pause is read again at the next tick
		before := s.Known(id.Ref())
		t, err = w.Reads.Get(s, id)
		live = s.Known(id.Ref())
		if err != nil || reflect.DeepEqual(before, live) {
			break
		}
	}
	return t, live, err
}

// sessionRow is what can change of a session. A heartbeat is a change.
type sessionRow struct {
	Status      session.Status `json:"status"`
	Health      session.Health `json:"health"`
	Progress    string         `json:"progress"`
	HeartbeatAt *time.Time     `json:"heartbeat_at"`
	Summary     string         `json:"summary"`
	Reason      string         `json:"reason"`
	Head        string         `json:"head"`
	EndedAt     *time.Time     `json:"ended_at"`
}

func watchSession(w *verb.Workspace, s *store.Store, in WaitIn) (snapshot, error) {
	ses, err := w.View(s).SessionByID(string(in.Session))
	if err != nil {
		return snapshot{}, err
	}
	value := sessionRow{ses.Status, ses.Health, ses.Progress, ses.HeartbeatAt, ses.Summary, ses.Reason, ses.Head, ses.EndedAt}
	out := watchOne("session", ses.ID, "", value, nil)
	out.answer = func() Waited { return Waited{Session: &ses} }
	return out, nil
}

func watchJob(w *verb.Workspace, s *store.Store, in WaitIn) (snapshot, error) {
	one, err := verb.OwnWork().Job(s, in.Job)
	if err != nil {
		return snapshot{}, err
	}
	out := watchOne("job", in.Job, "", one.Row, nil)
	out.met = slices.Contains(in.WaitForStatus, one.State)
	out.answer = sync.OnceValue(func() Waited { return Waited{Job: one.Show(w.Now())} })
	return out, nil
}

type recordRow struct {
	Status record.Status  `json:"status"`
	Title  string         `json:"title"`
	Labels []string       `json:"labels"`
	Fields map[string]any `json:"fields"`
	Body   string         `json:"body"`
}

func watchRecord(w *verb.Workspace, s *store.Store, k *kind.Kind, in WaitIn) (snapshot, error) {
	doc, v, err := s.Document(k, string(in.ID))
	if err != nil {
		return snapshot{}, err
	}
	h := k.Header(v)
	out := watchOne(k.Name, h.Ref.ID, h.Rev, recordRow{h.Status, h.Title, h.Labels, kind.Fields(doc), string(doc.Body())}, h.Log)
	out.met = slices.Contains(in.WaitForStatus, h.Status)
	out.answer = sync.OnceValue(func() Waited { r := w.View(s).Record(k, doc, v, verb.Usual); return Waited{Record: &r} })
	return out, nil
}
