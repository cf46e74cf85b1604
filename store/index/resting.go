package index

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
)

// A folder of closed records grows for years and seldom changes, so not each of its files is looked at each time. While
// the stamp of the folder is the one that it had, no file in it was made, renamed, replaced or removed, which is how
// git, cairn and most editors write. What that does not show is a file that was written in place; a sample of the files
// is compared at each look, so that such a change is found sooner or later, and if one of the sample changed all are
// compared.
const (
	smallestResting = 8 // records; fewer have no index
	sampled         = 8 // files at each look
)

// lookAtRest is look for a folder of records at rest.
func (s Source) lookAtRest(ctx context.Context, known *View, keeps bool) (*View, error) {
	folder := s.byClock(disk.StampOfFolder(s.Dir))
	if folder == known.folder && folder != (disk.Stamp{}) && s.sampleIsSame(known) {
		return known, nil
	}
	before := s.moment([]suspect{{stamp: folder}}, true)
	files, err := s.stamps()
	if err != nil {
		return nil, err
	}
	v, differs, err := s.compare(ctx, known, files, nil, keeps)
	if err != nil {
		return nil, err
	}
	if !folder.OlderThan(before) || len(v.problems) > 0 || v.anyYoung() {
		folder = disk.Stamp{} // it may change again under this stamp, or there is something to look at each time
	}
	if folder != v.folder {
		v = &View{Set: v.Set, kind: v.kind, entries: v.entries, problems: v.problems, folder: folder}
	}
	if s.worthWriting(len(files), differs) || folder != known.folder && s.worthWriting(len(files), len(files)) {
		s.save(v)
	}
	return v, nil
}

// sampleIsSame reports whether some of the files are as they are known to be. It takes others each time.
func (s Source) sampleIsSame(known *View) bool {
	n := len(known.entries)
	if n == 0 {
		return true
	}
	from, step := int(time.Now().UnixNano()/1000)%n, max(1, n/sampled)
	for i := range min(n, sampled) {
		e := &known.entries[(from+i*step)%n]
		if f, there := s.stamp(s.Kind.FileName(e.row.ID)); !there || !s.believes(e, f.Stamp) {
			return false
		}
	}
	return true
}

func (v *View) anyYoung() bool {
	for i := range v.entries {
		if e := &v.entries[i]; e.young || e.stamp == (disk.Stamp{}) {
			return true
		}
	}
	return false
}
