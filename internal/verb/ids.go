package verb

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Exist returns INVALID_INPUT for what cannot be the id of a record, and NOT_FOUND for one that is not there.
func Exist(r kind.Reader, ids []RecordID) error {
	for _, id := range ids {
		if _, _, err := kind.Find(r, string(id)); err != nil && record.CodeOf(err) != record.BadFile {
			return err
		}
	}
	return nil
}

// AsTexts is a list of ids, or of other words of one type, as texts; nil for an empty one.
func AsTexts[T ~string](list []T) []string {
	var out []string
	for _, v := range list {
		out = append(out, string(v))
	}
	return out
}
