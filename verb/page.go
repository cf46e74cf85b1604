package verb

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store"
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
	"created":  func(t task.Task) place { return place{ageKey(t.Provenance.First().At), string(t.ID)} },
	"updated":  func(t task.Task) place { return place{youthKey(t.Provenance.Last().At), string(t.ID)} },
	"title":    func(t task.Task) place { return place{strings.ToLower(t.Title), string(t.ID)} },
	"id":       func(t task.Task) place { return place{"", string(t.ID)} },
}

// ageKey sorts the oldest first, youthKey the newest.
func ageKey(at time.Time) string   { return fmt.Sprintf("%020d", age(at)) }
func youthKey(at time.Time) string { return fmt.Sprintf("%020d", ^age(at)) }

// descending sorts ids of one length, in ASCII, the other way round.
func descending(id string) string {
	return strings.Map(func(r rune) rune { return 0x7f - r&0x7f }, id)
}

// age counts seconds from the beginning of all time, so that no time is negative.
func age(at time.Time) uint64 { return uint64(at.Unix()) + 1<<63 }

// ranked is an item of a list, and where it stands.
type ranked[T any] struct {
	place place
	item  T
}

// pageIn is which page of a list is asked for.
type pageIn struct {
	order, cursor string
	limit         int // of items
	room          int // in bytes of JSON; 0 for as much as it takes
}

const (
	problemsShown = 50        // on a page
	messageShown  = 500       // bytes of what is wrong with one file
	pageShown     = 256 << 10 // bytes of JSON on a page for an agent
)

// pageIn is the page that a caller asks for. One for an agent ends early where its items are long.
func (w *Workspace) pageIn(order, cursor string, limit Count) pageIn {
	in := pageIn{order: order, cursor: cursor, limit: cmp.Or(int(limit), defaultLimit)}
	if w.Bounded {
		in.room = pageShown
	}
	return in
}

// onPage is a page: some of the items, and of the files that could not be read.
type onPage[T any] struct {
	items    []T
	problems []store.Problem
	next     string // the cursor of the page behind it; "" if there is none
}

// page sorts, and cuts a page out of the items behind a cursor, and of the problems. The next cursor is the places of the
// last ones shown, so that it stays good when items come and go. The order's name keeps a cursor from being used in another.
func page[T any](all []ranked[T], problems []store.Problem, in pageIn) (onPage[T], error) {
	at := bookmark{order: in.order}
	if in.cursor != "" {
		var err error
		if at, err = readCursor(in.cursor, in.order); err != nil {
			return onPage[T]{}, err
		}
	}
	slices.SortFunc(all, func(a, b ranked[T]) int { return a.place.compare(b.place) })
	if in.cursor != "" {
		all = slices.DeleteFunc(all, func(r ranked[T]) bool { return r.place.compare(at.item) <= 0 })
	}
	problems = slices.SortedFunc(slices.Values(problems), func(a, b store.Problem) int { return cmp.Compare(a.Path, b.Path) })
	problems = slices.DeleteFunc(problems, func(p store.Problem) bool { return p.Path <= at.problem })

	out := onPage[T]{items: []T{}, problems: []store.Problem{}}
	room := in.room
	for i, r := range all {
		if i == in.limit || in.room > 0 && i > 0 && room <= 0 {
			break
		}
		if in.room > 0 {
			room -= sizeOf(r.item)
		}
		out.items, at.item = append(out.items, r.item), r.place
	}
	for _, p := range problems[:min(len(problems), problemsShown)] {
		if in.room > 0 {
			p.Message = head(p.Message, messageShown)
		}
		out.problems, at.problem = append(out.problems, p), p.Path
	}
	if len(out.items) < len(all) || len(out.problems) < len(problems) {
		out.next = at.cursor()
	}
	return out, nil
}

// sizeOf is how long a value is as JSON, in bytes.
func sizeOf(v any) int {
	text, _ := json.Marshal(v) // it is part of a result
	return len(text)
}

// bookmark is how far a list was shown: the last item, and the path of the last file that could not be read.
type bookmark struct {
	order   string
	item    place
	problem string
}

// cursor writes a bookmark down.
func (b bookmark) cursor() string {
	parts := []string{b.order, b.item.key, b.item.id}
	if b.problem != "" {
		parts = append(parts, b.problem)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, "\x00")))
}

func readCursor(cursor, order string) (bookmark, error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	parts := strings.Split(string(text), "\x00")
	if err != nil || len(parts) < 3 || len(parts) > 4 || parts[0] != order {
		return bookmark{}, badInput("cursor", "is not one that was returned for this list").WithHint("leave it out to begin at the top")
	}
	b := bookmark{order: order, item: place{parts[1], parts[2]}}
	if len(parts) == 4 {
		b.problem = parts[3]
	}
	return b, nil
}
