package verb

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Values are texts by name in an input: fields of the user's own. In JSON a value may be a text, a number, true or
// false; null is "". On the command line each is NAME=VALUE.
type Values map[string]string

// OwnFields reads values of fields of the user's own: me is who acts. Its errors are those of task.Flow.ReadOwn.
func (w *Workspace) OwnFields(s *store.Store, given Values) (map[string]string, error) {
	in := make(map[string]string, len(given))
	for name, value := range given {
		if one, ok := s.Config.Flow.Field(name); ok && one.Type == task.FieldActor && IsMe(value) {
			value = string(w.Actor())
		}
		in[name] = value
	}
	return s.Config.Flow.ReadOwn(in)
}

// LinksGiven are the links in an input, by the name of their kind. It returns NOT_FOUND for an id that no record has,
// unless the task has the link already.
func LinksGiven(s *store.Store, given map[string][]RecordID, has func(record.ID) bool) (map[string][]record.ID, error) {
	out := map[string][]record.ID{}
	for _, k := range task.LinkKinds {
		ids, ok := given[k.Name]
		if !ok {
			continue
		}
		out[k.Name] = []record.ID{}
		for _, one := range ids {
			id := record.ID(one)
			if _, _, err := kind.Find(s, string(id)); record.CodeOf(err) == record.NotFound && !has(id) {
				return nil, WithID(err, id)
			}
			out[k.Name] = append(out[k.Name], id)
		}
	}
	return out, nil
}

// ownFields are the fields of the user's own that a task has, as JSON has them; nil for none.
func ownFields(flow task.Flow, value func(name string) string) map[string]any {
	var out map[string]any
	for _, one := range flow.Fields {
		if text := value(one.Name); text != "" {
			if out == nil {
				out = map[string]any{}
			}
			out[one.Name] = one.Value(text)
		}
	}
	return out
}

// withoutOwn leaves out of the keys that cairn does not know those that are shown as fields.
func withoutOwn(extra, shown map[string]any) map[string]any {
	var out map[string]any
	for name, value := range extra {
		if _, ok := shown[name]; ok {
			continue
		}
		if out == nil {
			out = map[string]any{}
		}
		out[name] = value
	}
	return out
}
