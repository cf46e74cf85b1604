package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

// lost finds work that is not where it was written: entries that an editor saved over, or git replaced while they were
// written, in all records that this clone keeps a journal of, claims that yielded to what git brought, and progress on a
// branch that is gone unmerged. A record
// that waits for what an editor saved over is not found twice: that the entries can be put back is the finding then.
func (e *examination) lost(ctx context.Context) error {
	written, err := e.Store.Journalled()
	if err != nil {
		return err
	}
	offered := map[record.Ref]bool{}
	for _, of := range written {
		r, err := e.damaged(ctx, e.records, of)
		if err == nil && len(r.lost) > 0 { // or written since the records were read
			r, err = e.damaged(ctx, e.Store, of)
		}
		if broken := record.CodeOf(err); broken == record.NotFound || broken == record.BadFile {
			continue // it lies on another branch, or is broken, which is a finding of its own
		}
		if err != nil {
			return err
		}
		if len(r.lost) > 0 {
			e.offer(r)
			offered[of] = true
		}
	}
	if err := e.takenOut(ctx, offered); err != nil {
		return err
	}
	if err := e.overruled(offered); err != nil {
		return err
	}
	stranded, err := e.Store.Stranded(ctx)
	for _, r := range stranded {
		if offered[r.Ref] {
			continue
		}
		where := "the worktree " + filepath.Base(r.Worktree)
		if r.Branch != "" {
			where = "branch " + r.Branch
		}
		// Tasks wait for it, and only a person knows that it was given up, so it is dropped only with consent.
		e.findIn(r.Ref, strandedRecord, "", "was moved to %[2]s on %[1]s, which is gone: until that comes back, or is given up, nobody may start it",
			where, r.Status).
			fixable(func(ctx context.Context) error { return e.Store.DropProgress(ctx, r.Ref, r.Entry) },
				fmt.Sprintf("forget that %s was %s on %s", r.Ref.ID, r.Status, where))
	}
	return err
}

// overruled finds claims of this clone that the files overrule, and of which their holders were not told yet. One that
// an editor saved over can be put back.
func (e *examination) overruled(offered map[record.Ref]bool) error {
	states, err := e.Store.States()
	for of := range states {
		t, err := kind.Tasks.Get(e.records, record.ID(of.ID))
		if err != nil || offered[of] || e.Store.Config.Flow.IsClosed(t.Status) {
			continue // it is no task that is here, or nobody need act on it
		}
		lease := e.Store.Known(of).Overruled(t.Header())
		if lease == nil {
			continue
		}
		drop := func(ctx context.Context) error { return e.Store.DropLease(ctx, of, *lease) }
		e.findIn(of, claimLost, "", "%s held it on branch %s: %s", lease.Actor, lease.Branch, lease.Why(t.Header())).
			fixable(drop, fmt.Sprintf("forget that %s held %s", lease.Actor, t.ID))
	}
	return err
}

// takenOut finds records that lack entries which a commit has, but for those that are offered already.
func (e *examination) takenOut(ctx context.Context, offered map[record.Ref]bool) error {
	lacking, err := snapshot.LostLately(ctx, e.Store.Layout)
	for of, lost := range lacking {
		k, ok := kind.For(of)
		if !ok || offered[of] || err != nil {
			continue
		}
		var back *store.Fix
		if back, err = store.PutBack(ctx, e.Store.Layout, place.Of(e.Store.Layout, k, of.ID), lost, e.stamp()); err != nil || back == nil {
			continue
		}
		offered[of] = true
		changes := record.Each(back.Lost, func(one record.Entry) string { return "+ " + inWords(one) })
		was, err1 := k.Parse(back.Old)
		if now, err2 := k.Parse(back.New); err1 == nil && err2 == nil {
			changes = append(changes, fieldsPutBack(k, was, now)...)
		}
		e.findIn(of, entriesTakenOut, "", "lacks %s that an earlier commit has, as after git revert, or a merge that took one side whole",
			record.Count(len(back.Lost), "entry")).fixable(func(ctx context.Context) error { return back.Apply(ctx, e.Store.Layout) }, changes...)
	}
	return err
}

// stamp is that of the entries of repairs.
func (v Visit) stamp() record.Stamp { return record.Stamp{Who: v.Actor, At: v.Now()} }

// damaged is a record, and the entries that its file has lost.
type damaged struct {
	kind *kind.Kind
	of   record.Ref
	now  any
	lost []record.Entry
}

// damaged reads a record and looks for entries that its file has lost.
func (v Visit) damaged(ctx context.Context, from kind.Reader, of record.Ref) (damaged, error) {
	k, ok := kind.For(of)
	if !ok {
		return damaged{}, record.Errorf(record.NotFound, "there is no kind of %s", of)
	}
	now, err := from.Read(k, of.ID)
	if err != nil {
		return damaged{}, err
	}
	lost, err := v.Store.Overwritten(ctx, k.Header(now))
	return damaged{k, of, now, lost}, err
}

// offer adds the finding about one record: what was lost, and what putting it back would do.
func (e *examination) offer(r damaged) {
	whole, _, contradictions := e.putBack(r, e.Store)
	changes := record.Each(r.lost, func(one record.Entry) string { return "+ " + inWords(one) })
	changes = append(changes, fieldsPutBack(r.kind, r.now, whole)...)
	for _, c := range contradictions {
		changes = append(changes, "left as the file has it: "+c)
	}
	message := fmt.Sprintf("%d entries that were written are gone; an editor saved over them, or git replaced the file just then", len(r.lost))
	if len(r.lost) == 1 {
		message = "an entry that was written is gone; an editor saved over it, or git replaced the file just then: " + inWords(r.lost[0])
	}
	e.findIn(r.of, overwrittenEntries, "", "%s", message).fixable(func(ctx context.Context) error {
		return e.Store.Update(ctx, func(tx *store.Tx) error {
			r, err := e.damaged(ctx, tx, r.of) // what the newest revision lacks
			if err != nil {
				return err
			}
			if whole, entry, _ := e.putBack(r, tx); entry != nil {
				tx.Put(r.kind, whole)
			}
			return nil
		})
	}, changes...)
}

// fieldsPutBack lists what entries that are put back change beside the provenance.
func fieldsPutBack(k *kind.Kind, was, now any) (changes []string) {
	before, after := k.Header(was), k.Header(now)
	if before.Status != after.Status {
		changes = append(changes, fmt.Sprintf("status: %s -> %s", before.Status, after.Status))
	}
	if before.Assignee != after.Assignee {
		changes = append(changes, fmt.Sprintf("assignee: %s -> %s", before.Assignee.OrNobody(), after.Assignee.OrNobody()))
	}
	if t, ok := was.(task.Task); ok {
		for i, c := range now.(task.Task).Checks {
			if result := t.Checks[i].Result; result != c.Result {
				changes = append(changes, fmt.Sprintf("check %q: %s -> %s", c.Desc, result, c.Result))
			}
		}
	}
	return changes
}

// putBack returns the record with the entries that its file has lost. from has what it depends on.
func (v Visit) putBack(r damaged, from kind.Reader) (whole any, entry *record.Entry, contradictions []string) {
	flow := v.Store.Config.Flow
	return r.kind.PutBack(flow, r.now, r.lost, kind.Deps(from, flow), v.stamp())
}

// inWords is an entry in words: who, when, what.
func inWords(e record.Entry) string {
	text := fmt.Sprintf("%s %s %s", e.At.Format(time.RFC3339), e.Who, e.Did)
	if e.To != "" {
		text += fmt.Sprintf(" (%s -> %s)", e.From, e.To)
	}
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}
