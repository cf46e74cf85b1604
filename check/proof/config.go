package proof

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// flow is what the states mean to the rules: what they mean in the base, made stricter by the config of the change. A
// state that the change declares closed is entered through the checks gate, and manual checks are settled by actors
// that both configs allow. A new state counts as declared, except that none becomes abandoned.
func (c *Change) flow() task.Flow {
	now := c.Config.Flow
	if !c.Base.Config.Sound() || !c.Config.Sound() {
		now.Signers = c.Base.Config.Flow.Signers
		return now
	}
	flow := c.Base.Config.Flow // with the signers of the base: a change cannot bring its own
	flow.States = record.Unique(slices.Concat(flow.States, now.States))
	flow.Closed = record.Unique(slices.Concat(flow.Closed, now.Closed))
	flow.Settles = task.Stricter(flow.Settles, now.Settles)
	flow.Ratify = task.Stricter(flow.Ratify, now.Ratify)
	return flow
}

// closing is flow for the question whether a dependency is closed: a state that the base left open and that the change
// declares closed does not count yet.
func (c *Change) closing() task.Flow {
	flow := c.flow()
	if was := c.Base.Config; was.Sound() {
		flow.Closed = slices.DeleteFunc(slices.Clone(flow.Closed), func(s record.Status) bool { return !was.Flow.IsClosed(s) && was.Flow.Known(s) == nil })
	}
	return flow
}

// planning lists the states that the change makes initial and that the base does not have: a task may be created in
// one, and leaving it requires the dependencies to be closed.
func (c *Change) planning() []record.Status {
	if now := c.Config.Flow.Initial; c.Config.Sound() && c.Base.Config.Sound() && c.Base.Config.Flow.Known(now) != nil {
		return []record.Status{now}
	}
	return nil
}

// severity is the severity of a finding by this config.
func (c ConfigFile) severity(f Finding) Severity {
	if s, ok := c.Severities[f.Rule]; ok {
		return s
	}
	return f.Severity
}

func rank(s Severity) int { return slices.Index(Severities, s) }
