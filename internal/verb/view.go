package verb

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/task"
)

// Task is a task as every verb returns it. Lists are never null, and what is not set is left out.
type Task struct {
	Row
	Checks           []Check        `json:"checks"`
	Refs             []Ref          `json:"refs,omitempty"`
	RequiresEvidence bool           `json:"requires_evidence,omitempty"` // it is closed as done only with a commit, a pull request, or a command check that passed
	Provenance       []Entry        `json:"provenance"`
	Scope            []string       `json:"scope,omitempty"`
	MayChange        []string       `json:"may_change,omitempty"` // globs of files on which its checks stand and that the work may change
	Body             string         `json:"body"`
	Rev              record.Rev     `json:"rev"`
	CreatedAt        *time.Time     `json:"created_at,omitempty"`
	Extra            map[string]any `json:"extra,omitempty"`
	OnBranches       []BranchState  `json:"on_branches,omitempty"`      // of get alone: what other branches say beyond this, the newest first
	Run              *RunReport     `json:"run,omitempty"`              // of the call that returned this
	BodyTruncated    bool           `json:"body_truncated,omitempty"`   // get with mode full has more
	BodyNextOffset   int            `json:"body_next_offset,omitempty"` // where get with part body goes on, if it is cut
	ProvenanceTotal  int            `json:"provenance_total,omitempty"` // how many entries there are, if only the newest are here
	ChecksTotal      int            `json:"checks_total,omitempty"`     // how many checks there are, if only the first are here
	ScopeTotal       int            `json:"scope_total,omitempty"`      // how many globs there are, if only the first are here
	RefsTotal        int            `json:"refs_total,omitempty"`       // how many references there are, if only the newest are here
	ExtraTotal       int            `json:"extra_total,omitempty"`      // how many unknown keys there are, if only the first are here
	Rest             string         `json:"rest,omitempty"`             // how to read what was cut
	Notices          []Notice       `json:"notices,omitempty"`          // of a write: what was understood otherwise than it was written
	Replayed         bool           `json:"replayed,omitempty"`         // the call was made before, under the same idempotency key
}

// Notice says what a verb did otherwise than the caller wrote. The code is stable.
type Notice struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Check is a check as declared, with the result that is recorded.
type Check struct {
	Desc    string        `json:"desc"`
	Cmd     string        `json:"cmd,omitempty"`
	Cwd     string        `json:"cwd,omitempty"`
	Type    string        `json:"type,omitempty"` // manual
	By      string        `json:"by,omitempty"`
	Timeout int           `json:"timeout,omitempty"` // seconds
	Guards  []string      `json:"guards,omitempty"`  // globs of the files on which the command stands, where it names them
	Expect  string        `json:"expect,omitempty"`  // pass: it passes before the work too
	Result  record.Result `json:"result"`
	Held    string        `json:"held,omitempty"` // no: it passed last on files that the work changed, and not with them as they were
}

// Entry is one line of provenance.
type Entry struct {
	Who      record.Actor  `json:"who"`
	At       time.Time     `json:"at"`
	Did      record.Did    `json:"did"`
	From     record.Status `json:"from,omitempty"`
	To       record.Status `json:"to,omitempty"`
	Assignee *record.Actor `json:"assignee,omitempty"`
	Results  []EntryCheck  `json:"results,omitempty"`
	Commit   string        `json:"commit,omitempty"`
	Tree     string        `json:"tree,omitempty"`
	Checks   []string      `json:"checks,omitzero"`
	Deps     string        `json:"deps,omitempty"`

	AddDeps    []record.ID `json:"add_deps,omitempty"`
	RemoveDeps []record.ID `json:"remove_deps,omitempty"`
	Fields     []string    `json:"fields,omitempty"`

	Changes []FieldChange `json:"changes,omitempty"` // of those fields whose values are known; of history, log and a task alone

	Session string `json:"session,omitempty"`
	Text    string `json:"text,omitempty"`
	Hash    string `json:"hash,omitempty"`   // names it within its record; of history and comments
	Signed  string `json:"signed,omitempty"` // true, bad if the signature does not count, false if there should be one

	Evidence *Evidence `json:"evidence,omitempty"` // of the entry that closed its task last, and only if the task is closed

	*record.Detail // what few kinds of write say

	Place int `json:"-"` // in the provenance of its record, of history and log
}

// EntryCheck is the result of one check in an entry.
type EntryCheck struct {
	Check  string        `json:"check,omitempty"` // its key; left out for a small context where there is a description
	Desc   string        `json:"desc,omitempty"`  // absent where the key says it, or the task no longer has that check
	Result record.Result `json:"result"`
	Held   string        `json:"held,omitempty"` // base: it passed with the guarded files of the base too
}

// RunReport is what a run of checks showed.
type RunReport struct {
	Log         string     `json:"log,omitempty"` // of everything that was printed, from the workspace root
	Checks      []CheckRun `json:"checks"`
	TreeChanged []string   `json:"tree_changed,omitempty"` // files that changed during the run, five at most: its passes will not count later
}

// CheckRun is how one command ended.
type CheckRun struct {
	Check   int           `json:"check"` // index
	Desc    string        `json:"desc"`
	Result  record.Result `json:"result"`
	Summary string        `json:"summary"`          // e.g. "exit 1", "timed out after 120 s"
	Seconds float64       `json:"seconds"`          // it took
	Output  string        `json:"output,omitempty"` // the last of it, if the check failed

	Guards []string `json:"guards_changed,omitempty"` // files on which it stands that the work changed and nobody accounts for, five at most
	Held   string   `json:"held,omitempty"`           // base if it passes with those as they were too, else no
}

// Stands reports whether a close would count the result: the command passed, and with the files on which it stands as
// they were too, where the work changed them.
func (c CheckRun) Stands() bool { return c.Result == record.Pass && c.Held != record.HeldNot }

// View shows records to a caller: what their files say, and what follows from the time, from other records and from
// live state, which no file says.
type View struct {
	Store   *store.Store
	Bounded bool                // what is long is cut
	Dated   bool                // rows of lists say when they were written last
	me      func() record.Actor // asked for only where the answer depends on it
	now     time.Time
	reads   *SharedReads
	known   func(record.Ref) session.Live // what the clone knows of a record beside its file
	carried func(record.Ref) bool         // whether it may know of progress that the file lacks
	seen    func() live.Seen              // what it saw of closes
	among   *Graph                        // where a single task finds its children; nil for whoever does not ask

	forAgents bool // what agents may take is asked, whoever asks
	conflicts func(*Graph) []Conflict
	queued    bool     // and jobs that wait for a slot are at work
	away      followed // the record that is seen in another worktree than the caller's; zero for none
}

// View is how the caller of this workspace sees records at this moment.
func (w *Workspace) View(s *store.Store) View {
	return View{
		Store: s, Bounded: w.Bounded, me: w.Actor, now: w.Now(), reads: w.Reads, known: s.Known,
		carried: func(record.Ref) bool { return true }, away: w.followed, forAgents: w.ForAgents, queued: w.Queued,
		conflicts: func(g *Graph) []Conflict {
			if wing.Conflicts == nil {
				return nil
			}
			return wing.Conflicts(context.Background(), w, s, g, false)
		},
		seen: sync.OnceValue(s.Seen),
	}
}

// OfMany is the view for who shows many records: it lists what the clone knows first, and opens no file in vain.
func (v View) OfMany(ctx context.Context) View {
	v.known, v.carried = v.reads.KnownOf(ctx, v.Store)
	return v
}

// Among is the view of who asks of a single task, too, which children it waits for.
func (v View) Among(g *Graph) View {
	v.among = g
	return v
}

// TaskByID reads a task and shows it.
func (v View) TaskByID(id record.ID) (Task, error) {
	t, err := kind.Tasks.Get(v.Store, id)
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
		Row:              v.RowOfTask(t, kind.Deps(v.Store, v.Store.Config.Flow)),
		Checks:           []Check{},
		Refs:             t.Refs,
		RequiresEvidence: t.RequiresEvidence,
		Provenance:       []Entry{},
		Scope:            t.Scope,
		MayChange:        t.MayChange,
		Body:             t.Body,
		Rev:              t.Rev,
		CreatedAt:        instant(t.Provenance.First().At),
	}
	out.Extra = withoutOwn(t.Extra, out.Fields)
	known := t.EvidenceIndex()
	for i, c := range t.Checks {
		view := viewCheck(c)
		if known.NotHeld(i) {
			view.Held = record.HeldNot
		}
		out.Checks = append(out.Checks, view)
	}
	descs, evidence := DescsOf(t), v.EvidenceAt(t)
	for n, e := range t.Provenance {
		view := ViewEntry(e, descs)
		view.Evidence = evidence(n)
		view.Signed = signed(v.Store.Config.Flow, t, n)
		out.Provenance = append(out.Provenance, view)
	}
	return out
}

func viewCheck(c task.Check) Check {
	out := Check{Desc: c.Desc, Cmd: c.Cmd, Cwd: c.Cwd, By: c.By, Timeout: c.Timeout, Guards: c.Guards, Expect: c.Expect, Result: c.Result}
	if c.Manual() {
		out.Type = "manual"
	}
	return out
}

// ViewEntry shows an entry. Descs has the descriptions of the checks that it names; nil for a record without checks.
func ViewEntry(e record.Entry, descs Descs) Entry {
	out := Entry{
		Who: e.Who, At: e.At, Did: e.Did, From: e.From, To: e.To, Assignee: e.Assignee,
		Commit: e.Commit, Tree: e.Tree, Checks: e.Checks, Session: e.Session, Text: e.Text,
		Deps: e.Deps, AddDeps: e.AddDeps, RemoveDeps: e.RemoveDeps, Fields: e.Fields, Detail: e.Detail,
	}
	for _, r := range e.Results {
		out.Results = append(out.Results, EntryCheck{r.Check, descs.of(r.Check), r.Result, r.Held})
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
	case e.Did == record.Attested && slices.ContainsFunc(e.Results, func(r record.CheckResult) bool {
		return r.Result == record.Pass && slices.ContainsFunc(t.Checks, func(c task.Check) bool { return c.Key(t.ID) == r.Check && flow.MustSign(c) })
	}):
		return "false"
	default:
		return ""
	}
}

// Descs returns the descriptions of a task's checks, by the keys that entries name them with. They are collected when
// they are first needed.
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

// health is the health of a session, and t its task, if it is about one. One whose claim ended in another worktree has
// ended, whatever its file says here.
func (v View) health(ses session.Session, t record.Header) session.Health {
	s := v.Store
	if ses.Task != "" && ses.Status == session.Active && record.CodeOf(ses.Held(t, v.known(ses.Task.Ref()), s.Worktree)) == record.SessionEnded {
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

// NoNil is the list, or an empty one for nil, so that JSON has [] and not null.
func NoNil[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}

// Ref is a reference as verbs return it.
type Ref = record.Reference

// Comment is an entry that says something about its record and changes nothing.
type Comment struct {
	Hash string       `json:"hash"` // names it, for the re of an answer
	Who  record.Actor `json:"who"`
	At   time.Time    `json:"at"`
	Text string       `json:"text"`

	Session string `json:"session,omitempty"`
	*record.Detail
}

// Thread is the comments on a record, the oldest first.
type Thread struct {
	Comments  []Comment `json:"comments"`
	Total     int       `json:"total"`
	Truncated bool      `json:"truncated"` // only the newest are here; history with did noted has the rest
}

// Comments returns the comments among the entries of a record, the oldest first.
func Comments(log record.Log) []Comment {
	out := []Comment{}
	for _, e := range log {
		if e.Did == record.Noted {
			out = append(out, Comment{Hash: e.ShortHash(), Who: e.Who, At: e.At, Text: e.Text, Session: e.Session, Detail: e.Detail})
		}
	}
	return out
}

// Last is how the last attempt at a task ended, for who goes on with it.
type Last struct {
	Who      record.Actor `json:"who"`
	At       time.Time    `json:"at"`
	Did      record.Did   `json:"did"` // finished, failed or canceled
	Session  string       `json:"session,omitempty"`
	Summary  string       `json:"summary,omitempty"` // or why it was given up
	Next     []string     `json:"next,omitempty"`
	Blockers []string     `json:"blockers,omitempty"`
	Rejected *Rejection   `json:"rejected,omitempty"` // by a reviewer, since then
}

// Rejection is why a reviewer sent a task back to work.
type Rejection struct {
	By   record.Actor `json:"by"`
	At   time.Time    `json:"at"`
	Text string       `json:"text"`
}

// LastBefore is how the last attempt at a task ended before a session began; "" for the last one of all. It is nil if
// none has ended.
func LastBefore(log record.Log, ses string) *Last {
	began := func(e record.Entry) bool {
		return ses != "" && e.Session == ses && (e.Did == record.Began || e.Did == record.TakenOver)
	}
	if at := slices.IndexFunc(log, began); at >= 0 {
		log = log[:at]
	}
	var rejected *Rejection
	for _, e := range slices.Backward(log) {
		switch {
		case e.Rejection() && rejected == nil:
			rejected = &Rejection{e.Who, e.At, e.Text}
		case e.Did == record.Finished || e.Did == record.Failed || e.Did == record.Canceled:
			return &Last{
				Who: e.Who, At: e.At, Did: e.Did, Session: e.Session, Summary: e.Text,
				Next: e.Said().Next, Blockers: e.Said().Blockers, Rejected: rejected,
			}
		}
	}
	return nil
}

// NonEmpty are the texts that are not empty.
func NonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}
