package kind

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// Tasks is the row of tasks in the table of kinds. Their keys follow from task.Fields.
var Tasks = define[record.ID](Kind{
	Name: record.TaskKind, Folder: "tasks", Rest: "closed", Form: format.Markdown, Keys: taskKeys, Lists: "list",
	ParseID: func(id string) error { _, err := record.ParseID(id); return err },
	Closed:  func(flow task.Flow, s record.Status) bool { return flow.IsClosed(s) },
	Settle:  settleTask,
}, &codec[task.Task]{
	keys: keysOfTask,
	text: func(t *task.Task) *string { return &t.Body }, header: task.Task.Header,
	set: func(t *task.Task, h record.Header) { t.Refs, t.Provenance, t.Rev = h.Refs, h.Log, h.Rev },
	read: func(r *reader, t *task.Task) {
		readOwn(r.doc, t)
		*t = t.InRepo(t.Repo)
	},
	more: func(t task.Task) mapping { return ownFields(task.WithoutOptional(t.Own)) }, edits: editOwn,
	order: keysWith, after: func(doc *format.Doc, t task.Task) (*format.Doc, error) { return editResults(doc, t.Checks) },
	putBack: task.Flow.PutBack, rows: taskRow,
	words: func(t task.Task) []string {
		var out []string
		for _, c := range t.Checks {
			out = append(out, c.Desc, c.Cmd)
		}
		for _, name := range slices.Sorted(maps.Keys(t.Own)) {
			out = append(out, t.Own[name])
		}
		return out
	},
})

// taskKeys is the keys of a task file that cairn knows, in their order.
var taskKeys = namesOf(task.Fields())

func namesOf(fields []task.Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Name
	}
	return out
}

var keysOfTask = sync.OnceValue(func() []Key[task.Task] {
	var out []Key[task.Task]
	for _, f := range task.Fields() {
		out = append(out, taskKey(f))
	}
	return out
})

// taskKey is a field as a key: what it holds follows from the type of its value.
func taskKey(f task.Field) Key[task.Task] {
	var key Key[task.Task]
	if f.At == nil {
		return Key[task.Task]{name: f.Name, of: optionalKey{f.Name}, foreign: func(n *format.Node) bool { return n.Kind != format.ScalarNode }}
	}
	switch f.At(new(task.Task)).(type) {
	case *record.ID:
		key = Text(f.Name, at[record.ID](f))
	case *record.Status:
		key = Text(f.Name, at[record.Status](f)).From(later(func(e record.Entry, t task.Task) (moves, holds bool) {
			return e.To != "", e.To == t.Status
		}))
	case *record.Actor:
		key = Text(f.Name, at[record.Actor](f)).From(later(func(e record.Entry, t task.Task) (moves, holds bool) {
			return e.Assignee != nil, e.Assignee != nil && *e.Assignee == t.Assignee
		}))
	case *task.Mode:
		key = Text(f.Name, at[task.Mode](f))
	case *task.Due:
		key = DueDate(f.Name, at[task.Due](f))
	case *task.Priority:
		key = Key[task.Task]{name: f.Name, of: priorityKey{}}
	case *bool:
		key = Flag(f.Name, at[bool](f))
	case *[]string:
		key = Texts(f.Name, at[[]string](f)).United()
	case *[]record.ID:
		key = Texts(f.Name, at[[]record.ID](f)).United()
		if f.Name != "deps" {
			key.foreign = noTexts // links are younger than the format
		}
	case *[]task.Check:
		key = Key[task.Task]{name: f.Name, of: checksKey{}, rule: format.Rule{Kind: format.Keyed, Key: "desc", Derived: []string{"result"}}}
	case *[]record.Reference:
		key = refsKey(at[[]record.Reference](f))
	case *record.Log:
		key = logKey(at[record.Log](f))
	default:
		key = Text(f.Name, at[string](f))
	}
	key.required = f.Required
	return key
}

func at[V any](f task.Field) func(*task.Task) *V {
	return func(t *task.Task) *V { return f.At(t).(*V) }
}

// noTexts reports whether a value is neither texts nor one.
func noTexts(n *format.Node) bool {
	return n.Kind == format.MappingNode || slices.ContainsFunc(n.Content, func(item *format.Node) bool { return format.Deref(item).Kind != format.ScalarNode })
}

// priorityKey is in a file that says another priority than the usual one, or said one before.
type priorityKey struct{}

func (priorityKey) read(r *reader, name string, n *format.Node, t *task.Task) {
	p, err := task.ParsePriority(r.text(name, n))
	if err != nil {
		r.fail(n, "%v", err)
	}
	t.Priority = p
}

func (priorityKey) value(t *task.Task) format.Value {
	if t.Priority == task.DefaultPriority {
		return nil
	}
	return format.Int(t.Priority)
}

func (priorityKey) edit(_ *format.Doc, name string, was, now *task.Task) []format.Edit {
	return editValue(name, format.Int(was.Priority), format.Int(now.Priority))
}

// checksKey is the list of checks. What an edit changes in their results comes after it; see editResults.
type checksKey struct{}

func (checksKey) read(r *reader, name string, n *format.Node, t *task.Task) {
	t.Checks = r.checkList(name, n)
}

func (checksKey) value(t *task.Task) format.Value {
	if len(t.Checks) == 0 {
		return nil
	}
	return seqOf(t.Checks, func(c task.Check) format.Value { return format.Map(objectOf(checkKeys(), &c)) })
}

func (checksKey) edit(doc *format.Doc, _ string, was, now *task.Task) []format.Edit {
	return editChecks(doc, was.Checks, now.Checks)
}

// checkKeys are the keys of a check.
var checkKeys = sync.OnceValue(func() []Key[task.Check] {
	return []Key[task.Check]{
		Text("desc", func(c *task.Check) *string { return &c.Desc }),
		Text("cmd", func(c *task.Check) *string { return &c.Cmd }),
		Text("cwd", func(c *task.Check) *string { return &c.Cwd }),
		{name: "type", of: checkType{}},
		Text("by", func(c *task.Check) *string { return &c.By }),
		Number("timeout", func(c *task.Check) *int { return &c.Timeout }),
		Text("result", func(c *task.Check) *record.Result { return &c.Result }),
	}
})

// checkType says of a check without a command that it is meant so.
type checkType struct{}

func (checkType) read(*reader, string, *format.Node, *task.Check) {} // by reader.check

func (checkType) value(c *task.Check) format.Value {
	if c.Manual() {
		return format.String("manual")
	}
	return nil
}

func (checkType) edit(*format.Doc, string, *task.Check, *task.Check) []format.Edit { return nil }

func (r *reader) checkList(name string, n *format.Node) []task.Check {
	var out []task.Check
	for _, m := range r.maps(name, n) {
		out = append(out, r.check(m))
	}
	return out
}

func (r *reader) check(m *format.Node) task.Check {
	c := readObject(r, m, checkKeys())
	if c.Desc == "" {
		r.fail(m, "a check needs a desc")
	}
	if r.text("type", field(m, "type")) == "manual" && c.Cmd != "" {
		r.fail(m, "check %q has a cmd and is of type manual", c.Desc)
	}
	if c.Result == "" {
		c.Result = record.Pending
	}
	if !slices.Contains([]record.Result{record.Pending, record.Pass, record.Fail}, c.Result) {
		r.fail(field(m, "result"), "result must be pending, pass or fail, not %q", c.Result)
	}
	return c
}

// optionalKey is an optional field, whose value stands in Own. A list or a mapping in its place is another program's.
type optionalKey struct{ name string }

func (optionalKey) read(*reader, string, *format.Node, *task.Task) {} // by readOwn

func (k optionalKey) value(t *task.Task) format.Value {
	if text := t.Own[k.name]; text != "" {
		return ownValue(text)
	}
	return nil
}

func (optionalKey) edit(*format.Doc, string, *task.Task, *task.Task) []format.Edit { return nil } // by editOwn

// readOwn reads the optional fields, and the keys that cairn does not know or whose value is another program's.
func readOwn(doc *format.Doc, t *task.Task) {
	keys, root := keysOfTask(), doc.Root()
	for i := 0; i+1 < len(root.Content); i += 2 {
		name, n := root.Content[i].Value, format.Deref(root.Content[i+1])
		at := slices.IndexFunc(keys, func(k Key[task.Task]) bool { return k.name == name })
		known := at >= 0 && (keys[at].foreign == nil || !keys[at].foreign(n))
		if known && keys[at].of != (keyType[task.Task])(optionalKey{name}) {
			continue
		}
		if n.Kind == format.ScalarNode && !format.IsNull(n) && n.Value != "" {
			if t.Own == nil {
				t.Own = map[string]string{}
			}
			t.Own[name] = n.Value
		}
		if !known {
			if t.Extra == nil {
				t.Extra = map[string]any{}
			}
			t.Extra[name] = plain(n)
		}
	}
}

// ownFields are values of keys of the user's own as they are written.
func ownFields(own map[string]string) mapping {
	var m mapping
	for _, name := range slices.Sorted(maps.Keys(own)) {
		m = append(m, format.Field{Key: name, Value: ownValue(own[name])})
	}
	return m
}

// ownValue writes the value of a key of the user's own as a person would: numbers, dates, true and false without
// quotes.
func ownValue(text string) format.Value {
	_, isDate := task.Due(text).By()
	n, err := strconv.ParseFloat(text, 64)
	if isDate || text == "true" || text == "false" || err == nil && strconv.FormatFloat(n, 'f', -1, 64) == text {
		return format.Plain(text)
	}
	return format.String(text)
}

// keysWith is the order of keys for a write that adds keys of the user's own: these stand before the references and the
// provenance.
func keysWith(was, now task.Task) []string {
	added := task.WithoutOptional(now.Own)
	maps.DeleteFunc(added, func(name, _ string) bool { _, had := was.Own[name]; return had })
	return slices.Insert(slices.Clone(taskKeys), slices.Index(taskKeys, "refs"), slices.Sorted(maps.Keys(added))...)
}

// editOwn changes the optional fields and the keys of the user's own that differ.
func editOwn(was, now task.Task) []format.Edit {
	var edits []format.Edit
	for _, name := range now.TakenAway(was) {
		edits = append(edits, format.Remove(format.Path{name}))
	}
	changed := maps.Clone(now.Own)
	maps.DeleteFunc(changed, func(name, text string) bool { return was.Own[name] == text })
	for _, f := range ownFields(changed) {
		edits = append(edits, format.Set(format.Path{f.Key}, f.Value))
	}
	return edits
}

// editChecks changes the declared checks, without their results.
func editChecks(doc *format.Doc, was, now []task.Check) []format.Edit {
	if slices.EqualFunc(was, now, sameDeclaration) {
		return nil
	}
	index := make(map[task.Check]int, len(was))
	for at, c := range slices.Backward(was) { // of equal ones the first
		index[declaration(c)] = at
	}
	items := make([]format.Item, len(now))
	for i, c := range now {
		if at, ok := index[declaration(c)]; ok {
			items[i] = format.Old(at)
		} else {
			items[i] = format.NewItem(format.Map(objectOf(checkKeys(), &c)))
		}
	}
	return setItems(doc, "checks", items)
}

func sameDeclaration(a, b task.Check) bool { return declaration(a) == declaration(b) }

// declaration is what the file says of a check beside its result.
func declaration(c task.Check) task.Check {
	c.Result, c.Repo = "", ""
	return c
}

// editResults sets the results that differ from those in the document.
func editResults(doc *format.Doc, checks []task.Check) (*format.Doc, error) {
	r := &reader{doc: doc}
	var edits []format.Edit
	for i, written := range r.checkList("checks", doc.Get("checks")) {
		if i < len(checks) && written.Result != checks[i].Result {
			path := format.Path{"checks", i, "result"}
			edits = append(edits, format.Set(path, format.Plain(checks[i].Result)))
		}
	}
	if r.err != nil || len(edits) == 0 {
		return doc, r.err
	}
	return doc.Edit(taskKeys, edits...)
}

// BodyListed is the longest body, in bytes, that lists have whole. All bodies of a workspace together may not fit into
// memory.
const BodyListed = 240

// digestMark begins the digest of a body. No body begins with it, since files with a NUL byte are not read.
const digestMark = "\x00"

// shortBody is a body as lists have it: itself, or its digest.
func shortBody(body string) string {
	if len(body) <= BodyListed {
		return body
	}
	sum := sha256.Sum256([]byte(body))
	return digestMark + hex.EncodeToString(sum[:16])
}

// AsDigest is the digest of a row as one that Digested knows.
func AsDigest(digest string) string {
	if digest == "" {
		return ""
	}
	return digestMark + digest
}

// Digested reports whether the body of a task from a list is a digest.
func Digested(body string) bool { return strings.HasPrefix(body, digestMark) }
