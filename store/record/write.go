package record

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"gopkg.in/yaml.v3"
)

// mapping builds a Map without empty values.
type mapping frontmatter.Map

func (m *mapping) text(key, text string) {
	if text != "" {
		*m = append(*m, frontmatter.Field{Key: key, Value: frontmatter.String(text)})
	}
}

func (m *mapping) time(key string, t time.Time) {
	if !t.IsZero() {
		*m = append(*m, frontmatter.Field{Key: key, Value: frontmatter.Plain(t.UTC().Format(time.RFC3339))})
	}
}

func addList[T ~string](m *mapping, key string, texts []T) {
	if len(texts) > 0 {
		*m = append(*m, frontmatter.Field{Key: key, Value: list(texts)})
	}
}

func list[T ~string](texts []T) frontmatter.Value {
	return frontmatter.Flow{Value: seqOf(texts, func(s T) frontmatter.Value { return frontmatter.String(s) })}
}

func seqOf[T any](in []T, value func(T) frontmatter.Value) frontmatter.Seq {
	out := make(frontmatter.Seq, len(in))
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

func editOptional(key, was, now string) []frontmatter.Edit {
	switch {
	case was == now:
		return nil
	case now == "":
		return []frontmatter.Edit{frontmatter.Remove(frontmatter.Path{key})}
	default:
		return []frontmatter.Edit{frontmatter.Set(frontmatter.Path{key}, frontmatter.String(now))}
	}
}

// editList changes a list of texts item by item, so that the items that stay keep their bytes.
func editList[T ~string](doc *frontmatter.Doc, key string, was, now []T) []frontmatter.Edit {
	if slices.Equal(was, now) {
		return nil
	}
	path := frontmatter.Path{key}
	if n := deref(doc.Get(key)); n != nil && n.Kind == yaml.ScalarNode && !isNull(n) {
		return []frontmatter.Edit{frontmatter.Set(path, list(now))} // a lone text becomes a list
	}
	index := make(map[T][]int, len(was)) // a file may have the same text twice
	for at, text := range was {
		index[text] = append(index[text], at)
	}
	items := make([]frontmatter.Item, len(now))
	for i, text := range now {
		items[i] = frontmatter.NewItem(frontmatter.String(text))
		if left := index[text]; len(left) > 0 {
			items[i], index[text] = frontmatter.Old(left[0]), left[1:]
		}
	}
	return setItems(doc, key, items)
}

// setItems sets a list item by item. A key with the value null, in any spelling, is replaced.
func setItems(doc *frontmatter.Doc, key string, items []frontmatter.Item) []frontmatter.Edit {
	path := frontmatter.Path{key}
	set := frontmatter.SetSeq(path, items...)
	if n := doc.Get(key); n != nil && isNull(n) {
		return []frontmatter.Edit{frontmatter.Remove(path), set}
	}
	return []frontmatter.Edit{set}
}
