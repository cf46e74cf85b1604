package transfer

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// MaxItems is the most items of one import. One write holds them all.
const MaxItems = 20_000

// ImportIn is the input of Import.
type ImportIn struct {
	Source string `json:"source" doc:"the system that they come from, in one word, such as jira; with ref it names an item for good" cli:"arg" from:"import-sources"`
	Items  []Item `json:"items" doc:"the tasks there, in any order" cli:"flag=item"`
	Aside  []Loss `json:"left_out,omitempty" doc:"what the source has besides and is no task; for the report"`
	DryRun bool   `json:"dry_run,omitempty" doc:"show what it would make, and write nothing"`
	Update bool   `json:"update,omitempty" doc:"take over what changed there since; what changed here too stays"`
	verb.Once
}

// Import makes tasks of the items of another system, in one write: all of them, or none. An item that was imported
// before, by its reference of type origin, is left as it is, so that an import can be repeated: after a kill, and
// whenever the source has more. What changed there since is in the report, and with Update it is taken over, where
// nothing changed here. What an item says and no task can is in the report too.
//
// An item that is closed becomes a closed task with no checks, since nobody here has settled any: what was to hold
// stands in its body, and its entries say that it was imported and who closed it there. Where the workspace has default
// checks, such a task is abandoned and not done, for the same reason.
func Import(ctx context.Context, w *verb.Workspace, in ImportIn) (ImportOut, error) {
	if err := in.valid(); err != nil {
		return ImportOut{}, err
	}
	s, err := w.Open()
	if err != nil {
		return ImportOut{}, err
	}
	if in.DryRun {
		d, err := draftAll(ctx, w, s, s, in)
		if err == nil {
			err = d.compare(ctx, in)
		}
		if err != nil {
			return ImportOut{}, err
		}
		out := d.report.end()
		out.DryRun = true
		return out.cut(w.Bounded), nil
	}
	var out ImportOut
	var changed []Changed
	if !in.Update { // before the lock is taken
		d, err := draftAll(ctx, w, s, s, ImportIn{Source: in.Source})
		if err == nil {
			err = d.compare(ctx, in)
		}
		if err != nil {
			return ImportOut{}, err
		}
		changed = d.report.Changed
	}
	made := &session.Key{}
	_, err = verb.Change{Made: made, Decide: func(wc verb.WriteContext) (any, error) {
		d, err := draftAll(ctx, w, s, wc.Tx, in)
		if err != nil {
			return nil, err
		}
		if in.Update {
			if err := d.compare(ctx, in); err != nil {
				return nil, err
			}
			changed = d.report.Changed
		}
		for _, i := range d.edges.order {
			kind.Tasks.Put(wc.Tx, d.tasks[i])
		}
		for _, id := range slices.Sorted(maps.Keys(d.changed)) {
			kind.Tasks.Put(wc.Tx, d.changed[id])
		}
		made.Tasks, out = d.ids(), d.report.end()
		out.Changed = changed
		for n, id := range made.Tasks {
			out.Tasks[n].ID = id
		}
		return nil, nil
	}}.Run(ctx, w, s)
	if err != nil {
		return ImportOut{}, err
	}
	return out.cut(w.Bounded), nil
}

const tasksShown = 50 // to an agent

// cut leaves out what is too long for an agent.
func (out ImportOut) cut(bounded bool) ImportOut {
	if bounded {
		out.Tasks = out.Tasks[:min(len(out.Tasks), tasksShown)]
		out.Changed = out.Changed[:min(len(out.Changed), tasksShown)]
	}
	return out
}

// Replay shows the tasks that the call made as they are now.
func (ImportOut) Replay(w *verb.Workspace, s *store.Store, key session.Key) (any, error) {
	out := newReport("").end()
	out.Replayed, out.Made = true, len(key.Tasks)
	for _, id := range key.Tasks {
		t, err := kind.Tasks.Get(s, id)
		if err != nil {
			return out, verb.NotHere(err, "a task of the import")
		}
		made := Made{ID: t.ID, Title: t.Title, Status: t.Status, Priority: t.Priority}
		for _, r := range t.Refs {
			if r.Type == record.OriginRef {
				out.Source, made.From, _ = strings.Cut(r.Target, ":")
			}
		}
		out.Tasks = append(out.Tasks, made)
	}
	return out.cut(w.Bounded), nil
}

// valid returns INVALID_INPUT for a source that is no word, and for items that cannot be told apart.
func (in ImportIn) valid() error {
	switch {
	case !record.IsWord(in.Source, "_-") || len(in.Source) > 40:
		return verb.BadInput("source", "is %q", verb.Head(in.Source, 40)).WithHint("one word of letters, digits, _ and -, such as jira")
	case len(in.Items) > MaxItems:
		return verb.BadInput("items", "has %d items, more than %d", len(in.Items), MaxItems).WithHint("import them in several calls; what the later ones say of the earlier is understood")
	}
	seen := make(map[string]bool, len(in.Items))
	for i, it := range in.Items {
		switch {
		case strings.TrimSpace(it.Ref) == "":
			return verb.BadInput("", "items[%d].ref is empty", i).WithHint("the id of the item in the source; without it a second import would make it again")
		case seen[it.Ref]:
			return verb.BadInput("", "items[%d].ref is %q, and so is another's", i, verb.Head(it.Ref, 60)).WithHint("give each item an id of its own")
		}
		seen[it.Ref] = true
	}
	return nil
}

// target is what the reference to an item says, for one that was imported.
func target(source, ref string) string {
	clean := strings.ReplaceAll(oneLine(ref), " ", "_")
	if len(clean) > 200 {
		clean = record.Clip(clean, 150) + "~" + record.ContentHash(ref)
	}
	return source + ":" + clean
}

// imported returns the tasks that were imported from anywhere, by the targets of their references, and the ids of all
// tasks.
func imported(ctx context.Context, w *verb.Workspace, s *store.Store) (known map[string]record.ID, taken map[record.ID]bool, err error) {
	view, err := w.Reads.Look(ctx, s, kind.Tasks.Kind)
	if err != nil {
		return nil, nil, err
	}
	known, taken = map[string]record.ID{}, map[record.ID]bool{}
	for _, row := range view.Rows() {
		taken[record.ID(row.ID)] = true
		for _, origin := range row.All(kind.OriginFact) {
			known[origin] = record.ID(row.ID)
		}
	}
	return known, taken, nil
}

// Moment reads a time as one of the systems writes it; one without a zone is in UTC. It reports false for anything else.
func Moment(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if before, _, ok := strings.Cut(s, " ("); ok && strings.Contains(before, " GMT") { // of a browser, with the name of a zone
		s = before
	}
	for _, form := range []string{
		time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly, "20060102T150405Z",
		"2006-01-02T15:04:05-0700", "2006-01-02 15:04:05 UTC", "02/Jan/06 3:04 PM", "02/Jan/06 15:04", "02/Jan/06", "Mon Jan 02 2006 15:04:05 GMT-0700",
	} {
		if at, err := time.Parse(form, s); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}
