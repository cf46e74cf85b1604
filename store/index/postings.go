package index

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"
	"strings"
)

// The postings of the records of a kind, for one of the searches: which records have which terms, and how often. The
// file is separate from that of the rows and that of the other search, so that who does not search so pays nothing for
// it. It needs no stamps: a record is known by its id and the hash of its content.
//
// The file is a header as in file.go, then:
//
//	records  sorted by id: id, content hash, and how many terms it has, each as often as it counts
//	table    8 bytes a term, sorted by term, and 8 for the end: where its text and its list begin
//	terms    their texts
//	lists    for each record of a term, in the order of the records: the distance from the one before, and how often it has the term
//
// Nothing is made of table, terms and lists before a search needs it, so that reading the file costs little. What is
// found in them is checked then.
const slot = 8 // bytes of a term in the table

// postings is what such a file says.
type postings struct {
	docs    []doc
	lengths []uint32 // of each record
	table   string
	text    string
	lists   string
}

var noPostings = &postings{table: strings.Repeat("\x00", slot)}

// terms is how many terms there are.
func (p *postings) terms() int { return len(p.table)/slot - 1 }

// part returns the part of a text that belongs to a term, where the table has its beginning at an offset.
func (p *postings) part(of string, i, offset int) string {
	from, to := p.begin(i, offset), p.begin(i+1, offset)
	if from > to || to > len(of) {
		return ""
	}
	return of[from:to]
}

// begin is the number at an offset of a slot of the table.
func (p *postings) begin(i, offset int) int {
	n := p.table[i*slot+offset : i*slot+offset+4]
	return int(uint32(n[0]) | uint32(n[1])<<8 | uint32(n[2])<<16 | uint32(n[3])<<24)
}

func (p *postings) term(i int) string { return p.part(p.text, i, 0) }

// find returns the number of a term, or -1.
func (p *postings) find(term string) int {
	i, found := sort.Find(p.terms(), func(i int) int { return strings.Compare(term, p.term(i)) })
	if !found {
		return -1
	}
	return i
}

// containing calls fn with the number of each record that has a term with a part in it. It may do so several times.
func (p *postings) containing(part string, fn func(record int)) {
	term := 0
	for next := 0; next < len(p.text); {
		hit := strings.Index(p.text[next:], part)
		if hit < 0 {
			return
		}
		for hit += next; term+1 < p.terms() && p.begin(term+1, 0) <= hit; {
			term++
		}
		if next = hit + 1; strings.Contains(p.term(term), part) { // and the hit is not over the border of two terms
			p.each(term, func(record int, _ uint32) { fn(record) })
			next = max(next, min(p.begin(term+1, 0), len(p.text)))
		}
	}
}

// each calls fn with the number of each record that has a term, and how often.
func (p *postings) each(term int, fn func(record int, times uint32)) {
	r := &reader{left: p.part(p.lists, term, 4)}
	last := uint64(0)
	for r.left != "" {
		step, times := r.number(), r.number()
		last += step
		if r.bad || step == 0 || step > uint64(len(p.docs)) || last > uint64(len(p.docs)) || times == 0 || times > mostTimes {
			return
		}
		fn(int(last)-1, uint32(times))
	}
}

// posting is that a record has a term so often.
type posting struct{ record, times uint32 }

// encodePostings returns the file of the postings of records: those of old for which keep returns true, and those that
// were counted. No record may be among both.
func encodePostings(h header, old *postings, keep func(i int) bool, counted []*counted) []byte {
	b := &postingsBuilder{terms: map[string]uint32{}}
	b.number(old, keep, counted)
	b.takeOld(old)
	b.takeCounted(counted)
	return b.file(h)
}

// postingsBuilder collects postings. What it collects of one record comes in one piece, but the records in any order.
type postingsBuilder struct {
	docs    []doc
	lengths []uint32
	ofOld   []uint32 // the new number of each old record, from 1; 0 for one that is not kept
	ofNew   []uint32 // likewise of those that were counted
	terms   map[string]uint32
	lists   [][]posting
}

// number gives the records their numbers.
func (b *postingsBuilder) number(old *postings, keep func(i int) bool, counted []*counted) {
	type source struct {
		doc
		length uint32
		to     *uint32
	}
	b.ofOld, b.ofNew = make([]uint32, len(old.docs)), make([]uint32, len(counted))
	var all []source
	for i, d := range old.docs {
		if keep(i) {
			all = append(all, source{d, old.lengths[i], &b.ofOld[i]})
		}
	}
	for i, c := range counted {
		all = append(all, source{c.doc, c.length, &b.ofNew[i]})
	}
	slices.SortFunc(all, func(x, y source) int { return cmp.Compare(x.id, y.id) })
	for i, s := range all {
		*s.to = uint32(i) + 1
		b.docs, b.lengths = append(b.docs, s.doc), append(b.lengths, s.length)
	}
}

// list returns the number of the list of a term.
func (b *postingsBuilder) list(term string) uint32 {
	n, ok := b.terms[term]
	if !ok {
		n = uint32(len(b.lists))
		b.terms[term] = n
		b.lists = append(b.lists, nil)
	}
	return n
}

func (b *postingsBuilder) takeOld(old *postings) {
	for i := range old.terms() {
		n, found := uint32(0), false
		old.each(i, func(record int, times uint32) {
			to := b.ofOld[record]
			if to == 0 {
				return
			}
			if !found {
				n, found = b.list(old.term(i)), true
			}
			b.lists[n] = append(b.lists[n], posting{to, times})
		})
	}
}

func (b *postingsBuilder) takeCounted(all []*counted) {
	lists := map[*vocabulary][]uint32{} // where the terms of a vocabulary are
	for i, c := range all {
		at, ok := lists[c.of]
		if !ok {
			for _, term := range c.of.all {
				at = append(at, b.list(term))
			}
			lists[c.of] = at
		}
		for _, t := range c.terms {
			n := at[t.term]
			b.lists[n] = append(b.lists[n], posting{b.ofNew[i], t.times})
		}
	}
}

// file returns the file.
func (b *postingsBuilder) file(h header) []byte {
	sorted := make([]string, 0, len(b.terms))
	for term, n := range b.terms {
		if len(b.lists[n]) > 0 {
			sorted = append(sorted, term)
		}
	}
	slices.Sort(sorted)
	var table, lists []byte
	text := 0
	begin := func() {
		table = binary.LittleEndian.AppendUint32(table, uint32(text))
		table = binary.LittleEndian.AppendUint32(table, uint32(len(lists)))
	}
	for _, term := range sorted {
		begin()
		text += len(term)
		list := b.lists[b.terms[term]]
		slices.SortFunc(list, func(x, y posting) int { return cmp.Compare(x.record, y.record) })
		last := uint32(0)
		for _, p := range list {
			lists = binary.AppendUvarint(binary.AppendUvarint(lists, uint64(p.record-last)), uint64(p.times))
			last = p.record
		}
	}
	begin()
	out := make([]byte, headerSize, headerSize+len(b.docs)*40+len(table)+text+len(lists))
	for i, d := range b.docs {
		out = binary.AppendUvarint(out, uint64(len(d.id)))
		out = append(append(out, d.id...), d.sum[:]...)
		out = binary.AppendUvarint(out, uint64(b.lengths[i]))
	}
	out = binary.AppendUvarint(out, uint64(len(sorted)))
	out = append(out, table...)
	out = binary.AppendUvarint(out, uint64(text))
	for _, term := range sorted {
		out = append(out, term...)
	}
	out = append(out, lists...)
	h.entries = uint64(len(b.docs))
	h.write(out)
	return out
}

// decodePostings reads what encodePostings wrote. It returns errNoIndex for anything else, as far as that can be seen
// at once.
func decodePostings(src []byte, h header) (*postings, error) {
	count, err := h.read(src)
	if err != nil {
		return nil, err
	}
	r := &reader{left: string(src[headerSize:])}
	if count > uint64(len(r.left)/(2+len(sum{}))) {
		return nil, errNoIndex
	}
	p := &postings{docs: make([]doc, count), lengths: make([]uint32, count)}
	for i := range p.docs {
		p.docs[i].id = r.text()
		copy(p.docs[i].sum[:], r.take(len(sum{})))
		length := r.number()
		p.lengths[i] = uint32(length)
		if length > mostTimes || i > 0 && p.docs[i].id <= p.docs[i-1].id {
			return nil, errNoIndex
		}
	}
	terms := r.count()
	p.table = r.take(slot * (terms + 1))
	p.text = r.text()
	p.lists = r.left
	if r.bad || len(p.table) != slot*(terms+1) {
		return nil, errNoIndex
	}
	return p, nil
}
