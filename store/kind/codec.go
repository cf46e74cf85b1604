package kind

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// codec is a Codec for values whose type is not known. A method whose function the kind does not have does nothing. It
// is an interface and not a list of functions, since every kind has one and all are made before main begins.
type codec interface {
	decode(doc *format.Doc) (any, error)
	edit(doc *format.Doc, was, now any) (*format.Doc, error)
	create(now any) (*format.Doc, error)
	again(found, was, now any) (next any, ok bool)
	canAgain() bool
	merge() map[string]format.Rule // of the keys for which the row says nothing
	header(v any) record.Header
	lean(v any) any
	row(v any, r *Row)
	body(v any) string
	search(v any) []string
	with(v any, e record.Entry) (any, bool)
	canMove() bool
	move(v any, to record.Status, s record.Stamp) (any, error) // if canMove
	canRelabel() bool
	relabel(v any, labels []string, s record.Stamp) (any, error) // if canRelabel
	withRefs(v any, refs []record.Reference) (any, bool)
	repeats(v any, e record.Entry) bool
	putBack(f task.Flow, v any, lost []record.Entry, find task.Find, s record.Stamp) (any, *record.Entry, []string)
}

func (c *Codec[T]) decode(doc *format.Doc) (any, error) { return c.Decode(doc) }
func (c *Codec[T]) create(now any) (*format.Doc, error) { return c.Create(now.(T)) }
func (c *Codec[T]) header(v any) record.Header          { return c.Header(v.(T)) }
func (c *Codec[T]) canAgain() bool                      { return c.Again != nil }

func (c *Codec[T]) merge() map[string]format.Rule {
	if c.Merge == nil {
		return nil
	}
	return c.Merge()
}

func (c *Codec[T]) edit(doc *format.Doc, was, now any) (*format.Doc, error) {
	return c.Edit(doc, was.(T), now.(T))
}

func (c *Codec[T]) again(found, was, now any) (any, bool) {
	if c.Again == nil {
		return nil, false
	}
	return c.Again(found.(T), was.(T), now.(T))
}

func (c *Codec[T]) lean(v any) any {
	if c.Lean == nil {
		return v
	}
	return c.Lean(v.(T))
}

func (c *Codec[T]) row(v any, r *Row) {
	if c.Row != nil {
		c.Row(v.(T), r)
	}
}

func (c *Codec[T]) body(v any) string {
	if c.Body == nil {
		return ""
	}
	return c.Body(v.(T))
}

func (c *Codec[T]) search(v any) []string {
	if c.Search == nil {
		return nil
	}
	return c.Search(v.(T))
}

func (c *Codec[T]) with(v any, e record.Entry) (any, bool) {
	if c.With == nil {
		return v, false
	}
	return c.With(v.(T), e), true
}

func (c *Codec[T]) canMove() bool { return c.Move != nil }

func (c *Codec[T]) move(v any, to record.Status, s record.Stamp) (any, error) {
	return c.Move(v.(T), to, s)
}

func (c *Codec[T]) canRelabel() bool { return c.Relabel != nil }

func (c *Codec[T]) relabel(v any, labels []string, s record.Stamp) (any, error) {
	return c.Relabel(v.(T), labels, s)
}

func (c *Codec[T]) withRefs(v any, refs []record.Reference) (any, bool) {
	if c.WithRefs == nil {
		return v, false
	}
	return c.WithRefs(v.(T), refs), true
}

func (c *Codec[T]) repeats(v any, e record.Entry) bool {
	return c.Repeats != nil && c.Repeats(v.(T), e)
}

func (c *Codec[T]) putBack(f task.Flow, v any, lost []record.Entry, find task.Find, s record.Stamp) (any, *record.Entry, []string) {
	if c.PutBack == nil {
		return v, nil, nil
	}
	return c.PutBack(f, v.(T), lost, find, s)
}
