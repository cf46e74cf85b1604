package tasks

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/where"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Item is a task of a graph, as filters ask about it. Nothing but its row is read, unless a key asks for more.
type Item struct {
	Row   *kind.Row
	n     int // of the row
	graph *verb.Graph
	view  verb.View
}

// ItemAt is the task of the nth row of a graph.
func ItemAt(g *verb.Graph, view verb.View, n int) Item {
	return Item{g.Rows()[n], n, g, view}
}

// Where reads a filter of tasks; see package where. A part of an id stands for the only task that has it.
func Where(w *verb.Workspace, s *store.Store, g *verb.Graph, text string) (where.Filter[Item], error) {
	return Keys(w, s, g).Parse(text)
}

// Keys are the keys that filters of tasks can name. Lists, graphs, completion and the manual go by them.
func Keys(w *verb.Workspace, s *store.Store, g *verb.Graph) where.Table[Item] {
	flow, now := s.Config.Flow, w.Now()
	open := func(i Item) bool { return !flow.IsClosed(i.Row.Status) }
	keys := keyReader{w, s, g}
	all := []where.Key[Item]{
		{Name: "id", Type: where.Word, About: "the id, or a part that only this one has", Read: keys.id, Texts: func(i Item) []string { return []string{i.Row.ID} }},
		{Name: "title", Type: where.Text, About: "the title", Texts: func(i Item) []string { return []string{i.Row.Title} }},
		{Name: "status", Type: where.Word, About: "a state of the workspace, or open or closed", Read: keys.status, Texts: func(i Item) []string { return []string{string(i.Row.Status), openOrClosed(flow, i.Row.Status)} }},
		{Name: "priority", Type: where.Number, About: "0 (drop everything) to 4 (someday), or urgent, high, normal, low", Read: readPriority, Number: func(i Item) (float64, bool) { return float64(i.Row.Priority), true }},
		{Name: "label", Type: where.Words, About: "one of the labels", Texts: func(i Item) []string { return i.Row.Labels }},
		{Name: "assignee", Type: where.Word, About: "an actor, me, or unassigned", Read: keys.actor, Texts: func(i Item) []string { return []string{string(i.Row.Assignee)} }},
		{Name: "holder", Type: where.Word, About: "who holds it: by a claim, a session or as assignee", Read: keys.actor, Texts: func(i Item) []string { return []string{string(i.view.Holder(i.graph, i.Row).Actor)} }},
		{Name: "parent", Type: where.Word, About: "the task that it belongs to", Read: keys.id, Texts: func(i Item) []string { return []string{string(i.Row.Parent)} }},
		{Name: "dep", Type: where.Words, About: "one of those that it depends on", Read: keys.anyID, Texts: func(i Item) []string { return verb.AsTexts(i.Row.Deps) }},
		{Name: "waits_for", Type: where.Words, About: "one of its deps that are open", Read: keys.anyID, Texts: func(i Item) []string { return verb.AsTexts(i.graph.BlockedBy(i.Row)) }},
		{Name: "discovered_from", Type: where.Words, About: "one of the tasks in whose course it was found", Read: keys.anyID, Texts: facts("discovered_from")},
		{Name: "duplicates", Type: where.Words, About: "one of those that ask for the same", Read: keys.anyID, Texts: facts("duplicates")},
		{Name: "related", Type: where.Words, About: "one of those that its reader should know of", Read: keys.anyID, Texts: facts("related")},
		{Name: "origin", Type: where.Text, About: "what it was imported from, such as github:o/n#7", Texts: facts(kind.OriginFact)},
		{Name: "mode", Type: where.Word, About: "auto or pair", Read: readMode, Texts: fact(kind.ModeFact)},
		{Name: "repo", Type: where.Text, About: "the repository in which its files are", Texts: fact(kind.RepoFact)},
		{Name: "on_branch", Type: where.Word, About: "the other branch that alone has it", Texts: func(i Item) []string { return []string{i.graph.OnBranch(i.Row)} }},
		{Name: "due", Type: where.Time, About: "when it is due", Number: func(i Item) (float64, bool) { return from(i.Row.Fact(kind.DueFact)) }},
		{Name: "created", Type: where.Time, Past: true, About: "when it was made", Number: func(i Item) (float64, bool) { return float64(i.Row.Created), i.Row.Created != 0 }},
		{Name: "updated", Type: where.Time, Past: true, About: "when it was written last", Number: func(i Item) (float64, bool) { return float64(i.Row.Updated), i.Row.Updated != 0 }},
		{Name: "age", Type: where.Span, About: "how long ago it was made", Number: func(i Item) (float64, bool) { return since(now, i.Row.Created) }},
		{Name: "idle", Type: where.Span, About: "how long ago it was written last", Number: func(i Item) (float64, bool) { return since(now, i.Row.Updated) }},
		{Name: "children", Type: where.Number, About: "how many open children it waits for", Number: func(i Item) (float64, bool) { return float64(len(i.graph.OpenChildren(i.Row))), true }},
		{Name: "overdue", Type: where.Flag, About: "it is open, and its time is up", Flag: func(i Item) bool { return open(i) && task.Due(i.Row.Fact(kind.DueFact)).Passed(now) }},
		{Name: "evidence", Type: where.Number, About: "how much is known of its close: 1 or recorded, held, red, witnessed, 5 or signed", Read: readLevel, Number: func(i Item) (float64, bool) {
			e := i.view.EvidenceOf(i.Row)
			if e == nil {
				return 0, false
			}
			return float64(e.Level), true
		}},
		{Name: "execution", Type: where.Word, About: "active, stalled or awaiting_review: how its session does", Read: func(value string) (string, error) {
			return strings.ToLower(value), record.OneOf("execution", strings.ToLower(value), executions)
		}, Texts: func(i Item) []string { return []string{i.view.Execution(i.graph, i.Row)} }},
	}
	for _, word := range FlagWords {
		holds := func(i Item) bool { return i.view.Stand(i.graph, i.n).Is(word) }
		all = append(all, where.Key[Item]{Name: string(word), Type: where.Flag, About: "it " + word.About(), Flag: holds})
	}
	for _, field := range flow.Fields.All() {
		all = append(all, keys.own(field))
	}
	return where.Table[Item]{Now: now, Keys: all}
}

// byRecord are the keys that say of a task what its file does, and nothing of others or of the present.
var byRecord = []string{"id", "title", "status", "priority", "label", "assignee", "parent", "dep", "mode", "repo", "due", "created"}

// NeedOf is the level that a config requires of the close of a task. A filter that cannot be read, or that asks for more than
// the file of a task says, means all.
func NeedOf(w *verb.Workspace, s *store.Store, t task.Task, needs []task.Need) (most task.Level) {
	row := kind.Tasks.Row(t)
	table := needTable(w, s)
	for _, need := range needs {
		filter, err := table.Parse(need.For)
		if err != nil || filter.Fits(Item{Row: &row}) {
			most = max(most, need.Level())
		}
	}
	return most
}

// UnreadNeeds says why filters of what a config requires cannot be read, by their indices.
func UnreadNeeds(w *verb.Workspace, s *store.Store, needs []task.Need) map[int]error {
	out, table := map[int]error{}, needTable(w, s)
	for i, need := range needs {
		if _, err := table.Parse(need.For); err != nil {
			out[i] = err
		}
	}
	return out
}

// needTable has the keys that a filter of what is required may ask.
func needTable(w *verb.Workspace, s *store.Store) where.Table[Item] {
	table := Keys(w, s, nil)
	table.Keys = slices.DeleteFunc(table.Keys, func(k where.Key[Item]) bool {
		_, own := s.Config.Flow.Fields.Find(k.Name)
		return !own && !slices.Contains(byRecord, k.Name)
	})
	return table
}

// FlagWords are the words for how a task stands that are flags; the others are reasons alone, or asked by other keys.
var FlagWords = []task.Word{
	task.IsReady, task.IsRunning, task.IsStalled, task.IsAssigned, task.IsHeld, task.IsLapsed, task.IsInReview,
	task.AwaitsAnswer, task.IsBlocked, task.IsElsewhere, task.IsEarly, task.IsColliding,
}

// own is the key of an optional field, or of one that the config declares.
func (k keyReader) own(field task.Field) where.Key[Item] {
	text := func(i Item) string { return i.Row.OwnValue(field.Name) }
	out := where.Key[Item]{Name: field.Name, Type: where.Text, About: cmp.Or(field.Doc, "a field of this workspace"), Texts: func(i Item) []string { return []string{text(i)} }}
	switch field.Type {
	case task.FieldNumber:
		out.Type, out.Number = where.Number, func(i Item) (float64, bool) {
			n, ok := field.Value(text(i)).(float64)
			return n, ok
		}
	case task.FieldBoolean:
		out.Type, out.Flag = where.Flag, func(i Item) bool { return text(i) == "true" }
	case task.FieldDate:
		out.Type, out.Number = where.Time, func(i Item) (float64, bool) { return from(text(i)) }
	case task.FieldDuration:
		out.Type, out.Number = where.Span, func(i Item) (float64, bool) {
			d, err := record.ParseSpan(text(i))
			return d.Seconds(), err == nil
		}
	case task.FieldChoice:
		out.Type, out.Read = where.Word, func(value string) (string, error) { return field.Parse(value) }
	case task.FieldActor:
		out.Type, out.Read = where.Word, k.actor
	case task.FieldMilestone:
		out.Type, out.Read = where.Word, func(part string) (string, error) { return k.s.Resolve(kind.Milestones.Kind, part) }
	case task.FieldText, task.FieldURL:
	}
	return out
}

// stateKeys are the keys by which a filter is not about open tasks alone.
var stateKeys = []string{"status", "id"}

func openOrClosed(flow task.Flow, s record.Status) string {
	word := openWord
	if flow.IsClosed(s) {
		word = closedWord
	}
	if flow.Known(record.Status(word)) == nil {
		return "" // a state of the workspace is called so, and means itself
	}
	return word
}

func fact(name string) func(Item) []string {
	return func(i Item) []string { return []string{i.Row.Fact(name)} }
}

func facts(name string) func(Item) []string { return func(i Item) []string { return i.Row.All(name) } }

func from(due string) (float64, bool) {
	at, ok := task.Due(due).From()
	return where.Seconds(at), ok
}

func since(now time.Time, seconds int64) (float64, bool) {
	return where.Seconds(now) - float64(seconds), seconds != 0
}

func readPriority(value string) (string, error) {
	p, err := verb.Priority(strings.ToLower(value))
	if _, number := strconv.ParseFloat(value, 64); number == nil {
		return value, nil // priority<5 is true of all
	}
	return strconv.Itoa(int(p)), err
}

func readLevel(value string) (string, error) {
	value = strings.ToLower(value)
	if _, number := strconv.ParseFloat(value, 64); number == nil {
		return value, nil
	}
	return strconv.Itoa(slices.Index(task.LevelNames, value)), record.OneOf("evidence", value, task.LevelNames[1:])
}

func readMode(value string) (string, error) {
	m, err := task.ParseMode(strings.ToLower(value))
	if err != nil || m == "" {
		return "", verb.BadInput("mode", "is %q", record.Clip(value, 40)).WithHint("auto or pair; not mode for those that say neither")
	}
	return string(m), nil
}

// executions are what the row of a task can say of its session.
var executions = []string{string(session.Alive), string(session.Stalled), string(session.AwaitingReview)}

// keyReader reads values that mean something in a workspace.
type keyReader struct {
	w *verb.Workspace
	s *store.Store
	g *verb.Graph
}

func (k keyReader) status(value string) (string, error) {
	_, err := statesNamed(k.s.Config.Flow, []string{strings.ToLower(value)})
	return strings.ToLower(value), err
}

func (k keyReader) actor(value string) (string, error) {
	who, err := k.w.ActorNamed(value)
	return string(who), err
}

// id completes a part of the id of a task, or finds it by its name where it was imported from.
func (k keyReader) id(part string) (string, error) {
	if k.g.Row(record.ID(part)) != nil {
		return part, nil
	}
	ids := record.Each(k.g.Rows(), func(r *kind.Row) string { return r.ID })
	id, err := store.Complete(kind.Tasks.Kind, part, ids, func(id string) string { return k.g.Row(record.ID(id)).Title })
	if record.CodeOf(err) == record.NotFound {
		if row, wrong := verb.ImportedAmong(k.g.Rows(), part); row != nil || wrong != nil {
			return rowID(row), wrong
		}
	}
	return id, err
}

func rowID(row *kind.Row) string {
	if row == nil {
		return ""
	}
	return row.ID
}

// anyID is id for what need not be a task.
func (k keyReader) anyID(part string) (string, error) {
	id, err := k.id(part)
	if record.CodeOf(err) == record.NotFound && kind.ParseAnyID(part) == nil {
		return part, nil
	}
	return id, err
}
