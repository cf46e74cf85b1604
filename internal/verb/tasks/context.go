package tasks

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Context is a task and what is around it. A part that was not asked for is absent.
type Context struct {
	verb.Task
	Blockers   *Rows         `json:"blockers,omitempty"`   // open tasks that it waits for
	Dependents *Rows         `json:"dependents,omitempty"` // tasks that depend on it
	Children   *Rows         `json:"children,omitempty"`
	Linked     []LinkedFrom  `json:"linked,omitempty"`   // tasks that are linked to it, by the kind of link
	Sessions   *SessionsPart `json:"sessions,omitempty"` // on it, the newest first
	Logs       *LogsOut      `json:"logs,omitempty"`     // of its newest check run
	Git        *GitContext   `json:"git,omitempty"`
	Comments   *verb.Thread  `json:"comments,omitempty"`
	Review     any           `json:"review,omitempty"` // of its work; see verb.Place

	Scratchpad          *string `json:"scratchpad,omitempty"`           // the notes as one text, the newest 16 KiB of it
	ScratchpadTruncated bool    `json:"scratchpad_truncated,omitempty"` // get with part provenance has all

	Last      *verb.Last      `json:"last,omitempty"`      // how the last attempt at it ended
	Decisions *verb.Governing `json:"decisions,omitempty"` // that govern it
}

// Rows is a part of a context that lists tasks. What is cut is counted.
type Rows struct {
	Tasks     []verb.Row `json:"tasks"`
	Total     int        `json:"total"`
	Truncated bool       `json:"truncated"`
}

// LinkedFrom is the tasks that have a link of one kind to a task.
type LinkedFrom struct {
	Link string `json:"link"` // discovered_from, duplicates or related
	Rows
}

// SessionsPart is the part of a context that lists sessions.
type SessionsPart struct {
	Sessions  []verb.Session `json:"sessions"`
	Total     int            `json:"total"`
	Truncated bool           `json:"truncated"` // list_sessions has the rest
}

// GitContext is where the caller's worktree stands.
type GitContext struct {
	Branch   string `json:"branch,omitempty"`
	Head     string `json:"head,omitempty"`
	Worktree string `json:"worktree"`
}

// The parts of a context that are lists of records.
const (
	blockersPart   = "blockers"
	dependentsPart = "dependents"
	childrenPart   = "children"
	linkedPart     = "linked"
	decisionsPart  = "decisions"
)

const reviewPart = "review"

// commentsPart is the part with the comments. It is the only one that records of all kinds have.
const commentsPart = "comments"

var contextParts = []string{blockersPart, dependentsPart, childrenPart, linkedPart, "sessions", "logs", "git", decisionsPart}

const partSize = 20

// around adds parts of the context to a task, which is whole as its file says, and t as it is shown.
func around(ctx context.Context, w *verb.Workspace, s *store.Store, whole task.Task, t verb.Task, parts []string) (Context, error) {
	out := Context{Task: t, Last: verb.LastBefore(whole.Provenance, "")}
	asked := func(part string) bool { return slices.Contains(parts, part) }
	if asked(blockersPart) || asked(dependentsPart) || asked(childrenPart) || asked(linkedPart) {
		g, err := w.Graph(ctx, s)
		if err != nil {
			return out, err
		}
		for part, rows := range map[string]**Rows{blockersPart: &out.Blockers, dependentsPart: &out.Dependents, childrenPart: &out.Children} {
			if asked(part) {
				*rows = related(ctx, w, s, g, relatives(part, g, t.ID))
			}
		}
		if asked(linkedPart) {
			out.Linked = linkedTo(ctx, w, s, g, t.ID)
		}
	}
	var err error
	if asked("sessions") {
		out.Sessions, err = sessionsOf(ctx, w, s, t.ID)
	}
	if err == nil && asked("logs") {
		out.Logs, err = logsOf(ctx, w, s, t.ID, 1, 0)
	}
	if asked(decisionsPart) {
		out.Decisions = w.Governing(ctx, s, whole)
	}
	if asked(commentsPart) {
		out.Comments = threadOf(w, whole.Provenance)
	}
	if asked(scratchpadPart) {
		text, truncated := scratchpadOf(whole.Provenance)
		out.Scratchpad, out.ScratchpadTruncated = &text, truncated
	}
	if asked("git") {
		head := s.Head(ctx)
		out.Git = &GitContext{head.Branch, head.Commit, s.Worktree}
	}
	return out, err
}

// PageOf is a task as a person reads it: what it waits for, what waits for it and its children by their titles, and the
// comments as a thread, apart from its history. A graph that cannot be read leaves the task as it is.
func PageOf(ctx context.Context, w *verb.Workspace, t verb.Task) any {
	s, err := w.Open()
	if err != nil {
		return t
	}
	_, there := w.Follow(s, GetIn{ID: verb.RecordID(t.ID)})
	whole, err := kind.Tasks.Get(there, t.ID)
	if err != nil {
		return t
	}
	out, err := around(ctx, w, s, whole, t, []string{blockersPart, dependentsPart, childrenPart, commentsPart})
	if err != nil {
		return t
	}
	out.BlockedBy = slices.DeleteFunc(slices.Clone(out.BlockedBy), func(id record.ID) bool { // said with its title
		return slices.ContainsFunc(out.Blockers.Tasks, func(r verb.Row) bool { return r.ID == id })
	})
	if all := out.Comments; len(all.Comments) > partSize {
		all.Comments, all.Truncated = all.Comments[len(all.Comments)-partSize:], true
	}
	out.Provenance = slices.DeleteFunc(slices.Clone(t.Provenance), func(e verb.Entry) bool { return e.Did == record.Noted })
	return out
}

func threadOf(w *verb.Workspace, log record.Log) *verb.Thread {
	all := verb.Comments(log)
	shown := all
	if w.Bounded && len(all) > partSize {
		shown = all[len(all)-partSize:]
	}
	return &verb.Thread{Comments: shown, Total: len(all), Truncated: len(shown) < len(all)}
}

// relatives are the tasks that belong in a part of a task's context, the most urgent first.
func relatives(part string, g *verb.Graph, id record.ID) []*kind.Row {
	var hits []*kind.Row
	if this := g.Row(id); part == blockersPart && this != nil {
		for _, dep := range g.BlockedBy(this) {
			if r := g.Row(dep); r != nil {
				hits = append(hits, r)
			}
		}
	}
	for _, r := range g.Rows() {
		if part == dependentsPart && slices.Contains(r.Deps, id) || part == childrenPart && r.Parent == id {
			hits = append(hits, r)
		}
	}
	sorted.By(hits, MoreUrgent)
	return hits
}

func linkedTo(ctx context.Context, w *verb.Workspace, s *store.Store, g *verb.Graph, id record.ID) []LinkedFrom {
	hits := map[string][]*kind.Row{}
	for _, r := range g.Rows() {
		for _, k := range task.LinkKinds {
			if slices.Contains(r.All(k.Name), string(id)) {
				hits[k.Name] = append(hits[k.Name], r)
			}
		}
	}
	var out []LinkedFrom
	for _, k := range task.LinkKinds {
		if rows := hits[k.Name]; len(rows) > 0 {
			sorted.By(rows, MoreUrgent)
			out = append(out, LinkedFrom{k.Name, *related(ctx, w, s, g, rows)})
		}
	}
	return out
}

func related(ctx context.Context, w *verb.Workspace, s *store.Store, g *verb.Graph, hits []*kind.Row) *Rows {
	shown := bounded(w, hits)
	out := &Rows{Tasks: []verb.Row{}, Total: len(hits), Truncated: len(shown) < len(hits)}
	view := w.View(s).OfMany(ctx)
	for _, r := range shown {
		out.Tasks = append(out.Tasks, view.Row(g, r))
	}
	return out
}

// sessionsOf are the sessions of a task, the newest first.
func sessionsOf(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID) (*SessionsPart, error) {
	all, err := w.Reads.Look(ctx, s, kind.Sessions.Kind)
	if err != nil {
		return nil, err
	}
	rows := verb.NewestRows(all.Rows(), func(r *kind.Row) bool { return r.Parent == id })
	view, out := w.View(s), &SessionsPart{Sessions: []verb.Session{}, Total: len(rows)}
	for _, r := range bounded(w, rows) {
		out.Sessions = append(out.Sessions, view.SessionOf(r))
	}
	out.Truncated = len(out.Sessions) < out.Total
	return out, nil
}

// bounded cuts a part if the answer goes into an agent's context.
func bounded[T any](w *verb.Workspace, part []T) []T {
	if w.Bounded && len(part) > partSize {
		return part[:partSize]
	}
	return part
}

// scratchpadPart is the part of a context with the notes on a task as one text.
const scratchpadPart = "scratchpad"

const maxScratchpad = 16 << 10 // bytes

// scratchpadOf is the notes on a task as one text, each below a line with when and by whom, the oldest first. Of long
// ones it has the newest, as many as have room, and says that it was cut.
func scratchpadOf(log record.Log) (text string, truncated bool) {
	var notes []string
	room := maxScratchpad
	for i := len(log) - 1; i >= 0; i-- {
		e := log[i]
		if e.Did != record.Noted || e.Text == "" {
			continue
		}
		note := e.At.UTC().Format(time.RFC3339) + " " + string(e.Who) + "\n" + e.Text + "\n"
		if room -= len(note) + 1; room < 0 {
			truncated = true
			break
		}
		notes = append(notes, note)
	}
	var out strings.Builder
	for i := len(notes) - 1; i >= 0; i-- {
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(notes[i])
	}
	return out.String(), truncated
}
