package task

import "github.com/cairn-tasks/cairn/internal/record"

// Create returns a task as it is to be written first: in the initial state, with pending checks and its first entry. It
// returns INVALID_INPUT, DANGLING_DEP or DEP_CYCLE if there may be no such task.
func (f Flow) Create(t Task, find Find, s record.Stamp) (Task, error) {
	if err := ValidFields(t); err != nil {
		return t, err
	}
	if err := ValidCounts(Task{}, t); err != nil {
		return t, err
	}
	if err := ValidDeps(t.ID, t.Deps, find); err != nil {
		return t, err
	}
	if err := ValidParent(t.ID, t.Parent, find); err != nil {
		return t, err
	}
	t = t.InRepo(t.Repo)
	t.Status = f.Initial
	t.Body = record.CleanBody(t.Body)
	t.Labels, t.Deps, t.Scope, t.Links = record.Unique(t.Labels), record.Unique(t.Deps), record.Unique(t.Scope), t.uniqueLinks()
	t.Checks = carryResults(nil, t.Checks)
	e := s.Entry(record.Created)
	e.Checks, e.AddDeps, e.Deps = t.CheckHashes(), t.Deps, DepsHash(t.ID, t.Deps)
	if t.Assignee != "" {
		e.Assignee = &t.Assignee
	}
	t.Provenance = nil
	return t.With(e), nil
}

// Plan creates several tasks at once. They may name one another in deps and parent, and come in any order. It returns
// them as Create does, each behind those that it depends on, or the error of the first that may not be created.
func (f Flow) Plan(tasks []Task, find Find, s record.Stamp) ([]Task, error) {
	planned := map[record.ID]Task{}
	for _, t := range tasks {
		planned[t.ID] = t
	}
	among := func(id record.ID) (Task, bool) {
		if t, ok := planned[id]; ok {
			return t, true
		}
		return find(id)
	}
	for _, t := range tasks {
		created, err := f.Create(t, among, s)
		if err != nil {
			return nil, err
		}
		planned[t.ID] = created
	}
	o := order{planned: planned}
	for _, t := range tasks {
		o.visit(t.ID)
	}
	return o.tasks, nil
}

// order sorts tasks so that each comes behind those that it names.
type order struct {
	planned map[record.ID]Task // those not yet visited
	tasks   []Task
}

// visit appends a task behind its deps, and behind its parent unless the parent depends on it.
func (o *order) visit(id record.ID) {
	t, ok := o.planned[id]
	if !ok {
		return
	}
	delete(o.planned, id)
	for _, dep := range t.Deps {
		o.visit(dep)
	}
	o.visit(t.Parent)
	o.tasks = append(o.tasks, t)
}
