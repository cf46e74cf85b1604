package tasks

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// GetIn is the input of Get.
type GetIn struct {
	ID      verb.RecordID `json:"id" doc:"record to read" cli:"arg"`
	Mode    string        `json:"mode,omitempty" doc:"summary, full (256 KiB of body, 200 entries), or context: all that is around it" enum:"summary,full,context"`
	Include []string      `json:"include,omitempty" doc:"what to add: blockers, dependents, children, sessions, logs, git, decisions, comments, review, scratchpad (the notes)" enum:"blockers,dependents,children,sessions,logs,git,decisions,comments,review,scratchpad=the notes"`
	Part    string        `json:"part,omitempty" doc:"one part, in pieces: body, provenance (oldest first), file, diff (of its branch), blockers, dependents, children" oneof:"body,provenance=oldest first,file,diff=of its branch,blockers,dependents,children"`
	Offset  int           `json:"offset,omitempty" doc:"with part: next_offset of the piece before"`
}

const (
	summaryMode = "summary"
	fullMode    = "full"
	contextMode = "context"
)

// Get returns a task: body, checks with their results, provenance, and what is derived. It is a Row in the mode
// summary, a Context in the mode context or with parts included, a Part if one is asked for, and else a Task. Of a
// session it is what get_session returns, and of a record of another kind a Record, or a RecordRow in the mode summary.
func Get(ctx context.Context, w *verb.Workspace, s *store.Store, in GetIn) (any, error) {
	if !slices.Contains([]string{"", summaryMode, fullMode, contextMode}, in.Mode) {
		return nil, verb.BadInput("mode", "is %q", in.Mode).WithHint("summary, full or context; leave it out for the usual")
	}
	if err := in.validPart(); err != nil {
		return nil, err
	}
	parts, err := in.parts()
	if err != nil {
		return nil, err
	}
	if slices.Contains(in.Include, reviewPart) || in.Part == diffPart {
		return getReview(ctx, w, in)
	}
	k, v, err := kind.Find(s, string(in.ID))
	if record.CodeOf(err) == record.NotFound {
		if out, err := in.onBranch(w, s, k); record.CodeOf(err) != record.NotFound {
			return out, err
		}
	}
	if err != nil {
		return nil, err
	}
	t, isTask := v.(task.Task)
	switch {
	case !isTask:
		return getOther(ctx, w, s, k, v, in)
	case in.Part != "":
		return readPart(ctx, w, s, k, t, in)
	case in.Mode == summaryMode && len(parts) == 0:
		return in.shown(ctx, w, s, t).Row, nil
	}
	out := in.shown(ctx, w, s, t)
	if in.Mode != summaryMode {
		out.OnBranches = verb.OnBranches(s, t)
	}
	if len(parts) == 0 {
		return out, nil
	}
	return around(ctx, w, s, t, out, parts)
}

// onBranch returns a record that only another branch has: whole, a row of it, or of a task a piece of what its file
// says. It returns NOT_FOUND if no branch has it, and for whatever is around it.
func (in GetIn) onBranch(w *verb.Workspace, s *store.Store, k *kind.Kind) (any, error) {
	other, err := verb.OnlyOnBranch(s, k.Ref(string(in.ID)))
	if err != nil {
		return nil, err
	}
	if k != kind.Tasks.Kind {
		if in.Part != "" || len(in.Include) > 0 {
			return nil, k.NotFound(string(in.ID))
		}
		return w.View(s).RecordOnBranch(other, verb.Most)
	}
	out, t, err := w.View(s).TaskOnBranch(other)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Part == bodyPart || in.Part == provenancePart:
		return readPart(context.Background(), w, s, kind.Tasks.Kind, t, in)
	case in.Part != "" || in.Mode == contextMode || len(in.Include) > 0:
		return nil, kind.Tasks.NotFound(string(in.ID))
	case in.Mode == summaryMode:
		return w.View(s).CutRow(out.Row), nil
	}
	return in.bounded(w, out), nil
}

// bounded cuts a task as the caller asks for.
func (in GetIn) bounded(w *verb.Workspace, out verb.Task) verb.Task {
	switch {
	case !w.Bounded:
		return out
	case in.Mode == fullMode:
		return out.Cut(verb.Most)
	default:
		return out.Cut(verb.Usual)
	}
}

// among is the view of a task with its children. A folder that cannot be listed leaves them out.
func among(ctx context.Context, w *verb.Workspace, s *store.Store) verb.View {
	view := w.View(s)
	if g, err := w.Graph(ctx, s); err == nil {
		view = view.Among(g)
	}
	return view
}

func (in GetIn) shown(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task) verb.Task {
	view := among(ctx, w, s)
	if in.Mode == summaryMode { // its row, to which parts are added
		view.Dated = true
		return verb.Task{
			Row: view.RowOf(t), Checks: []verb.Check{}, ChecksTotal: len(t.Checks), Provenance: []verb.Entry{},
			ProvenanceTotal: len(t.Provenance), BodyTruncated: t.Body != "", Rev: t.Rev,
		}
	}
	out := view.WholeTask(t)
	if !w.Bounded {
		tellChanges(s, kind.Tasks.Kind, t.Header(), out.Provenance)
	}
	return in.bounded(w, out)
}

// tellChanges gives the entries of a record the values of the fields that they changed, as far as they are known without
// git.
func tellChanges(s *store.Store, k *kind.Kind, h record.Header, entries []verb.Entry) {
	past := verb.PastOf(s, k, h)
	for i := range entries[:min(len(entries), len(h.Log))] {
		entries[i].Changes = past.Changes(i)
	}
}

// getReview returns a task with its part review, or with the diff of its branch: of the newest record, which while
// somebody works on the task lies in its work tree.
func getReview(ctx context.Context, w *verb.Workspace, in GetIn) (any, error) {
	w = w.Caller()
	id, err := record.ParseID(string(in.ID))
	if err != nil {
		return nil, err
	}
	p, err := verb.OwnWork().Place(ctx, w, id)
	if err != nil {
		return nil, err
	}
	if in.Part == diffPart {
		diff, err := p.Diff(ctx)
		if err != nil {
			return nil, verb.WithID(err, id)
		}
		return pieceOf(w, Part{ID: id, Rev: p.Task.Rev, Part: in.Part}, diff, in.Offset), nil
	}
	out, err := around(ctx, p.W, p.S, p.Task, in.shown(ctx, p.W, p.S, p.Task), in.Include)
	if err == nil {
		out.Review, err = p.Review(ctx)
	}
	return out, err
}

func getOther(ctx context.Context, w *verb.Workspace, s *store.Store, k *kind.Kind, v any, in GetIn) (any, error) {
	view, bounds := w.View(s), verb.Usual
	if in.Mode == fullMode {
		bounds = verb.Most
	}
	switch {
	case slices.ContainsFunc(in.Include, func(part string) bool { return part != commentsPart }) || slices.Contains(contextParts, in.Part):
		return nil, verb.BadInput("", "only a task has a context, and %s is a %s", in.ID, k.Name).
			WithHint("include comments, or ask for the part body, provenance or file")
	case in.Part != "":
		doc, v, err := s.Document(k, string(in.ID))
		if err != nil {
			return nil, err
		}
		h := k.Header(v)
		return readPart(ctx, w, s, k, task.Task{ID: record.ID(in.ID), Rev: h.Rev, Provenance: h.Log, Body: record.CleanBody(string(doc.Body()))}, in)
	case k == kind.Sessions.Kind:
		out, err := view.SessionByID(string(in.ID))
		out.Comments = commentsAsked(w, in, k.Header(v).Log)
		return out, err
	case in.Mode == summaryMode:
		return view.RecordRow(k, v), nil
	default:
		out, err := view.RecordByID(k, string(in.ID), bounds)
		if h := k.Header(v); err == nil && !w.Bounded {
			tellChanges(s, k, h, out.Provenance)
		}
		out.Comments = commentsAsked(w, in, k.Header(v).Log)
		return out, err
	}
}

func commentsAsked(w *verb.Workspace, in GetIn, log record.Log) *verb.Thread {
	if !slices.Contains(in.Include, commentsPart) {
		return nil
	}
	return threadOf(w, log)
}

func (in GetIn) parts() ([]string, error) {
	if in.Mode == contextMode {
		return contextParts, nil
	}
	for _, part := range in.Include {
		if !slices.Contains(contextParts, part) && part != commentsPart && part != reviewPart && part != scratchpadPart {
			return nil, verb.BadInput("include", "names %q", part).WithHint("blockers, dependents, children, linked, sessions, logs, git, decisions, comments, review or scratchpad")
		}
	}
	return in.Include, nil
}

// Part is a piece of one part of a task, for what is too long for one answer. As long as Rev stays the same, the pieces
// belong together.
type Part struct {
	ID         record.ID    `json:"id"`
	Rev        record.Rev   `json:"rev"`
	Part       string       `json:"part"`
	Offset     int          `json:"offset"`
	NextOffset int          `json:"next_offset,omitempty"` // of the next piece; absent if this is the last
	Total      int          `json:"total"`                 // bytes of the text, or how many entries or tasks there are
	Text       string       `json:"text,omitempty"`
	Entries    []verb.Entry `json:"entries,omitzero"` // the oldest first
	Tasks      []verb.Row   `json:"tasks,omitzero"`
}

// The parts that are read in pieces; and those of the context that are lists of tasks.
const (
	bodyPart       = "body"
	provenancePart = "provenance"
	filePart       = "file"
	diffPart       = "diff"
)

func (in GetIn) validPart() error {
	switch {
	case in.Part == "" && in.Offset != 0:
		return verb.BadInput("offset", "is given, and no part").WithHint("with part body, provenance, file, diff, blockers, dependents or children")
	case in.Offset < 0:
		return verb.BadInput("offset", "is %d", in.Offset).WithHint("0, or next_offset of the piece before")
	case in.Part != "" && (in.Mode != "" || len(in.Include) > 0):
		return verb.BadInput("part", "is given, and mode or include is too").WithHint("leave out one of the two")
	}
	return nil
}

// readPart reads a piece of a part. Of a record that is no task, t has the id, the revision, the entries and the body.
func readPart(ctx context.Context, w *verb.Workspace, s *store.Store, k *kind.Kind, t task.Task, in GetIn) (Part, error) {
	out := Part{ID: t.ID, Rev: t.Rev, Part: in.Part, Offset: in.Offset}
	room, shown := pieceRoom(w), 0
	switch in.Part {
	case bodyPart, filePart:
		text := t.Body
		if in.Part == filePart {
			var err error
			if text, out.Rev, err = s.Source(k, string(t.ID)); err != nil {
				return out, err
			}
		}
		return pieceOf(w, out, text, in.Offset), nil
	case provenancePart:
		out.Total, out.Entries = len(t.Provenance), []verb.Entry{}
		descs := verb.DescsOf(t)
		for _, e := range t.Provenance[min(in.Offset, len(t.Provenance)):] {
			out.Entries = append(out.Entries, verb.ViewEntry(e, descs))
		}
		shown = verb.Fitting(out.Entries, room.Entries, room.EntryRoom)
		out.Entries = out.Entries[:shown]
	default:
		g, err := w.Graph(ctx, s)
		if err != nil {
			return out, err
		}
		hits, view := relatives(in.Part, g, t.ID), w.View(s).OfMany(ctx)
		out.Total, out.Tasks = len(hits), []verb.Row{}
		for _, one := range hits[min(in.Offset, len(hits)):][:min(room.Entries, max(0, len(hits)-in.Offset))] {
			out.Tasks = append(out.Tasks, view.Row(g, one))
		}
		shown = verb.Fitting(out.Tasks, room.Entries, room.EntryRoom)
		out.Tasks = out.Tasks[:shown]
	}
	if end := out.Offset + shown; end < out.Total {
		out.NextOffset = end
	}
	return out, nil
}

func pieceRoom(w *verb.Workspace) verb.Bounds {
	if w.Bounded {
		return verb.Most
	}
	return verb.Unbounded
}

func pieceOf(w *verb.Workspace, out Part, text string, offset int) Part {
	room := pieceRoom(w)
	out.Total = len(text)
	out.Offset = min(offset, len(text))
	for out.Offset > 0 && out.Offset < len(text) && !utf8.RuneStart(text[out.Offset]) { // where the character begins
		out.Offset--
	}
	out.Text = verb.Beginning(text[out.Offset:], room.Body, room.BodyRoom)
	if end := out.Offset + len(out.Text); end < out.Total {
		out.NextOffset = end
	}
	return out
}
