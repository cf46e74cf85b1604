package ledger

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// The most that a record may have of each.
const (
	maxOptions = 50
	maxAbout   = 100
)

// validAbout returns INVALID_INPUT for what cannot be the ids of the records that something is about. Whether there are
// such records is not asked here.
func validAbout(ids []string) error {
	if len(ids) > maxAbout {
		return record.Errorf(record.InvalidInput, "about names %d records, more than %d", len(ids), maxAbout).WithHint("name the one that groups them")
	}
	for i, id := range ids {
		if err := record.ValidLine(fmt.Sprintf("about[%d]", i), id); err != nil {
			return err
		}
	}
	return nil
}

// validOptional returns INVALID_INPUT, naming the key, for what is neither empty nor one line of text.
func validOptional(key, value string) error {
	if value == "" {
		return nil
	}
	return record.ValidLine(key, value)
}

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

// counted appends a list to the parts of a content hash, after its length.
func counted[T ~string](parts []string, list []T) []string {
	parts = append(parts, strconv.Itoa(len(list)))
	for _, v := range list {
		parts = append(parts, string(v))
	}
	return parts
}

// RecordedHash is the hash of a record's content as its entry created has it; "" if none has.
func RecordedHash(log record.Log) string {
	for _, e := range log {
		if e.Did == record.Created {
			return e.Said().Content
		}
	}
	return ""
}

// hasContent returns INVALID_INPUT for an entry created without the hash of the content that never changes.
func hasContent(e record.Entry) error {
	if e.Said().Content == "" {
		return record.Errorf(record.InvalidInput, "it has no hash of the content")
	}
	return nil
}
