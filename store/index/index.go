package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/task"
)

// Source is what the rows of a kind are made of.
type Source struct {
	Kind   *record.Kind
	Folder string // of the files, under .cairn; "" for that of the kind
	Dir    string // its path
	File   string // where the index lies; "" for none, so that every file is read
	Words  string // where the words of the records lie; "" for none
	Stat   record.Stat

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

const (
	smallest = 100 // records; fewer are read faster than it takes to write an index
	stale    = 100 // the index is written anew once one row in so many is not from it
	staleMin = 32  // but not for fewer rows than these
)

// sum is a hash of the content of a file.
type sum [8]byte

func sumOf(src []byte) sum {
	all := sha256.Sum256(src)
	return sum(all[:8])
}

// entry is what is known of one file.
type entry struct {
	stamp disk.Stamp // when it was read; zero if that is not known
	young bool       // when it was read it was so new that another state of it can have this stamp
	sum   sum
	row   *record.Row
}

// View is what a look found. It never changes.
type View struct {
	kind     *record.Kind
	entries  []entry // sorted by id
	problems []problem.Problem
	set      *Set
	parts    []Part     // that it was joined of; nil for a view of one folder
	folder   disk.Stamp // of the folder, before it was listed; zero if that is not known, or cannot be believed later

	numbers func() map[string]int32 // where the entry of an id is; made when it is first asked for
}

// newView makes a view of entries that are sorted by id.
func newView(k *record.Kind, entries []entry, problems []problem.Problem) *View {
	slices.SortFunc(problems, func(a, b problem.Problem) int { return cmp.Compare(a.Path, b.Path) })
	rows := make([]*record.Row, len(entries))
	for i, e := range entries {
		rows[i] = e.row
	}
	v := &View{kind: k, entries: entries, problems: problems, set: NewSet(rows)}
	v.numbers = sync.OnceValue(func() map[string]int32 {
		at := make(map[string]int32, len(entries))
		for i, e := range entries {
			at[e.row.ID] = int32(i)
		}
		return at
	})
	return v
}

// Kind is the kind of the records.
func (v *View) Kind() *record.Kind { return v.kind }

// Rows returns the rows of all records that can be read, sorted by id. The caller must not change them.
func (v *View) Rows() []*record.Row { return v.set.rows }

// Set is the rows as a set.
func (v *View) Set() *Set { return v.set }

// Problems lists the files that cannot be read, sorted by path. The caller must not change it.
func (v *View) Problems() []problem.Problem { return v.problems }

// Find returns the row of a record, or nil.
func (v *View) Find(id string) *record.Row {
	if i := v.number(id); i >= 0 {
		return v.entries[i].row
	}
	return nil
}

// number returns where the entry of an id is, or -1.
func (v *View) number(id string) int {
	if i, ok := v.numbers()[id]; ok {
		return int(i)
	}
	return -1
}

// Look returns the records of a kind as their files say at this moment. It returns an error only if the folder cannot be listed, or when
// the context ends. Files that cannot be read are problems of the view.
func (s Source) Look(ctx context.Context) (*View, error) {
	return s.look(ctx, s.known, false)
}

// LookAfter is Look by a process that has looked before: it reads only what has changed since, and not the file of the index. It returns
// the same view if nothing has.
//
// Before the first look there is no view: nil. Then the index is read.
func (s Source) LookAfter(ctx context.Context, before *View) (*View, error) {
	if before == nil {
		return s.look(ctx, s.known, true)
	}
	return s.look(ctx, func() *View { return before }, true)
}

// LookAt is LookAfter for a process that knows that since then no other files have changed than those with these names. It lists no
// folder.
func (s Source) LookAt(ctx context.Context, before *View, names []string) (*View, error) {
	var files []disk.Entry
	named := map[string]bool{}
	for _, name := range names {
		id, ok := strings.CutSuffix(name, s.Kind.Ext())
		if !ok || name[0] == '.' || named[id] {
			continue
		}
		named[id] = true
		if f, there := s.stamp(name); there {
			files = append(files, f)
		}
	}
	if len(named) == 0 {
		return before, nil
	}
	v, _, err := s.compare(ctx, before, files, named, true)
	return v, err
}

// look compares what is known with all files. What it returns may be kept in memory, or not.
func (s Source) look(ctx context.Context, known func() *View, keeps bool) (*View, error) {
	if s.Resting {
		return s.lookAtRest(ctx, known(), keeps)
	}
	var view *View
	var reading sync.WaitGroup
	reading.Go(func() { view = known() })
	files, err := s.stamps()
	reading.Wait()
	if err != nil {
		return nil, err
	}
	v, differs, err := s.compare(ctx, view, files, nil, keeps)
	if err == nil && s.worthWriting(len(files), differs) {
		s.save(v)
	}
	return v, err
}

// compare compares what is known with files: all there are, or those of named records. It counts the rows that differ from what is known,
// or were doubtful.
func (s Source) compare(ctx context.Context, known *View, files []disk.Entry, named map[string]bool, keeps bool) (v *View, differs int, err error) {
	stay, problems := known.without(named)
	var todo []suspect
	for _, f := range files {
		id := strings.TrimSuffix(f.Name, s.Kind.Ext())
		at := known.number(id)
		if at >= 0 && s.believes(&known.entries[at], f.Stamp) {
			stay[at] = true
			continue
		}
		if p, bad := s.unfit(id, f); bad {
			problems = append(problems, p)
			continue
		}
		todo = append(todo, suspect{id, f.Stamp, at})
	}
	left := 0 // of what is known, what is not as it was
	for _, stays := range stay {
		if !stays {
			left++
		}
	}
	if left+len(todo)+len(problems)+len(known.problems) == 0 {
		return known, 0, nil
	}
	differs = max(left, len(todo))
	read, err := s.readAll(ctx, known, todo, s.moment(todo, keeps || s.worthWriting(len(files), differs)))
	if err != nil {
		return nil, 0, err
	}
	v = newView(s.Kind, merge(known.entries, stay, read.entries), append(problems, read.problems...))
	if v.set.SameIDs(known.set) {
		v.numbers = known.numbers
	}
	return v, differs, nil
}

// without returns which entries of a view are not about named records, and the problems that are not; none of them if all are named, by
// nil.
func (v *View) without(named map[string]bool) (stay []bool, problems []problem.Problem) {
	stay = make([]bool, len(v.entries))
	if named == nil {
		return stay, nil
	}
	for i := range stay {
		stay[i] = true
	}
	for id := range named {
		if at := v.number(id); at >= 0 {
			stay[at] = false
		}
	}
	for _, p := range v.problems {
		if _, id, ok := record.At(p.Path); !ok || !named[id] {
			problems = append(problems, p)
		}
	}
	return stay, problems
}

// merge returns the entries that stay, and those that were read, sorted by id.
func merge(known []entry, stay []bool, read []entry) []entry {
	slices.SortFunc(read, func(a, b entry) int { return strings.Compare(a.row.ID, b.row.ID) })
	out := make([]entry, 0, len(known)+len(read))
	for i, e := range known {
		if !stay[i] {
			continue
		}
		for len(read) > 0 && read[0].row.ID < e.row.ID {
			out, read = append(out, read[0]), read[1:]
		}
		out = append(out, e)
	}
	return append(out, read...)
}

// believes reports whether a file with this stamp is as the entry says.
func (s Source) believes(e *entry, is disk.Stamp) bool {
	switch {
	case e.young || e.stamp == disk.Stamp{} || s.Stat == record.StatContent:
		return false
	case s.Stat == record.StatMinimal:
		return e.stamp.Size == is.Size && e.stamp.Modified == is.Modified
	default:
		return e.stamp == is
	}
}

// stamps returns the stamps of all files of the folder that are called like records.
func (s Source) stamps() ([]disk.Entry, error) {
	files, err := disk.StampsIn(s.Dir, s.Kind.Ext())
	for i := range files {
		files[i].Stamp = s.byClock(files[i].Stamp)
	}
	return files, problem.IO(err)
}

// stamp is stamps for one file. It reports false if it is not there.
func (s Source) stamp(name string) (disk.Entry, bool) {
	f, there := disk.StampIn(s.Dir, name)
	f.Stamp = s.byClock(f.Stamp)
	return f, there
}

// byClock is a stamp as the file system of the records has it.
func (s Source) byClock(stamp disk.Stamp) disk.Stamp {
	if s.coarse == nil {
		return stamp
	}
	return s.coarse(stamp)
}

// path is the path of a file from the workspace root, with forward slashes.
func (s Source) path(id string) string { return s.Kind.FileIn(cmp.Or(s.Folder, s.Kind.Folder), id) }

// file is the path of the file of a record in the folder.
func (s Source) file(id string) string { return filepath.Join(s.Dir, id+s.Kind.Ext()) }

// unfit says why a file cannot be a record, whatever is in it.
func (s Source) unfit(id string, f disk.Entry) (problem.Problem, bool) {
	err := s.Kind.ParseID(id)
	if err == nil && f.Other {
		err = task.Errorf(task.BadFile, "is not a regular file")
	}
	if err == nil {
		return problem.Problem{}, false
	}
	return problem.Problem{Path: s.path(id), Code: task.BadFile, Message: task.MessageOf(err)}, true
}

// worthWriting reports whether an index of so many files, of which so many rows differ from what is known, is to be written.
func (s Source) worthWriting(files, differ int) bool {
	switch {
	case s.File == "":
		return false
	case s.eager:
		return differ > 0
	case s.Resting:
		return files >= smallestResting && differ > 0
	default:
		return files >= smallest && differ > max(staleMin, files/stale)
	}
}

// moment returns the time before which each of some files must have changed for the last time, so that its stamp can be believed from now
// on. It is by the slower of two clocks: this system's, and that of the file system, which is asked only if the answer is of use.
func (s Source) moment(todo []suspect, useful bool) time.Time {
	at := time.Now().UnixNano()
	if s.now != nil {
		at = s.now().UnixNano()
	}
	aged := func(f suspect) bool { return f.stamp.OlderThan(time.Unix(0, at).Add(-s.grain())) }
	if !useful || !slices.ContainsFunc(todo, aged) {
		return time.Unix(0, 0)
	}
	clock, ok := s.clock()
	if !ok { // of its clock no more is known than that it was not before the newest file
		for _, f := range todo {
			clock = max(clock, f.stamp.Newest())
		}
	}
	return time.Unix(0, min(at, clock)).Add(-s.grain())
}

func (s Source) grain() time.Duration { return cmp.Or(s.step, disk.ClockGrain) }

// clock asks the file system of the records for its time, in nanoseconds since 1970. It reports false if it cannot.
func (s Source) clock() (int64, bool) {
	if s.File == "" || !disk.SameDevice(filepath.Dir(s.File), s.Dir) {
		return 0, false
	}
	at, err := atomicfile.Clock(s.File)
	return at, err == nil
}

// suspect is a file that has to be read.
type suspect struct {
	id    string
	stamp disk.Stamp
	known int // where its entry is; -1 for none
}

// found is what reading the suspects found.
type found struct {
	entries  []entry
	problems []problem.Problem
}

// readAll reads files on all processors. Those that vanish are left out.
func (s Source) readAll(ctx context.Context, known *View, todo []suspect, before time.Time) (found, error) {
	parts := make([]found, min(runtime.GOMAXPROCS(0), 1+len(todo)/16))
	var reading sync.WaitGroup
	for w := range parts {
		reading.Go(func() {
			wait, part := layout.Patient(), &parts[w]
			for i := w; i < len(todo) && ctx.Err() == nil; i += len(parts) {
				f := todo[i]
				e, err := s.read(f, known, before, wait)
				switch {
				case problem.Missing(err):
				case err != nil:
					part.problems = append(part.problems, problem.Of(s.path(f.id), err))
				default:
					part.entries = append(part.entries, e)
				}
			}
		})
	}
	reading.Wait()
	var all found
	for _, p := range parts {
		all.entries, all.problems = append(all.entries, p.entries...), append(all.problems, p.problems...)
	}
	return all, ctx.Err()
}

// read reads a file. One whose content is as it was known keeps its row.
func (s Source) read(f suspect, known *View, before time.Time, wait *layout.Patience) (entry, error) {
	path := s.file(f.id)
	var e entry
	for e.row == nil {
		src, err := layout.ReadFile(path)
		if err != nil {
			return entry{}, err
		}
		e.sum = sumOf(src)
		if f.known >= 0 && known.entries[f.known].sum == e.sum {
			e.row = known.entries[f.known].row
			break
		}
		value, err := s.Parse(f.id, src)
		if err == nil {
			row := s.Kind.Row(value).Own()
			e.row = &row
		} else if !layout.Incomplete(err) || !wait.Wait() {
			return entry{}, err
		}
	}
	if after, _ := s.stamp(f.id + s.Kind.Ext()); after.Stamp == f.stamp { // and so it was before
		e.stamp, e.young = f.stamp, !f.stamp.OlderThan(before)
	}
	return e, nil
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

// write replaces a file of the index. That it cannot be written harms nobody. What killed processes left of it is removed.
func (s Source) write(path string, content func() []byte) {
	if s.Prepare() != nil {
		return
	}
	_ = atomicfile.WriteVolatile(path, content())
	atomicfile.SweepOf(path, time.Minute)
}

// home tells the folder of the index from every other one, so that an index which came along with a copied folder is not believed.
func (s Source) home() sum {
	dir := filepath.Dir(s.File)
	return sumOf(fmt.Appendf(nil, "%s %d", dir, disk.Inode(dir)))
}
