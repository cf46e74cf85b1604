package proof

import (
	"github.com/cairn-tasks/cairn/session"
)

// sessions finds records of sessions that were rewritten. Whose a session is, and what it is about, never changes; once it has
// ended nothing does. That one ends needs no explanation here: the entries of its task tell.
func (j *judge) sessions() {
	now := make(map[string]*SessionFile, len(j.Sessions))
	for i := range j.Sessions {
		now[j.Sessions[i].Name] = &j.Sessions[i]
	}
	for i := range j.change.Base.Sessions {
		was := &j.change.Base.Sessions[i]
		f := now[was.Name]
		if f == nil || !f.Sound() || !was.Sound() {
			continue
		}
		if key := rewritten(was.Session, f.Session); key != "" {
			j.report(SessionRewritten, &f.File, Path{key}, "%s is not what it was", key)
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
