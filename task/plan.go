package task

// Plan makes several tasks at once, which may name one another in deps and parent, in any order. It returns them as Create
// would, in an order in which none comes before one that it depends on, or the error of the first that may not be created.
func (f Flow) Plan(tasks []Task, find Find, s Stamp) ([]Task, error) {
	planned := map[ID]Task{}
	for _, t := range tasks {
		planned[t.ID] = t
	}
	among := func(id ID) (Task, bool) {
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

// order puts tasks behind what they name.
type order struct {
	planned map[ID]Task // those not yet visited
	tasks   []Task
}

// visit appends a task behind its deps, and behind its parent where that does not wait for the task itself.
func (o *order) visit(id ID) {
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
