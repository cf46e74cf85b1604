package verb

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/task"
)

// place is where a task stands in a list: by key, and by id among equals. As text, keys sort the way the list does.
type place struct{ key, id string }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.key, q.key), cmp.Compare(p.id, q.id))
}

const byPriority = "priority"

// orders are the ways in which a list can be sorted.
var orders = map[string]func(task.Task) place{
	byPriority: func(t task.Task) place { return place{fmt.Sprint(t.Priority), string(t.ID)} },
	"created":  func(t task.Task) place { return place{ageKey(t.First().At), string(t.ID)} },
	"updated":  func(t task.Task) place { return place{youthKey(t.Last().At), string(t.ID)} },
	"title":    func(t task.Task) place { return place{strings.ToLower(t.Title), string(t.ID)} },
	"id":       func(t task.Task) place { return place{"", string(t.ID)} },
}

// ageKey sorts the oldest first, youthKey the newest.
func ageKey(at time.Time) string   { return fmt.Sprintf("%020d", age(at)) }
func youthKey(at time.Time) string { return fmt.Sprintf("%020d", ^age(at)) }

// age counts seconds from the beginning of all time, so that no time is negative.
func age(at time.Time) uint64 { return uint64(at.Unix()) + 1<<63 }

// ranked is an item of a list, and where it stands.
type ranked[T any] struct {
	place place
	item  T
}

// page sorts, and cuts out at most limit items behind a cursor. The next cursor is the place of the last item shown, so that
// it stays good when items come and go. The order's name keeps a cursor from being used in another.
func page[T any](all []ranked[T], order, cursor string, limit int) (items []T, next string, err error) {
	slices.SortFunc(all, func(a, b ranked[T]) int { return a.place.compare(b.place) })
	if cursor != "" {
		after, err := readCursor(cursor, order)
		if err != nil {
			return nil, "", err
		}
		all = slices.DeleteFunc(all, func(r ranked[T]) bool { return r.place.compare(after) <= 0 })
	}
	items = []T{}
	for i, r := range all {
		if i == limit {
			return items, writeCursor(all[i-1].place, order), nil
		}
		items = append(items, r.item)
	}
	return items, "", nil
}

// writeCursor writes a place down, and in which order it is one.
func writeCursor(p place, order string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(order + "\x00" + p.key + "\x00" + p.id))
}

func readCursor(cursor, order string) (place, error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	parts := strings.Split(string(text), "\x00")
	if err != nil || len(parts) != 3 || parts[0] != order {
		return place{}, badInput("cursor", "is not one that was returned for this list").WithHint("leave it out to begin at the top")
	}
	return place{parts[1], parts[2]}, nil
}
