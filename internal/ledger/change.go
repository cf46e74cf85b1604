package ledger

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// compared is a key of a file, and whether two versions say the same in it.
type compared struct {
	key  string
	same bool
}

// differing names the keys in which two versions differ.
func differing(keys ...compared) []string {
	var out []string
	for _, k := range keys {
		if !k.same {
			out = append(out, k.key)
		}
	}
	return out
}

// updated returns a header in one of the states, with an entry that names the keys of the file that changed, and the
// state if it is another.
func updated(h record.Header, keys []string, to record.Status, states []record.Status, s record.Stamp) (record.Header, error) {
	e := s.Entry(record.Updated)
	e.Fields, e.To = keys, to
	return task.Plain(states...).Apply(nil, h, e, task.Rules{})
}
