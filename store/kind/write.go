package kind

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/store/format"
)

// mapping builds a Map without empty values.
type mapping format.Map

func (m *mapping) text(key, text string) {
	if text != "" {
		*m = append(*m, format.Field{Key: key, Value: format.String(text)})
	}
}

func (m *mapping) time(key string, t time.Time) {
	if !t.IsZero() {
		*m = append(*m, format.Field{Key: key, Value: format.Plain(t.UTC().Format(time.RFC3339))})
	}
}

func addList[T ~string](m *mapping, key string, texts []T) {
	if len(texts) > 0 {
		*m = append(*m, format.Field{Key: key, Value: list(texts)})
	}
}

func list[T ~string](texts []T) format.Value {
	return format.Flow{Value: seqOf(texts, func(s T) format.Value { return format.String(s) })}
}

func seqOf[T any](in []T, value func(T) format.Value) format.Seq {
	out := make(format.Seq, len(in))
	for i, v := range in {
		out[i] = value(v)
	}
	return out
}

// spaced puts an empty line before a body, and a line break after it.
func spaced(body string) string {
	if body == "" {
		return ""
	}
	if body[0] != '\n' {
		body = "\n" + body
	}
	if body[len(body)-1] != '\n' {
		body += "\n"
	}
	return body
}

// editList changes a list of texts item by item, so that the items that stay keep their bytes.
func editList[T ~string](doc *format.Doc, key string, was, now []T) []format.Edit {
	if slices.Equal(was, now) {
		return nil
	}
	path := format.Path{key}
	if n := format.Deref(doc.Get(key)); n != nil && n.Kind == format.ScalarNode && !format.IsNull(n) {
		return []format.Edit{format.Set(path, list(now))} // a lone text becomes a list
	}
	index := make(map[T][]int, len(was)) // a file may have the same text twice
	for at, text := range was {
		index[text] = append(index[text], at)
	}
	items := make([]format.Item, len(now))
	for i, text := range now {
		items[i] = format.NewItem(format.String(text))
		if left := index[text]; len(left) > 0 {
			items[i], index[text] = format.Old(left[0]), left[1:]
		}
	}
	return setItems(doc, key, items)
}

// setItems sets a list item by item. A key with the value null, in any spelling, is replaced.
func setItems(doc *format.Doc, key string, items []format.Item) []format.Edit {
	path := format.Path{key}
	set := format.SetSeq(path, items...)
	if n := doc.Get(key); n != nil && format.IsNull(n) {
		return []format.Edit{format.Remove(path), set}
	}
	return []format.Edit{set}
}
