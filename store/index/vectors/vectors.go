// Package vectors keeps what an embedder made of texts, so that no text is embedded twice. A text is known by a hash of
// a key that stands for its content, so a vector is never that of another text, and vectors of all worktrees of a clone
// are in one file.
//
// The file is a cache in the live state of a clone. It can be deleted at any time, and is not flushed: one that is
// damaged, or that another embedder made, is none.
package vectors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
)

// hash names a text, or an embedder.
type hash [16]byte

func hashOf(key string) hash {
	sum := sha256.Sum256([]byte(key))
	return hash(sum[:16])
}

// The file is a header of fixed size, and the vectors behind it, each of them a hash and its numbers as float32. All
// numbers are little-endian.
//
//	 0  magic     8 bytes
//	 8  format    4 bytes
//	12  checksum  4 bytes: of everything behind it, CRC-32C
//	16  embedder  16 bytes: a hash of what tells it from others
//	32  size      4 bytes: how many numbers a vector has
//	36  vectors   4 bytes: how many there are
const (
	magic      = "cairnvec"
	format     = 1
	headerSize = 40
	checkedAt  = 16
	maxFile    = 64 << 20 // bytes

	MaxSize = 16384 // numbers of a vector
)

// Set is the vectors of texts by one embedder.
type Set struct {
	embedder hash
	size     int // 0 while there is none
	known    map[hash][]float32
	changed  bool
}

// Load reads the vectors that an embedder made; none if there is no file that can be believed.
func Load(path, embedder string) *Set { return load(path, hashOf(embedder)) }

func load(path string, embedder hash) *Set {
	s := &Set{embedder: embedder, known: map[hash][]float32{}}
	src, err := disk.ReadRegular(path, maxFile)
	if err == nil {
		s.decode(src)
	}
	return s
}

// Of returns the vector of a text, or nil. The caller must not change it.
func (s *Set) Of(key string) []float32 { return s.known[hashOf(key)] }

// Add adds the vector of a text. An embedder whose vectors have another size than before is another one: what was known
// is forgotten. It reports false for what is no vector: an empty or very long one, or one with a number that is none.
func (s *Set) Add(key string, vector []float32) bool {
	if len(vector) == 0 || len(vector) > MaxSize || slices.ContainsFunc(vector, func(x float32) bool { return x != x || math.IsInf(float64(x), 0) }) {
		return false
	}
	if len(vector) != s.size {
		s.size, s.known = len(vector), map[hash][]float32{}
	}
	s.known[hashOf(key)], s.changed = vector, true
	return true
}

// Keep writes the vectors of the texts with these keys, or, for nil, all, if there are new ones. Others are forgotten,
// and so are those that the file has no room for. What other processes added since Load counts. Prepare makes the
// folder.
func (s *Set) Keep(path string, prepare func() error, keys []string) error {
	if !s.changed {
		return nil
	}
	if err := prepare(); err != nil {
		return err
	}
	other := load(path, s.embedder)
	for h, v := range other.known {
		if _, ok := s.known[h]; !ok && other.size == s.size {
			s.known[h] = v
		}
	}
	err := atomicfile.WriteVolatile(path, s.encode(s.named(keys)))
	atomicfile.SweepOf(path, time.Minute)
	s.changed = err != nil
	return err
}

// named returns the hashes of keys, and all that are known for nil.
func (s *Set) named(keys []string) []hash {
	var out []hash
	for _, key := range keys {
		out = append(out, hashOf(key))
	}
	if keys == nil {
		out = slices.SortedFunc(maps.Keys(s.known), func(a, b hash) int { return bytes.Compare(a[:], b[:]) })
	}
	return out
}

func (s *Set) encode(which []hash) []byte {
	out := make([]byte, headerSize)
	n := 0
	for _, h := range which {
		v, ok := s.known[h]
		if !ok || len(out)+len(h)+4*s.size > maxFile {
			continue
		}
		out = append(out, h[:]...)
		for _, x := range v {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
		n++
	}
	copy(out, magic)
	binary.LittleEndian.PutUint32(out[8:], format)
	copy(out[16:], s.embedder[:])
	binary.LittleEndian.PutUint32(out[32:], uint32(s.size))
	binary.LittleEndian.PutUint32(out[36:], uint32(n))
	binary.LittleEndian.PutUint32(out[12:], sumOf(out))
	return out
}

// decode reads what encode wrote for the embedder of the set. It reads nothing of anything else.
func (s *Set) decode(src []byte) {
	if len(src) < headerSize || string(src[:8]) != magic || binary.LittleEndian.Uint32(src[8:]) != format ||
		hash(src[16:32]) != s.embedder || binary.LittleEndian.Uint32(src[12:]) != sumOf(src) {
		return
	}
	size, n := int(binary.LittleEndian.Uint32(src[32:])), int(binary.LittleEndian.Uint32(src[36:]))
	one := len(hash{}) + 4*size
	if size == 0 || size > MaxSize || n > len(src) || len(src)-headerSize != n*one {
		return
	}
	s.size = size
	for at := headerSize; at < len(src); at += one {
		v := make([]float32, size)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[at+16+4*i:]))
		}
		if !slices.ContainsFunc(v, func(x float32) bool { return x != x || math.IsInf(float64(x), 0) }) {
			s.known[hash(src[at:at+16])] = v
		}
	}
}

func sumOf(file []byte) uint32 {
	return crc32.Checksum(file[checkedAt:], crc32.MakeTable(crc32.Castagnoli))
}

// Similarity is the cosine of the angle between two vectors, from -1 to 1; 0 if one of them has no direction, or they
// are of two sizes.
func Similarity(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}
