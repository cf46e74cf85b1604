package proof

import "github.com/cairn-tasks/cairn/task"

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
