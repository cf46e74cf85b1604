package task

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Links are what a task says of its relation to other records, by their ids. They gate nothing.
type Links struct {
	DiscoveredFrom []record.ID // in whose course it was found that this is to be done
	Duplicates     []record.ID // that ask for the same, and stand
	Related        []record.ID // that who reads this should know of
}

// MaxLinks is the most of one kind that a write may give a task.
const MaxLinks = 200

// Link is one kind of link: its key in files and inputs, and how it reads from either end.
type Link struct {
	Name    string // discovered_from
	Says    string // "discovered from": what the task that has it is to the other
	Reverse string // "discovered": what the other is to that task
}

// LinkKinds lists the kinds of link, in the order of their keys.
var LinkKinds = []Link{
	{"discovered_from", "discovered from", "led to"},
	{"duplicates", "duplicates", "duplicated by"},
	{"related", "related to", "related to"},
}

// LinksOf returns the links of one kind.
func (l *Links) LinksOf(name string) *[]record.ID {
	switch name {
	case "discovered_from":
		return &l.DiscoveredFrom
	case "duplicates":
		return &l.Duplicates
	default:
		return &l.Related
	}
}

// Empty reports whether there are no links.
func (l Links) Empty() bool { return len(l.DiscoveredFrom)+len(l.Duplicates)+len(l.Related) == 0 }

// ValidLinks returns INVALID_INPUT for a link of a task to itself, and for too many. Whether there are such records is
// not asked here.
func ValidLinks(of record.ID, l Links) error {
	for _, kind := range LinkKinds {
		ids := *l.LinksOf(kind.Name)
		if of != "" && slices.Contains(ids, of) {
			return record.Errorf(record.InvalidInput, "%s names the task itself", kind.Name).WithHint("leave it out")
		}
		if len(ids) > MaxLinks {
			return record.Errorf(record.InvalidInput, "%s has %d ids, more than %d", kind.Name, len(ids), MaxLinks).WithHint("name the parent of many of them")
		}
		if err := record.ValidLines(kind.Name, record.Texts(ids)...); err != nil {
			return err
		}
	}
	return nil
}

// uniqueLinks returns the links with each id once.
func (l Links) uniqueLinks() Links {
	return Links{record.Unique(l.DiscoveredFrom), record.Unique(l.Duplicates), record.Unique(l.Related)}
}
