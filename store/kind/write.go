package kind

import (
	"slices"

	"github.com/cairn-tasks/cairn/store/format"
)

func list(texts []string) format.Value {
	return format.Flow{Value: seqOf(texts, func(s string) format.Value { return format.String(s) })}
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
func editList(doc *format.Doc, key string, was, now []string) []format.Edit {
	if slices.Equal(was, now) {
		return nil
	}
	path := format.Path{key}
	if n := format.Deref(doc.Get(key)); n != nil && n.Kind == format.ScalarNode && !format.IsNull(n) {
		return []format.Edit{format.Set(path, list(now))} // a lone text becomes a list
	}
	index := make(map[string][]int, len(was)) // a file may have the same text twice
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
