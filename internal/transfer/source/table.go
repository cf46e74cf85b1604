package source

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer"
)

// table says which column of a system is which field of an item, for its files in CSV and in JSON. A column is the head
// of a column of CSV or the key of an object, in which a dot leads on into the object that stands there.
type table struct {
	name    string
	columns []column
	drop    string // columns that mean nothing for a task, with | between them
	export  string // how its files are made, for hints
	people  string // columns with the ids of people, each = the column with the name, with | between them

	list   string       // the paths in an object of JSON at which a list of items stands, if it is no item, with | between them
	inside string       // the key of an item in JSON whose members stand for those of the item
	links  func(object) // rewrites what JSON says in another form than CSV
}

// column is a row of a table. What it gives is a field of an item, a word of special, "labels" with what stands before
// each label, or else the name of a field of the workspace.
type column struct {
	to    string
	from  string // the columns that can say it, with | between them: for a text the first that does, for a list all
	split string // what stands between the values of one cell
	asked bool   // by whoever imports, so that a file without it is refused
}

// The fields that are lists of texts, and those that a table knows beside the fields of an item.
var (
	lists = strings.Fields("labels deps blocks related discovered_from duplicates acceptance scope assignee comments")

	special = map[string]string{
		"number":       "the number of an issue, which with the project in its address is its ref",
		"alias":        "another id, by which other items name it",
		"stage":        "what its state means: to do, in progress or done",
		"started":      "when it was begun",
		"dropped":      "when it was given up",
		"blocks":       "what waits for it",
		"comments":     "what was said about it",
		"type":         "what kind of item it is, a label unless that is task",
		"seconds":      "the estimate in seconds",
		"confidential": "whether strangers must not see it",
		"nobody":       "who has it, as a number that nobody knows",
	}
	plain = strings.Fields(
		"ref title body state priority due estimate created created_by closed closed_by reason url parent mode")
)

// cells are what the columns of a row say of an item: all of them for a list, else the first that says something.
func (c column) cells(o object) []string {
	var out []string
	for path := range strings.SplitSeq(c.from, "|") {
		for _, text := range o.cells(path) {
			parts := []string{text}
			if c.split != "" {
				parts = strings.Split(text, c.split)
			}
			for _, part := range parts {
				if part = strings.TrimSpace(part); part != "" {
					out = append(out, part)
				}
			}
		}
		if len(out) > 0 && !c.isList() {
			break
		}
	}
	return out
}

func (c column) isList() bool {
	name, _, _ := strings.Cut(c.to, " ")
	return slices.Contains(lists, name)
}

// cells are the texts of a column.
func (o object) cells(path string) []string {
	if key, there := o.fold[strings.ToLower(path)]; there {
		path = key
	}
	if _, there := o.keys[path]; there {
		return o.texts(path)
	}
	head, rest, leads := strings.Cut(path, ".")
	if !leads || o.keys[head] == nil {
		return nil
	}
	o.drop(head)
	return textsAt(o.keys[head], rest)
}

// textsAt are the texts at a path within a value; of a list those of each of its members.
func textsAt(v any, path string) []string {
	var out []string
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			out = append(out, textsAt(one, path)...)
		}
	case map[string]any:
		head, rest, leads := strings.Cut(path, ".")
		if leads {
			return textsAt(v[head], rest)
		}
		list, isList := v[head].([]any)
		if !isList {
			list = []any{v[head]}
		}
		out = textsIn(list)
	}
	return out
}

// read reads files of the system.
func (t table) read(files []File, m Mapping) (Batch, error) {
	t = t.with(m)
	var out Batch
	r := tableReader{
		t: t, m: m, out: &out, alias: map[string]string{}, blocks: map[string][]string{}, unknown: map[string]int{},
		people: map[string]string{},
	}
	for _, f := range files {
		rows, err := t.rows(f)
		if err != nil {
			return out, err
		}
		for i, o := range rows {
			if err := r.row(f, i, o); err != nil {
				return out, err
			}
		}
		if len(r.unknown) > 0 {
			return out, r.refuseStates(f)
		}
	}
	r.name()
	return out, nil
}

// rows are the objects of a file.
func (t table) rows(f File) ([]object, error) {
	if text := strings.TrimLeft(string(f.Data[:min(len(f.Data), 100)]), " \t\r\n"); !strings.HasPrefix(text, "{") &&
		!strings.HasPrefix(text, "[") {
		return t.csv(f)
	}
	var out []object
	all, err := objectsOf(f)
	for _, o := range all {
		objects := []object{o}
		for path := range strings.SplitSeq(t.list, "|") {
			if list, ok := valueAt(o.keys, path).([]any); ok {
				objects = objectsIn(list)
				break
			}
		}
		for _, o := range objects {
			if members, ok := o.keys[t.inside].(map[string]any); ok {
				delete(o.keys, t.inside)
				maps.Copy(o.keys, members)
			}
			if t.links != nil {
				t.links(o)
			}
			o.fold = map[string]string{}
			for key := range o.keys {
				o.fold[strings.ToLower(key)] = key
			}
			out = append(out, o)
		}
	}
	return out, err
}

// valueAt is what stands at a path within objects; nil for nothing.
func valueAt(v any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		keys, _ := v.(map[string]any)
		v = keys[key]
	}
	return v
}

// tableReader makes items of the rows of a table.
type tableReader struct {
	t       table
	m       Mapping
	out     *Batch
	alias   map[string]string   // the ref of an item, by another id that it has
	blocks  map[string][]string // what waits for an item, by its ref
	unknown map[string]int      // words for states that nobody knows, and how often they come
	people  map[string]string   // names of people, by their ids
}

// row adds the item of a row.
func (r *tableReader) row(f File, n int, o object) error {
	said := map[string][]string{}
	var comments []transfer.Comment
	for _, c := range r.t.columns {
		name, before, _ := strings.Cut(c.to, " ")
		if name == "comments" {
			comments = append(comments, c.comments(o)...)
			continue
		}
		for _, text := range c.cells(o) {
			said[name] = append(said[name], before+text)
		}
	}
	first := func(name string) string { return cmp.Or(said[name]...) }
	fields := map[string]any{}
	for _, name := range plain {
		fields[name] = first(name)
	}
	for _, name := range []string{"labels", "deps", "related", "discovered_from", "duplicates", "acceptance", "scope"} {
		fields[name] = record.Unique(said[name])
	}
	it := itemOf(fields)
	it.Comments = comments
	if it.Title == "" && first("number") == "" && it.Ref == "" {
		return nil // an empty row
	}
	if it.Title == "" {
		return bad(f.Name, 0, "row %d has no title, so it is no item of %s", n+1, r.t.name).WithHint("%s", r.t.export)
	}
	if it.Ref == "" {
		it.Ref = refOf(it, first("number"))
	}
	it.Was, it.Rank = it.State, it.Priority
	it.State, it.Priority = r.state(it.Was, first("stage"), said), priorityWord(it.Rank)
	if it.State == transfer.Done && slices.Contains(givenUp, strings.ToLower(it.Reason)) {
		it.State = transfer.Dropped
	}
	label(&it, "", strings.ToLower(first("type")))
	assigned(&it, record.Unique(said["assignee"]))
	if n, err := strconv.Atoi(first("seconds")); err == nil && n > 0 {
		it.Estimate = itoa((n+59)/60) + "m"
	}
	for _, at := range []*string{&it.Due, &it.Created, &it.Closed} {
		*at = usualTime(*at)
	}
	it.Closed = cmp.Or(it.Closed, usualTime(first("dropped")))
	if yes := first("confidential"); yes != "" && !slices.Contains([]string{"no", "false"}, strings.ToLower(yes)) {
		it.Lose("confidential there, which nothing here is", yes)
	}
	it.Lose("assignee, of whom it has a number alone", strings.Join(said["nobody"], " "))
	for name, texts := range said {
		if !isField(name) {
			it.Fields = with(it.Fields, name, texts[0])
		}
	}
	for pair := range strings.SplitSeq(r.t.people, "|") {
		id, name, _ := strings.Cut(pair, "=")
		if ids, names := o.cells(id), o.cells(name); len(ids) == 1 && len(names) == 1 {
			r.people[ids[0]] = names[0]
		}
	}
	o.drop(strings.Split(r.t.drop, "|")...)
	r.kept(o, &it)
	ref := it.Ref
	r.out.add(it)
	it.Ref = r.out.Items[len(r.out.Items)-1].Ref
	if other := first("alias"); other != "" && r.alias[other] == "" {
		r.alias[other] = it.Ref
	}
	r.blocks[ref] = append(r.blocks[ref], said["blocks"]...)
	return nil
}

// kept gives an item what no column of the table is, by names as fields have them.
func (r *tableReader) kept(o object, it *transfer.Item) {
	for key, v := range o.keys {
		if text := textOf(v); text != "" {
			o.keys[key] = text
		} else if list, ok := v.([]any); ok {
			if texts := textsIn(list); len(texts) > 0 && len(texts) == len(list) {
				o.keys[key] = strings.Join(record.Unique(texts), ", ")
			}
		}
	}
	o.rest(it)
	fields := it.Fields
	it.Fields = nil
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		it.Fields = with(it.Fields, fieldName(key), fields[key])
	}
}

func with(fields map[string]string, name, value string) map[string]string {
	if fields == nil {
		fields = map[string]string{}
	}
	if had := fields[name]; had != "" && had != value {
		value = had + ", " + value
	}
	fields[name] = value
	return fields
}

// fieldName is the head of a column as fields are named: story_points for Custom field (Story Points).
func fieldName(head string) string {
	if inner, ok := strings.CutPrefix(head, "Custom field ("); ok {
		head = strings.TrimSuffix(inner, ")")
	}
	words := strings.FieldsFunc(strings.ToLower(head), func(r rune) bool {
		return r < '0' || r > '9' && r < 'a' ||
			r > 'z' && r < 0x80
	})
	return cmp.Or(strings.Join(words, "_"), head)
}

// isField reports whether a table can give a field of an item, or knows the word.
func isField(name string) bool {
	return special[name] != "" || slices.Contains(lists, name) || slices.Contains(plain, name)
}

// refOf names an item whose row has no id: by its number and the project in its address, else by its words.
func refOf(it transfer.Item, number string) string {
	if number != "" {
		return projectOf(it.URL) + "#" + strings.TrimPrefix(number, "#")
	}
	return record.ContentHash(it.Title)[:12]
}

// projectOf is the path of a project in the address of one of its issues; "" if it says none.
func projectOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	for _, mark := range []string{"/-/issues/", "/-/work_items/", "/issues/"} {
		if project, _, ok := strings.Cut(u.Path, mark); ok {
			return strings.Trim(project, "/")
		}
	}
	return ""
}

// name replaces other ids of items by their refs and ids of people by their names, and turns what an item blocks into
// what waits for it.
func (r *tableReader) name() {
	place := map[string]int{}
	for i, it := range r.out.Items {
		place[it.Ref] = i
	}
	ref := func(name string) string {
		if _, there := place[name]; there {
			return name
		}
		return cmp.Or(r.alias[name], name)
	}
	for i := range r.out.Items {
		it := &r.out.Items[i]
		it.Parent = ref(it.Parent)
		for n := range it.Comments {
			it.Comments[n].By = cmp.Or(r.people[it.Comments[n].By], it.Comments[n].By)
		}
		for _, list := range [][]string{it.Deps, it.Related, it.Found, it.Same} {
			for n := range list {
				list[n] = ref(list[n])
			}
		}
	}
	for _, from := range slices.Sorted(maps.Keys(r.blocks)) {
		for _, name := range r.blocks[from] {
			i, there := place[ref(name)]
			if !there {
				r.out.Items[place[from]].Lose("what it blocks, which is not in the source", name)
			} else if waits := &r.out.Items[i]; !slices.Contains(waits.Deps, from) {
				waits.Deps = append(waits.Deps, from)
			}
		}
	}
}

// usualTime is a time in the usual form: midnight is a date. Anything else stays as it is.
func usualTime(s string) string {
	at, ok := transfer.Moment(s)
	switch {
	case !ok:
		return s
	case at.Equal(at.Truncate(24 * time.Hour)):
		return at.Format(time.DateOnly)
	}
	return at.Format(time.RFC3339)
}

// priorityWord is the word of any tracker for a priority as a task has it; one that none has stays as it is.
func priorityWord(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	if as, ok := map[string]string{
		"highest": "0", "blocker": "0", "critical": "0", "urgent": "0", "major": "1", "high": "1", "minor": "3",
		"low": "3", "trivial": "4", "lowest": "4",
		"medium": "2", "normal": "2", "none": "", "no priority": "", "undefined": "", "not set": "",
	}[word]; ok {
		return as
	}
	return strings.TrimPrefix(word, "p")
}

// comments are those that a column has: objects of JSON, or cells in which when and who stand before the text, with
// semicolons between them.
func (c column) comments(o object) []transfer.Comment {
	var out []transfer.Comment
	for path := range strings.SplitSeq(c.from, "|") {
		head, rest, leads := strings.Cut(path, ".")
		list := o.objects(head)
		if inner, ok := o.keys[head].(map[string]any); ok && leads {
			o.drop(head)
			list = newObject(inner).objects(rest)
		}
		for _, one := range list {
			if one.keys["system"] == true {
				continue // told by the system itself
			}
			who := cmp.Or(textOf(one.keys["author"]), textOf(one.keys["user"]))
			out = append(out, transfer.Comment{By: who, At: one.text("created", "created_at", "createdAt"), Text: cmp.Or(textOf(
				one.keys["body"]), one.text("note"))})
		}
		if len(list) > 0 {
			continue
		}
		for _, text := range o.cells(path) {
			parts := strings.SplitN(text, ";", 3)
			if _, isTime := transfer.Moment(parts[0]); !isTime || len(parts) < 3 {
				parts = []string{"", "", text}
			}
			out = append(out, transfer.Comment{At: parts[0], By: parts[1], Text: parts[2]})
		}
	}
	return out
}
