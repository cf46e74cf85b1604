package activity

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// StatsIn is the input of Stats.
type StatsIn struct {
	By    string `json:"by,omitempty" doc:"a row for each of these; left out: one row for all" values:"executor,model,label,actor,week"`
	Since string `json:"since,omitempty" doc:"only what ended since: a date, a time, or how long ago, such as 7d"`
	Until string `json:"until,omitempty" doc:"only what ended before: likewise"`
}

// StatsOut is what was done in a time, and what it cost.
type StatsOut struct {
	By    string `json:"by,omitempty"`
	Stats []Stat `json:"stats" result:"rows"`
	verb.Problems
}

// Stat is a row of the account. Seconds and usage are sums. A task counts once it is closed as done, and no
// longer when it is opened again; an attempt is a session that ended. A task with two labels counts in the row of each.
type Stat struct {
	Name     string `json:"name"` // of the group: all, or "-" for what has none
	Closed   int    `json:"closed"`
	Attempts int    `json:"attempts"`
	CameBack int    `json:"came_back"` // how often a review sent work back
	session.Usage
	AtWork    int64 `json:"at_work_seconds"`   // of the attempts, from their beginning to their end
	ForDeps   int64 `json:"for_deps_seconds"`  // that closed tasks waited, from their creation until the last of their deps was closed
	ForStart  int64 `json:"for_start_seconds"` // from then until somebody began
	ForReview int64 `json:"for_review_seconds"`
	ForAnswer int64 `json:"for_answer_seconds"`

	cost big.Rat // of which Usage has the text
}

// Usually is what one closed task has on the average of a sum of seconds; "" for nothing.
func (s Stat) Usually(seconds int64) string {
	if seconds == 0 || s.Closed == 0 {
		return ""
	}
	return verb.InOneUnit(time.Duration(seconds) * time.Second / time.Duration(s.Closed))
}

// Tokens are all that were used; "" where no program told.
func (s Stat) Tokens() string {
	if n := s.Input + s.Output; n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}

const maxUnread = 50 // files that could not be read, in an answer

// Stats adds up what was done in a time, and what it cost: from the sessions and the entries of tasks alone, so that
// every clone that has them has the same sums.
func Stats(ctx context.Context, w *verb.Workspace, s *store.Store, in StatsIn) (StatsOut, error) {
	a := account{in: in, flow: s.Config.Flow.Lifecycle, rows: map[string]*Stat{}, attempts: map[record.ID][]session.Session{}, closed: map[record.ID]time.Time{}}
	var err error
	if groups[in.By] == nil {
		return StatsOut{}, verb.BadInput("by", "is %q", verb.Head(in.By, 40)).WithHint("executor, model, label, actor or week")
	}
	if a.since, err = verb.Moment("since", in.Since, w.Now()); err != nil {
		return StatsOut{}, err
	}
	if a.until, err = verb.Moment("until", in.Until, w.Now()); err != nil {
		return StatsOut{}, err
	}
	g, err := w.Graph(ctx, s)
	if err != nil {
		return StatsOut{}, err
	}
	var tasks []task.Task
	var sessions []session.Session
	unread, err := each(ctx, w, g, s, kind.Tasks.Kind, func(v any) { tasks = append(tasks, v.(task.Task)) })
	if err != nil {
		return StatsOut{}, err
	}
	more, err := each(ctx, w, g, s, kind.Sessions.Kind, func(v any) { sessions = append(sessions, v.(session.Session)) })
	a.add(tasks, sessions)
	return StatsOut{By: in.By, Stats: a.list(), Problems: verb.ProblemsOf(slices.Concat(unread, more), maxUnread)}, err
}

// each reads the records of a kind, each where it lies furthest, and lists what could not be read.
func each(ctx context.Context, w *verb.Workspace, g *verb.Graph, s *store.Store, k *kind.Kind, do func(any)) ([]problem.Problem, error) {
	there, err := g.InWorkTrees(ctx, k)
	if err != nil {
		return nil, err
	}
	view, err := w.Reads.Look(ctx, s, k)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, r := range slices.Concat(there.Rows(), view.Rows()) {
		if seen[r.ID] {
			continue
		}
		seen[r.ID] = true
		if v, err := there.Read(k, r.ID); err == nil { // or it is gone meanwhile
			do(v)
		}
	}
	return view.Problems(), nil
}

// account is what Stats adds up.
type account struct {
	in           StatsIn
	since, until time.Time // until is zero for none
	flow         task.Lifecycle
	rows         map[string]*Stat
	attempts     map[record.ID][]session.Session // at each task, the earliest first
	closed       map[record.ID]time.Time         // when each closed task was closed
}

func (a *account) add(tasks []task.Task, sessions []session.Session) {
	for _, ses := range sessions {
		a.attempts[ses.Task] = append(a.attempts[ses.Task], ses)
	}
	for _, all := range a.attempts {
		sorted.By(all, func(x, y session.Session) int {
			return cmp.Or(x.StartedAt.Compare(y.StartedAt), cmp.Compare(x.ID, y.ID))
		})
	}
	labels := map[record.ID][]string{}
	for _, t := range tasks {
		labels[t.ID] = t.Labels
		if e, ok := a.close(t); ok {
			a.closed[t.ID] = e.At
		}
	}
	for _, t := range tasks {
		a.addTask(t)
	}
	for _, ses := range sessions {
		if ses.Status != session.Active && a.within(ses.EndedAt) {
			a.addSession(ses, labels[ses.Task])
		}
	}
}

// close is the entry that closed a task; false for one that is open, or was given up.
func (a *account) close(t task.Task) (record.Entry, bool) {
	if !a.flow.IsClosed(t.Status) || slices.Contains(a.flow.Abandoned, t.Status) {
		return record.Entry{}, false
	}
	return t.Provenance.Newest(func(e record.Entry) bool { return a.flow.IsClosed(e.To) })
}

func (a *account) within(at time.Time) bool {
	return !at.Before(a.since) && (a.until.IsZero() || at.Before(a.until))
}

func (a *account) addTask(t task.Task) {
	for _, e := range t.Provenance {
		if e.Rejection() && a.within(e.At) {
			a.count(thing{a.lastAttempt(t.ID, e.At), t.Labels, t.Assignee, e.At}, func(s *Stat) { s.CameBack++ })
		}
	}
	e, ok := a.close(t)
	if !ok || !a.within(e.At) {
		return
	}
	waited := a.waits(t, e.At)
	a.count(thing{a.lastAttempt(t.ID, e.At), t.Labels, cmp.Or(t.Assignee, e.Who), e.At}, func(s *Stat) {
		s.Closed++
		s.ForDeps += seconds(waited.deps)
		s.ForStart += seconds(waited.start)
		s.ForReview += seconds(waited.review)
		s.ForAnswer += seconds(waited.answer)
	})
}

func (a *account) addSession(ses session.Session, labels []string) {
	a.count(thing{ses, labels, ses.Actor, ses.EndedAt}, func(s *Stat) {
		s.Attempts++
		s.AtWork += seconds(ses.EndedAt.Sub(ses.StartedAt))
		s.Input += ses.Used.Input
		s.Cached += ses.Used.Cached
		s.Output += ses.Used.Output
		if cost, ok := new(big.Rat).SetString(ses.Used.Cost); ok {
			s.cost.Add(&s.cost, cost)
		}
	})
}

// lastAttempt is the newest session at a task that had begun at a time; none if nobody began one.
func (a *account) lastAttempt(id record.ID, at time.Time) session.Session {
	all := a.attempts[id]
	for _, ses := range slices.Backward(all) {
		if !ses.StartedAt.After(at) {
			return ses
		}
	}
	return session.Session{}
}

// thing is what counts in rows: an attempt, or what became of a task after one, if there was one.
type thing struct {
	attempt session.Session
	labels  []string
	who     record.Actor
	at      time.Time
}

// groups are the rows in which a thing counts, by what StatsIn names.
var groups = map[string]func(thing) []string{
	"":         func(thing) []string { return []string{"all"} },
	"executor": func(one thing) []string { return []string{one.attempt.Executor} },
	"model":    func(one thing) []string { return []string{one.attempt.Model} },
	"actor":    func(one thing) []string { return []string{string(one.who)} },
	"label": func(one thing) []string {
		if len(one.labels) == 0 {
			return []string{""}
		}
		return record.Unique(slices.Clone(one.labels))
	},
	"week": func(one thing) []string {
		year, week := one.at.UTC().ISOWeek()
		return []string{fmt.Sprintf("%d-W%02d", year, week)}
	},
}

// count has something done to each row in which a thing counts.
func (a *account) count(one thing, do func(*Stat)) {
	for _, name := range groups[a.in.By](one) {
		name = cmp.Or(name, "-")
		if a.rows[name] == nil {
			a.rows[name] = &Stat{Name: name}
		}
		do(a.rows[name])
	}
}

// list are the rows: weeks in their order, others with most closed tasks first.
func (a *account) list() []Stat {
	out := []Stat{}
	for _, s := range a.rows {
		if s.cost.Sign() > 0 {
			s.Cost = s.cost.FloatString(4)
		}
		out = append(out, *s)
	}
	sorted.By(out, func(x, y Stat) int {
		if a.in.By == "week" {
			return cmp.Compare(x.Name, y.Name)
		}
		return cmp.Or(cmp.Compare(y.Closed, x.Closed), cmp.Compare(y.Attempts, x.Attempts), cmp.Compare(x.Name, y.Name))
	})
	return out
}

// waited is how long a task waited for what, until it was closed.
type waited struct{ deps, start, review, answer time.Duration }

// waits reads how long a task waited from its entries, whose times clocks of several machines made: a step back is none.
func (a *account) waits(t task.Task, closed time.Time) (w waited) {
	created := t.Provenance.First().At
	free := created
	for _, dep := range t.Deps {
		if at, ok := a.closed[dep]; ok && at.After(free) {
			free = at
		}
	}
	began, status, asked := time.Time{}, a.flow.Initial, false
	last := created
	for _, e := range t.Provenance {
		if e.At.After(closed) {
			break
		}
		if span := max(e.At.Sub(last), 0); asked {
			w.answer += span
		} else if a.flow.Review != "" && status == a.flow.Review {
			w.review += span
		}
		last = e.At
		status = cmp.Or(e.To, status)
		if began.IsZero() && (e.Did == record.Began || e.Did == record.Claimed || e.Did == record.TakenOver || e.To != "" && e.To != a.flow.Initial) {
			began = e.At
		}
		asked = e.Did == record.Asked || asked && !e.OfAttempt() && e.To == ""
	}
	if began.Before(free) { // or nobody began
		free = began
	}
	w.deps, w.start = max(free.Sub(created), 0), max(began.Sub(free), 0)
	return w
}

func seconds(d time.Duration) int64 { return int64(max(d, 0) / time.Second) }
