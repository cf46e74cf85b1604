package index

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Source is what the rows of a kind are made of.
type Source struct {
	Kind   *kind.Kind
	Folder string // of the files, under .cairn; "" for that of the kind
	Dir    string // its path
	File   string // where the index lies; "" for none, so that every file is read
	Words  string // where the words of the records lie; "" for none
	Fresh  bool   // no stamp is believed: every file is read

	// Postings is where the terms of the records lie, for a ranked search; "" for none.
	Postings string

	// Resting says that files of the folder seldom change, since its records are closed. See resting.go.
	Resting bool

	// Prepare makes the folder of the index.
	Prepare func() error

	// Parse reads the text of the file of a record. Its errors are as those of store.Store.Read.
	Parse func(id string, src []byte) (any, error)

	// Path is where the file of a record lies, for Search among the records of several folders; nil if all are in Dir.
	Path func(id string) string

	now   func() time.Time // nil for time.Now; set in tests
	step  time.Duration    // of the file system's clock; 0 for disk.ClockGrain, set in tests
	eager bool             // writes the index whenever anything differs; set in tests

	coarse func(disk.Stamp) disk.Stamp // a stamp as a file system with a slow clock has it; nil in programs, set in tests
}

// path is the path of a file from the workspace root, with forward slashes.
func (s Source) path(id string) string { return s.Kind.FileIn(cmp.Or(s.Folder, s.Kind.Folder), id) }

// file is the path of the file of a record in the folder.
func (s Source) file(id string) string { return filepath.Join(s.Dir, s.Kind.FileName(id)) }

// sum is a hash of the content of a file.
type sum [8]byte

func sumOf(src []byte) sum {
	all := sha256.Sum256(src)
	return sum(all[:8])
}

// known reads the index on disk. It returns an empty view if there is none that can be believed.
func (s Source) known() *View {
	var entries []entry
	var folder disk.Stamp
	if s.File != "" {
		if src, err := disk.ReadRegular(s.File, maxFile); err == nil {
			entries, folder, _ = decodeFile(src, s.Kind, s.home())
		}
	}
	v := newView(s.Kind, entries, nil)
	v.folder = folder
	return v
}

// save writes the index.
func (s Source) save(v *View) {
	s.write(s.File, func() []byte { return encodeFile(s.Kind, s.home(), v.folder, v.entries) })
}

// write replaces a file of the index. That it cannot be written harms nobody. What killed processes left of it is
// removed.
func (s Source) write(path string, content func() []byte) {
	if s.Prepare() != nil {
		return
	}
	_ = atomicfile.WriteVolatile(path, content())
	atomicfile.SweepOf(path, time.Minute)
}

// home tells the folder of the index from every other one, so that an index which came along with a copied folder is
// not believed.
func (s Source) home() sum {
	dir := filepath.Dir(s.File)
	return sumOf(fmt.Appendf(nil, "%s %d", dir, disk.Inode(dir)))
}
