package git

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"github.com/cairn-tasks/cairn/internal/disk"
)

// Quick reads commits and files of a clone without starting git, for readers that ask often and can do without an
// answer. It fetches nothing that the clone lacks, and is used by one goroutine.
type Quick struct {
	stores  []*filesystem.ObjectStorage
	commits map[string]*Commit
	ends    map[string]bool // commits whose parents a shallow clone lacks
}

// Commit is what a commit says that matters here.
type Commit struct {
	Tree    string
	Parents []string
	Time    int64 // of the committer, in seconds since 1970
}

// Quick opens the clone. It returns an error for one in a form that the library does not read, such as one with ids of
// SHA-256.
func (r *Repo) Quick() (*Quick, error) {
	if err := r.form(); err != nil {
		return nil, err
	}
	q := &Quick{commits: map[string]*Commit{}}
	q.add(r.CommonDir, 0)
	ends, err := r.History().ends()
	q.ends = ends
	return q, err
}

const (
	maxBorrowed = 5        // clones, each of which borrows objects from the next
	maxCached   = 32 << 20 // bytes of objects kept in memory
	maxObject   = 32 << 20 // bytes; a larger object is not read
)

// add adds the objects in a git folder, and those that it borrows from others.
func (q *Quick) add(gitDir string, depth int) {
	files := objectFiles{osfs.New(gitDir)}
	q.stores = append(q.stores, filesystem.NewObjectStorageWithOptions(dotgit.New(files), cache.NewObjectLRU(maxCached), filesystem.Options{
		KeepDescriptors: true, LargeObjectThreshold: maxObject,
	}))
	if depth == maxBorrowed {
		return
	}
	text, err := readSmall(filepath.Join(gitDir, "objects", "info", "alternates"))
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != '#' {
			q.add(filepath.Dir(below(filepath.Join(gitDir, "objects"), line)), depth+1)
		}
	}
}

// objectFiles is a git folder as the library sees it: what is no regular file is not there, since reading a pipe would
// never return, and neither is the list of folders that objects are borrowed from, which the library would read anew
// for each object.
type objectFiles struct{ billy.Filesystem }

func (o objectFiles) Open(name string) (billy.File, error) {
	info, err := o.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || filepath.Base(name) == "alternates" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return o.Filesystem.Open(name)
}

// Close closes what was opened.
func (q *Quick) Close() {
	for _, s := range q.stores {
		_ = s.Close()
	}
}

// object reads an object of a type. It returns an error for one that is larger than the limit.
func (q *Quick) object(kind plumbing.ObjectType, id string, most int64) ([]byte, error) {
	if len(id) != 40 {
		return nil, plumbing.ErrObjectNotFound
	}
	err := error(plumbing.ErrObjectNotFound)
	for _, s := range q.stores {
		var o plumbing.EncodedObject
		if o, err = s.EncodedObject(kind, plumbing.NewHash(id)); err == nil {
			if o.Size() > min(most, maxObject) {
				return nil, disk.ErrTooLarge
			}
			r, err := o.Reader()
			if err != nil {
				return nil, err
			}
			src, err := io.ReadAll(r)
			return src, errors.Join(err, r.Close())
		}
	}
	return nil, err
}

// Blob reads the content of a file of some bytes at most.
func (q *Quick) Blob(id string, most int64) ([]byte, error) {
	return q.object(plumbing.BlobObject, id, most)
}

// Commit reads a commit.
func (q *Quick) Commit(id string) (*Commit, error) {
	if c, ok := q.commits[id]; ok {
		return c, nil
	}
	src, err := q.object(plumbing.CommitObject, id, maxObject)
	if err != nil {
		return nil, err
	}
	c := &Commit{}
	front, _, _ := bytes.Cut(src, []byte("\n\n")) // before its message
	for line := range strings.SplitSeq(string(front), "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "committer":
			if f := strings.Fields(value[strings.LastIndexByte(value, '>')+1:]); len(f) > 0 {
				c.Time, _ = strconv.ParseInt(f[0], 10, 64) // one that cannot be read is very old
			}
		}
	}
	if q.ends[id] {
		c.Parents = nil
	}
	q.commits[id] = c
	return c, nil
}

// Entry is a name in a folder of a commit.
type Entry struct {
	Name   string
	ID     string
	Folder bool
	File   bool // and no link
}

// Folder lists a folder of a commit, sorted as git does.
func (q *Quick) Folder(tree string) ([]Entry, error) {
	src, err := q.object(plumbing.TreeObject, tree, maxObject)
	if err != nil {
		return nil, err
	}
	var all []Entry
	for len(src) > 0 {
		space, end := bytes.IndexByte(src, ' '), bytes.IndexByte(src, 0)
		if space < 0 || end < space || len(src) < end+21 {
			return nil, garbled("a folder", tree)
		}
		mode := string(src[:space])
		all = append(all, Entry{
			Name: string(src[space+1 : end]), ID: hex.EncodeToString(src[end+1 : end+21]),
			Folder: mode == "40000", File: strings.HasPrefix(mode, "100"),
		})
		src = src[end+21:]
	}
	return all, nil
}

// Differing lists the paths of files in which two folders of commits differ, sorted; "" is an empty folder. It skips what
// lies at a path for which skip is true, and returns an error if there are more than most.
func (q *Quick) Differing(one, other string, most int, skip func(path string) bool) ([]string, error) {
	d := differing{q, most, skip, nil}
	err := d.folder("", one, other)
	slices.Sort(d.found)
	return d.found, err
}

type differing struct {
	*Quick
	most  int
	skip  func(string) bool
	found []string
}

func (d *differing) folder(at, one, other string) error {
	had := map[string]Entry{}
	for _, e := range d.below(other) {
		had[e.Name] = e
	}
	for _, e := range d.below(one) {
		was := had[e.Name]
		delete(had, e.Name)
		if err := d.entry(at+e.Name, e, was); err != nil {
			return err
		}
	}
	for name, was := range had {
		if err := d.entry(at+name, Entry{}, was); err != nil {
			return err
		}
	}
	return nil
}

// below lists a folder. One that cannot be read, as a partial clone lacks it, is empty.
func (d *differing) below(tree string) []Entry {
	if tree == "" {
		return nil
	}
	all, _ := d.Folder(tree)
	return all
}

// entry compares what two folders have at a path; the zero Entry is nothing.
func (d *differing) entry(at string, now, was Entry) error {
	if now.ID == was.ID || d.skip(at) {
		return nil
	}
	if now.ID != "" && !now.Folder || was.ID != "" && !was.Folder {
		d.found = append(d.found, at)
	}
	if len(d.found) > d.most {
		return disk.ErrTooLarge
	}
	if !now.Folder && !was.Folder {
		return nil
	}
	if !now.Folder {
		now.ID = ""
	}
	if !was.Folder {
		was.ID = ""
	}
	return d.folder(at+"/", now.ID, was.ID)
}

// At finds what lies in a folder of a commit at a path below it, with slashes. It reports false if nothing does.
func (q *Quick) At(tree, path string) (Entry, bool) {
	found := Entry{ID: tree, Folder: true}
	for name := range strings.SplitSeq(path, "/") {
		all, err := q.Folder(found.ID)
		n := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name })
		if err != nil || n < 0 {
			return Entry{}, false
		}
		found = all[n]
	}
	return found, true
}

// maxApart is how many commits are looked at to find where two went apart.
const maxApart = 5_000

// Forks returns the commits where two went apart: the newest that both have. One that the other contains is its own
// fork. It returns none if they have nothing in common, as far as the clone knows, or went apart too long ago. As in
// git, the dates of commits say which is looked at first.
func (q *Quick) Forks(one, other string) []string {
	all := q.common(one, other)
	return slices.DeleteFunc(slices.Clone(all), func(id string) bool { // as among commits of one second
		return slices.ContainsFunc(all, func(newer string) bool { return newer != id && slices.Contains(q.common(newer, id), id) })
	})
}

// common is Forks, and perhaps commits that one of the forks has.
func (q *Quick) common(one, other string) []string {
	const ofOne, ofOther, both, done = 1, 2, 3, 4 // done: what is below a fork
	marks := map[string]int{}
	var queue []string // the newest commit last
	mark := func(id string, as int) {
		if c, err := q.Commit(id); err == nil && marks[id]&as != as {
			marks[id] |= as
			at, _ := slices.BinarySearchFunc(queue, c.Time, func(other string, at int64) int { return cmp.Compare(q.commits[other].Time, at) })
			queue = slices.Insert(queue, at, id)
		}
	}
	mark(one, ofOne)
	mark(other, ofOther)
	var forks []string
	for seen := 0; slices.ContainsFunc(queue, func(id string) bool { return marks[id]&done == 0 }); seen++ {
		if seen == maxApart {
			return nil
		}
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		as := marks[id]
		if as&both == both && as&done == 0 {
			if as |= done; !slices.Contains(forks, id) {
				forks = append(forks, id)
			}
		}
		c, err := q.Commit(id)
		if err != nil {
			continue
		}
		for _, p := range c.Parents {
			mark(p, as)
		}
	}
	return slices.DeleteFunc(forks, func(id string) bool { return marks[id]&done != 0 })
}

// maxFileOn is the largest file that FileOn reads, in bytes.
const maxFileOn = 1 << 20

// FileOn reads a file as it was committed last on a local branch, without starting git. It returns an error if that
// cannot be told.
func (r *Repo) FileOn(branch, path string) ([]byte, error) {
	tip, err := r.branchFromFiles("refs/heads/" + branch)
	if err != nil || tip == "" {
		return nil, cmp.Or(err, error(plumbing.ErrReferenceNotFound))
	}
	q, err := r.Quick()
	if err != nil {
		return nil, err
	}
	defer q.Close()
	c, err := q.Commit(tip)
	if err != nil {
		return nil, err
	}
	at, ok := q.At(c.Tree, path)
	if !ok || !at.File {
		return nil, plumbing.ErrObjectNotFound
	}
	return q.Blob(at.ID, maxFileOn)
}
