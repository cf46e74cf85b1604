package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// answerShown is the longest answer to a call, in bytes of JSON. Verbs cut what is usually long, in a way of which the rest
// can be read; this holds for what nobody writes but by hand, such as a title of a megabyte.
const answerShown = 1 << 20

// cutKey is the field that an answer gets in which something was cut here.
const cutKey = "truncated_fields"

// cutsNamed is how many cut fields an answer names.
const cutsNamed = 20

// steps are how much is left of the texts and lists of an answer that is too long, one after the other until it fits.
var steps = []struct{ text, list, depth int }{
	{64 << 10, 500, 64}, {8 << 10, 200, 16}, {1 << 10, 100, 8}, {200, 20, 6}, {100, 5, 4},
}

// encode is a value as JSON that is fit to be shown and not too long. What was cut is named.
func encode(v any) ([]byte, error) {
	text, err := harmless.Marshal(v)
	if err != nil || len(text) <= answerShown {
		return text, err
	}
	for _, step := range steps {
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		var whole any
		if err := dec.Decode(&whole); err != nil {
			return nil, err
		}
		c := cutter{text: step.text, list: step.list, depth: step.depth}
		whole = c.cut(whole, "", 0)
		if object, ok := whole.(map[string]any); ok {
			delete(object, harmless.HiddenKey) // it is named anew
			object[cutKey] = c.cuts
		}
		short, err := harmless.Marshal(whole)
		if err != nil || len(short) <= answerShown {
			return short, err
		}
	}
	return nil, fmt.Errorf("it has %d bytes, and cannot be cut", len(text))
}

// cutter shortens texts, lists and objects.
type cutter struct {
	text, list, depth int
	cuts              []string
}

func (c *cutter) cut(v any, path string, depth int) any {
	switch v := v.(type) {
	case string:
		if len(v) > c.text {
			c.note(path)
			return strings.ToValidUTF8(v[:c.text], "") + "…"
		}
		return v
	case []any:
		if len(v) > c.list || depth > c.depth {
			c.note(path)
			v = v[:min(len(v), c.list)]
		}
		if depth > c.depth {
			return []any{}
		}
		for i, one := range v {
			v[i] = c.cut(one, fmt.Sprintf("%s[%d]", path, i), depth+1)
		}
		return v
	case map[string]any:
		if depth > c.depth {
			c.note(path)
			return map[string]any{}
		}
		return c.object(v, path, depth)
	default:
		return v
	}
}

func (c *cutter) object(v map[string]any, path string, depth int) map[string]any {
	out := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		if depth > 0 && (len(out) == c.list || len(key) > c.text) { // the fields of the answer itself are few
			c.note(path)
			continue
		}
		out[key] = c.cut(v[key], strings.TrimPrefix(path+"."+key, "."), depth+1)
	}
	return out
}

func (c *cutter) note(path string) {
	if !utf8.ValidString(path) || len(path) > 200 {
		path = strings.ToValidUTF8(path[:min(len(path), 200)], "") + "…"
	}
	if len(c.cuts) < cutsNamed && !slices.Contains(c.cuts, path) {
		c.cuts = append(c.cuts, path)
	}
}
