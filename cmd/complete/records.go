package complete

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// reader reads the workspace that the line names.
type reader struct {
	Env
	*line
	ctx   context.Context //nolint:containedctx // of the one line that is completed
	rows  []*kind.Row     // that lists wrote down, once they were asked for
	store *store.Store    // nil until it is opened
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

// records are the records of a kind whose id has the word that is being typed: of tasks and sessions the open ones
// first, and the newest first otherwise.
func (c *completer) records(k *kind.Kind) []Candidate {
	switch k {
	case kind.Tasks.Kind:
		return c.tasks(false)
	case kind.Sessions.Kind:
		return c.sessions()
	}
	var out []Candidate
	ids := c.ids(k)
	for _, id := range ids[:min(len(ids), Most)] {
		one := Candidate{Value: id}
		if v, err := c.store.Read(k, id); err == nil && c.ctx.Err() == nil {
			one.About = k.Header(v).Title
		}
		out = append(out, one)
	}
	return out
}

// otherRecords are the records of every kind but tasks and sessions whose id begins with the word.
func (c *completer) otherRecords() []Candidate {
	var out []Candidate
	for _, k := range kind.Kinds() {
		if k == kind.Tasks.Kind || k == kind.Sessions.Kind {
			continue
		}
		for _, one := range c.records(k) {
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

// tasks are the tasks whose id has the word: the open ones first, or the closed ones, and the newest first within each.
// Which are open is what lists wrote down last, so that not every file is read; of those that are shown it is what
// their files say now.
func (c *completer) tasks(closedFirst bool) []Candidate {
	ids := c.ids(kind.Tasks.Kind)
	if len(ids) == 0 {
		return nil
	}
	flow := c.store.Config.Flow
	closed := make(map[string]bool, len(ids))
	if len(ids) > Most {
		for _, r := range c.known() {
			closed[r.ID] = flow.IsClosed(r.Status)
		}
	}
	order := func(a, b string) int { return first(closed[a] == closedFirst, closed[b] == closedFirst) }
	slices.SortStableFunc(ids, order)
	ids = ids[:min(len(ids), Most)]
	titles := map[string]string{}
	for _, id := range ids {
		if t, err := kind.Tasks.Get(c.store, record.ID(id)); err == nil && c.ctx.Err() == nil {
			titles[id], closed[id] = t.Title, flow.IsClosed(t.Status)
		}
	}
	slices.SortStableFunc(ids, order)
	out := make([]Candidate, len(ids))
	for i, id := range ids {
		out[i] = Candidate{id, titles[id]}
	}
	return out
}

// first sorts what is so before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// known are the rows of tasks that lists wrote down, read once.
func (r *reader) known() []*kind.Row {
	if r.rows == nil && r.openStore() != nil {
		r.rows = r.store.Rows(kind.Tasks.Kind).Known()
	}
	return r.rows
}

// lastWritten are the tasks whose id has the word, the one that was written last first, as far as lists wrote it down;
// others stand before these.
func (c *completer) lastWritten() []Candidate {
	when := map[string]int64{}
	for _, r := range c.known() {
		when[r.ID] = r.Updated
	}
	out := c.tasks(false)
	slices.SortStableFunc(out, func(a, b Candidate) int {
		_, oldA := when[a.Value]
		_, oldB := when[b.Value]
		return cmp.Or(first(!oldA, !oldB), cmp.Compare(when[b.Value], when[a.Value]))
	})
	return out
}

// newestSessions are the newest sessions whose id has the word.
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

// sessions are the active sessions, then the others.
func (c *completer) sessions() []Candidate {
	all := c.newestSessions()
	slices.SortStableFunc(all, func(a, b session.Session) int { return first(a.Status == session.Active, b.Status == session.Active) })
	return each(all, func(ses session.Session) Candidate {
		return Candidate{string(ses.ID), string(ses.Status) + " " + string(ses.Actor) + " " + string(ses.Task)}
	})
}

// newest calls fn with the newest tasks, while there is time.
func (r *reader) newest(fn func(task.Task)) {
	s := r.openStore()
	if s == nil {
		return
	}
	ids, err := s.Candidates(kind.Tasks.Kind, "")
	if err != nil {
		return
	}
	for _, id := range ids[max(0, len(ids)-2*Most):] {
		if r.ctx.Err() != nil {
			return
		}
		if t, err := kind.Tasks.Get(s, record.ID(id)); err == nil {
			fn(t)
		}
	}
}

// ofTasks are texts that the newest tasks have, those that lists wrote down of all tasks, and some more.
func (c *completer) ofTasks(of func(task.Task) []string, known func(*kind.Row) []string, more ...string) []Candidate {
	c.newest(func(t task.Task) { more = append(more, of(t)...) })
	for _, r := range c.known() {
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
