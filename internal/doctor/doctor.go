package doctor

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
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

	Spell func(record.Call) string // a call in a hint, as the reader of the findings makes it

	records snapshot.Records // read once, for all examinations
}

// Examine makes every examination and changes nothing. Findings are sorted by severity, the worst first, then by kind
// and path. If git cannot be used, that is a finding, and the examinations that need git are left out. It returns BUSY
// if another process does not give up the write lock.
func (v Visit) Examine(ctx context.Context) ([]Finding, error) {
	git := v.git(ctx)
	out, err := v.leftovers(ctx)
	if err != nil {
		return nil, err
	}
	out = append(git, out...)
	if v.records, err = snapshot.ReadRecords(ctx, v.Store.Layout); err != nil {
		return nil, err
	}
	examinations := []func(context.Context) ([]Finding, error){v.files, v.work, v.orphans, v.crowd, v.jobs, v.ignores, v.trust}
	if len(git) == 0 {
		examinations = append(examinations, v.lost, v.mergeDriver, v.signing, v.worktrees, v.remote)
	}
	found, errs := make([][]Finding, len(examinations)), make([]error, len(examinations))
	var all sync.WaitGroup
	for i, examine := range examinations {
		all.Go(func() { found[i], errs[i] = examine(ctx) })
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, err
		}
		out = append(out, found[i]...)
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Path, b.Path))
	})
	return out, nil
}

// rank is where a finding is shown: first by how much it matters, then by its kind, the rules of proof before the
// others.
func rank(f Finding) int {
	kind := slices.IndexFunc(Kinds, func(k Kind) bool { return k.ID == f.ID })
	return -slices.Index(proof.Severities, f.Severity)*(len(Kinds)+1) + kind
}

// saying returns the message and the hint of an error.
func (v Visit) saying(err error) (message, hint string) {
	var e *record.Error
	if errors.As(err, &e) {
		return e.Msg, e.Hint.Spell(v.Spell)
	}
	return err.Error(), ""
}
