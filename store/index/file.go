package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
)

// The file of an index is a header of fixed size, and the entries behind it. All numbers of the header are
// little-endian.
//
//	 0  magic      8 bytes
//	 8  format     4 bytes: another one is no index
//	12  checksum   4 bytes: of everything behind it, CRC-32C
//	16  length     8 bytes: of the file
//	24  kind       8 bytes: a hash of the kind's name, form and keys
//	32  home       8 bytes: Source.home
//	40  entries    8 bytes: how many there are
//
// Then come the texts that repeat, such as states and actors, each once; the stamp of the folder; and the entries.
// Numbers there are varints, texts have their length in front.
const (
	magic      = "cairnidx"
	version    = 14 // to be raised whenever an entry, or what a row is made of, changes
	headerSize = 48
	checkedAt  = 16
	maxFile    = 1 << 30 // bytes; a longer index is not read

	smallestEntry = 20 // bytes
)

var errNoIndex = errors.New("not an index that can be believed")

// castagnoli is made when it is first needed, since it takes longer than most commands need to start.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// header is the header of a file.
type header struct {
	magic      string
	version    uint32
	kind, home sum
	entries    uint64
}

// write writes the header of a file, whose content is there already.
func (h header) write(file []byte) {
	copy(file, h.magic)
	binary.LittleEndian.PutUint32(file[8:], h.version)
	copy(file[24:], h.kind[:])
	copy(file[32:], h.home[:])
	binary.LittleEndian.PutUint64(file[40:], h.entries)
	seal(file)
}

// seal writes the length and the checksum of a file.
func seal(file []byte) {
	binary.LittleEndian.PutUint64(file[16:], uint64(len(file)))
	binary.LittleEndian.PutUint32(file[12:], crc32.Checksum(file[checkedAt:], castagnoli()))
}

// read returns how many entries a file has. It returns errNoIndex for a file that is damaged, or whose header says
// something else.
func (h header) read(file []byte) (entries uint64, err error) {
	if len(file) < headerSize || string(file[:8]) != h.magic || binary.LittleEndian.Uint32(file[8:]) != h.version ||
		!bytes.Equal(file[24:32], h.kind[:]) || !bytes.Equal(file[32:40], h.home[:]) ||
		binary.LittleEndian.Uint64(file[16:]) != uint64(len(file)) ||
		binary.LittleEndian.Uint32(file[12:]) != crc32.Checksum(file[checkedAt:], castagnoli()) {
		return 0, errNoIndex
	}
	return binary.LittleEndian.Uint64(file[40:]), nil
}

// kindHash differs between kinds, and between versions of cairn that know other keys of a kind.
func kindHash(k *kind.Kind) sum {
	return sumOf([]byte(strings.Join(append([]string{k.Name, k.Folder, k.Ext() + k.Swaps}, k.Keys()...), "\x00")))
}

// encodeFile returns the file of an index.
func encodeFile(k *kind.Kind, home sum, folder disk.Stamp, entries []entry) []byte {
	w := &writer{known: map[string]uint64{}}
	wire{w: w}.stamp(&folder)
	for i := range entries {
		wire{w: w}.entry(&entries[i])
	}
	out := make([]byte, headerSize, headerSize+w.texts.Len()+w.entries.Len()+binary.MaxVarintLen64)
	out = binary.AppendUvarint(out, uint64(len(w.known)))
	out = append(out, w.texts.Bytes()...)
	out = append(out, w.entries.Bytes()...)

	header{magic, version, kindHash(k), home, uint64(len(entries))}.write(out)
	return out
}

// decodeFile returns the entries of an index. It returns errNoIndex for what encodeFile did not write for this kind and
// this home.
func decodeFile(src []byte, k *kind.Kind, home sum) (entries []entry, folder disk.Stamp, err error) {
	count, err := header{magic, version, kindHash(k), home, 0}.read(src)
	if err != nil {
		return nil, folder, err
	}
	r := &reader{left: string(src[headerSize:])}
	r.known = make([]string, r.count())
	for i := range r.known {
		r.known[i] = r.text()
	}
	wire{r: r}.stamp(&folder)
	if count > uint64(len(r.left)/smallestEntry) {
		return nil, disk.Stamp{}, errNoIndex
	}
	entries = make([]entry, count)
	rows := make([]kind.Row, count)
	for i := range entries {
		entries[i].row = &rows[i]
		wire{r: r}.entry(&entries[i])
		if i > 0 && rows[i-1].ID >= rows[i].ID {
			r.bad = true
		}
	}
	if r.bad || r.left != "" {
		return nil, disk.Stamp{}, errNoIndex
	}
	return entries, folder, nil
}

// writer writes entries.
type writer struct {
	entries bytes.Buffer
	texts   bytes.Buffer
	known   map[string]uint64 // where among the texts one is
	scratch [binary.MaxVarintLen64]byte
}

func (w *writer) number(n uint64) {
	w.entries.Write(w.scratch[:binary.PutUvarint(w.scratch[:], n)])
}

func (w *writer) text(s string) {
	w.number(uint64(len(s)))
	w.entries.WriteString(s)
}

// again writes a text that other entries are likely to have too.
func (w *writer) again(s string) {
	n, ok := w.known[s]
	if !ok {
		n = uint64(len(w.known))
		w.known[s] = n
		w.texts.Write(w.scratch[:binary.PutUvarint(w.scratch[:], uint64(len(s)))])
		w.texts.WriteString(s)
	}
	w.number(n)
}

// reader reads what a writer wrote. Once something is not as a writer writes it, bad is set and everything is zero.
type reader struct {
	left  string
	known []string
	bad   bool
}

func (r *reader) number() uint64 {
	var n uint64
	for i := 0; i < len(r.left) && i < binary.MaxVarintLen64; i++ {
		b := r.left[i]
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			r.left = r.left[i+1:]
			return n
		}
	}
	r.bad, r.left = true, ""
	return 0
}

// count reads how many things follow. Each takes a byte at least.
func (r *reader) count() int {
	n := r.number()
	if n > uint64(len(r.left)) {
		r.bad, r.left = true, ""
		return 0
	}
	return int(n)
}

func (r *reader) take(n int) string {
	if n > len(r.left) {
		r.bad, r.left = true, ""
		return ""
	}
	s := r.left[:n]
	r.left = r.left[n:]
	return s
}

func (r *reader) text() string { return r.take(r.count()) }

func (r *reader) again() string {
	n := r.number()
	if n >= uint64(len(r.known)) {
		r.bad = true
		return ""
	}
	return r.known[n]
}

// wire carries entries into bytes, or out of them: that has one of a writer and a reader. So what an entry consists of
// is said once.
type wire struct {
	w *writer
	r *reader
}

func (c wire) entry(e *entry) {
	r := e.row
	young := 0
	if e.young {
		young = 1
	}
	plain(c, &r.ID)
	if c.w != nil {
		c.w.entries.Write(e.sum[:])
	} else {
		copy(e.sum[:], c.r.take(len(e.sum)))
	}
	c.stamp(&e.stamp)
	number(c, &young, 0)
	e.young = young != 0
	plain(c, &r.Title)
	again(c, &r.Status)
	again(c, &r.Assignee)
	list(c, &r.Labels, func(s *string) { again(c, s) })
	plain(c, &r.Rev)
	number(c, &r.Created, 0)
	number(c, &r.Updated, r.Created)
	number(c, &r.Newest, r.Updated)
	number(c, &r.Entries, 0)
	number(c, &r.Priority, 0)
	again(c, &r.Session)
	list(c, &r.Signs, func(s *kind.Sign) {
		again(c, &s.Who)
		number(c, &s.At, r.Created)
	})
	number(c, &r.Assigned, 0)
	again(c, &r.Parent)
	list(c, &r.Deps, func(id *record.ID) { again(c, id) })
	list(c, &r.Checks, func(s *string) { again(c, s) })
	plain(c, &r.Body)
	list(c, &r.Facts, func(f *kind.Fact) {
		again(c, &f.Name)
		again(c, &f.Value)
	})
}

func (c wire) stamp(s *disk.Stamp) {
	number(c, &s.Size, 0)
	number(c, &s.Modified, 0)
	number(c, &s.Changed, s.Modified)
	number(c, &s.Inode, 0)
}

// number carries a number, as its distance from another.
func number[T ~int | ~int64 | ~uint64](c wire, n *T, from T) {
	if c.w != nil {
		c.w.number(uint64(*n - from))
	} else {
		*n = from + T(c.r.number())
	}
}

// plain carries a text.
func plain[T ~string](c wire, s *T) {
	if c.w != nil {
		c.w.text(string(*s))
	} else {
		*s = T(c.r.text())
	}
}

// again carries a text that other entries are likely to have too.
func again[T ~string](c wire, s *T) {
	if c.w != nil {
		c.w.again(string(*s))
	} else {
		*s = T(c.r.again())
	}
}

// list carries how many things there are, and each of them. No things are nil once they were read.
func list[T any](c wire, all *[]T, each func(*T)) {
	if c.w != nil {
		c.w.number(uint64(len(*all)))
	} else if n := c.r.count(); n > 0 {
		*all = make([]T, n)
	}
	for i := range *all {
		each(&(*all)[i])
	}
}
