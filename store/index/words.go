package index

import (
	"encoding/binary"
	"slices"
	"strings"
)

// The words of the records of a kind, for filters by text: which records have which words. A word is what stands
// between blanks, in lower case. The file is separate from that of the rows, so that who does not search pays nothing
// for it. It needs no stamps: a record is known by its id and the hash of its content.
//
// The file is a header as in file.go, then the records, the words, where in the file the records of each word are, and
// those:
//
//	records  id and content hash of each
//	words    all words, a line each
//	starts   4 bytes a word: where its list begins, and one more for the end
//	lists    the numbers of the records of a word, each as a varint of its distance from the one before
const (
	wordsMagic  = "cairnwrd"
	wordsFormat = 1
	longestText = 256 << 10 // bytes; a longer text is searched by itself, and its words are in no file
)

// words is what such a file says.
type words struct {
	docs   []doc
	text   string // the words, each followed by a line break
	starts []uint32
	lists  []byte
}

// doc is a record whose words are known.
type doc struct {
	id  string
	sum sum
}

// wordsOf lists the words of a text, each once.
func wordsOf(text string) []string {
	all := strings.Fields(strings.ToLower(text))
	slices.Sort(all)
	return slices.Compact(all)
}

// with returns for each record whether one of its words contains a part, which is in lower case and has no blanks.
func (w *words) with(part string) []bool {
	out := make([]bool, len(w.docs))
	line, at := 0, 0 // the number of the word that begins at a place in the text
	for next := 0; next < len(w.text); {
		hit := strings.Index(w.text[next:], part)
		if hit < 0 {
			break
		}
		hit += next
		line += strings.Count(w.text[at:hit], "\n")
		w.each(line, func(i int) { out[i] = true })
		end := strings.IndexByte(w.text[hit:], '\n') // of this word
		at = hit + end
		next = at + 1
	}
	return out
}

// each calls fn with the number of each record that has a word.
func (w *words) each(word int, fn func(record int)) {
	list := w.lists[w.starts[word]:w.starts[word+1]]
	last := uint64(0)
	for len(list) > 0 {
		step, n := binary.Uvarint(list)
		last += step
		if n <= 0 || last == 0 || last > uint64(len(w.docs)) {
			return
		}
		list = list[n:]
		fn(int(last) - 1)
	}
}

// builder collects words.
type builder struct {
	docs  []doc
	words map[string][]uint32 // the numbers of the records, from 1, ascending
}

// add adds a record and its words.
func (b *builder) add(d doc, list []string) {
	b.docs = append(b.docs, d)
	for _, word := range list {
		have, ok := b.words[word]
		if !ok {
			word = strings.Clone(word) // not to keep the whole text
		}
		b.words[word] = append(have, uint32(len(b.docs)))
	}
}

// keep takes over records of an older collection: those for which keep returns true.
func (b *builder) keep(old *words, keep func(i int) bool) {
	numbers := make([]uint32, len(old.docs))
	for i, d := range old.docs {
		if keep(i) {
			b.docs = append(b.docs, d)
			numbers[i] = uint32(len(b.docs))
		}
	}
	rest := old.text
	for n := 0; rest != ""; n++ {
		word, after, _ := strings.Cut(rest, "\n")
		rest = after
		var list []uint32
		old.each(n, func(i int) {
			if numbers[i] > 0 {
				list = append(list, numbers[i])
			}
		})
		if len(list) > 0 {
			b.words[word] = append(b.words[word], list...)
		}
	}
}

// finish returns what was collected.
func (b *builder) finish() *words {
	all := make([]string, 0, len(b.words))
	for word := range b.words {
		all = append(all, word)
	}
	slices.Sort(all)
	w := &words{docs: b.docs, starts: make([]uint32, 0, len(all)+1)}
	var text strings.Builder
	for _, word := range all {
		text.WriteString(word)
		text.WriteByte('\n')
		w.starts = append(w.starts, uint32(len(w.lists)))
		last := uint32(0)
		for _, n := range b.words[word] {
			w.lists = binary.AppendUvarint(w.lists, uint64(n-last))
			last = n
		}
	}
	w.starts = append(w.starts, uint32(len(w.lists)))
	w.text = text.String()
	return w
}

func (w *words) header(home sum) header {
	return header{wordsMagic, wordsFormat, sum{}, home, uint64(len(w.docs))}
}

// encode returns the file.
func (w *words) encode(home sum) []byte {
	out := make([]byte, headerSize)
	for _, d := range w.docs {
		out = binary.AppendUvarint(out, uint64(len(d.id)))
		out = append(append(out, d.id...), d.sum[:]...)
	}
	out = binary.AppendUvarint(out, uint64(len(w.text)))
	out = append(out, w.text...)
	out = binary.AppendUvarint(out, uint64(len(w.starts)))
	for _, at := range w.starts {
		out = binary.LittleEndian.AppendUint32(out, at)
	}
	out = append(out, w.lists...)
	w.header(home).write(out)
	return out
}

// decodeWords reads what encode wrote. It returns errNoIndex for anything else.
func decodeWords(src []byte, home sum) (*words, error) {
	count, err := (&words{}).header(home).read(src)
	if err != nil {
		return nil, err
	}
	r := &reader{left: string(src[headerSize:])}
	if count > uint64(len(r.left)/(1+len(sum{}))) {
		return nil, errNoIndex
	}
	w := &words{docs: make([]doc, count)}
	for i := range w.docs {
		w.docs[i].id = r.text()
		copy(w.docs[i].sum[:], r.take(len(sum{})))
	}
	w.text = r.text()
	w.starts = make([]uint32, r.count())
	raw := r.take(4 * len(w.starts))
	w.lists = src[len(src)-len(r.left):]
	last := uint32(0)
	for i := 0; i < len(w.starts) && !r.bad; i++ {
		w.starts[i] = binary.LittleEndian.Uint32([]byte(raw[4*i : 4*i+4]))
		r.bad = w.starts[i] < last || int(w.starts[i]) > len(w.lists)
		last = w.starts[i]
	}
	whole := w.text == "" || strings.HasSuffix(w.text, "\n")
	if r.bad || !whole || strings.Count(w.text, "\n")+1 != len(w.starts) {
		return nil, errNoIndex
	}
	return w, nil
}
