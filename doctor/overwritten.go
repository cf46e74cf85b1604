package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
)

// lost looks for work that is not where it was written. What an editor saved over is waited for in vain as well; that it can be
// put back is the finding then.
func (v Visit) lost(ctx context.Context) ([]Finding, error) {
	overwritten, err := v.overwritten(ctx)
	if err != nil {
		return nil, err
	}
	stranded, err := v.stranded(ctx)
	for _, s := range stranded {
		if !slices.ContainsFunc(overwritten, func(f Finding) bool { return f.Task == s.Task }) {
			overwritten = append(overwritten, s)
		}
	}
	return overwritten, err
}

// overwritten looks for entries that an editor saved over, or git replaced while they were written, in all tasks that this clone has written.
func (v Visit) overwritten(ctx context.Context) ([]Finding, error) {
	written, err := v.Store.Journalled()
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, of := range written {
		if of.Kind != task.KindName {
			continue
		}
		t, err := record.Tasks.Get(v.Store, task.ID(of.ID))
		if err != nil {
			continue // it lies on another branch, or is broken, which is a finding of its own
		}
		lost, err := v.Store.Overwritten(ctx, t.Header())
		if err != nil {
			return nil, err
		}
		if len(lost) > 0 {
			out = append(out, v.offer(t, lost))
		}
	}
	return out, nil
}

// offer is the finding about one task: what was lost, and what putting it back would do.
func (v Visit) offer(t task.Task, lost []task.Entry) Finding {
	whole, _, contradictions := v.putBack(t, lost, record.Deps(v.Store, v.Store.Config.Flow))
	var changes []string
	for _, e := range lost {
		changes = append(changes, "+ "+said(e))
	}
	if whole.Status != t.Status {
		changes = append(changes, fmt.Sprintf("status: %s -> %s", t.Status, whole.Status))
	}
	if whole.Assignee != t.Assignee {
		changes = append(changes, fmt.Sprintf("assignee: %s -> %s", t.Assignee.OrNobody(), whole.Assignee.OrNobody()))
	}
	for i, c := range whole.Checks {
		if was := t.Checks[i].Result; was != c.Result {
			changes = append(changes, fmt.Sprintf("check %q: %s -> %s", c.Desc, was, c.Result))
		}
	}
	for _, c := range contradictions {
		changes = append(changes, "left as the file has it: "+c)
	}
	message := fmt.Sprintf("%d entries that were written are gone; an editor saved over them, or git replaced the file just then", len(lost))
	if len(lost) == 1 {
		message = "an entry that was written is gone; an editor saved over it, or git replaced the file just then: " + said(lost[0])
	}
	return find(OverwrittenEntries, record.Tasks.File(t.ID), message, "").about(t.ID).
		fixable(changes, func(ctx context.Context) error { return v.restore(ctx, t.ID) })
}

// restore puts back, in one write, what the newest revision lacks.
func (v Visit) restore(ctx context.Context, id task.ID) error {
	return v.Store.Update(ctx, func(tx *store.Tx) error {
		t, err := record.Tasks.Get(tx, id)
		if err != nil {
			return err
		}
		lost, err := v.Store.Overwritten(ctx, t.Header())
		if err != nil {
			return err
		}
		if whole, entry, _ := v.putBack(t, lost, record.Deps(tx, v.Store.Config.Flow)); entry != nil {
			record.Tasks.Put(tx, whole)
		}
		return nil
	})
}

func (v Visit) putBack(t task.Task, lost []task.Entry, find task.Find) (task.Task, *task.Entry, []string) {
	return v.Store.Config.Flow.PutBack(t, lost, find, task.Stamp{Who: v.Actor, At: v.Now()})
}

// said is an entry in words: who, when, what.
func said(e task.Entry) string {
	text := fmt.Sprintf("%s %s %s", e.At.Format(time.RFC3339), e.Who, e.Did)
	if e.To != "" {
		text += fmt.Sprintf(" (%s -> %s)", e.From, e.To)
	}
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}
