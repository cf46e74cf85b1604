package tasks

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/limits"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/task"
)

// mover moves closed tasks to where they rest.
type mover struct {
	w          *verb.Workspace
	s          *store.Store
	before     time.Time // those are old enough to which nothing was written since
	busy       map[record.ID]Why
	candidates []record.ID // by their rows
	out        Archived
}

// newMover looks for the tasks that may be moved, by the index: closed, old enough, and in the folder of tasks.
func newMover(ctx context.Context, w *verb.Workspace, s *store.Store, before time.Time) (*mover, error) {
	m := &mover{w: w, s: s, before: before, busy: map[record.ID]Why{}, out: newArchived()}
	g, err := w.Graph(ctx, s)
	if err != nil {
		return nil, err
	}
	places, err := placesOf(s)
	if err != nil {
		return nil, err
	}
	if err := m.findBusy(ctx); err != nil {
		return nil, err
	}
	usual := path.Join(layout.Folder, kind.Tasks.Folder)
	for _, p := range g.Problems() {
		if id, ok := kind.Tasks.IDOf(path.Base(p.Path)); ok && path.Dir(p.Path) == usual {
			m.out.leaves(StaysUnread, record.ID(id))
		}
	}
	for _, r := range g.Rows() {
		if id := record.ID(r.ID); s.Config.Flow.IsClosed(r.Status) && r.Newest < before.Unix() && places.folder[id] == usual {
			m.candidates = append(m.candidates, id)
		}
	}
	// By when they were written to last: folders fill up in this order, so branches that archive apart put a task into the
	// same folder of a full month, though one moves more than the other.
	sorted.By(m.candidates, func(a, b record.ID) int {
		return cmp.Or(cmp.Compare(g.Row(a).Newest, g.Row(b).Newest), cmp.Compare(a, b))
	})
	m.keepLast(places.count[usual], g)
	if m.out.More = len(m.candidates) > maxArchived; m.out.More {
		m.candidates = m.candidates[:maxArchived]
	}
	return m, nil
}

// keepLast leaves one task in a folder that would be empty without it, the one that was written to last. Git has no
// empty folders: for a merge the folder would be renamed, and what another branch creates in it a conflict.
func (m *mover) keepLast(inFolder int, g *verb.Graph) {
	if len(m.candidates) == 0 || len(m.candidates) < inFolder {
		return
	}
	last := slices.MaxFunc(m.candidates, func(a, b record.ID) int { return int(g.Row(a).Newest - g.Row(b).Newest) })
	m.candidates = slices.DeleteFunc(m.candidates, func(id record.ID) bool { return id == last })
	m.out.leaves(StaysLast, last)
}

// findBusy finds the tasks on which a session or a job is at work. One that begins later finds them closed, or reopens
// them, which is an entry.
func (m *mover) findBusy(ctx context.Context) error {
	jobs, err := verb.OwnWork().PeekJobs(m.s)
	if err != nil {
		return err
	}
	for _, one := range jobs {
		if one.Live {
			m.busy[one.Task] = StaysInJob
		}
	}
	sessions, err := m.w.Reads.Look(ctx, m.s, kind.Sessions.Kind)
	if err != nil {
		return err
	}
	for _, ses := range sessions.Rows() {
		if session.Status(ses.Status) == session.Active {
			m.busy[ses.Parent] = StaysInSession
		}
	}
	return nil
}

// decide says into which folder under .cairn a task goes, and notes it. It reports false for one that stays.
func (m *mover) decide(out *Archived, room *room, id record.ID, from kind.Reader, known func(record.Ref) session.Live) (folder string, ok bool) {
	t, err := kind.Tasks.Get(from, id)
	if record.CodeOf(err) == record.NotFound {
		return "", false // deleted since the look
	}
	if err != nil {
		out.leaves(StaysUnread, id)
		return "", false
	}
	young := slices.ContainsFunc(t.Provenance, func(e record.Entry) bool { return !e.At.Before(m.before) })
	if !m.s.Config.Flow.IsClosed(t.Status) || young || room.folder[id] != path.Join(layout.Folder, kind.Tasks.Folder) {
		return "", false // reopened, written to or moved since the look
	}
	if why := m.stays(t, room, known); why != "" {
		out.leaves(why, id)
		return "", false
	}
	if folder = room.sameAt(m.s.Layout, id); folder == "" {
		folder = room.take(closedIn(t), limits.FolderMax)
	}
	if folder == "" {
		out.leaves(StaysFull, id)
		return "", false
	}
	out.takes(Resting{id, t.Title, path.Join(layout.Folder, folder)})
	return folder, true
}

// stays is why a closed task is left where it is, or "".
func (m *mover) stays(t task.Task, room *room, known func(record.Ref) session.Live) Why {
	switch hold := session.Holder(t.Header(), known(t.ID.Ref()), m.w.Now()); {
	case len(t.Provenance) == 0 || !kind.IsMonth(kind.Month(closedIn(t), 1)):
		return StaysUndated
	case room.twice[t.ID] != nil && room.sameAt(m.s.Layout, t.ID) == "":
		return StaysTwice
	case hold.Live(): // that a file names its last holder keeps nothing
		return StaysClaimed
	case hold.Ahead:
		return StaysElsewhere
	}
	return m.busy[t.ID]
}

// room is where tasks lie, and how many lie in each folder.
type room struct {
	folder map[record.ID]string   // from the workspace root
	twice  map[record.ID][]string // the further files of those that have several, from the workspace root
	count  map[string]int         // by the folder from the workspace root
}

func placesOf(s *store.Store) (*room, error) {
	files, problems, err := place.List(s.Layout, kind.Tasks.Kind)
	if err != nil {
		return nil, err
	}
	out := &room{make(map[record.ID]string, len(files)), map[record.ID][]string{}, map[string]int{}}
	for _, f := range files {
		out.folder[record.ID(f.ID)] = path.Dir(f.Path)
		out.count[path.Dir(f.Path)]++
	}
	for _, p := range problems {
		if id, ok := kind.Tasks.IDOf(path.Base(p.Path)); ok {
			out.twice[record.ID(id)] = append(out.twice[record.ID(id)], p.Path)
		}
		out.count[path.Dir(p.Path)]++
	}
	return out, nil
}

// sameAt is the folder under .cairn in which a task among the others has an equal file, which an archive that was cut
// short left; "" if it has none, or several.
func (r *room) sameAt(l layout.Layout, id record.ID) (folder string) {
	if len(r.twice[id]) != 1 {
		return ""
	}
	second := r.twice[id][0]
	one, err := layout.ReadFile(l.Abs(kind.Tasks.File(id)))
	if other, err2 := layout.ReadFile(l.Abs(second)); err != nil || err2 != nil || !bytes.Equal(one, other) {
		return ""
	}
	return strings.TrimPrefix(path.Dir(second), layout.Folder+"/")
}

// take takes a place for a file in the first folder of a month that has room, and returns that folder under .cairn; ""
// if all are full.
func (r *room) take(closed time.Time, most int) string {
	for nth := range kind.MaxParts {
		folder := kind.Tasks.RestIn(kind.Month(closed, nth+1))
		if at := path.Join(layout.Folder, folder); r.count[at] < most {
			r.count[at]++
			return folder
		}
	}
	return ""
}
