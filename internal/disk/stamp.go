package disk

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// ClockGrain is the coarsest step of a file system's clock. Two writes within one step can leave a file with the same
// stamp.
const ClockGrain = 2 * time.Second

// Stamp differs between two states of a file, unless both were written within one ClockGrain. The zero value is that of
// no file, and of any file on a system that does not say enough.
type Stamp struct {
	Size, Modified, Changed int64 // bytes, and nanoseconds since 1970
	Inode                   uint64
}

// StampOf returns the stamp of a regular file, without following a link; the zero one for anything else.
func StampOf(path string) Stamp { return stampIf(path, fs.FileMode.IsRegular) }

// StampOfFolder returns the stamp of a folder, which changes when a name in it comes, goes or gets another file; the
// zero one for anything else.
func StampOfFolder(path string) Stamp { return stampIf(path, fs.FileMode.IsDir) }

func stampIf(path string, is func(fs.FileMode) bool) Stamp {
	info, err := os.Lstat(path)
	if err != nil || !is(info.Mode()) {
		return Stamp{}
	}
	return newStamp(info)
}

// OlderThan reports whether the file was last changed before a moment.
func (s Stamp) OlderThan(at time.Time) bool { return s != Stamp{} && s.Newest() < at.UnixNano() }

// Newest is when the file was last changed in any way, in nanoseconds since 1970.
func (s Stamp) Newest() int64 { return max(s.Modified, s.Changed) }

// Entry is a name in a folder.
type Entry struct {
	Name  string
	Stamp Stamp // zero for what is not a regular file
	Other bool  // it is there, and is not a regular file
}

// manyNames is from how many names on a folder is looked at by two goroutines. More than two gain nothing.
const manyNames = 512

// StampsIn returns the names in a folder that end in ext and do not begin with a dot, each with its stamp, in no order.
// Names that vanish meanwhile are left out. A folder that does not exist is empty.
func StampsIn(dir, ext string) ([]Entry, error) {
	f, err := os.Open(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(names))
	for _, name := range names {
		if strings.HasSuffix(name, ext) && name[0] != '.' {
			entries = append(entries, Entry{Name: name})
		}
	}
	stamp := stamper(f, dir)
	parts := min(2, runtime.GOMAXPROCS(0))
	if len(entries) < manyNames {
		parts = 1
	}
	var looking sync.WaitGroup
	for i := range parts {
		part := entries[i*len(entries)/parts : (i+1)*len(entries)/parts]
		looking.Go(func() {
			for j := range part {
				part[j].Stamp, part[j].Other = stamp(part[j].Name)
			}
		})
	}
	looking.Wait()
	there := entries[:0]
	for _, e := range entries {
		if e.Other || e.Stamp.Size >= 0 {
			there = append(there, e)
		}
	}
	return there, nil
}

// StampIn returns a name in a folder with its stamp. It reports false for a name that is not there.
func StampIn(dir, name string) (Entry, bool) {
	stamp, other := lstat(filepath.Join(dir, name))
	return Entry{name, stamp, other}, other || stamp != gone
}

// gone is the stamp of a file that does not exist any more.
var gone = Stamp{Size: -1}

// lstat is the stamp of a path, and whether it is there and no regular file.
func lstat(path string) (s Stamp, other bool) {
	info, err := os.Lstat(path)
	switch {
	case os.IsNotExist(err):
		return gone, false
	case err != nil:
		return Stamp{}, false // reading it tells why
	case !info.Mode().IsRegular():
		return Stamp{}, true
	default:
		return newStamp(info), false
	}
}

// Inode is the number of a file or a folder in its file system; 0 if it is not known.
func Inode(path string) uint64 {
	return stampIf(path, func(fs.FileMode) bool { return true }).Inode
}
