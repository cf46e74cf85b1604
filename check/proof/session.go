package proof

import (
	"cmp"
	"slices"

	"github.com/cairn-tasks/cairn/check/proof/chain"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
)

// The rules of sessions.
var (
	SessionParentMissing = Rule{"session-parent-missing", GraphGroup, Notice, "a session began under one that does not exist here",
		"nothing, if that one lies on a branch that is not merged yet; or bring its file back from git"}
	SessionCircle = Rule{"session-circle", GraphGroup, Warning, "a session descends, in the end, from itself",
		"take the file from git; the parent of a session never changes"}
	SessionDeleted = Rule{"session-deleted", HistoryGroup, Warning, "a session was deleted, and its task was not",
		"bring its file back from git; an attempt that is over stays in the record"}
	SessionRewritten = Rule{"session-rewritten", HistoryGroup, Warning, "a session has another actor, task or parent than before, says another goal, or ended in another way",
		"take the file from the base; what there is to add goes into a note on the task"}
)

// Sessions is what is asked of sessions. The Value of one is a session.Session.
var Sessions = Kind{
	Name: session.KindName, Judge: judgeSession, Deleted: deletedSession,
	Rules: []Rule{SessionParentMissing, SessionCircle, SessionDeleted, SessionRewritten},
}

// endsOtherwise returns why an entry of a session is none of its ends, or "".
func endsOtherwise(now session.Session, e record.Entry) string {
	if to, ends := session.EndOf(e.Did); ends && e.To == record.Status(to) && now.Status != to && !endedAs(now) {
		return "ends the session as " + string(to) + ", and its status is " + string(now.Status)
	}
	return ""
}

// endedAs reports whether an entry of a session gives it the status that it has.
func endedAs(s session.Session) bool {
	return slices.ContainsFunc(s.Provenance, func(e record.Entry) bool {
		to, ends := session.EndOf(e.Did)
		return ends && to == s.Status
	})
}

// unexplained reports whether the change ended a session and no entry says so. A session of an earlier program has no
// entries at all, and needs none.
func unexplained(c *Case, now session.Session) bool {
	if c.judge.change == nil || now.Status == session.Active || endedAs(now) {
		return false
	}
	if c.Base == nil {
		return len(now.Provenance) > 0
	}
	was, _ := c.Base.Value.(session.Session)
	return was.Status == session.Active && len(was.Provenance)+len(now.Provenance) > 0
}

// judgeSession judges the status of a session, and finds one that was rewritten. The actor and the task of a session
// never change, and nothing does once it has ended.
func judgeSession(c *Case) {
	now, _ := c.Now.Value.(session.Session)
	known := []session.Status{session.Active, session.Finished, session.Failed, session.Canceled, session.Waiting, session.Abandoned}
	if !slices.Contains(known, now.Status) {
		c.Report(BadField, Path{"status"}, "status must be active, finished, failed, canceled, waiting or abandoned, not %q", now.Status)
	}
	if unexplained(c, now) {
		got := c.Report(StatusUnexplained, Path{"status"}, "the session is %s, and no entry says so", now.Status)
		got.Severity, got.Fix = Warning, "write active back into the file, and end the session with cairn finish or cancel"
	}
	c.entries(func(e record.Entry, _ int) string { return endsOtherwise(now, e) })
	judgeParent(c, now)
	if c.Base == nil {
		return
	}
	was, _ := c.Base.Value.(session.Session)
	if key := rewritten(was, now); key != "" {
		c.Report(SessionRewritten, Path{key}, "%s differs from the base", key)
	}
}

// judgeParent finds a session whose parent is not there, and one that is its own ancestor.
func judgeParent(c *Case, s session.Session) {
	if s.Parent == "" {
		return
	}
	parent := func(id string) (of string, there bool) {
		f := c.Record(record.Ref{Kind: session.KindName, ID: id})
		if f == nil {
			return "", false
		}
		found, _ := f.Value.(session.Session)
		return found.Parent, true
	}
	if _, there := parent(s.Parent); !there {
		c.Report(SessionParentMissing, Path{"parent"}, "began under %s, which does not exist", s.Parent)
	}
	if c.judge.parents.Of(s.ID, func(id string) string { of, _ := parent(id); return of }) == chain.IsInCircle {
		c.Report(SessionCircle, Path{"parent"}, "is among the sessions under which it began")
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
		{"label", was.Label != now.Label},
		{"goal", was.Goal != now.Goal},
		{"role", was.Role != now.Role},
		{"parent", was.Parent != now.Parent},
		{"series", was.Series != now.Series},
		{"started_at", !was.StartedAt.Equal(now.StartedAt)},
		{"status", ended && was.Status != now.Status},
		{"ended_at", ended && !was.EndedAt.Equal(now.EndedAt)},
		{"base", ended && was.Base != now.Base},
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

// deletedSession reports a session that is gone although its task is not. The sessions of a task that is deleted go
// with it.
func deletedSession(c *Case) {
	was, _ := c.Base.Value.(session.Session)
	if change := c.judge.change; change != nil && change.base[was.Task] != nil && !c.HasTask(was.Task) {
		return
	}
	about := cmp.Or(string(was.Task), string(was.Actor))
	c.Report(SessionDeleted, nil, "the session %s of %s is gone", c.Base.Ref.ID, about).Task = was.Task
}
