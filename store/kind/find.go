package kind

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// Find reads the record with an id, of any kind: a task if there is one, else a record of the first kind whose ids have
// that form. If there is none, the kind and the error are those of the first kind other than tasks that can have such
// an id, or else of tasks. An id that may be any word (Kind.Words) says nothing of its kind: no task is found.
func Find(r Reader, id string) (*Kind, any, error) {
	v, err := r.Read(Tasks.Kind, id)
	code := record.CodeOf(err)
	if code != record.NotFound && code != record.InvalidInput {
		return Tasks.Kind, v, err
	}
	found := Tasks.Kind
	for _, k := range kinds {
		if k == Tasks.Kind || k.ParseID(id) != nil {
			continue
		}
		v, otherErr := r.Read(k, id)
		if record.CodeOf(otherErr) != record.NotFound {
			return k, v, otherErr
		}
		switch {
		case found != Tasks.Kind:
		case !k.Words:
			found, err = k, otherErr
		case code == record.InvalidInput:
			err = Tasks.NotFound(id)
		}
	}
	return found, nil, err
}

// ParseAnyID returns INVALID_INPUT if an id cannot be that of any kind.
func ParseAnyID(id string) error {
	err := Tasks.ParseID(id)
	if err != nil && slices.ContainsFunc(kinds, func(k *Kind) bool { return k.ParseID(id) == nil }) {
		return nil
	}
	return err
}

// Deps looks up what a task can depend on: a task, or a record of another kind that has closed states.
func Deps(r Reader, flow task.Flow) task.Find { return DepsAmong(Tasks.Find(r), r, flow) }

// DepsAmong is Deps with another look-up of tasks, such as one among tasks that are read already.
func DepsAmong(tasks task.Find, r Reader, flow task.Flow) task.Find {
	return func(id record.ID) (task.Task, bool) {
		if t, ok := tasks(id); ok {
			return t, true
		}
		for _, k := range kinds {
			if k == Tasks.Kind || k.Closed == nil || k.ParseID(string(id)) != nil {
				continue
			}
			if v, err := r.Read(k, string(id)); err == nil {
				return k.Dep(v, flow), true
			}
		}
		return task.Task{}, false
	}
}

// Dep is a record as a dependency of tasks. The kind must have closed states.
func (k *Kind) Dep(v any, flow task.Flow) task.Task {
	return task.DepOf(k.Header(v), func(s record.Status) bool { return k.Closed(flow, s) })
}

// Fields returns the values of the keys of a document that not all kinds have in common, as values for encoding/json.
func Fields(doc *format.Doc) map[string]any {
	common := []string{"id", "title", "status", "labels", "assignee", "refs", "provenance"}
	out := map[string]any{}
	root := doc.Root()
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i].Value; !slices.Contains(common, key) {
			out[key] = plain(root.Content[i+1])
		}
	}
	return out
}
