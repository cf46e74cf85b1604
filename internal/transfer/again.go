package transfer

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Changed is a task that was imported before, and of which its source says something else since.
type Changed struct {
	ID     record.ID    `json:"id"`
	From   string       `json:"from"` // its id in the source
	Title  string       `json:"title"`
	Fields []Difference `json:"fields"`
}

// Difference is a field that changed in the source.
type Difference struct {
	Field string `json:"field"`
	Here  string `json:"here"`           // the beginning of what the task says, from where they differ
	There string `json:"there"`          // and of what the source says
	Kept  string `json:"kept,omitempty"` // why what is here stays; "" for what an update takes over
}

// statement is what a field says, as text.
type statement struct{ field, text string }

// there is what an item says in the fields that are compared. Other items stand by their names in the source.
func (d *draft) there(it Item, id record.ID) (task.Task, []statement) {
	quiet := *d
	quiet.report = newReport(d.source)
	t := quiet.told(it, id)
	t.Status = quiet.status(it)
	up := ""
	if it.Parent != "" {
		up = d.name(it.Parent)
	}
	deps := record.Each(it.Deps, d.name)
	return t, statements(t, up, deps)
}

// here is what a task says in the same fields.
func (d *draft) here(t task.Task) []statement {
	name := func(id record.ID) string {
		if ref, ok := d.came[id]; ok {
			return ref
		}
		return string(id)
	}
	deps := record.Each(t.Deps, name)
	return statements(t, name(t.Parent), deps)
}

// name is the name of an item as references have it.
func (d *draft) name(ref string) string {
	_, name, _ := strings.Cut(target(d.source, ref), ":")
	return name
}

func statements(t task.Task, parent string, deps []string) []statement {
	labels := slices.Sorted(slices.Values(t.Labels))
	out := []statement{
		{"title", t.Title}, {"status", string(t.Status)}, {"priority", strconv.Itoa(int(t.Priority))},
		{"labels", strings.Join(labels, ", ")}, {"assignee", string(t.Assignee)}, {"due", string(t.Due)}, {"parent", parent},
		{"deps", strings.Join(slices.Compact(slices.Sorted(slices.Values(deps))), ", ")}, {"body", record.CleanBody(t.Body)},
	}
	for _, name := range slices.Sorted(maps.Keys(t.Own)) {
		out = append(out, statement{name, t.Own[name]})
	}
	return out
}

// seenOf is what an entry keeps of statements, so that a later import knows what the source said.
func seenOf(t task.Task, all []statement) []string {
	var out []string
	for _, s := range all {
		switch {
		case s.text == "":
		case s.field == "labels": // each by itself
			out = append(out, s.field+"="+strings.Join(record.Each(t.Labels, mark), labelMarks))
		default:
			out = append(out, s.field+"="+mark(s.text))
		}
	}
	return out
}

const labelMarks = "." // between the marks of two labels

// mark stands for a text; "" for none.
func mark(text string) string {
	if text == "" {
		return ""
	}
	return record.ContentHash(text)[:8]
}

// lastSeen are the marks of what the source said when it was last imported, by field; nil if no entry says it.
func lastSeen(log record.Log) map[string]string {
	e, ok := log.Newest(func(e record.Entry) bool { return len(e.Said().Seen) > 0 })
	if !ok {
		return nil
	}
	out := map[string]string{}
	for _, one := range e.Said().Seen {
		field, is, _ := strings.Cut(one, "=")
		out[field] = is
	}
	return out
}

// compare finds what changed in the source of tasks that were imported before, and with Update takes it over.
func (d *draft) compare(ctx context.Context, in ImportIn) error {
	d.report.Update = in.Update
	d.reworded(in.Items)
	silent := d.silent(in.Items)
	for _, it := range in.Items {
		id, before := d.known[target(d.source, it.Ref)]
		if !before {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := kind.Tasks.Get(d.reader, id)
		if err != nil {
			d.lose(it, "imported before, and cannot be read", record.MessageOf(err))
			continue
		}
		now, says := d.there(it, id)
		says = slices.DeleteFunc(says, func(s statement) bool { return silent(s.field) })
		a := &again{draft: d, it: it, was: t, now: now, says: says, silent: silent, seen: lastSeen(t.Provenance)}
		a.differences()
		if in.Update {
			if err := a.update(); err != nil {
				return err
			}
		}
		if len(a.fields) > 0 {
			d.report.Changed = append(d.report.Changed, Changed{ID: id, From: it.Ref, Title: t.Title, Fields: a.fields})
		}
	}
	return nil
}

// silent returns of which fields a source says nothing in any of its items, as a table says nothing that lacks the column:
// they are as they were.
func (d *draft) silent(items []Item) func(field string) bool {
	spoken := map[string]bool{"title": true}
	for _, it := range items {
		spoken["status"] = spoken["status"] || it.State != "" || it.Was != ""
		spoken["priority"] = spoken["priority"] || it.Priority != ""
		spoken["body"] = spoken["body"] || it.Body != ""
		_, says := d.there(it, "")
		for _, s := range says {
			if s.text != "" && s.field != "status" && s.field != "priority" && s.field != "body" { // which an item has by default
				spoken[s.field] = true
			}
		}
	}
	return func(field string) bool { return !spoken[field] }
}

// again is a task that was imported before, beside what the source says now.
type again struct {
	*draft
	it     Item
	was    task.Task
	now    task.Task // as the source says it
	says   []statement
	silent func(string) bool // of which fields the source says nothing at all
	seen   map[string]string // what it said before
	fields []Difference
}

// differences finds the fields that changed in the source since, and says what another write here has done to each.
func (a *again) differences() {
	here := map[string]string{}
	for _, s := range a.here(a.was) {
		here[s.field] = s.text
	}
	says := a.says
	for field := range a.seen { // of which the source says nothing more
		if !a.silent(field) && !slices.ContainsFunc(says, func(s statement) bool { return s.field == field }) {
			says = append(says, statement{field, ""})
		}
	}
	for _, s := range says {
		was, is := here[s.field], mark(s.text)
		if s.field == "labels" && a.seen != nil {
			if add, remove := a.labels(); len(add)+len(remove) > 0 {
				after := slices.Sorted(slices.Values(record.Relabeled(a.was.Labels, add, remove)))
				a.fields = append(a.fields, Difference{Field: s.field, Here: was, There: strings.Join(after, ", ")})
			}
			continue
		}
		if s.field == "body" && a.seen["body"] != mark(was) { // of one that was closed when it was imported
			was, _ = apartCriteria(was)
		}
		kept := ""
		switch {
		case mark(was) == is || a.seen != nil && a.seen[s.field] == is:
			continue
		case a.seen == nil:
			kept = "what the source said at first is not known"
		case s.field == "status" && a.held() != "":
			kept = a.held()
		case mark(was) != a.seen[s.field] && s.field != "deps":
			kept = changedToo
		}
		a.fields = append(a.fields, Difference{s.field, excerpt(was, s.text), excerpt(s.text, was), kept})
	}
	if notes, err := a.quietly().comments(a.was, a.it); err == nil && len(notes.Provenance) > len(a.was.Provenance) {
		more := strconv.Itoa(len(notes.Provenance) - len(a.was.Provenance))
		a.fields = append(a.fields, Difference{"comments", "", more + " more", ""})
	}
}

// labels are those that the source has more or less since it was last imported, as far as they are not so here already.
func (a *again) labels() (add, remove []string) {
	seen := record.SetOf(strings.Split(a.seen["labels"], labelMarks))
	for _, l := range a.now.Labels {
		if !seen[mark(l)] && !slices.Contains(a.was.Labels, l) {
			add = append(add, l)
		}
	}
	for _, l := range a.was.Labels {
		if seen[mark(l)] && !slices.Contains(a.now.Labels, l) {
			remove = append(remove, l)
		}
	}
	return add, remove
}

func (a *again) quietly() *draft {
	quiet := *a.draft
	quiet.report = newReport(a.source)
	return &quiet
}

// held says who works on the task here by a claim or a session; "" for nobody but the caller.
func (a *again) held() string {
	hold := session.Holder(a.was.Header(), a.live(a.was.ID), a.draft.now)
	if !hold.Live() || hold.Actor == a.w.Actor() {
		return ""
	}
	return string(hold.Actor) + " is at work on it"
}

// update takes over what can be, in one entry, and comments in one each.
func (a *again) update() error {
	if len(a.fields) == 0 {
		return nil
	}
	t := a.was
	for { // each time round something more is kept
		edit, some := a.edit()
		next, entry, err := a.flow.Update(t, edit, task.Proof{}, a.all, a.stamp())
		if err != nil && some {
			a.refused(edit, err)
			continue
		}
		if err != nil {
			return err
		}
		if entry == nil && a.acknowledges() { // what changed on both sides is told once
			next = t.With(a.stamp().Entry(record.Updated))
		}
		if t, err = a.comments(next, a.it); err != nil {
			return err
		}
		break
	}
	if len(t.Provenance) > len(a.was.Provenance) {
		a.changed[t.ID] = t
	}
	if slices.ContainsFunc(a.fields, func(f Difference) bool { return f.Kept == "" }) {
		a.report.Updated++
	}
	return nil
}

// edit is what an update changes, and reports whether that is anything.
func (a *again) edit() (ed task.Edit, some bool) {
	ed = task.Edit{Set: task.Values{}, NoNote: true}
	for _, f := range a.fields {
		if f.Kept != "" || f.Field == "comments" {
			continue
		}
		some = true
		switch f.Field {
		case "status":
			ed.To = &a.now.Status
		case "labels":
			ed.AddLabels, ed.RemoveLabels = a.labels()
		case "assignee":
			ed.Assignee = &a.now.Assignee
		case "deps":
			for _, id := range a.idsOf(a.it.Deps) {
				if id != "" && !slices.Contains(a.was.Deps, id) {
					ed.AddDeps = append(ed.AddDeps, id)
				}
			}
		case "parent":
			ed.Set["parent"] = a.idOf(a.it.Parent)
		case "body":
			_, criteria := apartCriteria(a.was.Body)
			if a.seen["body"] == mark(record.CleanBody(a.was.Body)) {
				criteria = ""
			}
			ed.Set["body"] = strings.TrimSpace(a.now.Body + "\n\n" + strings.TrimSpace(criteria))
		default:
			ed.Set[f.Field] = a.now.Own[f.Field]
			for _, settable := range task.Settable() {
				if settable.Name == f.Field {
					ed.Set[f.Field] = settable.Of(a.now)
				}
			}
		}
	}
	return ed, some
}

// refused keeps what an edit may not change: first the move, then what makes a task wait or groups it, then all.
func (a *again) refused(ed task.Edit, err error) {
	fields := []string{"status"}
	if ed.To == nil {
		fields = []string{"deps", "parent"}
	}
	_, parent := ed.Set["parent"]
	all := ed.To == nil && len(ed.AddDeps) == 0 && !parent
	for i, f := range a.fields {
		if f.Kept == "" && f.Field != "comments" && (all || slices.Contains(fields, f.Field)) {
			a.fields[i].Kept = record.MessageOf(err)
		}
	}
}

const changedToo = "it changed here too"

// acknowledges reports whether something changed on both sides.
func (a *again) acknowledges() bool {
	return slices.ContainsFunc(a.fields, func(f Difference) bool { return f.Kept == changedToo || a.seen == nil })
}

// stamp tells of the update. What a gate refused, or what somebody is at work on, counts as not seen, so that the next
// import tries it again.
func (a *again) stamp() record.Stamp {
	var took, kept []string
	again := map[string]bool{}
	for _, f := range a.fields {
		if f.Kept == "" {
			took = append(took, f.Field)
		} else {
			kept = append(kept, f.Field)
			again[f.Field] = a.seen != nil && f.Kept != changedToo
		}
	}
	text := "imported again from " + a.source + " " + oneLine(a.it.Ref)
	if len(took) > 0 {
		text += ": " + strings.Join(took, ", ")
	}
	if len(kept) > 0 {
		text += "; as it is here: " + strings.Join(kept, ", ")
	}
	s := a.w.Stamp(record.Clip(text, record.MaxText-100))
	for _, field := range slices.Sorted(maps.Keys(a.seen)) {
		if a.silent(field) {
			s.Detail.Seen = append(s.Detail.Seen, field+"="+a.seen[field])
		}
	}
	for _, one := range seenOf(a.now, a.says) {
		if field, _, _ := strings.Cut(one, "="); !again[field] {
			s.Detail.Seen = append(s.Detail.Seen, one)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(again)) {
		if again[field] && a.seen[field] != "" {
			s.Detail.Seen = append(s.Detail.Seen, field+"="+a.seen[field])
		}
	}
	return s
}

// all finds a task as the import makes or leaves it.
func (d *draft) all(id record.ID) (task.Task, bool) {
	if i, ok := d.place[id]; ok {
		return d.tasks[i], true
	}
	if t, ok := d.changed[id]; ok {
		return t, true
	}
	return d.find(id)
}

// excerpt is the beginning of a text, from a little before where it differs from another.
func excerpt(text, other string) string {
	same := 0
	for same < len(text) && same < len(other) && text[same] == other[same] {
		same++
	}
	if same < 60 {
		return record.Clip(oneLine(text), 160)
	}
	from := same - 30
	for from > 0 && text[from]&0xc0 == 0x80 {
		from--
	}
	return "…" + record.Clip(oneLine(text[from:]), 160)
}
