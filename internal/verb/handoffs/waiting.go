package handoffs

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Waiting is something that waits for the caller as the one who leads.
type Waiting struct {
	What   string       `json:"what"`            // review, or approved; check; decision; the type of a handoff; or how a job stands: failed, stale, expired, given up, sent back
	Record string       `json:"record"`          // id of the task, of the handoff, or of the decision
	About  []string     `json:"about,omitempty"` // of a handoff or a decision: the records that it is about
	Title  string       `json:"title"`           // of that
	Why    string       `json:"why,omitempty"`
	From   record.Actor `json:"from"`
	At     time.Time    `json:"at"`
	Job    string       `json:"job,omitempty"`
	Branch string       `json:"branch,omitempty"` // of a handoff that only the branch of a task has
	Next   string       `json:"next"`             // the command that leads on
}

// WaitingFor lists what waits for the caller as the one who leads, whether it was acknowledged or not: what was asked
// and proposed, work to review, manual checks, and jobs that stopped and that nobody goes on with. The inbox has the same items, and unread is how
// many of all its items were not acknowledged.
func WaitingFor(
	ctx context.Context, w *verb.Workspace, s *store.Store, g *verb.Graph,
) (list []Waiting, unread int, err error) {
	all, _, err := collect(ctx, w, s, g)
	if err != nil {
		return nil, 0, err
	}
	var items []Item
	for _, item := range all {
		if item.Unread {
			unread++
		}
		if _, leads := leadOrder[item.What]; leads && !item.answered && item.Result == "" {
			items = append(items, item)
		}
	}
	sorted.By(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(leadOrder[a.What], leadOrder[b.What]), cmp.Compare(a.urgency, b.urgency), a.At.Compare(b.At),
			strings.Compare(a.ID, b.ID))
	})
	return record.Each(items, Item.waiting), unread, nil
}

// leadOrder is what waits for whoever leads, in its order.
var leadOrder = map[What]int{IsHandoff: 0, IsDecision: 1, IsReview: 2, IsCheck: 3, IsJob: 4}

func (item Item) waiting() Waiting {
	one := Waiting{
		What: cmp.Or(item.State, item.Type, string(item.What)), Record: item.Record, Title: item.Title, Why: item.Why,
		From: item.From, At: item.At, Job: item.Job, Next: item.Next, About: item.About,
	}
	if item.What == IsHandoff {
		one.Branch = item.Branch
	}
	return one
}

// jobs adds the newest job of each open task that nobody works on, if it ended otherwise than by success, its work was
// given up, or sent back. A person leads all jobs of the clone, and an agent those that it asked for.
func (c *collector) jobs(ctx context.Context, g *verb.Graph) error {
	all, err := verb.OwnWork().Jobs(c.s)
	if err != nil {
		return err
	}
	var parked map[record.ID]string
	view, met := c.w.View(c.s).OfMany(ctx), map[record.ID]bool{}
	for _, one := range all {
		newest := !met[one.Task]
		met[one.Task] = true
		n := g.Set().Number(string(one.Task))
		if one.Live || !newest || n < 0 || !c.me.Human() && one.By != c.me {
			continue
		}
		stand := view.Stand(g, n)
		hold := view.Holder(g, g.Rows()[n])
		sentBack := hold.Session == "" && hold.Actor != "" && hold.Actor == one.Actor
		left := sentBack || hold.Session != "" && hold.Session == one.Session // by the job, which is over
		if stand.Closed || stand.Is(task.IsInReview) || stand.Is(task.IsRunning) && !left {
			continue
		}
		if parked == nil {
			parked = verb.OwnWork().Parked(c.s)
		}
		c.job(g.Rows()[n], one, parked[one.Task], sentBack && one.Why == "")
	}
	return nil
}

// job adds a job that waits for somebody, if it does.
func (c *collector) job(r *kind.Row, one verb.Job, parked string, sentBack bool) {
	state, why := strings.ToLower(string(one.State)), one.Why
	switch {
	case parked != "":
		state, why = "given up", strings.TrimSuffix("its work is on "+parked+"; "+why, "; ")
	case sentBack:
		state = "sent back"
	case why == "":
		return
	}
	said := kind.Said{Who: cmp.Or(one.Actor, one.By), At: one.Ended, Hash: shortHash(one.ID + state)}
	item := c.add(IsJob, r, said)
	item.State, item.Job, item.Why, item.Next, item.urgency = state, one.ID, verb.Head(why, textShown), one.Retry(), int(r.Priority)
}

// asked adds the handoffs that only the work tree or the branch of a task has.
func (c *collector) asked(ctx context.Context, g *verb.Graph) error {
	all, err := Away(ctx, c.w, c.s, g)
	for _, a := range all {
		if item := c.handoff(a.Row); item != nil {
			item.Branch = a.Branch
			if !a.Readable {
				item.Next = "cairn take " + a.Row.ID
			}
		}
	}
	return err
}

// AwayRow is a handoff that only the work tree or the branch of a task has.
type AwayRow struct {
	Row      *kind.Row
	Branch   string
	Readable bool // from here: it is in a work tree of this clone
}

// Away lists the handoffs that only the work trees or the branches of tasks have.
func Away(ctx context.Context, w *verb.Workspace, s *store.Store, g *verb.Graph) (all []AwayRow, err error) {
	there, err := g.InWorkTrees(ctx, kind.Handoffs.Kind)
	if err != nil {
		return nil, err
	}
	others, err := w.Others(ctx, s, kind.Handoffs.Kind)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	add := func(r *kind.Row, branch string, readable bool) {
		if !seen[r.ID] {
			seen[r.ID] = true
			all = append(all, AwayRow{r, branch, readable})
		}
	}
	for _, r := range there.Rows() {
		add(r, there.Branch(r.ID), true)
	}
	for _, r := range others.Rows() {
		if branch := others.Branch(r.ID); strings.HasPrefix(branch, "cairn/") {
			add(r, branch, false)
		}
	}
	return all, nil
}
