package proof

import (
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/task"
)

// sessions finds records of sessions that were rewritten. Whose a session is, and what it is about, never changes; once it has
// ended nothing does. That one ends needs no explanation here: the entries of its task tell.
func (r historyRules) sessions() {
	now := make(map[string]*SessionFile, len(r.Sessions))
	for i := range r.Sessions {
		now[r.Sessions[i].Name] = &r.Sessions[i]
	}
	for i := range r.change.Base.Sessions {
		was := &r.change.Base.Sessions[i]
		f := now[was.Name]
		if f == nil || !f.Sound() || !was.Sound() {
			continue
		}
		if key := rewritten(was.Session, f.Session); key != "" {
			r.report(SessionRewritten, &f.File, Path{key}, "%s is not what it was", key)
		}
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

// SessionDeleted is the rule about sessions that a change takes away.
const SessionDeleted RuleID = "session-deleted"

// DeletedSessions finds the sessions of the base that are gone although their tasks are not. Those of a task that is deleted go
// with it.
func (c *Change) DeletedSessions() []Finding {
	j := newJudge(c.Tree, c)
	there := make(map[string]bool, len(j.Sessions))
	for _, f := range j.Sessions {
		there[f.Name] = true
	}
	was := make(map[task.ID]bool, len(c.Base.Tasks))
	for _, f := range c.Base.Tasks {
		was[f.Name] = true
	}
	for i := range c.Base.Sessions {
		f := &c.Base.Sessions[i]
		of := f.Session.Task
		if there[f.Name] || was[of] && j.byName[of] == nil {
			continue
		}
		j.report(SessionDeleted, &f.File, nil, "the session %s of %s is gone", f.Name, of).Task = of
	}
	return j.findings()
}
