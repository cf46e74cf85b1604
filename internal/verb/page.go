package verb

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// Position is where an item stands in a list: by key, and by id among equals. As text, keys sort the way the list does.
type Position struct{ Key, ID string }

func (p Position) compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Key, q.Key), cmp.Compare(p.ID, q.ID))
}

// OldestFirst is the key of a time in a list that begins with the oldest, NewestFirst in one that begins with the
// newest.
func OldestFirst(at time.Time) string { return sortable(age(at)) }

// NewestFirst is the opposite of OldestFirst.
func NewestFirst(at time.Time) string { return sortable(^age(at)) }

// Highest is the key of a number, not less than 0, in a list that begins with the highest.
func Highest(n float64) string { return sortable(^math.Float64bits(max(n, 0))) }

// age counts seconds from the beginning of all time, so that no time is negative.
func age(at time.Time) uint64 { return uint64(at.Unix()) + 1<<63 }

// sortable is a number as a text of one length, so that texts sort as the numbers do.
func sortable(n uint64) string {
	text := make([]byte, 20)
	for i := len(text) - 1; i >= 0; i-- {
		text[i] = byte('0' + n%10)
		n /= 10
	}
	return string(text)
}

// Descending turns ids of one length, in ASCII, into texts that sort the other way round.
func Descending(id string) string {
	return strings.Map(func(r rune) rune { return 0x7f - r&0x7f }, id)
}

// Ranked is an item of a list, and where it stands.
type Ranked[T any] struct {
	At   Position
	Item T
}

// Problems are the files that could not be read, and are in no list.
type Problems struct {
	Problems      []problem.Problem `json:"problems"`                 // 50 on a page
	ProblemsTotal int               `json:"problems_total,omitempty"` // how many there are, if not all are on this page
}

// ProblemsOf are the first of the files that could not be read, for a result without pages.
func ProblemsOf(all []problem.Problem, most int) Problems {
	out := Problems{Problems: []problem.Problem{}}
	for _, p := range all[:min(len(all), most)] {
		p.Message = Head(p.Message, messageShown)
		out.Problems = append(out.Problems, p)
	}
	if len(all) > most {
		out.ProblemsTotal = len(all)
	}
	return out
}

// PageIn is which page of a list is asked for.
type PageIn struct {
	order, cursor string
	limit         int // of items
	room          int // in bytes of JSON; 0 for as much as it takes
}

const (
	defaultLimit  = 50
	maxLimit      = 500
	problemsShown = 50        // on a page
	messageShown  = 500       // bytes of what is wrong with one file
	pageShown     = 256 << 10 // bytes of JSON on a page for an agent
)

// PageIn is the page that a caller asks for, of a list in an order. One for an agent ends early where its items are
// long.
func (w *Workspace) PageIn(order string, p Paging) PageIn {
	in := PageIn{order: order, cursor: p.Cursor, limit: cmp.Or(int(p.Limit), defaultLimit)}
	if w.Bounded {
		in.room = pageShown
	}
	return in
}

// Behind returns a function that reports whether a position is behind the cursor, so that it may be on the page.
func (in PageIn) Behind() func(Position) bool {
	last, err := readCursor(in.cursor, in.order)
	return func(at Position) bool { return in.cursor == "" || err != nil || at.compare(last.item) > 0 }
}

// Limit is how many items the page has at most.
func (in PageIn) Limit() int { return in.limit }

// Items is a page of a list: some of the items, and of the files that could not be read.
type Items[T any] struct {
	Items      []T    `json:"items" result:"rows"`
	Total      int    `json:"total"`                 // of items, on all pages
	NextCursor string `json:"next_cursor,omitempty"` // of the next page; "" if there is none
	Problems
}

// Page sorts a list, and returns one page of the items and of the problems behind a cursor. The next cursor holds the
// positions of the last ones shown, so that it stays good when items come and go. It holds the name of the order too,
// and is refused in another.
func Page[T any](all []Ranked[T], problems []problem.Problem, in PageIn) (Items[T], error) {
	return PageOf(all, func(item T) T { return item }, problems, in)
}

// PageOf is Page for items that are shown in another form, which is made of those on the page alone.
func PageOf[T, Shown any](all []Ranked[T], show func(T) Shown, problems []problem.Problem, in PageIn) (Items[Shown], error) {
	out := Items[Shown]{Items: []Shown{}, Total: len(all), Problems: Problems{Problems: []problem.Problem{}}}
	at := bookmark{order: in.order}
	if in.cursor != "" {
		var err error
		if at, err = readCursor(in.cursor, in.order); err != nil {
			return Items[Shown]{}, err
		}
		all = slices.DeleteFunc(all, func(r Ranked[T]) bool { return r.At.compare(at.item) <= 0 })
	}
	total := len(problems)
	problems = slices.SortedFunc(slices.Values(problems), func(a, b problem.Problem) int { return cmp.Compare(a.Path, b.Path) })
	problems = slices.DeleteFunc(problems, func(p problem.Problem) bool { return p.Path <= at.problem })

	room := in.room
	for i, r := range Foremost(all, in.limit) {
		if in.room > 0 && i > 0 && room <= 0 {
			break
		}
		item := show(r.Item)
		if in.room > 0 {
			room -= SizeOf(item)
		}
		out.Items, at.item = append(out.Items, item), r.At
	}
	shown := problems[:min(len(problems), problemsShown)]
	for _, p := range shown {
		if in.room > 0 {
			p.Message = Head(p.Message, messageShown)
		}
		out.Problems.Problems, at.problem = append(out.Problems.Problems, p), p.Path
	}
	if len(shown) < total {
		out.ProblemsTotal = total
	}
	if len(out.Items) < len(all) || len(shown) < len(problems) {
		out.NextCursor = at.cursor()
	}
	return out, nil
}

// Foremost returns the first n items of a list in its order. It does not sort the others: a page is short, and a list
// may be long.
func Foremost[T any](all []Ranked[T], n int) []Ranked[T] {
	var first []Ranked[T]
	cut := func() {
		sorted.By(first, func(a, b Ranked[T]) int { return a.At.compare(b.At) })
		first = first[:min(n, len(first))]
	}
	var last *Position // of n items that were found: what is behind it is none of the first
	for _, r := range all {
		if last != nil && r.At.compare(*last) >= 0 {
			continue
		}
		if first = append(first, r); len(first) == 2*n {
			cut()
			last = &Position{first[n-1].At.Key, first[n-1].At.ID}
		}
	}
	cut()
	return first
}

// SizeOf is how long a value is as JSON, in bytes.
func SizeOf(v any) int {
	text, _ := json.Marshal(v) // it is part of a result
	return len(text)
}

// bookmark is how much of a list was shown: the last item, and the path of the last file that could not be read.
type bookmark struct {
	order   string
	item    Position
	problem string
}

// cursor is the bookmark as text.
func (b bookmark) cursor() string {
	parts := []string{b.order, b.item.Key, b.item.ID}
	if b.problem != "" {
		parts = append(parts, b.problem)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, "\x00")))
}

func readCursor(cursor, order string) (bookmark, error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	parts := strings.Split(string(text), "\x00")
	if err != nil || len(parts) < 3 || len(parts) > 4 || parts[0] != order {
		return bookmark{}, BadInput("cursor", "is not one that was returned for this list").WithHint("leave it out to begin at the top")
	}
	b := bookmark{order: order, item: Position{parts[1], parts[2]}}
	if len(parts) == 4 {
		b.problem = parts[3]
	}
	return b, nil
}

// Bounds are how much of a task an answer holds that goes into an agent's context. Each room is in bytes of JSON.
type Bounds struct {
	Body      int // bytes of text
	BodyRoom  int
	Entries   int // the newest
	EntryRoom int
	List      int // labels, deps, checks and so on
	ListRoom  int
}

// The bounds of an answer: what is usual, the most that a caller can ask for, and none.
var (
	Usual     = Bounds{Body: 8 << 10, BodyRoom: 16 << 10, Entries: 5, EntryRoom: 96 << 10, List: 50, ListRoom: 32 << 10}
	Most      = Bounds{Body: 256 << 10, BodyRoom: 384 << 10, Entries: 200, EntryRoom: 256 << 10, List: 500, ListRoom: 64 << 10}
	Unbounded = Bounds{math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt}
)

// restHint is what an answer says from which something was cut.
const restHint = "get with part (body, provenance, file, blockers, dependents or children) and offset reads what was cut, piece by piece"

// Cut leaves out what would fill a small context, and says so.
func (t Task) Cut(b Bounds) Task {
	t.Row = t.cut(b)
	if body := Beginning(t.Body, b.Body, b.BodyRoom); len(body) < len(t.Body) {
		t.Body, t.BodyTruncated, t.BodyNextOffset = body+"…", true, len(body)
	}
	if newest := lasts(t.Provenance, b.Entries, b.EntryRoom); len(newest) < len(t.Provenance) {
		t.Provenance, t.ProvenanceTotal = newest, len(t.Provenance)
	}
	if b == Usual {
		t.Provenance = record.Each(t.Provenance, Entry.withoutHashes)
	}
	t.Checks, t.ChecksTotal = firsts(t.Checks, b.List, b.ListRoom)
	t.Scope, t.ScopeTotal = firsts(t.Scope, b.List, b.ListRoom)
	t.Extra, t.ExtraTotal = firstKeys(t.Extra, b.List, b.ListRoom)
	t.Refs, t.RefsTotal = newest(t.Refs, b.List, b.ListRoom)
	if t.BodyTruncated || t.RefsTotal+t.ProvenanceTotal+t.ChecksTotal+t.ExtraTotal+t.ScopeTotal+t.LabelsTotal+t.DepsTotal+t.BlockedByTotal+t.LinksTotal > 0 {
		t.Rest = restHint
	}
	return t
}

// withoutHashes leaves out what an entry says to cairn check alone.
func (e Entry) withoutHashes() Entry {
	e.Tree, e.Deps, e.Checks = "", "", nil
	e.Results = slices.Clone(e.Results)
	for i := range e.Results {
		if r := &e.Results[i]; r.Desc != "" {
			r.Check = ""
		}
	}
	return e
}

func (r Row) cut(b Bounds) Row {
	r.Labels, r.LabelsTotal = firsts(r.Labels, b.List, b.ListRoom)
	r.Deps, r.DepsTotal = firsts(r.Deps, b.List, b.ListRoom)
	r.BlockedBy, r.BlockedByTotal = firsts(r.BlockedBy, b.List, b.ListRoom)
	all := r.Count()
	for _, kind := range task.LinkKinds {
		ids := r.LinksOf(kind.Name)
		*ids, _ = firsts(*ids, b.List, b.ListRoom)
	}
	if r.Count() < all {
		r.LinksTotal = all
	}
	return r
}

// Fitting is how many of the items fit into the room, at most n and at least one.
func Fitting[T any](items []T, n, room int) int {
	for i := range min(len(items), n) {
		if room -= SizeOf(items[i]); room < 0 {
			return max(i, 1)
		}
	}
	return min(len(items), n)
}

// firsts are the first items, and how many there are if these are not all.
func firsts[T any](items []T, n, room int) (first []T, total int) {
	if shown := Fitting(items, n, room); shown < len(items) {
		return items[:shown], len(items)
	}
	return items, 0
}

// lasts are the last items.
func lasts[T any](items []T, n, room int) []T {
	backwards := slices.Clone(items)
	slices.Reverse(backwards)
	return items[len(items)-Fitting(backwards, n, room):]
}

// newest are the last items, and how many there are if these are not all.
func newest[T any](items []T, n, room int) (last []T, total int) {
	if last = lasts(items, n, room); len(last) < len(items) {
		return last, len(items)
	}
	return items, 0
}

// firstKeys are the first keys of an object.
func firstKeys(object map[string]any, n, room int) (first map[string]any, total int) {
	keys := slices.Sorted(maps.Keys(object))
	if len(keys) == 0 {
		return object, 0
	}
	type pair struct {
		Key   string
		Value any
	}
	pairs := make([]pair, len(keys))
	for i, key := range keys {
		pairs[i] = pair{key, object[key]}
	}
	shown := Fitting(pairs, n, room)
	if shown == len(keys) {
		return object, 0
	}
	first = map[string]any{}
	for _, p := range pairs[:shown] {
		first[p.Key] = p.Value
	}
	return first, len(keys)
}

// Beginning is the start of a text: at most n bytes, which as JSON fit into the room.
func Beginning(text string, n, room int) string {
	for n = min(n, len(text)); n > 0; n /= 2 {
		for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		if encoded, _ := json.Marshal(text[:n]); len(encoded) <= room {
			return text[:n]
		}
	}
	return ""
}

// Head is what an answer shows of a text: the first n bytes, with an ellipsis if there are more.
func Head(s string, n int) string { return record.Clip(s, n) }

// Tail is the last n bytes of a text, from the start of a line if it can be, with an ellipsis if there are more.
func Tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for i := range s {
		if s[i] == '\n' {
			return "…" + s[i:]
		}
	}
	return "…" + s
}
