package activity

import (
	"context"
	"errors"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// waitLoop is one wait, from its first read to its end.
type waitLoop struct {
	in    WaitIn
	read  readFunc
	began time.Time
	limit time.Duration

	first, last *snapshot // nil until something could be read
	gone        time.Time // since when a record of last is missing; zero if none is
}

// run reads, and reads again at each tick, until the wait ends.
func (l *waitLoop) run(ctx context.Context, ticks <-chan struct{}, progress func(verb.Progress)) (Waited, error) {
	timeout, report := time.NewTimer(l.limit), time.NewTicker(waitReportsEvery)
	defer timeout.Stop()
	defer report.Stop()
	for {
		out, err := l.readOnce(ctx)
		if out.Code != "" || err != nil && ctx.Err() == nil {
			return out, err
		}
		var stillGone <-chan time.Time
		if !l.gone.IsZero() {
			stillGone = time.After(GoneAfter - time.Since(l.gone))
		}
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), verb.ErrEndOfInput) {
				return l.end(WaitInterrupted), nil
			}
			return Waited{}, ctx.Err()
		case <-timeout.C:
			return l.end(WaitTimeout), nil
		case <-report.C:
			l.report(progress)
		case <-stillGone:
		case <-ticks:
		}
	}
}

func (l *waitLoop) report(progress func(verb.Progress)) {
	if progress != nil {
		took := time.Since(l.began)
		progress(verb.Progress{Done: took.Seconds(), Total: l.limit.Seconds(), Message: "waiting", Took: took})
	}
}

// readOnce reads what is watched once. An answer without a code means that the wait goes on.
func (l *waitLoop) readOnce(ctx context.Context) (Waited, error) {
	now, err := l.read(ctx)
	switch {
	case err != nil && (!mayBeBack(err) || l.last == nil && l.in.Cursor == ""):
		return Waited{}, err
	case err == nil && (l.last == nil || !l.last.missing(now)):
		l.gone = time.Time{}
		return l.judge(now), nil
	case l.gone.IsZero():
		l.gone = time.Now()
		return Waited{}, nil
	case time.Since(l.gone) < GoneAfter:
		return Waited{}, nil
	case err == nil:
		return l.judge(now), nil
	case l.in.ID != "" && record.CodeOf(err) == record.NotFound:
		return l.end(TaskDeleted), nil
	default:
		return Waited{}, err
	}
}

// mayBeBack reports whether a file that cannot be read may be readable in a moment: git and editors take files away,
// and write them in parts.
func mayBeBack(err error) bool {
	code := record.CodeOf(err)
	return code == record.NotFound || code == record.BadFile
}

// judge compares a snapshot with the first one, the cursor, and the condition of the wait.
func (l *waitLoop) judge(now snapshot) Waited {
	begins := l.first == nil
	if begins || l.first.cursor == now.cursor {
		l.first = &now // keep the newer of two equal snapshots: other waits share that one
	}
	l.last = &now
	since := l.in.Cursor != "" && l.in.Cursor != now.cursor
	switch {
	case now.lost:
		return now.waited(ClaimLost, news{})
	case l.in.conditional() && !now.met:
		return Waited{}
	case begins && since && len(l.in.WaitForStatus) == 0: // with wait_for_status AlreadyAtStatus says more
		return now.waited(ChangedSinceCursor, now.changesSince(l.in.Cursor))
	case begins && l.in.conditional():
		return now.waited(AlreadyAtStatus, news{})
	case now.cursor != l.first.cursor:
		return now.waited(TaskChanged, now.changes(*l.first))
	default:
		return Waited{}
	}
}

// end is the answer of a wait that ends without a change.
func (l *waitLoop) end(code WaitCode) Waited {
	if l.last == nil {
		return snapshot{cursor: l.in.Cursor}.waited(code, news{})
	}
	return l.last.waited(code, news{})
}

// conditional reports whether the wait is for a condition, and not for any change.
func (in WaitIn) conditional() bool { return in.Ready || len(in.WaitForStatus) > 0 }
