package tasks

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/progress"
	"github.com/cairn-tasks/cairn/task"
)

// ArchiveIn is the input of Archive.
type ArchiveIn struct {
	OlderThan string `json:"older_than,omitempty" doc:"move those to which nothing was written for so long, such as 30d or 12w; archive_after of the config by default"`
	DryRun    bool   `json:"dry_run,omitempty" doc:"show what it would move, and move nothing"`
	verb.Once
}

// Archived is what Archive moved, or, of a dry run, what it would move.
type Archived struct {
	DryRun    bool      `json:"dry_run,omitempty"` // nothing was moved
	OlderThan string    `json:"older_than"`
	Moved     int       `json:"moved"`
	Tasks     []Resting `json:"tasks"`          // those that are moved; the first 50 for an agent
	Folders   []Filled  `json:"folders"`        // where they are moved
	Stay      []Staying `json:"stay"`           // old enough, and left where they are
	More      bool      `json:"more,omitempty"` // there are more than one call moves: call it again
	Replayed  bool      `json:"replayed,omitempty"`
}

// Resting is a task that is moved.
type Resting struct {
	ID     record.ID `json:"id"`
	Title  string    `json:"title"`
	Folder string    `json:"folder"` // from the workspace root
}

// Filled is a folder that gets tasks.
type Filled struct {
	Folder string `json:"folder"` // from the workspace root
	Tasks  int    `json:"tasks"`  // that it gets
}

// Why is why a closed task is left where it is. The words are stable.
type Why string

// The reasons.
const (
	StaysClaimed   Why = "claimed"    // somebody holds it
	StaysElsewhere Why = "elsewhere"  // another branch or worktree of the clone carried it further
	StaysInSession Why = "session"    // a session on it is active
	StaysInJob     Why = "job"        // a job is at work on it, or waits for its turn
	StaysTwice     Why = "two_files"  // it has another file, which cairn check names
	StaysUndated   Why = "undated"    // none of its entries says when it was closed
	StaysUnread    Why = "unreadable" // its file is broken
	StaysLast      Why = "last"       // without it the folder of tasks would be empty
	StaysFull      Why = "no_room"    // all folders of its month are full
)

// Staying is how many tasks stay for a reason.
type Staying struct {
	Why   Why         `json:"why"`
	Count int         `json:"count"`
	Tasks []record.ID `json:"tasks"` // the first five
}

const (
	maxArchived    = 20_000 // tasks of one call: their ids are remembered under its key
	archivedAtOnce = 500    // tasks of one write, which others wait for
	archivedShown  = 50     // to an agent
	stayingShown   = 5
)

// Archive moves the files of closed tasks to which nothing was written for a while to .cairn/closed/YYYY-MM, the month
// in which each was closed. No content changes and no entry is made: where a task lies means nothing, and git sees a
// rename. A folder gets no more than limits.FolderMax files; then the month has another one.
//
// It makes one write for every 500 tasks, each whole or not at all, so a kill or an error between two leaves some moved
// and the others where they were. Calling it again moves the rest. Each task is decided about anew in its write: one
// that was written to meanwhile stays.
func Archive(ctx context.Context, w *verb.Workspace, in ArchiveIn) (Archived, error) {
	s, err := w.Open()
	if err != nil {
		return Archived{}, err
	}
	older := s.Config.ArchiveAfter
	if in.OlderThan != "" {
		if older, err = record.ParseSpan(in.OlderThan); err != nil {
			return Archived{}, verb.BadInput("older_than", "%q is not a length of time above zero", verb.Head(in.OlderThan, 40)).WithHint("such as 1h, 7d or 12w")
		}
	}
	m, err := newMover(ctx, w, s, w.Now().Add(-older))
	if err != nil {
		return Archived{}, err
	}
	if in.DryRun {
		err = m.dryRun()
	} else {
		err = m.move(ctx)
	}
	if err != nil {
		return Archived{}, err
	}
	m.out.DryRun, m.out.OlderThan = in.DryRun, kind.Days(older)
	return m.out.cut(w.Bounded), nil
}

// move makes the writes.
func (m *mover) move(ctx context.Context) error {
	count := progress.Start(ctx, "moving closed tasks", len(m.candidates))
	defer count.End()
	rest, moved := m.candidates, session.Key{}
	for first := true; first || len(rest) > 0; first = false {
		batch := rest[:min(archivedAtOnce, len(rest))]
		rest = rest[len(batch):]
		var made Archived
		write := verb.Change{Decide: func(wc verb.WriteContext) (any, error) {
			room, err := placesOf(m.s)
			if err != nil {
				return nil, err
			}
			made = m.out.clone()
			for _, id := range batch {
				if at, ok := m.decide(&made, room, id, wc.Tx, wc.Tx.Known); ok {
					wc.Tx.Move(id.Ref(), at)
				}
			}
			moved.Tasks = record.Each(made.Tasks, func(t Resting) record.ID { return t.ID })
			return nil, nil
		}}
		if len(rest) == 0 {
			write.Made = &moved
		}
		if _, err := write.Run(ctx, m.w, m.s); err != nil {
			return err
		}
		m.out = made
		count.Add(len(batch))
	}
	return nil
}

// dryRun decides as move does.
func (m *mover) dryRun() error {
	room, err := placesOf(m.s)
	if err != nil {
		return err
	}
	known := m.s.KnownOf()
	for _, id := range m.candidates {
		m.decide(&m.out, room, id, m.s, known)
	}
	return nil
}

// clone copies what a write that starts over must not change.
func (out Archived) clone() Archived {
	out.Tasks, out.Folders, out.Stay = slices.Clone(out.Tasks), slices.Clone(out.Folders), slices.Clone(out.Stay)
	for i := range out.Stay {
		out.Stay[i].Tasks = slices.Clone(out.Stay[i].Tasks)
	}
	return out
}

// cut leaves out what is too long for an agent, and puts the folders in their order.
func (out Archived) cut(bounded bool) Archived {
	sorted.By(out.Folders, func(a, b Filled) int { return strings.Compare(a.Folder, b.Folder) })
	if bounded && len(out.Tasks) > archivedShown {
		out.Tasks = out.Tasks[:archivedShown]
	}
	return out
}

// takes notes that a task is moved.
func (out *Archived) takes(t Resting) {
	out.Moved++
	out.Tasks = append(out.Tasks, t)
	i := slices.IndexFunc(out.Folders, func(f Filled) bool { return f.Folder == t.Folder })
	if i < 0 {
		i = len(out.Folders)
		out.Folders = append(out.Folders, Filled{Folder: t.Folder})
	}
	out.Folders[i].Tasks++
}

// leaves notes that a task stays.
func (out *Archived) leaves(why Why, id record.ID) {
	i := slices.IndexFunc(out.Stay, func(s Staying) bool { return s.Why == why })
	if i < 0 {
		i = len(out.Stay)
		out.Stay = append(out.Stay, Staying{Why: why, Tasks: []record.ID{}})
	}
	out.Stay[i].Count++
	if len(out.Stay[i].Tasks) < stayingShown {
		out.Stay[i].Tasks = append(out.Stay[i].Tasks, id)
	}
}

// Replay shows the tasks that the call moved, where they are now.
func (Archived) Replay(w *verb.Workspace, s *store.Store, key session.Key) (any, error) {
	out := newArchived()
	out.Replayed = true
	places, err := placesOf(s)
	if err != nil {
		return nil, err
	}
	for _, id := range key.Tasks {
		t, err := kind.Tasks.Get(s, id)
		if err != nil {
			return nil, verb.NotHere(err, string(id))
		}
		out.takes(Resting{id, t.Title, places.folder[id]})
	}
	return out.cut(w.Bounded), nil
}

func newArchived() Archived {
	return Archived{Tasks: []Resting{}, Folders: []Filled{}, Stay: []Staying{}}
}

// closedIn is when a task was moved to the state that it is in; if no entry says so, when it was written to last.
func closedIn(t task.Task) time.Time {
	if e, ok := t.Provenance.Newest(func(e record.Entry) bool { return e.To == t.Status }); ok {
		return e.At
	}
	return t.Provenance.Last().At
}
