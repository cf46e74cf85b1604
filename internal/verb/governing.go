package verb

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// Agents do not search memory unasked, so decisions come to them: whoever begins a task, or reads it with its context,
// is given those that govern it.

// Governing are the decisions that govern a task, the newest first, as many as fit into an agent's context.
type Governing struct {
	Items []Ruling `json:"items"`
	More  int      `json:"more,omitempty"` // how many govern it beside these
	Rest  string   `json:"rest,omitempty"` // how to read those, or why there may be others
}

// Ruling is a decision that governs a task, with as much of it as is needed to go by it. get has the rest.
type Ruling struct {
	ID        ledger.DecisionID `json:"id"`
	Title     string            `json:"title"`
	Choice    string            `json:"choice"`
	Rationale string            `json:"rationale,omitempty"` // the beginning
	Scope     []string          `json:"scope,omitempty"`
	At        *time.Time        `json:"at,omitempty"` // when it was logged
}

const (
	rulingsRoom   = 5800 // bytes of JSON of all that are shown: with what stands around them, 6,000 characters
	choiceRoom    = 1000
	rationaleRoom = 600
	scopeShown    = 10 // globs
	scopeRoom     = 1000
	parentsAsked  = 20 // that a task may have, one above the other
)

// Governing returns the decisions that govern a task: those that are accepted and that none stands in the place of,
// whose scope meets the paths of the task, or that are about the task or one above it. The paths are its own scope, and
// what its body and its checks name. It is nil if there are none. It never fails: what cannot be read is said in Rest,
// since the call that it is a part of did its work.
func (w *Workspace) Governing(ctx context.Context, s *store.Store, t task.Task) *Governing {
	if !layout.Exists(s.Dir(kind.Decisions.Folder)) {
		return nil
	}
	view, err := w.Reads.Look(ctx, s, kind.Decisions.Kind)
	if err != nil {
		return &Governing{Items: []Ruling{}, Rest: "the decisions cannot be read: " + record.MessageOf(err)}
	}
	rows := GoverningRows(view.Rows())
	if len(rows) == 0 {
		return nil
	}
	about := aboutTask(s, t)
	paths := pathsOf(s, t)
	rows = slices.DeleteFunc(rows, func(r *kind.Row) bool {
		return !slices.ContainsFunc(r.All(kind.AboutFact), func(id string) bool { return slices.Contains(about, id) }) &&
			!meetsAny(task.ScopeOf(r.All(kind.ScopeFact)), paths)
	})
	if len(rows) == 0 {
		return nil
	}
	return rulings(s, rows)
}

// GoverningRows are the rows of the decisions that govern, the newest first.
func GoverningRows(all []*kind.Row) []*kind.Row {
	order := Succession(all)
	return NewestRows(all, func(r *kind.Row) bool { return order.Governs(ledger.DecisionID(r.ID)) })
}

// NewestRows are those of some rows that fit, the newest first.
func NewestRows(all []*kind.Row, fits func(*kind.Row) bool) []*kind.Row {
	out := slices.DeleteFunc(slices.Clone(all), func(r *kind.Row) bool { return !fits(r) })
	sorted.By(out, func(a, b *kind.Row) int { return cmp.Or(cmp.Compare(b.Created, a.Created), cmp.Compare(b.ID, a.ID)) })
	return out
}

// Succession is the order of succession among decisions, by their rows.
func Succession(rows []*kind.Row) ledger.Succession {
	return ledger.Succeed(record.Each(rows, kind.DecisionSuccessor))
}

// supersededBy is the decision that governs in the place of another; "" for none.
func (v View) supersededBy(id ledger.DecisionID) ledger.DecisionID {
	view, err := v.reads.Look(context.Background(), v.Store, kind.Decisions.Kind)
	if err != nil {
		return "" // the lists say what cannot be read
	}
	return Succession(view.Rows()).SupersededBy(id)
}

// aboutTask lists the ids of a task and of those above it.
func aboutTask(s *store.Store, t task.Task) []string {
	out := []string{string(t.ID)}
	for range parentsAsked {
		if t.Parent == "" || slices.Contains(out, string(t.Parent)) {
			break
		}
		out = append(out, string(t.Parent))
		var err error
		if t, err = kind.Tasks.Get(s, t.Parent); err != nil {
			break
		}
	}
	return out
}

// meetsAny reports whether a scope is about everything, or about one of the paths.
func meetsAny(scope, paths []task.Glob) bool {
	return slices.ContainsFunc(scope, func(g task.Glob) bool { return g.Everything() || slices.ContainsFunc(paths, g.Meets) })
}

// pathsOf are the paths of a task: its scope, the folders in which its checks run, and what its body and its checks
// name.
func pathsOf(s *store.Store, t task.Task) []task.Glob {
	out := task.ScopeOf(t.Scope)
	out = append(out, mentioned(s, "", t.Title+"\n"+t.Body)...)
	for _, c := range t.Checks {
		if folder, err := task.ParseGlob(filepath.ToSlash(filepath.Clean(c.Folder()))); err == nil && c.Folder() != "." {
			out = append(out, folder.Folder())
		}
		out = append(out, mentioned(s, c.Folder(), c.Desc+"\n"+c.Cmd)...)
	}
	return out
}

// mentioned are the paths that a text names, below a folder. One that is a folder in the work tree stands for all that
// lies in it, and a word that may be no path counts if there is such a file.
func mentioned(s *store.Store, folder, text string) []task.Glob {
	var out []task.Glob
	for _, m := range task.Mentions(text) {
		at := m.Path
		if folder != "" && folder != "." {
			at = folder + "/" + at
		}
		g, there, err := PathGlob(s, at)
		if m.Deep {
			g = g.Folder()
		}
		if err == nil && (there || !m.Plain) {
			out = append(out, g)
		}
	}
	return out
}

// PathGlob reads a path of the workspace, or a glob, and reports whether there is such a file. A folder in the work
// tree stands for all that lies in it.
func PathGlob(s *store.Store, path string) (g task.Glob, there bool, err error) {
	if g, err = task.ParseGlob(path); err != nil {
		return g, false, err
	}
	info, err := os.Lstat(s.Abs(path))
	if err == nil && info.IsDir() {
		g = g.Folder()
	}
	return g, err == nil, nil
}

// rulings shows the decisions of some rows, as many as there is room for.
func rulings(s *store.Store, rows []*kind.Row) *Governing {
	out, room := &Governing{Items: []Ruling{}}, rulingsRoom
	for _, r := range rows {
		one := ruling(s, r)
		if room -= SizeOf(one) + 1; room < 0 {
			break
		}
		out.Items = append(out.Items, one)
	}
	if out.More = len(rows) - len(out.Items); out.More > 0 {
		out.Rest = "decision_query with path and status accepted has the others"
	}
	return out
}

// ruling shows a decision. Of one that is gone meanwhile it shows what its row says.
func ruling(s *store.Store, r *kind.Row) Ruling {
	d, err := kind.Decisions.Get(s, ledger.DecisionID(r.ID))
	if err != nil {
		d = ledger.Decision{Scope: r.All(kind.ScopeFact)}
	}
	scope, _ := firsts(d.Scope, scopeShown, scopeRoom)
	return Ruling{
		ID: ledger.DecisionID(r.ID), Title: r.Title, Choice: Head(d.Choice, choiceRoom), Rationale: Head(d.Rationale(), rationaleRoom),
		Scope: scope, At: SecondsAt(r.Created),
	}
}
