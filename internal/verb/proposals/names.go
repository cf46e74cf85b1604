package proposals

import (
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/task"
)

// names are what the tasks of a plan can be called by one another.
type names struct {
	ids    []record.ID    // of its tasks, in their order
	keys   map[string]int // the places of those that have a key
	prefix string         // of the workspace
	there  task.Find      // what tasks of the workspace can depend on
}

const maxKey = 60 // bytes

// keysOf reads the keys of a plan. It returns INVALID_INPUT for one that comes twice, that is no word, or that looks
// like what else names a task.
func keysOf(items []PlanItem, prefix string) (map[string]int, error) {
	out := map[string]int{}
	for i, item := range items {
		at := "tasks[" + strconv.Itoa(i) + "].key"
		first, twice := out[item.Key]
		switch {
		case item.Key == "":
			continue
		case twice:
			return nil, verb.BadInput(at, "is %q, and so is that of tasks[%d]", item.Key, first).WithHint("give each task a key of its own")
		case strings.HasPrefix(strings.ToLower(item.Key), strings.ToLower(prefix)+"-"):
			return nil, verb.BadInput(at, "is %q, which looks like the id of a task", verb.Head(item.Key, maxKey)).WithHint("a key is a name of your own, such as strip-paint; ids are made when the tasks are")
		case len(item.Key) > maxKey || !record.IsWord(item.Key, "_.-"):
			return nil, verb.BadInput(at, "is %q", verb.Head(item.Key, maxKey)).WithHint("letters, digits, dots, dashes and underscores, %d at most, such as strip-paint", maxKey)
		}
		out[item.Key] = i
	}
	return out, nil
}

// resolve turns what a field of a plan names into an id: a key of the plan before anything else, a place in it, or what
// is there already.
func (n names) resolve(at string, ref Ref) (record.ID, error) {
	if i, ok := n.keys[string(ref)]; ok {
		return n.ids[i], nil
	}
	if index, ok := strings.CutPrefix(string(ref), "#"); ok {
		i, err := strconv.Atoi(index)
		if err != nil || i < 0 || i >= len(n.ids) {
			return "", verb.BadInput(at, "is %s, and the plan has %d tasks", verb.Head(string(ref), maxKey), len(n.ids)).WithHint("#0 is the first; a task with a key can be named by it")
		}
		return n.ids[i], nil
	}
	id, err := record.ParseID(string(ref))
	if err == nil && (len(n.keys) == 0 || strings.HasPrefix(string(id), n.prefix+"-")) {
		return id, nil
	}
	if err == nil {
		if _, ok := n.there(id); ok {
			return id, nil
		}
	}
	return "", n.unknown(at, ref)
}

// unknown is the error about a name that is nobody's.
func (n names) unknown(at string, ref Ref) error {
	e := verb.BadInput(at, "is %q, which is no key of the plan and no id", verb.Head(string(ref), maxKey))
	var keys []string
	for key := range n.keys {
		keys = append(keys, key)
	}
	if near := verb.Nearest(string(ref), keys); near != "" {
		return e.WithHint("did you mean %s?", near)
	}
	return e.WithHint("give a task of the plan this key, or name it by #0 for the first of the plan; an id looks like %s-01j8x2k7q7f3az", n.prefix)
}
