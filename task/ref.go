package task

// Ref names a record: its kind, and its id among the records of that kind.
type Ref struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// KindName is the kind of a task, in a Ref.
const KindName = "task"

// Ref names the task that has this id.
func (id ID) Ref() Ref { return Ref{Kind: KindName, ID: string(id)} }

// String returns the kind and the id, as in "task PROJ-7".
func (r Ref) String() string { return r.Kind + " " + r.ID }

// Header is what every kind of record says of itself. What a kind lacks is zero.
type Header struct {
	Ref      Ref
	Title    string
	Status   Status
	Assignee Actor
	Labels   []string
	Log      Log
	Rev      Rev // revision of the file that this was read from
}

// Header returns what the task has in common with records of other kinds.
func (t Task) Header() Header {
	return Header{
		Ref: t.ID.Ref(), Title: t.Title, Status: t.Status, Assignee: t.Assignee, Labels: t.Labels,
		Log: t.Provenance, Rev: t.Rev,
	}
}
