package proof

import (
	"slices"

	"github.com/cairn-tasks/cairn/task"
)

// flow is what the states mean to the rules: what they mean in the base. What the change's config adds is taken in where it asks
// for more: a state that it closes is entered through the checks gate, and manual checks are settled by whom both name. A state
// that is new counts as it is declared, but that none becomes abandoned.
func (c *Change) flow() task.Flow {
	now := c.Config.Flow
	if !c.Base.Config.Sound() || !c.Config.Sound() {
		now.Signers = c.Base.Config.Flow.Signers
		return now
	}
	flow := c.Base.Config.Flow // its keys too: a change cannot bring its own
	flow.States = union(flow.States, now.States)
	flow.Closed = union(flow.Closed, now.Closed)
	flow.Settles = task.Stricter(flow.Settles, now.Settles)
	return flow
}

// closing is flow for the question whether a dependency is closed: what the change declares closed that the base left open does
// not count yet.
func (c *Change) closing() task.Flow {
	flow := c.flow()
	if was := c.Base.Config; was.Sound() {
		flow.Closed = slices.DeleteFunc(slices.Clone(flow.Closed), func(s task.Status) bool { return !was.Flow.IsClosed(s) && was.Flow.Known(s) == nil })
	}
	return flow
}

// planning lists the states that the change makes initial and that the base does not have: a task may be created in one, and leaving
// it asks for the dependencies.
func (c *Change) planning() []task.Status {
	if now := c.Config.Flow.Initial; c.Config.Sound() && c.Base.Config.Sound() && c.Base.Config.Flow.Known(now) != nil {
		return []task.Status{now}
	}
	return nil
}

// alsoReview is the review state of the change, if it is another than the base's.
func (c *Change) alsoReview() task.Status {
	if now := c.Config.Flow.Review; c.Config.Sound() && now != c.flow().Review {
		return now
	}
	return ""
}

func union[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
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
