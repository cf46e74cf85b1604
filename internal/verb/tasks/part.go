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

var parts = []string{bodyPart, provenancePart, filePart, diffPart, blockersPart, dependentsPart, childrenPart}

func (in GetIn) validPart() error {
	switch {
	case in.Part == "" && in.Offset != 0:
		return verb.BadInput("offset", "is given, and no part").WithHint("with part body, provenance, file, diff, blockers, dependents or children")
	case in.Part == "":
		return nil
	case !slices.Contains(parts, in.Part):
		return verb.BadInput("part", "is %q", in.Part).WithHint("body, provenance, file, diff, blockers, dependents or children")
	case in.Offset < 0:
		return verb.BadInput("offset", "is %d", in.Offset).WithHint("0, or next_offset of the piece before")
	case in.Mode != "" || len(in.Include) > 0:
		return verb.BadInput("part", "is given, and mode or include is too").WithHint("leave out one of the two")
	}
	return nil
}

// readPart reads a piece of a part. Of a record that is no task, t has the id, the revision, the entries and the body.
func readPart(ctx context.Context, w *verb.Workspace, s *store.Store, k *kind.Kind, t task.Task, in GetIn) (Part, error) {
	out := Part{ID: t.ID, Rev: t.Rev, Part: in.Part, Offset: in.Offset}
	room := verb.Most
	if !w.Bounded {
		room = verb.Unbounded
	}
	shown := 0
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

// pieceOf is a piece of a part that is one text.
func pieceOf(w *verb.Workspace, out Part, text string, offset int) Part {
	room := verb.Most
	if !w.Bounded {
		room = verb.Unbounded
	}
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
