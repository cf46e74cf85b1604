package verb

import (
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// OneOf returns INVALID_INPUT, naming the field, for a filter that is not one of the values there are. "" is a filter
// that was left out.
func OneOf[T ~string](field string, value T, values []T) error {
	if value == "" {
		return nil
	}
	return record.OneOf(field, value, values)
}

// AnyHas reports whether one of some texts has a part, in any case.
func AnyHas(part string, texts ...string) bool {
	return strings.Contains(strings.ToLower(strings.Join(texts, "\n")), strings.ToLower(strings.TrimSpace(part)))
}
