package index

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/store/problem"
)

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

// moment returns the time before which each of some files must have changed for the last time, so that its stamp can be
// believed from now on. It is by the slower of two clocks: this system's, and that of the file system, which is asked
// only if the answer is of use.
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
	at, err := atomicfile.Blink(atomicfile.TempName(s.File))
	return at, err == nil
}
