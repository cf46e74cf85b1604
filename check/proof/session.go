package proof

import (
	"slices"

	"github.com/cairn-tasks/cairn/session"
)

// SessionKind names the sessions in RecordFile.Kind.
const SessionKind = "session"

// The rules of sessions.
const (
	SessionDeleted   RuleID = "session-deleted"
	SessionRewritten RuleID = "session-rewritten"
)

var sessionRules = []Rule{
	{SessionDeleted, HistoryGroup, Warning, "a session was deleted, and its task was not",
		"bring its file back from git; an attempt that is over stays in the record"},
	{SessionRewritten, HistoryGroup, Warning, "a session has another actor or task than before, or ended in another way",
		"take the file from the base; what there is to add goes into a note on the task"},
}

// sessionKind is the sessions. The Value of one is a session.Session.
var sessionKind = Kind{Name: SessionKind, Rules: sessionRules, Judge: judgeSession, Deleted: deletedSession}

// judgeSession judges the status of a session, and finds one that was rewritten. The actor and the task of a session never
// change, and nothing does once it has ended. That it ended needs no explanation here: an entry of its task says so.
func judgeSession(c *Case) {
	now, _ := c.Now.Value.(session.Session)
	known := []session.Status{session.Active, session.Finished, session.Canceled, session.Abandoned}
	if !slices.Contains(known, now.Status) {
		c.Report(BadField, Path{"status"}, "status must be active, finished, canceled or abandoned, not %q", now.Status)
	}
	if c.Base == nil {
		return
	}
	was, _ := c.Base.Value.(session.Session)
	if key := rewritten(was, now); key != "" {
		c.Report(SessionRewritten, Path{key}, "%s differs from the base", key)
	}
}

// rewritten names the first key of a session that changed and may not, or returns "".
func rewritten(was, now session.Session) string {
	ended := was.Status != session.Active
	for _, field := range []struct {
		key     string
		changed bool
	}{
		{"actor", was.Actor != now.Actor},
		{"task", was.Task != now.Task},
		{"started_at", !was.StartedAt.Equal(now.StartedAt)},
		{"status", ended && was.Status != now.Status},
		{"ended_at", ended && !was.EndedAt.Equal(now.EndedAt)},
		{"head", ended && was.Head != now.Head},
		{"summary", ended && was.Summary != now.Summary},
		{"reason", ended && was.Reason != now.Reason},
	} {
		if field.changed {
			return field.key
		}
	}
	return ""
}

// deletedSession reports a session that is gone although its task is not. The sessions of a task that is deleted go with it.
func deletedSession(c *Case) {
	was, _ := c.Base.Value.(session.Session)
	if c.HadTask(was.Task) && !c.HasTask(was.Task) {
		return
	}
	c.Report(SessionDeleted, nil, "the session %s of %s is gone", c.Base.Name, was.Task).Task = was.Task
}
