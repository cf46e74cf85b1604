package frontmatter

import (
	"time"

	"gopkg.in/yaml.v3"
)

// mergeLog makes one list of the base's entries and of what each side added. Each side's own order stays, and where that
// leaves a choice the time decides: a side may have put entries between those of the base, as an earlier merge does. Of
// entries with the same time that of the smaller bytes comes first, so both directions of a merge give the same list. An
// entry that both sides have stands once. Nothing is taken out, whatever a side did to it.
func (m *Merged) mergeLog(f field) ([]Edit, bool) {
	base, ok1 := m.entriesOf(m.base, f, f.base)
	ours, ok2 := m.entriesOf(m.ours, f, f.ours)
	theirs, ok3 := m.entriesOf(m.theirs, f, f.theirs)
	if !ok1 || !ok2 || !ok3 {
		return nil, false
	}
	var items []Item
	for _, e := range interleave(interleave(ours, base), interleave(theirs, base)) {
		it, ok := m.itemOf(e, f.key)
		if !ok {
			return nil, false
		}
		items = append(items, it)
	}
	return m.listEdits(f, items), true
}

// logEntry is one entry of a log, in one of the documents.
type logEntry struct {
	doc  *Doc
	at   int // its place there
	text string
	time string
}

func (m *Merged) entriesOf(d *Doc, f field, n *yaml.Node) (out []logEntry, ok bool) {
	nodes, ok := itemsOf(n)
	for i, item := range nodes {
		out = append(out, logEntry{d, i, f.rule.Values.meaning(item), memberOf(item, f.rule.Key)})
	}
	return out, ok
}

// itemOf is our entry with its bytes, or that of another document copied.
func (m *Merged) itemOf(e logEntry, key string) (Item, bool) {
	if e.doc == m.ours {
		return Old(e.at), true
	}
	v, ok := e.doc.copyAt(Path{key, e.at})
	if !ok {
		return Item{}, false
	}
	if _, oneLine := v.(copied); !oneLine {
		v = Flow{v}
	}
	return NewItem(v), true
}

// interleave makes one list of two. Entries that both have are met by both at the same step, so that the order of neither is
// disturbed by them; they are written as ours has them.
func interleave(ours, theirs []logEntry) []logEntry {
	both := shared(ours, theirs)
	find := finder(theirs)
	left := map[string]int{} // how often an entry that both have is still to be written
	for text, n := range both {
		left[text] = n
	}
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
			i, j = meeting(ours, theirs, find)
		}
		for _, e := range byTime(ours[:i], theirs[:j]) {
			write(e)
		}
		if i < len(ours) {
			write(ours[i])
			ours, theirs = ours[i+1:], theirs[j+1:]
			continue
		}
		return out
	}
	return out
}

// shared counts the entries that both sides have, each as often as the side that has it more often.
func shared(ours, theirs []logEntry) map[string]int {
	counts := func(side []logEntry) map[string]int {
		n := map[string]int{}
		for _, e := range side {
			n[e.text]++
		}
		return n
	}
	o, t := counts(ours), counts(theirs)
	both := map[string]int{}
	for text, n := range o {
		if t[text] > 0 {
			both[text] = max(n, t[text])
		}
	}
	return both
}

// meeting returns where the next entry that both sides have stands in each; their ends if there is none.
func meeting(ours, theirs []logEntry, find func(text string, left int) int) (i, j int) {
	for i, e := range ours {
		if j := find(e.text, len(theirs)); j >= 0 {
			return i, j
		}
	}
	return len(ours), len(theirs)
}

// finder finds the first entry that says a text among the last ones of a list, as many as are left; -1 if there is none. Those
// that are left get fewer from one look to the next.
func finder(list []logEntry) func(text string, left int) int {
	places := map[string][]int{}
	for i, e := range list {
		places[e.text] = append(places[e.text], i)
	}
	return func(text string, left int) int {
		from, at := len(list)-left, places[text]
		for len(at) > 0 && at[0] < from {
			at = at[1:]
		}
		places[text] = at
		if len(at) == 0 {
			return -1
		}
		return at[0] - from
	}
}

// byTime merges two lists by the times of their entries.
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
