package verb

import (
	"context"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// Part is a piece of one part of a task, for what is too long for one answer. As long as Rev stays the same, the pieces
// belong together.
type Part struct {
	ID         task.ID  `json:"id"`
	Rev        task.Rev `json:"rev"`
	Part       string   `json:"part"`
	Offset     int      `json:"offset"`
	NextOffset int      `json:"next_offset,omitempty"` // of the next piece; absent if this is the last
	Total      int      `json:"total"`                 // bytes of the text, or how many entries or tasks there are
	Text       string   `json:"text,omitempty"`
	Entries    []Entry  `json:"entries,omitzero"` // the oldest first
	Tasks      []Row    `json:"tasks,omitzero"`
}

// The parts that are read in pieces; and those of the context that are lists of tasks.
const (
	bodyPart       = "body"
	provenancePart = "provenance"
	filePart       = "file"
)

var parts = []string{bodyPart, provenancePart, filePart, blockersPart, dependentsPart, childrenPart}

func (in GetIn) validPart() error {
	switch {
	case in.Part == "" && in.Offset != 0:
		return badInput("offset", "is given, and no part").WithHint("with part body, provenance, file, blockers, dependents or children")
	case in.Part == "":
		return nil
	case !slices.Contains(parts, in.Part):
		return badInput("part", "is %q", in.Part).WithHint("body, provenance, file, blockers, dependents or children")
	case in.Offset < 0:
		return badInput("offset", "is %d", in.Offset).WithHint("0, or next_offset of the piece before")
	case in.Mode != "" || len(in.Include) > 0:
		return badInput("part", "is given, and mode or include is too").WithHint("leave out one of the two")
	}
	return nil
}

// part reads a piece of a part.
func (w *Workspace) part(ctx context.Context, s *store.Store, t task.Task, in GetIn) (Part, error) {
	out := Part{ID: t.ID, Rev: t.Rev, Part: in.Part, Offset: in.Offset}
	room := most
	if !w.Bounded {
		room = bounds{math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt}
	}
	shown := 0
	switch in.Part {
	case bodyPart, filePart:
		text := t.Body
		if in.Part == filePart {
			var err error
			if text, out.Rev, err = s.Source(t.ID); err != nil {
				return out, err
			}
		}
		out.Total = len(text)
		out.Offset = runeStart(text, min(in.Offset, len(text)))
		out.Text = beginning(text[out.Offset:], room.body, room.bodyRoom)
		shown = len(out.Text)
	case provenancePart:
		out.Total, out.Entries = len(t.Provenance), []Entry{}
		descs := descsOf(t)
		for _, e := range t.Provenance[min(in.Offset, len(t.Provenance)):] {
			out.Entries = append(out.Entries, viewEntry(e, descs))
		}
		shown = fitting(out.Entries, room.entries, room.entryRoom)
		out.Entries = out.Entries[:shown]
	default:
		all, _, err := w.Reads.List(ctx, s)
		if err != nil {
			return out, err
		}
		hits, find := relatives(in.Part, s.Config.Flow, t, all), finder(all)
		out.Total, out.Tasks = len(hits), []Row{}
		for _, one := range hits[min(in.Offset, len(hits)):][:min(room.entries, max(0, len(hits)-in.Offset))] {
			out.Tasks = append(out.Tasks, w.rowCut(w.row(s, one, find)))
		}
		shown = fitting(out.Tasks, room.entries, room.entryRoom)
		out.Tasks = out.Tasks[:shown]
	}
	if end := out.Offset + shown; end < out.Total {
		out.NextOffset = end
	}
	return out, nil
}

// runeStart is where the character begins that a byte of a text belongs to.
func runeStart(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
