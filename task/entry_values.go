package task

import (
	"reflect"
	"strings"
	"sync"
	"time"
)

// EntryValues names the members of an entry, as files call them: those that are texts, and those that are times. Whoever
// compares entries in files goes by what they say and not by how it is written. What else stands in an entry belongs to others.
var EntryValues = sync.OnceValue(func() (values struct{ Texts, Times []string }) {
	for f := range reflect.TypeFor[Entry]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type == reflect.TypeFor[time.Time]() {
			values.Times = append(values.Times, name)
		} else {
			values.Texts = append(values.Texts, name)
		}
	}
	return values
})
