package format

import (
	"time"
)

// log makes one list of the base's entries and those that each side added. No entry is removed, whatever a side did to
// it, and an entry that both sides have is in the list once.
//
// Each side's own order is kept. Where that leaves a choice, the earlier entry comes first, since a side may have put
// entries between those of the base, as an earlier merge does. Of two entries with the same time the one with the
// smaller text comes first, so a merge gives the same list in both directions.
func (f fieldMerge) log() ([]Edit, bool) {
	base, ok1 := f.entries(f.m.base, f.base)
	ours, ok2 := f.entries(f.m.ours, f.ours)
	theirs, ok3 := f.entries(f.m.theirs, f.theirs)
	if !ok1 || !ok2 || !ok3 {
		return nil, false
	}
	var items []Item
	for _, e := range interleave(interleave(ours, base), interleave(theirs, base)) {
		it, ok := f.entryItem(e)
		if !ok {
			return nil, false
		}
		items = append(items, it)
	}
	return f.setList(items), true
}

// logEntry is one entry of a log, in one of the documents.
type logEntry struct {
	doc  *Doc
	at   int    // its index there
	text string // its meaning; two entries with the same text are the same
	time string
}

// entries returns the entries of a document's log, or false if the value is not a list.
func (f fieldMerge) entries(d *Doc, n *Node) (out []logEntry, ok bool) {
	nodes, ok := itemsOf(n)
	for i, item := range nodes {
		out = append(out, logEntry{d, i, f.rule.Values.meaning(item), memberText(item, f.rule.Key)})
	}
	return out, ok
}

// entryItem returns our entry with its bytes, or a copy of that of another document, on one line.
func (f fieldMerge) entryItem(e logEntry) (Item, bool) {
	if e.doc == f.m.ours {
		return Old(e.at), true
	}
	v, ok := e.doc.copyOf(Path{f.key, e.at})
	if !ok {
		return Item{}, false
	}
	if _, oneLine := v.(verbatim); !oneLine {
		v = Flow{v}
	}
	return NewItem(v), true
}

// interleave merges two lists. It goes through both from one entry that they share to the next, so the order of neither
// list changes. A shared entry is taken from ours.
func interleave(ours, theirs []logEntry) []logEntry {
	find := finder(theirs)
	left := sharedCounts(ours, theirs)
	var out []logEntry
	write := func(e logEntry) {
		if n, isShared := left[e.text]; isShared {
			if n == 0 {
				return
			}
			left[e.text]--
		}
		out = append(out, e)
	}
	for len(ours) > 0 || len(theirs) > 0 {
		i, j := 0, 0
		if len(ours) == 0 || len(theirs) == 0 || ours[0].text != theirs[0].text {
			i, j = nextShared(ours, theirs, find)
		}
		for _, e := range byTime(ours[:i], theirs[:j]) {
			write(e)
		}
		if i == len(ours) {
			return out
		}
		write(ours[i])
		ours, theirs = ours[i+1:], theirs[j+1:]
	}
	return out
}

// sharedCounts returns for each entry that both sides have how often to write it: as often as the side has it that has
// it more.
func sharedCounts(ours, theirs []logEntry) map[string]int {
	count := func(side []logEntry) map[string]int {
		n := map[string]int{}
		for _, e := range side {
			n[e.text]++
		}
		return n
	}
	o, t := count(ours), count(theirs)
	shared := map[string]int{}
	for text, n := range o {
		if t[text] > 0 {
			shared[text] = max(n, t[text])
		}
	}
	return shared
}

// nextShared returns the index in each list of the next entry that both have, or their lengths if there is none.
func nextShared(ours, theirs []logEntry, find func(text string, left int) int) (i, j int) {
	for i, e := range ours {
		if j := find(e.text, len(theirs)); j >= 0 {
			return i, j
		}
	}
	return len(ours), len(theirs)
}

// finder returns a function that searches the last left entries of a list for a text. It returns the index of the first
// match among them, or -1. From call to call, left must not grow: what it passes over it forgets, so that all calls
// together take linear time.
func finder(list []logEntry) func(text string, left int) int {
	indexes := map[string][]int{}
	for i, e := range list {
		indexes[e.text] = append(indexes[e.text], i)
	}
	return func(text string, left int) int {
		from, at := len(list)-left, indexes[text]
		for len(at) > 0 && at[0] < from {
			at = at[1:]
		}
		indexes[text] = at
		if len(at) == 0 {
			return -1
		}
		return at[0] - from
	}
}

// byTime merges two lists by the times of their entries. Each keeps its own order.
func byTime(a, b []logEntry) (out []logEntry) {
	for len(a) > 0 && len(b) > 0 {
		if a[0].before(b[0]) {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// before orders entries by time, then by text. Times that cannot be read are compared as text.
func (e logEntry) before(f logEntry) bool {
	s, err1 := time.Parse(time.RFC3339, e.time)
	t, err2 := time.Parse(time.RFC3339, f.time)
	if err1 == nil && err2 == nil && !s.Equal(t) {
		return s.Before(t)
	}
	if (err1 != nil || err2 != nil) && e.time != f.time {
		return e.time < f.time
	}
	return e.text < f.text
}
