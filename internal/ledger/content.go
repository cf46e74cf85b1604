package ledger

import (
	"strconv"

	"github.com/cairn-tasks/cairn/internal/record"
)

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
