package transfer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// draft is an import that is being put together.
type draft struct {
	w      *verb.Workspace
	flow   task.Flow
	prefix string
	source string
	now    time.Time
	report *report
	edges  *edges
	items  []Item               // that are new
	known  map[string]record.ID // tasks that were imported before, by target
	find   task.Find            // tasks that are there
	tasks  []task.Task          // one for each item; those whose turn has not come have an id alone
	place  map[record.ID]int    // of each task

	reader  kind.Reader
	came    map[record.ID]string    // the names in the source of tasks that were imported before
	changed map[record.ID]task.Task // tasks that were imported before, as an update makes them
	live    func(record.ID) session.Live
}

// deletedHere are the tasks that lie in the trash of this clone, by their targets.
func deletedHere(s *store.Store) map[string]record.ID {
	out := map[string]record.ID{}
	all, _ := s.Trash().Deleted(kind.Tasks.Kind) // what cannot be read is as if it were not there
	for _, v := range all {
		t := v.(task.Task)
		for _, r := range t.Refs {
			if r.Type == record.OriginRef {
				out[r.Target] = t.ID
			}
		}
	}
	return out
}

// gone tells of open tasks that were imported before from the files or repositories of these items, and are no more in
// the source, or not in the part of it that is imported.
func (d *draft) gone(items []Item) {
	there, parts := map[string]bool{}, map[string]bool{}
	part := func(ref string) string { // "" where the ref names none
		before, _, _ := strings.Cut(ref, "#")
		return strings.TrimSuffix(before, ref)
	}
	for _, it := range items {
		ref := d.name(it.Ref)
		there[ref] = true
		if _, before := d.known[target(d.source, it.Ref)]; before {
			parts[part(ref)] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(d.came)) {
		ref := d.came[id]
		if t, ok := d.find(id); ok && !there[ref] && parts[part(ref)] && !d.flow.IsClosed(t.Status) {
			d.report.lose(ref, "not in the source now; the task stays", string(id)+" "+t.Title)
		}
	}
}

// draftAll makes a task of each item that was not imported before.
func draftAll(ctx context.Context, w *verb.Workspace, s *store.Store, r kind.Reader, in ImportIn) (*draft, error) {
	known, taken, err := imported(ctx, w, s)
	if err != nil {
		return nil, err
	}
	flow := s.Config.Flow
	d := &draft{
		w: w, flow: flow, prefix: s.Config.Prefix, source: in.Source, now: w.Now(), report: newReport(in.Source),
		known: known, find: kind.Deps(r, flow), place: map[record.ID]int{}, reader: r,
		came: map[record.ID]string{}, changed: map[record.ID]task.Task{},
		live: func(id record.ID) session.Live { return s.Known(id.Ref()) },
	}
	for origin, id := range known {
		if system, ref, _ := strings.Cut(origin, ":"); system == in.Source {
			d.came[id] = ref
		}
	}
	d.reworded(in.Items)
	d.report.Read = len(in.Items)
	for _, l := range in.Aside {
		d.report.lose(l.Value, l.Field, "")
	}
	deleted := deletedHere(s)
	for _, it := range in.Items {
		trashed := deleted[target(d.source, it.Ref)]
		switch _, before := known[target(d.source, it.Ref)]; {
		case before:
			d.report.Known++
		case trashed != "":
			d.lose(it, "deleted here, left out: cairn restore brings it back", string(trashed)+" "+it.Title)
		case d.cannotClose(it):
			d.lose(it, "closed item, left out: the workspace has default checks and no abandoned state", it.Title)
		default:
			d.items = append(d.items, it)
		}
	}
	d.gone(in.Items)
	d.edges = newEdges(d.items, func(ref string) bool { _, ok := known[target(d.source, ref)]; return ok }, d.lose)
	if err = d.mint(taken); err != nil {
		return nil, err
	}
	for n, i := range d.edges.order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := d.draft(i); err != nil {
			return nil, verb.WithID(err, record.ID(record.Clip(oneLine(d.items[i].Ref), 60)))
		}
		if w.Progress != nil && n%500 == 0 {
			w.Progress(verb.Progress{Done: float64(n), Total: float64(len(d.items)), Message: "importing from " + d.source})
		}
	}
	return d, nil
}

func (d *draft) lose(it Item, field, value string) { d.report.lose(it.Ref, field, value) }

// ids are the ids of the tasks that are made, in the order in which they are written.
func (d *draft) ids() []record.ID {
	out := make([]record.ID, len(d.items))
	for n, i := range d.edges.order {
		out[n] = d.tasks[i].ID
	}
	return out
}

// mint gives each item an id. Ids sort by age, so one has the time at which its item was made.
func (d *draft) mint(taken map[record.ID]bool) error {
	d.tasks = make([]task.Task, len(d.items))
	earliest := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, it := range d.items {
		at, ok := Moment(it.Created)
		if !ok || at.Before(earliest) || at.After(d.now) {
			at = d.now
		}
		for later := i % 1000; ; later++ {
			id, err := record.NewID(d.prefix, at.Add(time.Duration(later)*time.Millisecond), d.w.Rand)
			if err != nil {
				return err
			}
			if !taken[id] {
				d.tasks[i], d.place[id], taken[id] = task.Task{ID: id, Status: d.flow.Initial}, i, true
				break
			}
		}
	}
	return nil
}

// idOf returns the task that an item became, now or before.
func (d *draft) idOf(ref string) record.ID {
	if i, here := d.edges.place[ref]; here {
		return d.tasks[i].ID
	}
	return d.known[target(d.source, ref)]
}

func (d *draft) idsOf(refs []string) []record.ID {
	return record.Each(refs, d.idOf)
}

// among finds a task, without what it waits for: that there is no circle is known.
func (d *draft) among(id record.ID) (task.Task, bool) {
	if i, ok := d.place[id]; ok {
		return task.Task{ID: id, Status: d.tasks[i].Status}, true
	}
	t, ok := d.find(id)
	t.Deps, t.Parent = nil, ""
	return t, ok
}

// draft makes the task of one item: created, then moved, then given the deps that are still open, each in an entry of
// its own. One that is moved is assigned after the move: whoever imports what they began elsewhere did not begin it here.
func (d *draft) draft(i int) error {
	it := d.items[i]
	to := d.status(it)
	t, err := d.fields(it, d.tasks[i].ID, to)
	if err != nil {
		return err
	}
	deps := d.room(it, "dep", d.idsOf(d.edges.deps[i]), task.MaxDeps)
	if up := d.edges.parent[i]; len(up) > 0 {
		t.Parent = d.idOf(up[0])
		d.report.Parents++
	}
	t.Links = d.links(it)
	var late []record.ID // which the task gets once it was moved, since a task that waits cannot be started
	if to != d.flow.Initial && !d.flow.IsAbandoned(to) {
		late = d.flow.BlockedBy(task.Task{Deps: deps}, d.among)
	}
	t.Deps = slices.DeleteFunc(slices.Clone(deps), func(id record.ID) bool { return slices.Contains(late, id) })
	assignee := t.Assignee
	if to != d.flow.Initial && !d.flow.IsClosed(to) {
		t.Assignee = ""
	}
	if t, err = d.flow.Create(t, d.among, d.w.Stamp("")); err != nil {
		return err
	}
	if t, err = d.refer(t, it); err != nil {
		return err
	}
	if t, err = d.move(t, it, to); err != nil {
		return err
	}
	if len(late) > 0 || t.Assignee != assignee {
		edit := task.Edit{AddDeps: late, Assignee: &assignee}
		if t, _, err = d.flow.Update(t, edit, task.Proof{}, d.among, d.w.Stamp("")); err != nil {
			return err
		}
	}
	if t, err = d.comments(t, it); err != nil {
		return err
	}
	d.report.Deps += len(deps)
	d.tasks[i] = t
	d.report.made(it, t)
	for _, l := range it.LeftOut {
		d.lose(it, l.Field, l.Value)
	}
	return nil
}

// move moves a task to its state. Where a gate refuses that, it stays where it was made, and the report says so.
func (d *draft) move(t task.Task, it Item, to record.Status) (task.Task, error) {
	if to == t.Status {
		return t, nil
	}
	moved, _, err := d.flow.Move(t, to, task.Proof{}, d.among, d.w.Stamp(d.closing(it, to)))
	if slices.Contains([]record.Code{record.ChecksPending, record.ChecksFailed, record.DepsOpen}, record.CodeOf(err)) {
		d.lose(it, "state, which a gate of this workspace refuses", cmp.Or(it.Was, it.State))
		return t, nil
	}
	return moved, err
}

// closing says in the entry of a move where it comes from.
func (d *draft) closing(it Item, to record.Status) string {
	text := "imported: it was " + cmp.Or(oneLine(it.Was), it.State) + " in " + d.source
	if d.flow.IsClosed(to) {
		text = "imported: it was closed in " + d.source + told(", ", it.Closed, it.ClosedBy)
		if reason := oneLine(plain(it.Reason)); !record.Blank(reason) {
			text += ": " + reason
		}
		text += "; no check was run here"
	}
	out, _ := fit(text, record.MaxText-100)
	return out
}

// told says when and by whom something was done in the source.
func told(before, at, by string) string {
	out := oneLine(at)
	if by = oneLine(by); by != "" {
		out = strings.TrimSpace(out + " by " + by)
	}
	if out == "" {
		return ""
	}
	out, _ = fit(out, 300)
	return before + out
}

// refer adds the reference that says where an item comes from.
func (d *draft) refer(t task.Task, it Item) (task.Task, error) {
	origin := record.Reference{Type: record.OriginRef, Target: target(d.source, it.Ref)}
	if it.URL != "" {
		if origin.URL = record.CleanURL(it.URL); origin.URL == "" {
			d.lose(it, "url", it.URL)
		}
	}
	text := "imported from " + d.source + " " + oneLine(it.Ref)
	text += told(", made there ", it.Created, it.CreatedBy)
	stamp := d.w.Stamp(record.Clip(text, record.MaxText-100))
	refs, entry, err := t.Header().AddReference(origin, stamp)
	if err != nil {
		return t, err
	}
	t.Refs = refs
	said := entry.Said()
	said.Seen = seenOf(d.there(it, t.ID))
	return t.With(entry.Saying(said)), nil
}

// links are what an item says of its relation to others.
func (d *draft) links(it Item) task.Links {
	var out task.Links
	for name, refs := range map[string][]string{"related": it.Related, "discovered_from": it.Found, "duplicates": it.Same} {
		ids := d.room(it, name, d.idsOf(d.edges.there(it, name, refs)), task.MaxLinks)
		*out.LinksOf(name) = ids
		d.report.Links += len(ids)
	}
	return out
}

// room cuts a list of deps to what a task may have.
func (d *draft) room(it Item, field string, ids []record.ID, most int) []record.ID {
	ids = record.Unique(ids)
	for _, id := range ids[min(most, len(ids)):] {
		d.lose(it, field+", of more than a task may have", string(id))
	}
	return ids[:min(most, len(ids))]
}

// comments adds what was said about an item as notes, each with who said it and when, but for those that the task has.
func (d *draft) comments(t task.Task, it Item) (task.Task, error) {
	noted := map[string]bool{}
	for _, e := range t.Provenance {
		noted[e.Text] = noted[e.Text] || e.Did == record.Noted
	}
	for _, c := range it.Comments {
		text := strings.TrimSpace(plain(c.Text))
		if record.Blank(text) {
			continue
		}
		head := strings.TrimPrefix(told(", ", "", oneLine(c.By)), ", by ")
		if at := oneLine(c.At); at != "" {
			head = strings.TrimPrefix(head+", "+at, ", ")
		}
		if head != "" {
			text = head + ": " + text
		}
		for _, piece := range pieces(text, record.MaxText-96) {
			if noted[piece] {
				continue
			}
			var err error
			if t, _, err = task.Note(t, d.w.Stamp(piece)); err != nil {
				return t, fmt.Errorf("a comment: %w", err)
			}
			d.report.Notes++
		}
	}
	return t, nil
}
