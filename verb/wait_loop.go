package verb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// waitLoop is one wait, from its first look to its end.
type waitLoop struct {
	in    WaitIn
	look  lookFunc
	began time.Time
	limit time.Duration

	first, last *snapshot // nil until something was there
	gone        time.Time // since when something of last is missing; zero if nothing is
}

// keep looks, and looks again at each tick, until there is something to tell.
func (v *waitLoop) keep(ctx context.Context, ticks <-chan struct{}, progress func(Progress)) (Waited, error) {
	timeout, report := time.NewTimer(v.limit), time.NewTicker(waitReportsEvery)
	defer timeout.Stop()
	defer report.Stop()
	for {
		out, err := v.glance(ctx)
		if out.Code != "" || err != nil && ctx.Err() == nil {
			return out, err
		}
		var back <-chan time.Time
		if !v.gone.IsZero() {
			back = time.After(GoneAfter - time.Since(v.gone))
		}
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), ErrEndOfInput) {
				return v.end(WaitInterrupted), nil
			}
			return Waited{}, ctx.Err()
		case <-timeout.C:
			return v.end(WaitTimeout), nil
		case <-report.C:
			v.report(progress)
		case <-back:
		case <-ticks:
		}
	}
}

func (v *waitLoop) report(progress func(Progress)) {
	if progress != nil {
		took := time.Since(v.began)
		progress(Progress{Done: took.Seconds(), Total: v.limit.Seconds(), Message: fmt.Sprintf("waiting, %.0f s", took.Seconds())})
	}
}

// glance looks once. A result without a code means that there is nothing to tell.
func (v *waitLoop) glance(ctx context.Context) (Waited, error) {
	now, err := v.look(ctx)
	switch {
	case err != nil && (!mayBeBack(err) || v.last == nil && v.in.Cursor == ""):
		return Waited{}, err
	case err == nil && (v.last == nil || !v.last.missing(now)):
		v.gone = time.Time{}
		return v.judge(now), nil
	case v.gone.IsZero():
		v.gone = time.Now()
		return Waited{}, nil
	case time.Since(v.gone) < GoneAfter:
		return Waited{}, nil
	case err == nil:
		return v.judge(now), nil
	case v.in.ID != "" && task.CodeOf(err) == task.NotFound:
		return v.end(TaskDeleted), nil
	default:
		return Waited{}, err
	}
}

// mayBeBack reports whether something that cannot be read may be there in a moment: git and editors take files away, and
// write them in parts.
func mayBeBack(err error) bool {
	code := task.CodeOf(err)
	return code == task.NotFound || code == task.BadFile
}

// judge compares what was seen with what is waited for.
func (v *waitLoop) judge(now snapshot) Waited {
	begins := v.first == nil
	if begins || v.first.cursor == now.cursor {
		v.first = &now // which many share, so that what each saw first need not be kept
	}
	v.last = &now
	since := v.in.Cursor != "" && v.in.Cursor != now.cursor
	switch {
	case v.in.conditional() && !now.met:
		return Waited{}
	case begins && since && len(v.in.WaitForStatus) == 0:
		return now.told(ChangedSinceCursor, now.changesSince(v.in.Cursor))
	case begins && v.in.conditional():
		return now.told(AlreadyAtStatus, news{})
	case now.cursor != v.first.cursor:
		return now.told(TaskChanged, now.changes(*v.first))
	default:
		return Waited{}
	}
}

// end is the answer of a wait that has nothing to tell.
func (v *waitLoop) end(code WaitCode) Waited {
	if v.last == nil {
		return snapshot{cursor: v.in.Cursor}.told(code, news{})
	}
	return v.last.told(code, news{})
}

// conditional reports whether the wait is for something, and not for any change.
func (in WaitIn) conditional() bool { return in.Ready || len(in.WaitForStatus) > 0 }
