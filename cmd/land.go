package cmd

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/verb/review"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/watch"
)

// landIn is what cairn land takes beside the fields of the verb.
type landIn struct {
	Watch bool `json:"watch,omitempty" doc:"go on for ever: land what is approved as it is approved"`
}

const watchFlag = "watch"

// watchedLanding is cairn land --watch. What did not land is tried again once its branch or the base has another commit.
type watchedLanding struct {
	verbCommand
	w     *verb.Workspace
	s     *store.Store
	asked map[string]any
	tried map[record.ID]string // the commits of branch and base when it was tried
	told  map[record.ID]review.Landing
	wrong string // the error that was told last
}

// watchLanding lands what can be landed, whenever something may have changed, until ctx ends.
func (p verbCommand) watchLanding(ctx context.Context, w *verb.Workspace, in *input) error {
	s, err := w.Open()
	if err != nil {
		return err
	}
	l := &watchedLanding{verbCommand: p, w: w, s: s, asked: in.values, tried: map[record.ID]string{}, told: map[record.ID]review.Landing{}}
	ticks, stop := (&watch.Watcher{}).Watch(s.Layout)
	defer stop()
	for {
		if err := l.round(ctx); ctx.Err() == nil && err != nil {
			l.fails(ctx, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks:
		}
	}
}

// round looks for what would land, lands it, and shows what became of it.
func (l *watchedLanding) round(ctx context.Context) error {
	dry, err := l.land(ctx, map[string]any{"dry_run": true})
	if err != nil {
		return err
	}
	now := map[record.ID]string{}
	var ids []record.ID
	for _, one := range dry.Items {
		if one.Became != review.WouldLand {
			continue
		}
		now[one.Task] = one.Head + " " + l.base(ctx, one.Into)
		if l.tried[one.Task] != now[one.Task] {
			ids = append(ids, one.Task)
		}
	}
	if len(ids) == 0 {
		dry.Items = slices.DeleteFunc(dry.Items, func(one review.Landing) bool { return one.Became == review.WouldLand })
		return l.show(ctx, dry)
	}
	out, err := l.land(ctx, map[string]any{"ids": ids})
	if err != nil && passes(record.CodeOf(err)) {
		return err
	}
	for _, id := range ids {
		i := slices.IndexFunc(out.Items, func(one review.Landing) bool { return one.Task == id })
		if i < 0 || out.Items[i].Became != review.Landed && !passes(out.Items[i].Code) {
			l.tried[id] = now[id]
		}
	}
	if err != nil {
		return err
	}
	return l.show(ctx, out)
}

// passes reports whether an error may be over without a commit of the branch or the base.
func passes(code record.Code) bool {
	return slices.Contains([]record.Code{record.BaseDirty, record.BaseMoved, record.Busy, record.Offline}, code)
}

func (l *watchedLanding) land(ctx context.Context, more map[string]any) (review.LandOut, error) {
	in := maps.Clone(l.asked)
	maps.Copy(in, more)
	return callVerb[review.LandOut](ctx, l.w, "land", in)
}

func (l *watchedLanding) base(ctx context.Context, name string) string {
	tip, _ := l.s.Repo.Commit(ctx, "refs/heads/"+name)
	return tip
}

// show prints what has become otherwise than was told before.
func (l *watchedLanding) show(ctx context.Context, out review.LandOut) error {
	l.wrong = ""
	out.DryRun = false
	out.Items = slices.DeleteFunc(out.Items, func(one review.Landing) bool {
		was := l.told[one.Task]
		l.told[one.Task] = one
		return was.Became == one.Became && was.Why == one.Why && was.Commit == one.Commit
	})
	if len(out.Items) == 0 {
		return nil
	}
	return l.result(ctx, l.verb, l.w, out)
}

// fails prints an error, unless that was told last.
func (l *watchedLanding) fails(ctx context.Context, err error) {
	if e, ok := errors.AsType[*record.Error](err); !ok || e.Error() != l.wrong {
		l.report(ctx, err)
		l.wrong = err.Error()
	}
}
