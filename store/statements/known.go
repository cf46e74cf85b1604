package statements

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Facts are what is known of closes by what others signed: by witnesses, as statements say that count, and by persons,
// whose signed approvals stand in the records of tasks. seen is what the clone saw itself.
//
// An approval says nothing of the commands of its task. So a close that rests on some counts as signed only where it is
// known from elsewhere that these passed: else an edit of the file could add them to what a person signed.
func Facts(all []Statement, tasks []task.Task, flow task.Flow, seen func(about string) task.Seen) []task.Fact {
	facts := map[string]task.Seen{}
	for _, s := range all {
		if s.Why == "" && s.Close != nil {
			seen := task.Seen{Witnessed: true, Held: true, Red: true}
			for _, p := range s.Close.Checks {
				seen.Held, seen.Red = seen.Held && p.Held, seen.Red && p.Red
			}
			facts[s.Close.Close] = facts[s.Close.Close].And(seen)
		}
	}
	for _, t := range tasks {
		about := t.Closing()
		if about == "" || !flow.ClaimsDone(t.Status) || !flow.ApprovedBySignature(t) {
			continue
		}
		known := facts[about].And(seen(about))
		if known.Held || known.Witnessed || !slices.ContainsFunc(t.Checks, func(c task.Check) bool { return !c.Manual() }) {
			facts[about] = facts[about].And(task.Seen{Signed: true})
		}
	}
	var out []task.Fact
	for about, is := range facts {
		out = append(out, task.Fact{About: about, Seen: is})
	}
	return out
}

// Take judges all statements of a workspace, and keeps the outcome for whoever lists tasks.
func (h Shelf) Take(ctx context.Context, s *store.Store) ([]Statement, error) {
	all, err := h.Read(ctx, "")
	if err != nil {
		return nil, err
	}
	tasks, _, err := kind.Tasks.List(ctx, s)
	if err != nil {
		return all, err
	}
	return all, s.PutStated(Facts(all, tasks, s.Config.Flow, s.Saw().Of))
}
