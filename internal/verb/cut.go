package verb

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/record"
)

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
	Usual     = Bounds{Body: 8 << 10, BodyRoom: 16 << 10, Entries: 20, EntryRoom: 96 << 10, List: 50, ListRoom: 32 << 10}
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
	t.Checks, t.ChecksTotal = firsts(t.Checks, b.List, b.ListRoom)
	t.Scope, t.ScopeTotal = firsts(t.Scope, b.List, b.ListRoom)
	t.Extra, t.ExtraTotal = firstKeys(t.Extra, b.List, b.ListRoom)
	t.Refs, t.RefsTotal = newest(t.Refs, b.List, b.ListRoom)
	if t.BodyTruncated || t.RefsTotal+t.ProvenanceTotal+t.ChecksTotal+t.ExtraTotal+t.ScopeTotal+t.LabelsTotal+t.DepsTotal+t.BlockedByTotal+t.LinksTotal > 0 {
		t.Rest = restHint
	}
	return t
}

func (r Row) cut(b Bounds) Row {
	r.Labels, r.LabelsTotal = firsts(r.Labels, b.List, b.ListRoom)
	r.Deps, r.DepsTotal = firsts(r.Deps, b.List, b.ListRoom)
	r.BlockedBy, r.BlockedByTotal = firsts(r.BlockedBy, b.List, b.ListRoom)
	all := len(r.DiscoveredFrom) + len(r.Duplicates) + len(r.Related)
	for _, ids := range []*[]record.ID{&r.DiscoveredFrom, &r.Duplicates, &r.Related} {
		*ids, _ = firsts(*ids, b.List, b.ListRoom)
	}
	if shown := len(r.DiscoveredFrom) + len(r.Duplicates) + len(r.Related); shown < all {
		r.LinksTotal = all
	}
	return r
}

// Fitting is how many of the items fit into the room, at most n and at least one.
func Fitting[T any](items []T, n, room int) int {
	for i := range min(len(items), n) {
		if room -= sizeOf(items[i]); room < 0 {
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
