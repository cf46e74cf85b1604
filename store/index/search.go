package index

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Words keeps the words of the records of a kind for a process that searches often. The zero value is ready: it reads
// them when somebody searches.
type Words struct {
	mu    sync.Mutex
	known *words
}

// Search returns for each row of a view whether all the parts occur in what the record says (kind.Kind.Text), each of
// them somewhere, in any case. A part has no blanks. Records whose words are not known are read.
func (s Source) Search(ctx context.Context, v *View, w *Words, parts []string) ([]bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known == nil {
		w.known = s.loadWords()
	}
	out := make([]bool, len(v.entries))
	for i := range out {
		out[i] = true
	}
	parts = lower(parts)
	numbers, unknown := w.known.numbersIn(v)
	for _, part := range parts {
		has := w.known.with(part)
		for i, n := range numbers {
			out[i] = out[i] && n >= 0 && has[n]
		}
	}
	read, err := s.texts(ctx, v, unknown)
	if err != nil {
		return nil, err
	}
	for j, i := range unknown {
		out[i] = read[j].text != ""
		for _, part := range parts {
			out[i] = out[i] && strings.Contains(read[j].text, part)
		}
	}
	s.learn(w, numbers, read)
	return out, nil
}

// lower is a list of texts in lower case.
func lower(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = strings.ToLower(text)
	}
	return out
}

// numbersIn returns where the records of a view are among those whose words are known, -1 for those that are not, and
// lists these.
func (w *words) numbersIn(v *View) (numbers, unknown []int) {
	at := make(map[doc]int, len(w.docs))
	for n, d := range w.docs {
		at[d] = n
	}
	numbers = make([]int, len(v.entries))
	for i, e := range v.entries {
		n, ok := at[doc{e.row.ID, e.sum}]
		if !ok {
			n = -1
			unknown = append(unknown, i)
		}
		numbers[i] = n
	}
	return numbers, unknown
}

// said is what a record says, in lower case; "" of one that cannot be read any more.
type said struct {
	doc
	text string
}

// texts reads what records say.
func (s Source) texts(ctx context.Context, v *View, which []int) ([]said, error) {
	out := make([]said, len(which))
	onAllProcessors(ctx, len(which), func(i int, _ *layout.Patience) {
		id := v.entries[which[i]].row.ID
		if value, sum, ok := s.value(id); ok {
			out[i] = said{doc{id, sum}, strings.ToLower(s.Kind.Text(value))}
		}
	})
	return out, ctx.Err()
}

// value reads a record, wherever its file lies, and the hash of its content. It reports false for one that cannot be
// read.
func (s Source) value(id string) (value any, content sum, ok bool) {
	path := s.file(id)
	if s.Path != nil {
		path = s.Path(id)
	}
	src, err := layout.ReadFile(path)
	if err != nil {
		return nil, sum{}, false
	}
	value, err = s.Parse(id, src)
	return value, sumOf(src), err == nil
}

// learn adds what was read to what is known, once it is enough to be worth it. Of what is known it keeps what has a
// number.
func (s Source) learn(w *Words, numbers []int, read []said) {
	read = slices.DeleteFunc(read, func(r said) bool { return r.text == "" || len(r.text) > longestText })
	if !s.worthWriting(len(numbers), len(read)) {
		return
	}
	needed := make([]bool, len(w.known.docs))
	for _, n := range numbers {
		if n >= 0 {
			needed[n] = true
		}
	}
	b := &builder{words: map[string][]uint32{}}
	b.keep(w.known, func(i int) bool { return needed[i] })
	for _, r := range read {
		b.add(r.doc, wordsOf(r.text))
	}
	w.known = b.finish()
	s.write(s.Words, func() []byte { return w.known.encode(s.home()) })
}

// loadWords reads the words on disk; none if there are none that can be believed.
func (s Source) loadWords() *words {
	none := &words{starts: []uint32{0}}
	if s.Words == "" {
		return none
	}
	src, err := disk.ReadRegular(s.Words, maxFile)
	if err != nil {
		return none
	}
	w, err := decodeWords(src, s.home())
	if err != nil {
		return none
	}
	return w
}
