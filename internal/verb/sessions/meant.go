package sessions

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// meant is the session that a call is about: the one that it names, or that of the caller on the task that it names. A
// call that names none is about the session under which the caller works, or else the only one that the caller has
// open. It returns NOT_FOUND if there is none, and of several AMBIGUOUS_ID, which names them.
func meant(ctx context.Context, w *verb.Workspace, s *store.Store, named verb.SessionID) (verb.SessionID, error) {
	named = cmp.Or(named, verb.SessionID(w.Session))
	if named != "" && kind.Sessions.ParseID(string(named)) == nil {
		return named, nil
	}
	if named != "" {
		if _, err := kind.Tasks.Get(s, record.ID(named)); err != nil {
			return "", err
		}
	}
	all, err := w.Reads.Look(ctx, s, kind.Sessions.Kind)
	if err != nil {
		return "", err
	}
	view, me := w.View(s).OfMany(ctx), w.Actor()
	var open []verb.Session
	for _, r := range all.Rows() {
		if r.Assignee != me || r.Status != record.Status(session.Active) || named != "" && string(r.Parent) != string(named) {
			continue
		}
		if ses := view.SessionOf(r); ses.Health != session.Ended {
			open = append(open, ses)
		}
	}
	switch len(open) {
	case 1:
		return verb.SessionID(open[0].ID), nil
	case 0:
		return "", none(me, record.ID(named))
	}
	ids := record.Each(open, func(ses verb.Session) string {
		return fmt.Sprintf("%s on %s", ses.ID, cmp.Or(string(ses.Task), "no task"))
	})
	return "", record.Errorf(record.AmbiguousID, "%s has %d sessions open: %s", me, len(ids),
		strings.Join(ids[:min(len(ids), sessionsNamed)], ", ")+record.AndMore(max(0, len(ids)-sessionsNamed))).
		WithHint("name one of them as session, or its task")
}

const sessionsNamed = 10

func none(me record.Actor, on record.ID) error {
	where := "open"
	if on != "" {
		where = "on " + string(on)
	}
	return record.Errorf(record.NotFound, "%s has no session %s", me, where).
		WithHint("%s opens one", record.CallTo("begin", "id", cmp.Or(string(on), "ID")).OnlyShown())
}
