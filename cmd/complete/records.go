package complete

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// reader reads the workspace that the line names.
type reader struct {
	Env
	*line
	ctx   context.Context            //nolint:containedctx // of the one line that is completed
	rows  map[*kind.Kind][]*kind.Row // that lists wrote down, once they were asked for
	store *store.Store               // nil until it is opened
}

// openStore opens the workspace that the line names, once. It returns nil if it cannot be opened.
func (r *reader) openStore() *store.Store {
	if r.store == nil {
		s, err := store.Open(r.Folder(cmp.Or(r.given["C"], r.given["repo"], r.Getenv("CAIRN_REPO"))), r.StateDir)
		if err != nil {
			return nil
		}
		r.store = s
	}
	return r.store
}

// records are the records of a kind whose id has the word: those that are not over first, or last, and the newest first
// within each. Of many, which are over is what lists wrote down last, so that not every file is read; of those that are
// shown it is what their files say now.
func (c *completer) records(k *kind.Kind, overFirst bool) []Candidate {
	ids := c.ids(k)
	over, about := map[string]bool{}, map[string]string{}
	if len(ids) > Most {
		for _, r := range c.known(k) {
			over[r.ID] = c.over(k, r.Status)
		}
	}
	order := func(a, b string) int { return sorted.First(over[a] == overFirst, over[b] == overFirst) }
	sorted.By(ids, order)
	ids = ids[:min(len(ids), Most)]
	for _, id := range ids {
		v, err := c.store.Read(k, id)
		if err != nil || c.ctx.Err() != nil {
			continue
		}
		h := k.Header(v)
		about[id], over[id] = h.Title, c.over(k, h.Status)
		if ses, ok := v.(session.Session); ok {
			about[id] = string(ses.Status) + " " + string(ses.Actor) + " " + string(ses.Task)
		}
	}
	sorted.By(ids, order)
	return each(ids, func(id string) Candidate { return Candidate{id, about[id]} })
}

// over reports whether nothing more is done about records of a kind in a state. Only of tasks and sessions it is asked.
func (c *completer) over(k *kind.Kind, state record.Status) bool {
	switch k {
	case kind.Tasks.Kind:
		return c.store.Config.Flow.IsClosed(state)
	case kind.Sessions.Kind:
		return state != record.Status(session.Active)
	default:
		return false
	}
}

// otherRecords are the records of every kind but tasks and sessions whose id begins with the word.
func (c *completer) otherRecords() []Candidate {
	var out []Candidate
	for _, k := range kind.Kinds() {
		if k == kind.Tasks.Kind || k == kind.Sessions.Kind {
			continue
		}
		for _, one := range c.records(k, false) {
			if strings.HasPrefix(one.Value, c.word) {
				out = append(out, one)
			}
		}
	}
	return out
}

// ids are those of a kind that have the word, the newest first.
func (r *reader) ids(k *kind.Kind) []string {
	s := r.openStore()
	if s == nil {
		return nil
	}
	ids, err := s.Candidates(k, r.word)
	if err != nil {
		return nil
	}
	slices.Reverse(ids)
	if begins := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !strings.HasPrefix(id, r.word) }); len(begins) > 0 {
		return begins
	}
	return ids
}

func (c *completer) tasks(closedFirst bool) []Candidate {
	return c.records(kind.Tasks.Kind, closedFirst)
}

// known are the rows of a kind that lists wrote down, read once.
func (r *reader) known(k *kind.Kind) []*kind.Row {
	if r.rows[k] == nil && r.openStore() != nil {
		r.rows[k] = r.store.Rows(k).Known()
	}
	return r.rows[k]
}

// lastWritten are the tasks whose id has the word, the one that was written last first, as far as lists wrote it down;
// others stand before these.
func (c *completer) lastWritten() []Candidate {
	when := map[string]int64{}
	for _, r := range c.known(kind.Tasks.Kind) {
		when[r.ID] = r.Updated
	}
	out := c.tasks(false)
	sorted.By(out, func(a, b Candidate) int {
		_, oldA := when[a.Value]
		_, oldB := when[b.Value]
		return cmp.Or(sorted.First(!oldA, !oldB), cmp.Compare(when[b.Value], when[a.Value]))
	})
	return out
}

func (c *completer) newestSessions() []session.Session {
	var out []session.Session
	ids := c.ids(kind.Sessions.Kind)
	for _, id := range ids[:min(len(ids), Most)] {
		if ses, err := kind.Sessions.Get(c.store, id); err == nil && c.ctx.Err() == nil {
			out = append(out, ses)
		}
	}
	return out
}

// ofTasks are texts that the newest tasks have, those that lists wrote down of all tasks, and some more.
func (c *completer) ofTasks(of func(task.Task) []string, known func(*kind.Row) []string, more ...string) []Candidate {
	if s := c.openStore(); s != nil {
		ids, _ := s.Candidates(kind.Tasks.Kind, "")
		for _, id := range ids[max(0, len(ids)-2*Most):] {
			if c.ctx.Err() != nil {
				break
			}
			if t, err := kind.Tasks.Get(s, record.ID(id)); err == nil {
				more = append(more, of(t)...)
			}
		}
	}
	for _, r := range c.known(kind.Tasks.Kind) {
		more = append(more, known(r)...)
	}
	return distinct(more)
}

func (c *completer) labels() []Candidate {
	return c.ofTasks(func(t task.Task) []string { return t.Labels }, func(r *kind.Row) []string { return r.Labels })
}

// actors are those that tasks name, and those of the directory.
func (c *completer) actors() []Candidate {
	var listed []string
	for _, a := range all(kind.Actors.List)(c) {
		listed = append(listed, a.Ref.ID)
	}
	return c.ofTasks(func(t task.Task) []string {
		who := []string{string(t.Assignee)}
		for _, e := range t.Provenance {
			who = append(who, string(e.Who))
		}
		return who
	}, func(r *kind.Row) []string {
		who := []string{string(r.Assignee)}
		for _, sign := range r.Signs {
			who = append(who, string(sign.Who))
		}
		return who
	}, listed...)
}
