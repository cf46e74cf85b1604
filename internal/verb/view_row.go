package verb

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Row is a task in a list. What is false, empty or unknown is left out of its JSON, and a row in a list is lean too;
// see lean.
type Row struct {
	ID       record.ID      `json:"id"`
	Title    string         `json:"title"`
	Status   record.Status  `json:"status"`
	Priority *task.Priority `json:"priority,omitempty"` // a row in a list leaves out the default
	Mode     task.Mode      `json:"mode,omitempty"`     // auto: an agent alone, as a job; pair: an agent and a person
	Repo     string         `json:"repo,omitempty"`     // in which its files are, if not in the workspace's own
	Due      task.Due       `json:"due,omitempty"`
	Overdue  bool           `json:"overdue,omitempty"` // it is open, and its time is up
	task.Optional
	Labels       []string     `json:"labels,omitempty"`
	Assignee     record.Actor `json:"assignee,omitempty"`
	Parent       record.ID    `json:"parent,omitempty"`
	Deps         []record.ID  `json:"deps,omitempty"`
	Ready        bool         `json:"ready,omitempty"`    // next would hand it out
	Assigned     bool         `json:"assigned,omitempty"` // to somebody who did not begin
	BlockedBy    []record.ID  `json:"blocked_by,omitempty"`
	OpenChildren int          `json:"open_children,omitempty"` // how many it waits for; of lists and of get
	Execution    string       `json:"execution,omitempty"`     // active, stalled or awaiting_review
	Claim        *Claim       `json:"claim,omitempty"`
	Waits        *Waits       `json:"waits,omitempty"` // the question by which its last attempt ended, and that nobody answered yet
	Elsewhere    *Elsewhere   `json:"elsewhere,omitempty"`
	OnBranch     string       `json:"on_branch,omitempty"`    // the branch that alone has it: take brings it here
	Lost         *Lost        `json:"lost,omitempty"`         // the caller held it here, until git brought this file
	IsRunning    bool         `json:"is_running,omitempty"`   // it is being worked on
	IsReviewing  bool         `json:"is_reviewing,omitempty"` // it is in the review state
	IsBlocked    bool         `json:"is_blocked,omitempty"`   // it is open, and waits for its deps or its children
	NotYet       bool         `json:"not_yet,omitempty"`      // its after lies ahead
	IsPending    bool         `json:"is_pending,omitempty"`   // it could be started, and nobody has
	Evidence     *Evidence    `json:"evidence,omitempty"`     // of a closed task: how much is known of its close
	UpdatedAt    *time.Time   `json:"updated_at,omitempty"`
	Collides     []Collision  `json:"collides,omitempty"`  // of one that could be started: tasks at work on the same files
	Conflicts    []string     `json:"conflicts,omitempty"` // tasks and branches with which its branch is known not to merge
	Why          []Reason     `json:"why,omitempty"`       // list with explain: why it is ready, or what keeps it back

	Urgency task.Priority `json:"-"` // Priority, also of a lean row
	Written time.Time     `json:"-"` // UpdatedAt, also of a lean row; zero for never
	Held    *Claim        `json:"-"` // Claim with all that is known of it, also of a lean row
	Passed  int           `json:"-"` // how many of its checks have passed, as its file says; get has the checks
	Checked int           `json:"-"` // how many it has
	Failed  int           `json:"-"` // how many of them have failed
	whole   *Row          // of a lean row, all that is known

	task.Links
	Fields map[string]any `json:"fields,omitempty"` // of the config's own

	LabelsTotal    int `json:"labels_total,omitempty"` // how many there are, if only the first are here; and so on
	DepsTotal      int `json:"deps_total,omitempty"`
	BlockedByTotal int `json:"blocked_by_total,omitempty"`
	LinksTotal     int `json:"links_total,omitempty"`
}

// Evidence is how much is known of the close of a task beside what its record says.
type Evidence struct {
	Level task.Level `json:"level"` // 1 to 5
	Name  string     `json:"name"`
	Held  bool       `json:"held,omitempty"` // of a level above those: what else is known
	Red   bool       `json:"red,omitempty"`
}

// String is the mark of a level, such as 3/5 red, and what else is known of a level above those.
func (e Evidence) String() string {
	out := fmt.Sprintf("%d/%d %s", e.Level, task.LevelSigned, e.Name)
	switch {
	case e.Held && e.Red:
		return out + " (held, red)"
	case e.Held:
		return out + " (held)"
	}
	return out
}

// EvidenceOf is how much is known of the close of a task, by its row; nil for one that is not closed as done, and where
// no check passed.
func (v View) EvidenceOf(r *kind.Row) *Evidence { return v.evidence(r.Status, r.Fact(kind.CloseFact)) }

// EvidenceAt is EvidenceOf a task, at the entry with which it was closed last: of another one it is nil.
func (v View) EvidenceAt(t task.Task) func(n int) *Evidence {
	closed := t.Moved()
	return func(n int) *Evidence {
		if n != closed {
			return nil
		}
		return v.evidence(t.Status, t.Closing())
	}
}

func (v View) evidence(status record.Status, about string) *Evidence {
	if about == "" || !v.Store.Config.Flow.ClaimsDone(status) {
		return nil
	}
	seen := v.seen().Of(about)
	level := task.LevelOf(true, seen)
	above := level > task.LevelRed
	return &Evidence{level, level.String(), above && seen.Held, above && seen.Red}
}

// Claim is who holds a task.
type Claim struct {
	Actor     record.Actor `json:"actor"`
	Session   string       `json:"session,omitempty"`
	Worktree  string       `json:"worktree,omitempty"`
	Branch    string       `json:"branch,omitempty"`
	Since     *time.Time   `json:"since,omitempty"`
	ExpiresAt *time.Time   `json:"expires_at,omitempty"`
	Lapsed    bool         `json:"lapsed,omitempty"` // it expired or its session stalled; takeover ends it

	Clone    string     `json:"clone,omitempty"`    // the other clone that holds it
	Unsynced bool       `json:"unsynced,omitempty"` // the git remote is not known to have the claim
	Lost     bool       `json:"lost,omitempty"`     // the git remote gave it to another clone; lost_to says to whom
	LostTo   *Claim     `json:"lost_to,omitempty"`
	KnownAt  *time.Time `json:"known_at,omitempty"` // when the git remote was asked last, of a claim that depends on it
}

// Lost is a claim of the caller that the files overrule, which is told until they act on the task or acknowledge it.
type Lost struct {
	Why   string     `json:"why"`
	Since *time.Time `json:"since,omitempty"` // when the claim was made
}

// lostOf is the claim of the caller that a file overrules; nil for none.
func (v View) lostOf(file record.Header, live session.Live) *Lost {
	lease := live.Overruled(file)
	if lease == nil || lease.Actor != v.me() {
		return nil
	}
	return &Lost{Why: lease.Why(file), Since: instant(lease.Since)}
}

// Elsewhere is how far another branch, worktree or clone has carried a task.
type Elsewhere struct {
	Status   record.Status `json:"status"`
	Branch   string        `json:"branch,omitempty"`
	Worktree string        `json:"worktree,omitempty"`
	Clone    string        `json:"clone,omitempty"`   // another clone
	Tracked  bool          `json:"tracked,omitempty"` // the branch is a remote-tracking one, such as origin/fix
}

// Text says where a task was carried further, and how far, unless its row has that state.
func (e Elsewhere) Text(row record.Status) string {
	at := cmp.Or(e.Branch, filepath.Base(e.Worktree))
	if e.Status == row || e.Status == "" {
		return "on " + at
	}
	return strings.ReplaceAll(string(e.Status), "_", " ") + map[bool]string{true: " on branch ", false: " in work tree "}[e.Branch != ""] + at
}

// ElsewhereOf shows how far a record was carried; nil if this file is as far.
func ElsewhereOf(behind session.Claim) *Elsewhere {
	if !behind.Ahead {
		return nil
	}
	return &Elsewhere{behind.Status, behind.Branch, behind.Worktree, behind.Clone, behind.Source == session.FromBranch}
}

// RemoteKnown is how old what a clone knows of the claims of others is.
type RemoteKnown struct {
	At   *time.Time `json:"known_at,omitempty"` // when the git remote was asked last; never if it is left out
	Age  int        `json:"age_seconds,omitempty"`
	Said string     `json:"said,omitempty"` // why it gave no answer the last time
}

// RemoteKnown is how old what is known of other clones is; nil where claims hold in each clone alone.
func (v View) RemoteKnown() *RemoteKnown {
	if !v.Store.Shares() {
		return nil
	}
	known, _ := v.Store.Shared(v.Store.Config.Claims.Key())
	out := &RemoteKnown{At: instant(known.Known), Said: known.Said}
	if out.At != nil {
		out.Age = int(v.now.Sub(known.Known).Seconds())
	}
	return out
}

// RowOfTask shows a task as a list does, with nothing cut. Find looks up what it depends on. Of its children it knows
// what Among gave it: whoever reads one task reads no folder.
func (v View) RowOfTask(t task.Task, find task.Find) Row {
	r, children := kind.Tasks.Row(t), 0
	if v.among != nil {
		children = len(v.among.OpenChildren(&r))
	}
	row := v.row(&r, v.Store.Config.Flow.BlockedBy(t, find), children, t.Header)
	if v.among != nil {
		row = v.withCollisions(row, v.among, &r)
	}
	return row
}

// RowOf shows a task as a list does.
func (v View) RowOf(t task.Task) Row {
	return v.CutRow(v.RowOfTask(t, kind.Deps(v.Store, v.Store.Config.Flow)))
}

// WholeRow shows a task of a graph with nothing left out.
func (v View) WholeRow(g *Graph, r *kind.Row) Row {
	row := v.row(r, g.BlockedBy(r), len(g.OpenChildren(r)), func() record.Header { return g.Header(r) })
	if at := g.aheadOf(r); at != nil { // what is there is not taken up here
		row.Elsewhere, row.Ready, row.IsPending, row.Waits = at, false, false, v.Waits(g, r)
	}
	return v.withConflicts(v.withCollisions(row, g, r), g)
}

// withCollisions is the row of a task of a graph that could be started, with what it collides with.
func (v View) withCollisions(row Row, g *Graph, r *kind.Row) Row {
	if n := g.Set().Number(r.ID); row.Ready && n >= 0 {
		row.Collides = v.Collisions(g, n)
		avoid := len(row.Collides) > 0 && v.collide() == kind.CollideAvoid
		row.Ready, row.IsPending = !avoid, row.IsPending && !avoid
	}
	return row
}

// row shows a task, by its row, what it waits for, and its header, which is asked for only where the row does not say
// enough.
func (v View) row(t *kind.Row, blockedBy []record.ID, openChildren int, header func() record.Header) Row {
	flow := v.Store.Config.Flow
	closed := flow.IsClosed(t.Status)
	r := Row{
		ID: record.ID(t.ID), Title: t.Title, Status: t.Status, Priority: &t.Priority, Urgency: t.Priority, Labels: t.Labels,
		Assignee: t.Assignee, Parent: t.Parent, Deps: t.Deps, BlockedBy: blockedBy, OpenChildren: openChildren, UpdatedAt: SecondsAt(t.Updated),
	}
	if r.UpdatedAt != nil {
		r.Written = *r.UpdatedAt
	}
	r.Passed, r.Checked = t.Passed()
	r.Failed = t.Failed()
	r.Due, r.Mode, r.Repo = task.Due(t.Fact(kind.DueFact)), task.Mode(t.Fact(kind.ModeFact)), t.Fact(kind.RepoFact)
	r.Optional = task.OptionalOf(t.OwnValue)
	r.Links, r.Fields = t.Links(), ownFields(flow, t.OwnValue)
	r.Overdue = !closed && r.Due.Passed(v.now)
	live := v.known(r.ID.Ref())
	about := enough(t, live, header)
	knows := func() record.Header { return about }
	r.Elsewhere, r.Lost = v.elsewhere(t, knows), v.lostOf(about, live)
	if closed {
		r.Evidence = v.EvidenceOf(t)
		return r
	}
	hold := v.holder(t, knows)
	r.Claim = viewClaim(hold, live)
	r.Held = r.Claim
	r.Execution = v.execution(about)
	s := v.alone(t)
	s.WaitsFor, s.Children = len(blockedBy) > 0, openChildren > 0
	s = held(s, hold, r.Elsewhere)
	r.Waits = v.waits(t, "")
	s.Asks = r.Waits != nil
	s.Silent = func() bool { return r.Execution == string(session.Stalled) }
	r.Ready, r.Assigned, r.IsBlocked = s.Is(task.IsReady), s.Is(task.IsAssigned), s.Is(task.IsBlocked)
	r.NotYet = s.Is(task.IsEarly)
	r.IsRunning, r.IsReviewing = s.Is(task.IsRunning), s.Is(task.IsInReview)
	if v.away.id == t.ID {
		r.Elsewhere, r.Ready = v.away.at(t.Status), false
	}
	r.IsPending = r.Ready && t.Status == flow.Initial
	return r
}

// enough is the header of a task as far as it is needed beside its live state: what its row says of it, or, if the
// clone knows of entries that the file may have or lack, the whole.
func enough(t *kind.Row, live session.Live, whole func() record.Header) record.Header {
	if !live.Carried() {
		return t.Header()
	}
	return whole()
}

// Holder is who holds a task of a graph.
func (v View) Holder(g *Graph, r *kind.Row) session.Claim {
	return v.holder(r, func() record.Header { return g.Header(r) })
}

// Lost reports whether the caller held a task of a graph, and its file overrules that.
func (v View) Lost(g *Graph, r *kind.Row) bool {
	live := v.known(record.ID(r.ID).Ref())
	return live.State != nil && live.State.Lease != nil && v.lostOf(g.Header(r), live) != nil
}

func (v View) holder(r *kind.Row, header func() record.Header) session.Claim {
	live := v.known(record.ID(r.ID).Ref())
	if r.Assignee == "" && live.Silent() {
		return session.Claim{} // neither the file nor live state names anybody
	}
	return session.Holder(enough(r, live, header), live, v.now)
}

// Row shows a task of a graph as a list does.
func (v View) Row(g *Graph, r *kind.Row) Row { return v.CutRow(v.WholeRow(g, r)) }

// CutRow leaves out of a row what a list does not say, and cuts it for a caller whose context is small.
func (v View) CutRow(r Row) Row {
	if v.Bounded {
		r = r.cut(Usual)
	}
	return r.lean(v.Dated)
}

// lean leaves out of a row in a list what the reader of fifty rows does not need: the priority that a task has unless
// it says another; when it was written last, unless it is dated; of a claim all but who, in which session and whether
// it lapsed, and the whole of one that says no more than the assignee; dependencies that blocked_by names too; and the
// flags that follow from the others: what somebody has, and is neither assigned, lapsed, stalled nor in review, is running.
func (r Row) lean(dated bool) Row {
	whole := r
	r.whole = &whole
	if r.Urgency == task.DefaultPriority {
		r.Priority = nil
	}
	if !dated {
		r.UpdatedAt = nil
	}
	if r.Claim != nil {
		c := r.Claim
		r.Claim = &Claim{Actor: c.Actor, Session: c.Session, Lapsed: c.Lapsed, Clone: c.Clone, Unsynced: c.Unsynced, Lost: c.Lost}
	}
	if r.Claim != nil && *r.Claim == (Claim{Actor: r.Assignee}) {
		r.Claim = nil
	}
	r.IsRunning, r.IsReviewing, r.IsBlocked, r.IsPending = false, false, false, false
	if slices.Equal(r.Deps, r.BlockedBy) {
		r.Deps, r.DepsTotal = nil, 0
	}
	return r
}

// Whole is a row with what a list leaves out.
func (r Row) Whole() any {
	if r.whole != nil {
		return *r.whole
	}
	return r
}

// viewClaim shows who holds a task, also if the claim lapsed; nil if nobody does, or the file is behind and cannot say.
func viewClaim(h session.Claim, live session.Live) *Claim {
	if h.Actor == "" {
		return nil
	}
	c := &Claim{
		Actor: h.Actor, Session: h.Session, Worktree: h.Worktree, Branch: h.Branch,
		Since: instant(h.Since), ExpiresAt: instant(h.Until), Lapsed: h.Lapsed,
		Clone: h.Clone, Unsynced: h.Unsynced,
	}
	if to := h.LostTo; to != nil {
		c.Lost, c.LostTo = true, &Claim{Actor: to.Holder, Branch: to.Branch, Clone: to.Clone, Since: instant(to.Taken)}
	}
	if live.Remote != nil && (c.Clone != "" || c.Unsynced || c.Lost) {
		c.KnownAt = instant(live.Remote.Known)
	}
	return c
}

// execution is the health of the task's last session, as far as it says something about the task.
func (v View) execution(t record.Header) string {
	id := t.Log.LastSession()
	if id == "" {
		return ""
	}
	ses, err := kind.Sessions.Get(v.Store, id)
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
func (v View) Execution(g *Graph, r *kind.Row) string {
	if v.Store.Config.Flow.IsClosed(r.Status) {
		return ""
	}
	return v.execution(enough(r, v.known(record.ID(r.ID).Ref()), func() record.Header { return g.Header(r) }))
}

// elsewhere is how far a task was carried elsewhere; nil if this file is as far.
func (v View) elsewhere(r *kind.Row, header func() record.Header) *Elsewhere {
	of := record.ID(r.ID).Ref()
	if !v.carried(of) {
		return nil
	}
	live := v.known(of)
	away := ElsewhereOf(session.IsBehind(enough(r, live, header), live))
	if away != nil && away.Branch != "" && away.Worktree == v.Store.Worktree {
		away.Worktree = "" // another branch was checked out here then
	}
	return away
}

// SecondsAt is a time of a row; nil for none.
func SecondsAt(seconds int64) *time.Time {
	if seconds == 0 {
		return nil
	}
	t := time.Unix(seconds, 0).UTC()
	return &t
}
