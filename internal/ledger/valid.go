package ledger

import (
	"fmt"

	"github.com/cairn-tasks/cairn/internal/record"
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
