package doctor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// Visit is one examination of a workspace. It reads every record once. What that reading shows as lost is read again
// before it is said, since somebody may have written meanwhile. Then the examinations go on side by side, so Now and
// Spell may be called by several goroutines at once. The index is not used: it is one of the things that may be wrong.
type Visit struct {
	Store *store.Store
	Actor record.Actor // whom the entries of repairs name
	Now   func() time.Time
	Home  string // the user's own folder, where ~/ leads; "" for none

	ConfigDir string // the user's folder of settings; "" for none

	Spell func(record.Call) string // a call in a hint, as the reader of the findings makes it
}

// examination is one of those that go on side by side, and what it has found.
type examination struct {
	Visit
	records snapshot.Records // read once, for all examinations
	found   []Finding
}

// Examine makes every examination and changes nothing. Findings are sorted by severity, the worst first, then by kind
// and path. If git cannot be used, that is a finding, and the examinations that need git are left out. It returns BUSY
// if another process does not give up the write lock.
func (v Visit) Examine(ctx context.Context) ([]Finding, error) {
	first := &examination{Visit: v}
	usable := v.Store.Git().Usable(ctx)
	if usable != nil {
		first.refused(gitUnusable, "", usable)
	}
	err := first.leftovers(ctx)
	if err == nil {
		first.records, err = snapshot.ReadRecords(ctx, v.Store.Layout)
	}
	if err != nil {
		return nil, err
	}
	examinations := []func(*examination, context.Context) error{
		(*examination).files, (*examination).work, (*examination).orphans, (*examination).crowd, (*examination).jobs,
		(*examination).ignores, (*examination).trust, (*examination).sandbox,
	}
	if usable == nil {
		examinations = append(examinations, (*examination).lost, (*examination).mergeDriver, (*examination).signing,
			(*examination).worktrees, (*examination).remote)
	}
	all, errs := make([]examination, len(examinations)), make([]error, len(examinations))
	var running sync.WaitGroup
	for i, examine := range examinations {
		all[i] = examination{Visit: v, records: first.records}
		running.Go(func() { errs[i] = examine(&all[i], ctx) })
	}
	running.Wait()
	out := first.found
	for i, err := range errs {
		if err != nil {
			return nil, err
		}
		out = append(out, all[i].found...)
	}
	sorted.By(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Path, b.Path))
	})
	return out, nil
}

// rank is where a finding is shown: first by how much it matters, then by its rule, those of proof before the others.
func rank(f Finding) int {
	return -slices.Index(proof.Severities, f.Severity)*(len(Rules)+1) + ruleOf(f.ID)
}

func ruleOf(id proof.RuleID) int {
	return slices.IndexFunc(Rules, func(r proof.Rule) bool { return r.ID == id })
}

// find adds a finding of a rule, which may be changed until the next one.
func (e *examination) find(id proof.RuleID, path, fix, format string, args ...any) *Finding {
	e.found = append(e.found, Finding{
		ID: id, Severity: Rules[ruleOf(id)].Severity, Path: path, Message: fmt.Sprintf(format, args...), Fix: fix,
	})
	return &e.found[len(e.found)-1]
}

// findIn is find about a record.
func (e *examination) findIn(of record.Ref, id proof.RuleID, fix, format string, args ...any) *Finding {
	path := ""
	if k, ok := kind.Named(of.Kind); ok {
		path = e.Store.File(k, of.ID)
	}
	return e.find(id, path, fix, format, args...).about(of)
}

// refused adds what an error says, with its hint as the fix.
func (e *examination) refused(id proof.RuleID, before string, err error) {
	message, hint := err.Error(), ""
	if refusal, ok := errors.AsType[*record.Error](err); ok {
		message, hint = refusal.Msg, refusal.Hint.Spell(e.Spell)
	}
	e.find(id, "", hint, "%s%s", before, message)
}

// files judges all records by the rules of package proof. The ids of its findings are those of the rules.
func (e *examination) files(ctx context.Context) error {
	for _, b := range e.records.Judge() {
		e.found = append(e.found, Finding{
			ID: b.Rule, Severity: b.Severity, Path: b.Path, Line: b.Line, Task: b.Task, Message: b.Message, Fix: b.Fix,
		})
		if b.Rule != proof.TwoFiles.ID {
			continue
		}
		fixes, err := store.Fixes(ctx, e.Store.Layout, []proof.Finding{b}, e.stamp())
		if err != nil && record.CodeOf(err) != record.Git { // which is a finding of its own
			return err
		}
		for _, fix := range fixes {
			if fix.Disputed {
				continue
			}
			changes := []string{"remove " + fix.Gone + ", which holds the same as " + fix.Path}
			if !bytes.Equal(fix.Was, fix.Old) {
				changes = []string{"merge " + fix.Gone + " into " + fix.Path, "remove " + fix.Gone}
			}
			found := &e.found[len(e.found)-1]
			found.Fix = ""
			found.fixable(func(ctx context.Context) error { return fix.Apply(ctx, e.Store.Layout) }, changes...)
		}
	}
	return nil
}
