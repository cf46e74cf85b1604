package source

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/transfer"
)

func itoa(n int) string { return strconv.Itoa(n) }

// object is an object of JSON or YAML. What is asked for counts as understood; the rest is reported.
type object struct {
	keys map[string]any
	seen map[string]bool
	fold map[string]string // of a row of a table: its keys, by the same in lower case
}

func newObject(keys map[string]any) object { return object{keys: keys, seen: map[string]bool{}} }

// item reads those fields of an item that stand under keys of their own: each column is the name of a field and, unless
// that is the key as well, = and the keys that it may have, of which the first that says something counts.
func (o object) item(columns string) transfer.Item {
	fields := map[string]any{}
	for column := range strings.FieldsSeq(columns) {
		name, keys, _ := strings.Cut(column, "=")
		keys = cmp.Or(keys, name)
		if slices.Contains([]string{"labels", "deps", "related", "discovered_from", "duplicates", "scope"}, name) {
			fields[name] = o.texts(keys)
		} else {
			fields[name] = o.text(strings.Split(keys, "|")...)
		}
	}
	return itemOf(fields)
}

// itemOf is an item with some fields, by their names.
func itemOf(fields map[string]any) (it transfer.Item) {
	raw, err := json.Marshal(fields)
	if err = cmp.Or(err, json.Unmarshal(raw, &it)); err != nil {
		panic(err) // a field that an item does not have
	}
	return it
}

// text returns what the first of some keys says, as text; "" for nothing. Numbers, booleans and times are texts too.
func (o object) text(keys ...string) string {
	for _, key := range keys {
		switch v := o.keys[key].(type) {
		case nil:
			o.seen[key] = true
		case string:
			o.seen[key] = true
			if strings.TrimSpace(v) != "" {
				return v
			}
		case json.Number, bool, int, float64:
			o.seen[key] = true
			return fmt.Sprint(v)
		case time.Time: // as YAML may read one
			o.seen[key] = true
			if v.Equal(v.Truncate(24*time.Hour)) && v.Location() == time.UTC {
				return v.Format(time.DateOnly)
			}
			return v.UTC().Format(time.RFC3339)
		}
	}
	return ""
}

// texts returns a list of texts. A text alone is a list of one.
func (o object) texts(key string) []string {
	var out []string
	switch v := o.keys[key].(type) {
	case []any:
		o.seen[key] = true
		out = textsIn(v)
	case map[string]any:
		if s := o.named(key); s != "" {
			out = []string{s}
		}
	default:
		if s := o.text(key); s != "" {
			out = []string{s}
		}
	}
	return out
}

// textsIn are those of some values that are texts, or have a name.
func textsIn(list []any) (out []string) {
	for _, one := range list {
		if s := textOf(one); strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
	}
	return out
}

// textOf is a scalar as text; of an object its name, its login, its address or its id, as APIs give them, and of a document of
// Atlassian its text.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number, bool, int, float64:
		return fmt.Sprint(v)
	case map[string]any:
		if v["type"] == "doc" {
			return strings.TrimSpace(docText(v))
		}
		for _, key := range []string{"name", "displayName", "login", "title", "value", "email", "id"} {
			if s := textOf(v[key]); s != "" {
				return s
			}
		}
	}
	return ""
}

// docText is the text of a document in the format of Atlassian, a paragraph a line, with what has other meaning in
// Markdown as that: headings, points of lists, code.
func docText(node map[string]any) string {
	var b strings.Builder
	content, _ := node["content"].([]any)
	for _, one := range content {
		if below, ok := one.(map[string]any); ok {
			b.WriteString(docText(below))
		}
	}
	text := b.String()
	attrs, _ := node["attrs"].(map[string]any)
	switch node["type"] {
	case "text":
		return textOf(node["text"])
	case "hardBreak":
		return "\n"
	case "mention", "emoji", "inlineCard", "blockCard", "date", "status":
		return cmp.Or(textOf(attrs["text"]), textOf(attrs["url"]), textOf(attrs["timestamp"]))
	case "paragraph", "tableRow":
		return text + "\n\n"
	case "heading":
		level, _ := strconv.Atoi(textOf(attrs["level"]))
		return strings.Repeat("#", min(max(level, 1), 6)) + " " + text + "\n\n"
	case "listItem":
		return "- " + strings.ReplaceAll(strings.TrimSpace(text), "\n\n", "\n  ") + "\n"
	case "bulletList", "orderedList":
		return text + "\n"
	case "codeBlock":
		return "```\n" + text + "\n```\n\n"
	case "tableCell", "tableHeader":
		return "| " + strings.TrimSpace(text) + " "
	}
	return text
}

// named returns the name of an object, such as the login of a user.
func (o object) named(keys ...string) string {
	for _, key := range keys {
		if s := textOf(o.keys[key]); s != "" {
			o.seen[key] = true
			return s
		}
		o.drop(key)
	}
	return ""
}

// objects returns a list of objects.
func (o object) objects(key string) []object {
	list, ok := o.keys[key].([]any)
	if !ok {
		return nil
	}
	o.seen[key] = true
	return objectsIn(list)
}

// drop says that keys mean nothing for a task, so that they are not reported.
func (o object) drop(keys ...string) {
	for _, key := range keys {
		o.seen[key] = true
	}
}

// rest gives an item what nobody asked for: a text, a number or a boolean as a field, and of anything else the
// beginning of what it says. Empty values are left out.
func (o object) rest(it *transfer.Item) {
	for _, key := range slices.Sorted(maps.Keys(o.keys)) {
		if o.seen[key] || empty(o.keys[key]) {
			continue
		}
		value := textOf(o.keys[key])
		if _, named := o.keys[key].(map[string]any); value != "" && !named {
			if it.Fields == nil {
				it.Fields = map[string]string{} // where the workspace has a field of that name
			}
			it.Fields[key] = value
			continue
		}
		if value == "" {
			raw, _ := json.Marshal(o.keys[key])
			value = string(raw)
		}
		it.Lose(key, value[:min(len(value), 200)])
	}
}

func empty(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v) == ""
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return v == nil || v == false
}

const maxDepth = 64 // of objects and lists within one another

// values reads the JSON values of a file, one behind the other: a list, lists one after another as a paginated API
// prints them, or an object a line. Lists are taken apart, to a depth of two. Errors name the line.
func values(f File) ([]any, error) {
	d := json.NewDecoder(bytes.NewReader(f.Data))
	d.UseNumber()
	var out []any
	for {
		var v any
		err := d.Decode(&v)
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, jsonError(f, d.InputOffset(), err)
		case tooDeep(v, maxDepth):
			return nil, bad(f.Name, lineAt(f, d.InputOffset()), "is nested more than %d deep", maxDepth)
		}
		out = append(out, flat(v, 2)...)
	}
}

func flat(v any, depth int) []any {
	list, ok := v.([]any)
	if !ok || depth == 0 {
		return []any{v}
	}
	var out []any
	for _, one := range list {
		out = append(out, flat(one, depth-1)...)
	}
	return out
}

func tooDeep(v any, room int) bool {
	if room == 0 {
		return true
	}
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(one any) bool { return tooDeep(one, room-1) })
	case map[string]any:
		return tooDeep(slices.Collect(maps.Values(v)), room)
	}
	return false
}

func lineAt(f File, offset int64) int {
	return 1 + bytes.Count(f.Data[:min(int(offset), len(f.Data))], []byte("\n"))
}

// jsonError is an error of JSON with the line that it is in.
func jsonError(f File, offset int64, err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = max(offset, syntax.Offset-1)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		offset, err = int64(len(f.Data)), errors.New("it ends in the middle of a value")
	}
	return bad(f.Name, lineAt(f, offset), "is not JSON: %v", err).WithHint("export it again from where it comes from")
}

// objectsOf reads the objects of a file in JSON. Anything else in it is an error, which says the place.
func objectsOf(f File) ([]object, error) {
	all, err := values(f)
	if err != nil {
		return nil, err
	}
	out := objectsIn(all)
	if len(out) < len(all) {
		at := slices.IndexFunc(all, func(v any) bool { _, ok := v.(map[string]any); return !ok })
		return nil, bad(f.Name, 0, "value %d is no object", at+1).WithHint("export it again from where it comes from")
	}
	return out, nil
}

func objectsIn(list []any) []object {
	var out []object
	for _, one := range list {
		if m, ok := one.(map[string]any); ok {
			out = append(out, newObject(m))
		}
	}
	return out
}

// each calls a function with the objects of some files in JSON.
func each(files []File, do func(f File, i int, o object) error) error {
	for _, f := range files {
		objects, err := objectsOf(f)
		if err != nil {
			return err
		}
		for i, o := range objects {
			if err := do(f, i, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// comments are those of a list, by the keys that say by whom, when and what.
func (o object) comments(list string, by, at []string, text string) []transfer.Comment {
	var out []transfer.Comment
	for _, c := range o.objects(list) {
		out = append(out, transfer.Comment{By: c.named(by...), At: c.text(at...), Text: c.text(text)})
	}
	return out
}

// states are the words for states of all systems, in lower case, with spaces between their parts.
var states = map[string]string{
	"": transfer.Open, "open": transfer.Open, "pending": transfer.Open, "to do": transfer.Open, "todo": transfer.Open, "backlog": transfer.Open,
	"in progress": transfer.Started, "doing": transfer.Started, "started": transfer.Started, "hooked": transfer.Started,
	"in review": transfer.Review, "review": transfer.Review,
	"done": transfer.Done, "completed": transfer.Done, "closed": transfer.Done,
	"canceled": transfer.Dropped, "cancelled": transfer.Dropped, "dropped": transfer.Dropped, "won't do": transfer.Dropped, "wont do": transfer.Dropped,
}

// stateOf reads a word for a state. It reports false for one that no system has.
func stateOf(word string) (string, bool) {
	state, ok := states[strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToLower(strings.TrimSpace(word)))]
	return state, ok
}

// stated gives an item the state that its word says. An item with another word is open, and the word is a label.
func stated(it *transfer.Item) {
	state, known := stateOf(it.Was)
	if it.State = state; !known {
		it.State = transfer.Open
		label(it, "", it.Was)
	}
}

// label adds a label, if there is one. A type that says no more than that it is a task is none.
func label(it *transfer.Item, before, name string) {
	if name != "" && (before != "" || name != "task") {
		it.Labels = append(it.Labels, before+name)
	}
}

// assigned gives an item the first of those who have it; the others have no place.
func assigned(it *transfer.Item, who []string) {
	for i, name := range who {
		if i == 0 {
			it.Assignee = name
			continue
		}
		it.Lose("a second assignee", name)
	}
}

// external takes a reference as the address of an item, if it is one, and returns it else.
func external(it *transfer.Item, ref string) string {
	if strings.HasPrefix(ref, "https://") || strings.HasPrefix(ref, "http://") {
		it.URL, ref = ref, ""
	}
	return ref
}
