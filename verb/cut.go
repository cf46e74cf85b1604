package verb

import (
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"
)

// bounds are how much of a task an answer holds that goes into an agent's context. Lengths are in bytes, of JSON where
// nothing else is said.
type bounds struct {
	body     int // bytes of text
	bodyRoom int
	entries  int // the newest
	entryRoom,
	list int // labels, deps, checks and so on
	listRoom int
}

var (
	usual = bounds{body: 8 << 10, bodyRoom: 16 << 10, entries: 20, entryRoom: 96 << 10, list: 50, listRoom: 32 << 10}
	most  = bounds{body: 256 << 10, bodyRoom: 384 << 10, entries: 200, entryRoom: 256 << 10, list: 500, listRoom: 64 << 10}
)

// restHint is what an answer says that left something out.
const restHint = "get with part (body, provenance, file, blockers, dependents or children) and offset reads what was cut, piece by piece"

// cut leaves out what would flood a small context, and says so.
func (t Task) cut(b bounds) Task {
	t.Row = t.Row.cut(b)
	if body := beginning(t.Body, b.body, b.bodyRoom); len(body) < len(t.Body) {
		t.Body, t.BodyTruncated, t.BodyNextOffset = body+"…", true, len(body)
	}
	if newest := lasts(t.Provenance, b.entries, b.entryRoom); len(newest) < len(t.Provenance) {
		t.Provenance, t.ProvenanceTotal = newest, len(t.Provenance)
	}
	t.Checks, t.ChecksTotal = firsts(t.Checks, b.list, b.listRoom)
	t.Extra, t.ExtraTotal = firstKeys(t.Extra, b.list, b.listRoom)
	if t.BodyTruncated || t.ProvenanceTotal+t.ChecksTotal+t.ExtraTotal+t.LabelsTotal+t.DepsTotal+t.BlockedByTotal > 0 {
		t.Rest = restHint
	}
	return t
}

func (r Row) cut(b bounds) Row {
	r.Labels, r.LabelsTotal = firsts(r.Labels, b.list, b.listRoom)
	r.Deps, r.DepsTotal = firsts(r.Deps, b.list, b.listRoom)
	r.BlockedBy, r.BlockedByTotal = firsts(r.BlockedBy, b.list, b.listRoom)
	return r
}

// rowCut is a row of a list as this caller gets it.
func (w *Workspace) rowCut(r Row) Row {
	if w.Bounded {
		return r.cut(usual)
	}
	return r
}

// fitting is how many of the items have room, at most n and at least one.
func fitting[T any](items []T, n, room int) int {
	for i := range min(len(items), n) {
		if room -= sizeOf(items[i]); room < 0 {
			return max(i, 1)
		}
	}
	return min(len(items), n)
}

// firsts are the first items, and how many there are if these are not all.
func firsts[T any](items []T, n, room int) (first []T, total int) {
	if shown := fitting(items, n, room); shown < len(items) {
		return items[:shown], len(items)
	}
	return items, 0
}

// lasts are the last items.
func lasts[T any](items []T, n, room int) []T {
	backwards := slices.Clone(items)
	slices.Reverse(backwards)
	return items[len(items)-fitting(backwards, n, room):]
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
	shown := fitting(pairs, n, room)
	if shown == len(keys) {
		return object, 0
	}
	first = map[string]any{}
	for _, p := range pairs[:shown] {
		first[p.Key] = p.Value
	}
	return first, len(keys)
}

// beginning is as much of a text, from its start on, as is wanted and has room as JSON.
func beginning(text string, n, room int) string {
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
