package proof

import (
	"slices"

	"github.com/cairn-tasks/cairn/task"
)

// flow is what the states mean to the rules: what the tree's config says, but that nothing counts as loosened yet. A state
// that claimed in the base that the work is done claims it still, one is abandoned only if it was, and manual checks are
// settled by whom the stricter one names.
func (c *Change) flow() task.Flow {
	flow := c.Config.Flow
	flow.Signers = c.Base.Config.Flow.Signers // a change cannot bring its own keys
	if !c.Base.Config.Sound() || !c.Config.Sound() {
		return flow
	}
	was := c.Base.Config.Flow
	flow.Closed = append(slices.Clone(flow.Closed), unclosed(was, flow)...)
	flow.Abandoned = slices.DeleteFunc(slices.Clone(flow.Abandoned), func(s task.Status) bool { return !was.IsAbandoned(s) })
	flow.Settles, flow.Prefix = task.Stricter(was.Settles, flow.Settles), was.Prefix
	return flow
}

// unclosed lists the states that were closed and are not, but are still there.
func unclosed(was, now task.Flow) []task.Status {
	return slices.DeleteFunc(slices.Clone(was.Closed), func(s task.Status) bool { return now.IsClosed(s) || now.Known(s) != nil })
}

// severity is what a finding counts: as the config says, but no less than by the config of the base.
func (j *judge) severity(f Finding) Severity {
	now := set(j.Config, f)
	if j.change == nil || !j.change.Base.Config.Sound() {
		return now
	}
	return Severities[max(rank(now), rank(set(j.change.Base.Config, f)))]
}

// set is the severity of a finding by a config.
func set(c ConfigFile, f Finding) Severity {
	if s, ok := c.Severities[f.Rule]; ok {
		return s
	}
	return f.Severity
}

func rank(s Severity) int { return slices.Index(Severities, s) }
