package frontmatter

// flowWriter puts a flow collection together again, member by member.
type flowWriter struct {
	list   *flowList
	kept   map[int]bool // which of the members stay
	next   int          // members before it are written or dropped
	eol    string
	chosen []flowPart
	last   Item // the last one chosen
}

// rebuildFlow writes a flow collection. It keeps to one line, or to one line for each member, as it was. The comments
// of a member that goes stay on lines of their own.
func (d *Doc) rebuildFlow(s *spot, ms []member, parts []Item) (splice, *Error) {
	if d.isBare(d.content(s.node)) {
		return splice{}, d.refuse(s.node, "a pair in a list has no braces")
	}
	list := d.flowList(s, ms)
	w := &flowWriter{list: list, kept: keptOf(parts), eol: d.eol(list.from)}
	for _, p := range parts {
		w.write(p)
	}
	list.close = w.dropped(len(ms)) + list.close
	return splice{list.from, list.to, list.join(w.chosen)}, nil
}

func (w *flowWriter) write(it Item) {
	part, remains := w.fresh(it), ""
	if it.old >= 0 {
		part, remains = w.list.parts[it.old], w.dropped(it.old)
		w.next = max(w.next, it.old+1)
	}
	part.lead = remains + w.lead(it, part)
	w.chosen, w.last = append(w.chosen, part), it
}

// dropped returns what remains of the members before i that do not stay.
func (w *flowWriter) dropped(i int) string {
	remains := ""
	for ; w.next < i; w.next++ {
		if !w.kept[w.next] {
			remains += w.list.parts[w.next].remains()
		}
	}
	return remains
}

// fresh returns a new member in the manner of the last old one.
func (w *flowWriter) fresh(it Item) flowPart {
	if it.old >= 0 {
		return flowPart{}
	}
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

// lead returns what stands before a member in its new place.
func (w *flowWriter) lead(it Item, part flowPart) string {
	if len(w.chosen) == 0 {
		if rest, _ := cutBlanks(part.lead); rest == "" && len(w.list.parts) > 0 {
			_, blanks := cutBlanks(w.list.parts[0].lead)
			return blanks
		}
		return part.lead
	}
	follows := w.last.old >= 0 && it.old == w.last.old+1
	if part.lead == "" && !follows && !endsLine(w.chosen[len(w.chosen)-1].tail) {
		return " "
	}
	return part.lead
}
