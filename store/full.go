package store

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// fullAt is the size of front matter, in bytes, beyond which only short entries that move a record are written (see
// bare). What is left up to the limit of a file is for those.
const fullAt = 768 << 10

// bareText is how long the text of such an entry may be, in bytes. It leaves room for some 500 sessions.
const bareText = 256

// Room returns TASK_FULL if a record has no room for another note or run. Transitions do not call it, since they must
// always be possible.
func (s workTree) Room(k *kind.Kind, id string) error {
	f, err := s.readFile(k, id, layout.Patient())
	if err != nil {
		return notFound(k, id, err)
	}
	return room(f.doc)
}

// roomFor returns TASK_FULL if a write would make front matter too large. was is nil for a new record, and e is the
// newest entry.
func roomFor(was, now *format.Doc, e record.Entry) error {
	switch {
	case was == nil && len(now.Front()) > fullAt:
		return record.Errorf(record.TaskFull, "what stands above the body would have more than %d KiB", fullAt>>10).
			WithHint("say less in checks, labels and deps")
	case was != nil && len(now.Front()) > len(was.Front()) && !bare(e):
		return room(now)
	}
	return nil
}

// room returns TASK_FULL if the front matter of a document is full.
func room(doc *format.Doc) error {
	if len(doc.Front()) <= fullAt {
		return nil
	}
	return record.Errorf(record.TaskFull, "the front matter has grown beyond %d KiB", fullAt>>10).
		WithHint("go on in a new task, and close or cancel this one, with %d bytes of text at most", bareText)
}

// bare reports whether an entry only moves a record or its claim. Such writes are possible even when the record is
// full.
func bare(e record.Entry) bool {
	switch e.Did {
	case record.Deleted:
		return true
	case record.Finished, record.Failed, record.Canceled, record.Asked: // they need a text
		return len(e.Text) <= bareText
	case record.Transitioned, record.Claimed, record.Released, record.Began, record.TakenOver:
		return e.Text == ""
	default:
		return false
	}
}
