package ledger

import (
	"reflect"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// change gives a value what somebody says of it, cleaned, and appends the key of the file to those that differ. Where
// nothing is said the value stays.
func change[T any](keys []string, key string, to, says *T, clean ...func(T) T) []string {
	if says == nil {
		return keys
	}
	now := *says
	for _, f := range clean {
		now = f(now)
	}
	was, is := reflect.ValueOf(*to), reflect.ValueOf(now)
	empty := is.Kind() == reflect.Slice && was.Len()+is.Len() == 0
	*to = now
	if empty || reflect.DeepEqual(was.Interface(), is.Interface()) {
		return keys
	}
	return append(keys, key)
}

// updated returns a header in one of the states, with an entry that names the keys of the file that changed, and the
// state if it is another.
func updated(h record.Header, keys []string, to record.Status, states []record.Status, s record.Stamp) (record.Header, error) {
	e := s.Entry(record.Updated)
	e.Fields, e.To = keys, to
	return task.Plain(states...).Apply(nil, h, e, task.Rules{})
}
