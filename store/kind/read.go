package kind

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
)

// reader reads typed values from a parsed document. It keeps the first error, with its line; what cannot be read is a
// zero value.
type reader struct {
	doc *format.Doc
	err error
}

func (r *reader) fail(n *format.Node, text string, args ...any) {
	r.note(n, format.Error{Msg: fmt.Sprintf(text, args...)})
}

// note keeps an error, with the position of the node, if it is the first.
func (r *reader) note(n *format.Node, e format.Error) {
	if r.err == nil {
		e.Line, e.Column = r.doc.Line(n), n.Column
		r.err = &e
	}
}

// missing notes that a key is not there, or null.
func (r *reader) missing(key string, n *format.Node) {
	if n == nil {
		n = r.doc.Root()
	}
	r.note(n, format.Error{Msg: key + " is missing", Missing: true})
}

// text reads a scalar as the text in the file; "" if it is missing or null.
func (r *reader) text(name string, n *format.Node) string {
	if format.IsNull(n) {
		return ""
	}
	n = format.Deref(n)
	if n.Kind != format.ScalarNode {
		r.fail(n, "%s must be one value, not a list or a mapping", name)
		return ""
	}
	r.tagged(name, n, scalarTags...)
	return n.Value
}

// texts reads a list of scalars; a lone scalar is a list of one.
func (r *reader) texts(name string, n *format.Node) []string {
	if format.IsNull(n) {
		return nil
	}
	n = format.Deref(n)
	if n.Kind == format.ScalarNode {
		return []string{r.text(name, n)}
	}
	if n.Kind != format.SequenceNode {
		r.fail(n, "%s must be a list", name)
		return nil
	}
	r.tagged(name, n, "!!seq")
	out := make([]string, 0, len(n.Content))
	for _, item := range n.Content {
		if item.Kind == format.ScalarNode && item.Style&format.TaggedStyle == 0 && !format.IsNull(item) {
			out = append(out, item.Value) // so nearly all are
		} else {
			out = append(out, r.text("each of "+name, item))
		}
	}
	return out
}

// maps reads a list of mappings. The caller must not change it.
func (r *reader) maps(name string, n *format.Node) []*format.Node {
	if format.IsNull(n) {
		return nil
	}
	n = format.Deref(n)
	if n.Kind != format.SequenceNode {
		r.fail(n, "%s must be a list", name)
		return nil
	}
	r.tagged(name, n, "!!seq")
	out := n.Content
	for i, item := range n.Content {
		m := format.Deref(item)
		if m.Kind != format.MappingNode {
			r.fail(item, "each of %s must be a mapping", name)
			return nil
		}
		if m.Style&format.TaggedStyle != 0 {
			r.tagged("each of "+name, m, "!!map")
		}
		r.noMerge(m)
		if m != item {
			if &out[0] == &n.Content[0] {
				out = slices.Clone(out)
			}
			out[i] = m
		}
	}
	return out
}

// scalarTags are the tags that a scalar may have. Whatever the tag, its text is read.
var scalarTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp"}

// tagged fails for a value with another tag than these, since other readers of YAML would not read it as what is
// written.
func (r *reader) tagged(name string, n *format.Node, tags ...string) {
	if n.Style&format.TaggedStyle != 0 && !slices.Contains(tags, n.ShortTag()) {
		r.fail(n, "%s has the tag %s; take it out", name, n.Tag)
	}
}

// noMerge fails for merge keys (<<): what they add would be overlooked, and a check with a merged cmd would count as a
// manual one.
func (r *reader) noMerge(m *format.Node) {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].ShortTag() == "!!merge" {
			r.fail(m.Content[i], "merge keys (<<) are not read; write the keys out")
		}
	}
}

func (r *reader) number(name string, n *format.Node) int {
	text := r.text(name, n)
	if text == "" {
		return 0
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		r.fail(n, "%s must be a whole number, not %q", name, text)
	}
	return v
}

func (r *reader) boolean(name string, n *format.Node) bool {
	switch text := r.text(name, n); text {
	case "true":
		return true
	case "", "false":
	default:
		r.fail(n, "%s must be true or false, not %q", name, text)
	}
	return false
}

// instant reads an RFC 3339 time, quoted or not.
func (r *reader) instant(name string, n *format.Node) time.Time {
	text := r.text(name, n)
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.UTC().Year() > 9999 || t.UTC().Year() < 1 {
		r.fail(n, "%s must be a time such as 2026-06-21T10:00:00Z, not %q", name, text)
	}
	return t.UTC()
}

// seconds reads a duration, written as Go writes it (5m), as days or weeks (7d) or as plain seconds (300).
func (r *reader) seconds(name string, n *format.Node) time.Duration {
	text := r.text(name, n)
	if text == "" {
		return 0
	}
	if v, err := strconv.Atoi(text); err == nil && v > 0 {
		return time.Duration(v) * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = record.ParseSpan(text)
	}
	if err != nil || d <= 0 {
		r.fail(n, "%s must be seconds, or a duration such as 5m, 4h or 7d, not %q", name, text)
	}
	return d
}

// field returns the value of a key of a mapping, or nil.
func field(m *format.Node, key string) *format.Node {
	_, value := format.Member(m, key)
	return value
}

// plain turns a node that cairn does not know into a value for encoding/json. What JSON cannot express becomes a text.
func plain(n *format.Node) any {
	n = format.Deref(n)
	switch n.Kind {
	case format.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			out[n.Content[i].Value] = plain(n.Content[i+1])
		}
		return out
	case format.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			out = append(out, plain(item))
		}
		return out
	default:
		return plainScalar(n)
	}
}

// Plain is the front matter of a document as JSON has it: what is no null, boolean or number is a text, dates too.
func Plain(d *format.Doc) map[string]any {
	out, _ := plain(d.Root()).(map[string]any)
	if out == nil {
		out = map[string]any{}
	}
	return out
}

func plainScalar(n *format.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return n.Value == "true"
	case "!!int":
		if v, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
			return v
		}
	case "!!float":
		var v float64
		if n.Decode(&v) == nil && v-v == 0 { // neither NaN nor infinite
			return v
		}
	}
	return n.Value
}
