package frontmatter

import "strings"

// flowPart is a member between brackets and what belongs to it: [lead own pre , tail]. The tail goes up to the end of
// the line, so a comment behind the comma stays with its member.
type flowPart struct {
	lead, own, pre, tail string
}

// flowList is a flow collection taken apart. Put together again unchanged, it gives the same bytes.
type flowList struct {
	from, to int    // between the brackets
	head     string // what follows the opening bracket on its line, if anything but members
	parts    []flowPart
	trailing bool   // a comma follows the last member
	close    string // what stands before the closing bracket
}

// flowList takes the collection at s apart.
func (d *Doc) flowList(s *spot, ms []member) *flowList {
	l := &flowList{from: d.content(s.node) + 1, to: d.end(s.node, s.place) - 1}
	if len(ms) == 0 {
		l.close = string(d.src[l.from:l.to])
		return l
	}
	lead := ""
	l.head, lead = d.splitLine(l.from, ms[0].from)
	for i, m := range ms {
		next := l.to
		if i+1 < len(ms) {
			next = ms[i+1].from
		}
		part := flowPart{lead: lead, own: string(d.src[m.from:m.to])}
		behind := m.to
		comma := d.skip(m.to, "")
		if l.trailing = comma < next && d.src[comma] == ','; l.trailing {
			part.pre = string(d.src[m.to:comma])
			behind = comma + 1
		}
		part.tail, lead = d.splitLine(behind, next)
		l.parts = append(l.parts, part)
	}
	l.close = lead
	return l
}

// beginsLine reports whether nothing but blanks stands before a member on its line.
func (l *flowList) beginsLine(i int) bool {
	if i == 0 {
		return endsLine(l.head)
	}
	return endsLine(l.parts[i-1].tail)
}

// splitLine splits [from, to) behind its first line break. Without one, all of it is rest.
func (d *Doc) splitLine(from, to int) (line, rest string) {
	end := from
	if !d.sameLine(from, to) {
		end = d.nextLine(from)
	}
	return string(d.src[from:end]), string(d.src[end:to])
}

// join puts the collection together again, with other members.
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

// remains returns what is left of a member that goes: its comments.
func (p flowPart) remains() string {
	above, blanks := cutBlanks(p.lead)
	if !strings.Contains(above, "#") {
		above = ""
	}
	behind := strings.TrimLeft(p.pre+p.tail, " \t")
	if !strings.Contains(behind, "#") {
		return above
	}
	if blanks == "" {
		blanks = " " // a # needs one before it
	}
	return above + blanks + behind
}

// cutBlanks splits off the blanks that s ends in.
func cutBlanks(s string) (rest, blanks string) {
	rest = strings.TrimRight(s, " \t")
	return rest, s[len(rest):]
}
