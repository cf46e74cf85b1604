package format

import (
	"slices"
	"strings"
	"sync"
)

// rebuild makes the collection at t consist of items. Old items keep their bytes, and so do the blank lines and
// comments between them. The comments of a removed item stay, on lines of their own.
func (ed editor) rebuild(t *target, items []Item) (splice, *Error) {
	ms := ed.members(t.node, t.nesting)
	flow := t.node.Style&FlowStyle != 0
	switch {
	case !ed.separate(ms, flow):
		return splice{}, ed.errorAt(t.node, "its members cannot be located")
	case len(items) == 0 && t.parent != nil:
		v, _ := valueOf(&Node{Kind: t.node.Kind}) // an empty one
		return ed.replace(t, v)
	case flow:
		return ed.rebuildFlow(t, ms, items)
	case len(t.node.Content) == 0:
		eol := ed.eol(ed.to) // the first pair goes to the end of the document
		text := joinLines(items[0].lines(), 0, eol)
		if ed.to > ed.from && !endsLine(string(ed.Front())) {
			text = eol + strings.TrimSuffix(text, eol)
		}
		return splice{span{ed.to, ed.to}, text}, nil
	}
	return ed.rebuildBlock(ms, items), nil
}

// lines returns the lines of a new item in a block collection.
func (it Item) lines() []string {
	if it.key != nil {
		return fieldLines(Field{*it.key, it.value})
	}
	return itemLines(it.value)
}

// inFlow returns a new item as it is written between brackets.
func (it Item) inFlow() string {
	if it.key != nil {
		return encoder{flow: true}.field(Field{*it.key, it.value})
	}
	return encoder{flow: true}.line(it.value)
}

// rebuildBlock writes a block collection that has members.
func (ed editor) rebuildBlock(ms []member, items []Item) splice {
	first, last := ms[0], ms[len(ms)-1]
	columns, eol := ed.column(first.from), ed.eol(last.from)
	var out strings.Builder
	above := func(i int) { // the blank lines and comments between a member and the one before it
		if i > 0 {
			out.Write(ed.src[ed.nextLine(ms[i-1].to):ed.lineStart(ms[i].from)])
		}
	}
	comments := sync.OnceValue(func() []span { return ed.comments(first.from, ed.to) }) // for members that are removed
	eachMember(items, len(ms), func(i int) {
		above(i)
		all := comments()
		next, _ := slices.BinarySearchFunc(all, ms[i].from, func(c span, off int) int { return c.from - off })
		for end := ed.lineEnd(ms[i].to); next < len(all) && all[next].from < end; next++ {
			out.WriteString(spaces(columns) + string(ed.src[all[next].from:all[next].to]) + eol)
		}
	}, func(it Item) {
		if it.old < 0 {
			out.WriteString(joinLines(it.lines(), columns, eol))
			return
		}
		above(it.old)
		m := ms[it.old]
		text := string(ed.src[m.from:ed.nextLine(m.to)])
		if ed.beginsLine(m) {
			out.Write(ed.src[ed.lineStart(m.from):m.from])
		} else {
			out.WriteString(spaces(columns))
		}
		if out.WriteString(text); !endsLine(text) {
			out.WriteString(eol)
		}
	})

	text := out.String()
	lines := span{ed.lineStart(first.from), ed.nextLine(last.to)}
	if !ed.beginsLine(first) {
		lines.from = first.from // after the dash of the sequence around it
		text = strings.TrimLeft(text, " ")
	}
	if !endsLine(string(ed.src[first.from:lines.to])) {
		text = strings.TrimSuffix(text, eol)
	}
	return splice{lines, text}
}

// eachMember calls write for each item of a collection of count members that is written again. Before a member that
// stays, and at the end, it calls removed for those that are left out there.
func eachMember(items []Item, count int, removed func(i int), write func(Item)) {
	kept, next := keptOf(items), 0
	skip := func(to int) {
		for ; next < to; next++ {
			if !kept[next] {
				removed(next)
			}
		}
	}
	for _, it := range items {
		skip(it.old)
		write(it)
		next = max(next, it.old+1)
	}
	skip(count)
}

// rebuildFlow writes a flow collection. Like before, it is on one line, or has one line for each member.
func (ed editor) rebuildFlow(t *target, ms []member, items []Item) (splice, *Error) {
	if !ed.bracketAt(ed.content(t.node)) {
		return splice{}, ed.errorAt(t.node, "a pair in a list has no braces")
	}
	list := ed.takeApart(t, ms)
	w := &flowWriter{list: list, eol: ed.eol(list.from)}
	var comments strings.Builder // of the members that were removed
	eachMember(items, len(ms), func(i int) { comments.WriteString(list.parts[i].comments()) }, func(it Item) {
		var part flowPart
		before := ""
		if it.old >= 0 {
			part, before = list.parts[it.old], comments.String()
			comments.Reset()
		} else {
			part = w.newPart(it)
		}
		part.lead = before + w.lead(it, part)
		w.written, w.last = append(w.written, part), it
	})
	list.close = comments.String() + list.close
	return splice{list.span, list.join(w.written)}, nil
}

// flowList is a flow collection taken apart. Joined again unchanged, it gives the same bytes.
type flowList struct {
	span            // between the brackets
	head     string // the rest of the opening bracket's line, if no member begins on it
	parts    []flowPart
	trailing bool   // a comma follows the last member
	close    string // what is before the closing bracket
}

// flowPart is a member between brackets and the text around it, in the order: lead own pre , tail. The tail goes up to
// the end of the line, so a comment after the comma stays with its member.
type flowPart struct {
	lead, own, pre, tail string
}

// takeApart returns the parts of the flow collection at t.
func (ed editor) takeApart(t *target, ms []member) *flowList {
	l := &flowList{span: span{ed.content(t.node) + 1, ed.end(t.node, t.nesting) - 1}}
	if len(ms) == 0 {
		l.close = string(ed.src[l.from:l.to])
		return l
	}
	lead := ""
	l.head, lead = ed.splitLine(l.from, ms[0].from)
	for i, m := range ms {
		next := l.to
		if i+1 < len(ms) {
			next = ms[i+1].from
		}
		part := flowPart{lead: lead, own: string(ed.src[m.from:m.to])}
		after := m.to
		comma := ed.skip(m.to, "")
		if l.trailing = comma < next && ed.src[comma] == ','; l.trailing {
			part.pre = string(ed.src[m.to:comma])
			after = comma + 1
		}
		part.tail, lead = ed.splitLine(after, next)
		l.parts = append(l.parts, part)
	}
	l.close = lead
	return l
}

// join returns the text of the collection, with other parts.
func (l *flowList) join(parts []flowPart) string {
	var b strings.Builder
	b.WriteString(l.head)
	for i, p := range parts {
		b.WriteString(p.lead + p.own + p.pre)
		if i+1 < len(parts) || l.trailing {
			b.WriteByte(',')
		}
		b.WriteString(p.tail)
	}
	b.WriteString(l.close)
	return b.String()
}

// beginsLine reports whether only blanks are before a member on its line.
func (l *flowList) beginsLine(i int) bool {
	if i == 0 {
		return endsLine(l.head)
	}
	return endsLine(l.parts[i-1].tail)
}

// comments returns what is left of a removed member.
func (p flowPart) comments() string {
	above, blanks := cutBlanks(p.lead)
	if !strings.Contains(above, "#") {
		above = ""
	}
	after := strings.TrimLeft(p.pre+p.tail, " \t")
	if !strings.Contains(after, "#") {
		return above
	}
	if blanks == "" {
		blanks = " " // a # needs one before it
	}
	return above + blanks + after
}

// cutBlanks splits off the blanks that s ends in.
func cutBlanks(s string) (rest, blanks string) {
	rest = strings.TrimRight(s, " \t")
	return rest, s[len(rest):]
}

// flowWriter chooses the parts of a flow collection that is written again.
type flowWriter struct {
	list    *flowList
	eol     string
	written []flowPart
	last    Item // the last one written
}

// newPart returns a new member laid out like the last old one.
func (w *flowWriter) newPart(it Item) flowPart {
	part := flowPart{own: it.inFlow()}
	if len(w.list.parts) == 0 {
		return part
	}
	last := w.list.parts[len(w.list.parts)-1]
	switch {
	case endsLine(last.tail):
		_, part.lead = cutBlanks(last.lead)
		part.tail = w.eol
	case !w.list.beginsLine(len(w.list.parts) - 1):
		_, part.lead = cutBlanks(last.lead)
	}
	return part
}

// lead returns what is before a member at its new position.
func (w *flowWriter) lead(it Item, part flowPart) string {
	if len(w.written) == 0 {
		if rest, _ := cutBlanks(part.lead); rest == "" && len(w.list.parts) > 0 {
			_, blanks := cutBlanks(w.list.parts[0].lead)
			return blanks
		}
		return part.lead
	}
	follows := w.last.old >= 0 && it.old == w.last.old+1
	if part.lead == "" && !follows && !endsLine(w.written[len(w.written)-1].tail) {
		return " "
	}
	return part.lead
}
