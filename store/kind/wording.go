package kind

import (
	"strings"

	"github.com/cairn-tasks/cairn/store/format"
)

// Wording is what a record says in words, for a ranked search.
type Wording struct {
	Name string // id, title and labels
	Body string
	Rest string // comments, and the texts of the keys that only its kind has
}

// Wording returns what a record says in words.
func (k *Kind) Wording(v any) Wording {
	h := k.Header(v)
	var rest []string
	rest = append(rest, wordsOfRefs(h.Refs)...)
	for _, e := range h.Log {
		if e.Text != "" {
			rest = append(rest, e.Text)
		}
		if e.Detail != nil {
			rest = append(append(rest, e.Detail.Next...), e.Detail.Blockers...)
		}
	}
	rest = append(rest, k.search(v)...)
	return Wording{Name: strings.Join(append([]string{h.Ref.ID, h.Title}, h.Labels...), "\n"), Body: k.body(v), Rest: strings.Join(rest, "\n")}
}

// textsOf lists the texts in a value that is written to a file.
func textsOf(v format.Value) []string {
	switch v := v.(type) {
	case format.Flow:
		return textsOf(v.Value)
	case format.String:
		return []string{string(v)}
	case format.Seq:
		var out []string
		for _, item := range v {
			out = append(out, textsOf(item)...)
		}
		return out
	case format.Map:
		var out []string
		for _, f := range v {
			out = append(out, textsOf(f.Value)...)
		}
		return out
	default:
		return nil
	}
}
