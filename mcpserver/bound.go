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

// answerShown is the length of the longest answer to a call, in bytes of JSON. Verbs cut what is usually long, so that
// the rest can be read by another call. This limit is for fields that only a hand-written file makes so long, such as a
// title of a megabyte.
const answerShown = 1 << 20

// cutKey is the field that lists what was cut from an answer.
const cutKey = "truncated_fields"

// cutsNamed is the most cut fields that an answer lists.
const cutsNamed = 20

// steps are the lengths to which the texts and lists of a long answer are cut, tried one after the other until the
// answer fits.
var steps = []struct{ text, list, depth int }{
	{64 << 10, 500, 64}, {8 << 10, 200, 16}, {1 << 10, 100, 8}, {200, 20, 6}, {100, 5, 4},
}

// encode returns a value as JSON that is safe to show and not too long. The answer lists what was cut.
func encode(v any) ([]byte, error) {
	text, err := harmless.Marshal(v)
	if err != nil || len(text) <= answerShown {
		return text, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var whole any
	if err := dec.Decode(&whole); err != nil {
		return nil, err
	}
	for _, step := range steps { // what one step cut is longer than the next one allows, so each names all that is cut
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
