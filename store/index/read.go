package index

import (
	"context"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/progress"
)

// suspect is a file that has to be read.
type suspect struct {
	id    string
	stamp disk.Stamp
	known int // where its entry is; -1 for none
}

// readAll reads files. Those that vanish are left out.
func (s Source) readAll(ctx context.Context, known *View, todo []suspect, before time.Time) (entries []entry, problems []problem.Problem, err error) {
	read, failed := make([]entry, len(todo)), make([]error, len(todo))
	count := progress.Start(ctx, "reading "+s.Kind.Name+" files", len(todo))
	layout.OnAllProcessors(ctx, len(todo), func(i int, wait *layout.Patience) {
		read[i], failed[i] = s.read(todo[i], known, before, wait)
		count.Add(1)
	})
	count.End()
	for i, err := range failed {
		switch {
		case problem.Missing(err):
		case err != nil:
			problems = append(problems, problem.Of(s.path(todo[i].id), err))
		default:
			entries = append(entries, read[i])
		}
	}
	return entries, problems, ctx.Err()
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
	if after, _ := s.stamp(s.Kind.FileName(f.id)); after.Stamp == f.stamp { // and so it was before
		e.stamp, e.young = f.stamp, !f.stamp.OlderThan(before)
	}
	return e, nil
}
