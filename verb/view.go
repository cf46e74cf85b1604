package verb

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
)

// Task is a task as every verb returns it. Lists are never null, and what is not set is left out.
type Task struct {
	Row
	Checks          []Check        `json:"checks"`
	Provenance      []Entry        `json:"provenance"`
	Body            string         `json:"body"`
	Rev             task.Rev       `json:"rev"`
	CreatedAt       *time.Time     `json:"created_at,omitempty"`
	Extra           map[string]any `json:"extra,omitempty"`
	Run             *RunReport     `json:"run,omitempty"`              // of the call that returned this
	BodyTruncated   bool           `json:"body_truncated,omitempty"`   // get with mode full has more
	BodyNextOffset  int            `json:"body_next_offset,omitempty"` // where get with part body goes on, if it is cut
	ProvenanceTotal int            `json:"provenance_total,omitempty"` // how many entries there are, if only the newest are here
	ChecksTotal     int            `json:"checks_total,omitempty"`     // how many checks there are, if only the first are here
	ExtraTotal      int            `json:"extra_total,omitempty"`      // how many unknown keys there are, if only the first are here
	Rest            string         `json:"rest,omitempty"`             // how to read what was cut
	Replayed        bool           `json:"replayed,omitempty"`         // the call was made before, under the same idempotency key
}

// Row is a task in a list.
type Row struct {
	ID          task.ID       `json:"id"`
	Title       string        `json:"title"`
	Status      task.Status   `json:"status"`
	Priority    task.Priority `json:"priority"`
	Labels      []string      `json:"labels"`
	Assignee    task.Actor    `json:"assignee,omitempty"`
	Parent      task.ID       `json:"parent,omitempty"`
	Deps        []task.ID     `json:"deps"`
	Ready       bool          `json:"ready"`
	BlockedBy   []task.ID     `json:"blocked_by"`
	Execution   string        `json:"execution,omitempty"` // active, stalled or awaiting_review
	Claim       *Claim        `json:"claim,omitempty"`
	Elsewhere   *Elsewhere    `json:"elsewhere,omitempty"`
	IsRunning   bool          `json:"is_running"`   // a session is at work on it
	IsReviewing bool          `json:"is_reviewing"` // it is in the review state
	IsBlocked   bool          `json:"is_blocked"`   // it is open and waits for others
	IsPending   bool          `json:"is_pending"`   // it could be started, and nobody has
	UpdatedAt   *time.Time    `json:"updated_at,omitempty"`

	LabelsTotal    int `json:"labels_total,omitempty"` // how many there are, if only the first are here; and so on
	DepsTotal      int `json:"deps_total,omitempty"`
	BlockedByTotal int `json:"blocked_by_total,omitempty"`
}

// Claim is who holds a task.
type Claim struct {
	Actor     task.Actor `json:"actor"`
	Session   string     `json:"session,omitempty"`
	Worktree  string     `json:"worktree,omitempty"`
	Branch    string     `json:"branch,omitempty"`
	Since     *time.Time `json:"since,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	Lapsed    bool       `json:"lapsed"` // it expired or its session stalled; takeover ends it
}

// Elsewhere is how far another branch or worktree of the clone has carried a task.
type Elsewhere struct {
	Status   task.Status `json:"status"`
	Branch   string      `json:"branch,omitempty"`
	Worktree string      `json:"worktree,omitempty"`
}

// Check is a check as declared, with the result that is recorded.
type Check struct {
	Desc    string      `json:"desc"`
	Cmd     string      `json:"cmd,omitempty"`
	Cwd     string      `json:"cwd,omitempty"`
	Type    string      `json:"type,omitempty"` // manual
	By      string      `json:"by,omitempty"`
	Timeout int         `json:"timeout,omitempty"` // seconds
	Result  task.Result `json:"result"`
}

// Entry is one line of provenance.
type Entry struct {
	Who      task.Actor   `json:"who"`
	At       time.Time    `json:"at"`
	Did      task.Did     `json:"did"`
	From     task.Status  `json:"from,omitempty"`
	To       task.Status  `json:"to,omitempty"`
	Assignee *task.Actor  `json:"assignee,omitempty"`
	Results  []EntryCheck `json:"results,omitempty"`
	Commit   string       `json:"commit,omitempty"`
	Tree     string       `json:"tree,omitempty"`
	Checks   []string     `json:"checks,omitzero"`
	Deps     string       `json:"deps,omitempty"`

	AddDeps    []task.ID `json:"add_deps,omitempty"`
	RemoveDeps []task.ID `json:"remove_deps,omitempty"`
	Fields     []string  `json:"fields,omitempty"`

	Session string `json:"session,omitempty"`
	Text    string `json:"text,omitempty"`
	Signed  string `json:"signed,omitempty"` // true, bad if the signature does not count, false if there should be one
}

// EntryCheck is the result of one check in an entry.
type EntryCheck struct {
	Check  string      `json:"check"`          // its key
	Desc   string      `json:"desc,omitempty"` // absent where the key says it, or the task no longer has that check
	Result task.Result `json:"result"`
}

// RunReport is what a run of checks showed.
type RunReport struct {
	Log         string     `json:"log,omitempty"` // of everything that was printed, from the workspace root
	Checks      []CheckRun `json:"checks"`
	TreeChanged []string   `json:"tree_changed,omitempty"` // files that changed during the run, five at most: its passes will not count later
}

// CheckRun is how one command ended.
type CheckRun struct {
	Check   int         `json:"check"` // index
	Desc    string      `json:"desc"`
	Result  task.Result `json:"result"`
	Summary string      `json:"summary"`          // e.g. "exit 1", "timed out after 120 s"
	Seconds float64     `json:"seconds"`          // it took
	Output  string      `json:"output,omitempty"` // the last of it, if the check failed
}

// View shows records to a caller: what their files say, and what follows from the time, from other records and from live state,
// which no file says.
type View struct {
	Store   *store.Store
	Bounded bool // what is long is cut
	now     time.Time
	reads   *SharedReads
	known   func(task.Ref) session.Live // what the clone knows of a record beside its file
	carried func(task.Ref) bool         // whether it may know of progress that the file lacks
}

// View is how the caller of this workspace sees records at this moment.
func (w *Workspace) View(s *store.Store) View {
	return View{Store: s, Bounded: w.Bounded, now: w.Now(), reads: w.Reads, known: s.Known, carried: func(task.Ref) bool { return true }}
}

// OfMany is the view for who shows many records: it lists what the clone knows first, and opens no file in vain.
func (v View) OfMany(ctx context.Context) View {
	v.known, v.carried = v.reads.KnownOf(ctx, v.Store)
	return v
}

// TaskByID reads a task and shows it.
func (v View) TaskByID(id task.ID) (Task, error) {
	t, err := record.Tasks.Get(v.Store, id)
	if err != nil {
		return Task{}, err
	}
	return v.Task(t), nil
}

// Task shows a task as verbs return it.
func (v View) Task(t task.Task) Task {
	out := v.WholeTask(t)
	if v.Bounded {
		out = out.Cut(Usual)
	}
	return out
}

// WholeTask shows a task with nothing cut.
func (v View) WholeTask(t task.Task) Task {
	out := Task{
		Row:        v.RowOfTask(t, record.Deps(v.Store, v.Store.Config.Flow)),
		Checks:     []Check{},
		Provenance: []Entry{},
		Body:       t.Body,
		Rev:        t.Rev,
		CreatedAt:  instant(t.Provenance.First().At),
		Extra:      t.Extra,
	}
	for _, c := range t.Checks {
		out.Checks = append(out.Checks, viewCheck(c))
	}
	descs := DescsOf(t)
	for n, e := range t.Provenance {
		view := ViewEntry(e, descs)
		view.Signed = signed(v.Store.Config.Flow, t, n)
		out.Provenance = append(out.Provenance, view)
	}
	return out
}

func viewCheck(c task.Check) Check {
	out := Check{Desc: c.Desc, Cmd: c.Cmd, Cwd: c.Cwd, By: c.By, Timeout: c.Timeout, Result: c.Result}
	if c.Manual() {
		out.Type = "manual"
	}
	return out
}

// ViewEntry shows an entry. Descs has the descriptions of the checks that it names; nil for a record without checks.
func ViewEntry(e task.Entry, descs Descs) Entry {
	out := Entry{
		Who: e.Who, At: e.At, Did: e.Did, From: e.From, To: e.To, Assignee: e.Assignee,
		Commit: e.Commit, Tree: e.Tree, Checks: e.Checks, Session: e.Session, Text: e.Text,
		Deps: e.Deps, AddDeps: e.AddDeps, RemoveDeps: e.RemoveDeps, Fields: e.Fields,
	}
	for _, r := range e.Results {
		out.Results = append(out.Results, EntryCheck{r.Check, descs.of(r.Check), r.Result})
	}
	return out
}

// signed says whether the signature of an entry counts; "" where none is there and none is needed.
func signed(flow task.Flow, t task.Task, n int) string {
	e := t.Provenance[n]
	switch {
	case e.Sig != "" && flow.Signature(t, n) == nil:
		return "true"
	case e.Sig != "":
		return "bad"
	case e.Did == task.Attested && slices.ContainsFunc(e.Results, func(r task.CheckResult) bool {
		return r.Result == task.Pass && slices.ContainsFunc(t.Checks, func(c task.Check) bool { return c.Key(t.ID) == r.Check && flow.MustSign(c) })
	}):
		return "false"
	default:
		return ""
	}
}

// Descs returns the descriptions of a task's checks, by the keys that entries name them with. They are collected when they are
// first needed.
type Descs func() map[string]string

// DescsOf are the descriptions of the checks of a task.
func DescsOf(t task.Task) Descs {
	return sync.OnceValue(func() map[string]string {
		by := make(map[string]string, len(t.Checks))
		for _, c := range slices.Backward(t.Checks) { // of equal ones the first
			by[c.Key(t.ID)] = c.Desc
		}
		return by
	})
}

// of is the description of the check with a key; "" if there is none, or the key is the description.
func (d Descs) of(key string) string {
	if d == nil {
		return ""
	}
	if desc := d()[key]; desc != key {
		return desc
	}
	return ""
}

// RowOfTask shows a task as a list does, with nothing cut. Find looks up what it depends on.
func (v View) RowOfTask(t task.Task, find task.Find) Row {
	r := record.Tasks.Row(t)
	return v.row(&r, v.Store.Config.Flow.BlockedBy(t, find), t.Header)
}

// RowOf shows a task as a list does.
func (v View) RowOf(t task.Task) Row {
	return v.CutRow(v.RowOfTask(t, record.Deps(v.Store, v.Store.Config.Flow)))
}

// WholeRow shows a task of a graph as a list does, with nothing cut.
func (v View) WholeRow(g *Graph, r *record.Row) Row {
	return v.row(r, g.BlockedBy(r), func() task.Header { return g.Header(r) })
}

// row shows a task, by its row, what it waits for, and its header, which is asked for only where the row does not say enough.
func (v View) row(t *record.Row, blockedBy []task.ID, header func() task.Header) Row {
	flow := v.Store.Config.Flow
	closed := flow.IsClosed(t.Status)
	r := Row{
		ID: task.ID(t.ID), Title: t.Title, Status: t.Status, Priority: t.Priority, Labels: NoNil(t.Labels),
		Assignee: t.Assignee, Parent: t.Parent, Deps: NoNil(t.Deps), BlockedBy: NoNil(blockedBy), UpdatedAt: secondsAt(t.Updated),
	}
	r.Ready = len(r.BlockedBy) == 0
	r.IsBlocked = !r.Ready && !closed
	r.IsReviewing = flow.Review != "" && t.Status == flow.Review
	live := v.known(r.ID.Ref())
	about := enough(t, live, header)
	if behind := session.IsBehind(about, live); behind.How == session.Behind {
		r.Elsewhere = &Elsewhere{behind.Status, behind.Branch, behind.Worktree}
	}
	if !closed {
		r.Claim = viewClaim(session.Holder(about, live, v.now))
		r.Execution = v.execution(about)
		r.IsRunning = r.Execution == string(session.Alive)
		r.IsPending = t.Status == flow.Initial && r.Ready && r.Claim == nil && r.Elsewhere == nil
	}
	return r
}

// enough is the header of a task as far as it is needed beside its live state: what its row says of it, or, if the clone knows of entries
// that the file may have or lack, the whole.
func enough(t *record.Row, live session.Live, whole func() task.Header) task.Header {
	if live.Next == nil && (live.State == nil || len(live.State.Progress) == 0) {
		return t.Header()
	}
	return whole()
}

// Holder is who holds a task of a graph.
func (v View) Holder(g *Graph, r *record.Row) session.Hold {
	live := v.known(task.ID(r.ID).Ref())
	if r.Assignee == "" && live.State == nil && live.Next == nil {
		return session.Hold{} // neither the file nor live state names anybody
	}
	return session.Holder(enough(r, live, func() task.Header { return g.Header(r) }), live, v.now)
}

// Row shows a task of a graph as a list does.
func (v View) Row(g *Graph, r *record.Row) Row { return v.CutRow(v.WholeRow(g, r)) }

// CutRow cuts a row for a caller whose context is small.
func (v View) CutRow(r Row) Row {
	if v.Bounded {
		return r.cut(Usual)
	}
	return r
}

// viewClaim shows who holds a task, also if the claim lapsed; nil if nobody does, or the file is behind and cannot say.
func viewClaim(h session.Hold) *Claim {
	if h.Actor == "" {
		return nil
	}
	return &Claim{
		Actor: h.Actor, Session: h.Session, Worktree: h.Worktree, Branch: h.Branch,
		Since: instant(h.Since), ExpiresAt: instant(h.Until), Lapsed: h.Lapsed,
	}
}

// execution is the health of the task's last session, as far as it says something about the task.
func (v View) execution(t task.Header) string {
	id := t.Log.LastSession()
	if id == "" {
		return ""
	}
	ses, err := record.Sessions.Get(v.Store, id)
	if err != nil {
		return ""
	}
	health := v.health(ses, t)
	if health == session.Ended {
		return ""
	}
	return string(health)
}

// Execution is the health of the last session of a task of a graph, as in its row; "" for a closed task.
func (v View) Execution(g *Graph, r *record.Row) string {
	if v.Store.Config.Flow.IsClosed(r.Status) {
		return ""
	}
	return v.execution(enough(r, v.known(task.ID(r.ID).Ref()), func() task.Header { return g.Header(r) }))
}

// Behind reports whether a task of a graph was carried further elsewhere in the clone.
func (v View) Behind(g *Graph, r *record.Row) bool {
	of := task.ID(r.ID).Ref()
	if !v.carried(of) {
		return false
	}
	live := v.known(of)
	return session.IsBehind(enough(r, live, func() task.Header { return g.Header(r) }), live).How == session.Behind
}

// health is the health of a session on a task. One whose claim ended in another worktree has ended, whatever its file says here.
func (v View) health(ses session.Session, t task.Header) session.Health {
	s := v.Store
	if ses.Status == session.Active && task.CodeOf(ses.Held(t, v.known(ses.Task.Ref()), s.Worktree)) == task.SessionEnded {
		return session.Ended
	}
	return ses.Health(t, s.Config.Flow.Review, s.Heartbeat(ses.ID), s.Config.StaleAfter, v.now)
}

func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Second)
	return &t
}

// secondsAt is a time of a row; nil for none.
func secondsAt(seconds int64) *time.Time {
	if seconds == 0 {
		return nil
	}
	t := time.Unix(seconds, 0).UTC()
	return &t
}

// NoNil is the list, or an empty one for nil, so that JSON has [] and not null.
func NoNil[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}
