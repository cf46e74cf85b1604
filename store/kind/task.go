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
var Tasks = define[record.ID, task.Task](Kind{
	Name: record.TaskKind, Folder: "tasks", Rest: "closed", Form: format.Markdown, keys: taskKeys, Lists: "list",
	ParseID: func(id string) error { _, err := record.ParseID(id); return err },
	Closed:  func(flow task.Flow, s record.Status) bool { return flow.IsClosed(s) },
	Settle:  settleTask,
}, codec{
	keys: keysOfTask,
	text: place(func(t *task.Task) *string { return &t.Body }),
	set: func(v any, h record.Header) {
		t := v.(*task.Task)
		t.Refs, t.Provenance, t.Rev = h.Refs, h.Log, h.Rev
	},
	read: func(_ *reader, v any) {
		t := v.(*task.Task)
		*t = t.InRepo(t.Repo)
	},
	order: keysWith,
	putBack: func(f task.Flow, v any, lost []record.Entry, find task.Find, s record.Stamp) (any, *record.Entry, []string) {
		return f.PutBack(v.(task.Task), lost, find, s)
	},
	rows: taskRow,
	words: func(v any) []string {
		var out []string
		t := v.(task.Task)
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
var taskKeys = sync.OnceValue(func() []string {
	var out []string
	for _, f := range task.Fields() {
		out = append(out, f.Name)
	}
	return out
})

// keysOfTask are the fields as keys. The keys of the user's own stand before the references.
var keysOfTask = sync.OnceValue(func() []Key {
	var out []Key
	for _, f := range task.Fields() {
		if f.Name == "refs" {
			out = append(out, Key{at: self, of: ownKeys{}})
		}
		out = append(out, taskKey(f))
	}
	return out
})

// self is for keys about a value as a whole.
func self(v any) any { return v }

// taskKey is a field as a key: what it holds follows from the type of its value.
func taskKey(f task.Field) Key {
	written := roundsBy(func(log record.Log) record.Entry { return log.Last() })
	if f.At == nil {
		return Key{name: f.Name, at: self, of: optionalKey{f.Name}, added: written, foreign: func(n *format.Node) bool { return n.Kind != format.ScalarNode }}
	}
	key := Key{name: f.Name, required: f.Required, at: func(v any) any { return f.At(v.(*task.Task)) }}
	holds := f.At(new(task.Task))
	key.of, key.added = contentOf(holds), written
	switch holds.(type) {
	case *record.Status:
		key = key.From(later(func(e record.Entry, t task.Task) (moves, holds bool) { return e.To != "", e.To == t.Status }))
		key.added = roundsBy(func(log record.Log) record.Entry {
			e, _ := log.Newest(func(e record.Entry) bool { return e.To != "" })
			return e
		})
	case *record.Actor:
		key = key.From(later(func(e record.Entry, t task.Task) (moves, holds bool) {
			return e.Assignee != nil, e.Assignee != nil && *e.Assignee == t.Assignee
		}))
		key.added = roundsBy(func(log record.Log) record.Entry {
			e, _ := log.Newest(func(e record.Entry) bool { return e.Assignee != nil })
			return e
		})
	case *[]string:
		key = key.United()
		if f.Name == ScopeFact {
			key.fact = f.Name
		}
	case *[]record.ID:
		key = key.United()
		if f.Name != "deps" { // a link
			key.foreign = noTexts // links are younger than the format
			key.fact = f.Name
		}
	case *task.Priority:
		key.of = &single[task.Priority]{priority, priorityValue, editPriority}
	case *[]task.Check:
		key.of = &single[[]task.Check]{(*reader).checkList, checksValue, editChecks}
		key.rule = format.Rule{Kind: format.Keyed, Key: "desc", Derived: []string{"result"}}
	case *[]record.Reference:
		key = refsKey(key.at)
	case *record.Log:
		key = logKey(key.at)
	default:
		if slices.Contains([]string{DueFact, ModeFact, RepoFact}, f.Name) {
			key.fact = f.Name
		}
	}
	return key
}

// roundsBy chooses between two versions of the same round of a series, which two clones made that closed the task before
// it: that with the later entry, of those that set the key.
func roundsBy(sets func(record.Log) record.Entry) choice {
	return func(ours, theirs any) format.Side {
		o, t := ours.(task.Task).Provenance, theirs.(task.Task).Provenance
		if task.Round(o.First()) == "" || task.Round(t.First()) == "" {
			return format.Neither
		}
		return higher(func(log record.Log) (int64, bool) { return sets(log).At.Unix(), true })(o, t)
	}
}

// noTexts reports whether a value is neither texts nor one.
func noTexts(n *format.Node) bool {
	return n.Kind == format.MappingNode || slices.ContainsFunc(n.Content, func(item *format.Node) bool { return format.Deref(item).Kind != format.ScalarNode })
}

func priority(r *reader, name string, n *format.Node) task.Priority {
	p, err := task.ParsePriority(r.text(name, n))
	if err != nil {
		r.fail(n, "%v", err)
	}
	return p
}

// priorityValue is in a file that says another priority than the usual one, or said one before.
func priorityValue(p task.Priority) format.Value {
	if p == task.DefaultPriority {
		return nil
	}
	return format.Int(p)
}

func editPriority(_ *format.Doc, was, now task.Priority) []format.Edit {
	return editValue("priority", format.Int(was), format.Int(now))
}

func checksValue(all []task.Check) format.Value {
	if len(all) == 0 {
		return nil
	}
	return seqOf(all, func(c task.Check) format.Value { return objectOf(checkKeys(), &c) })
}

// checkKeys are the keys of a check.
var checkKeys = sync.OnceValue(func() []Key {
	return []Key{
		KeyOf("desc", func(c *task.Check) *string { return &c.Desc }),
		KeyOf("cmd", func(c *task.Check) *string { return &c.Cmd }),
		KeyOf("cwd", func(c *task.Check) *string { return &c.Cwd }),
		{name: "type", at: self, of: checkType{}},
		KeyOf("by", func(c *task.Check) *string { return &c.By }),
		KeyOf("timeout", func(c *task.Check) *int { return &c.Timeout }),
		KeyOf("guards", func(c *task.Check) *[]string { return &c.Guards }),
		KeyOf("expect", func(c *task.Check) *string { return &c.Expect }),
		KeyOf("result", func(c *task.Check) *record.Result { return &c.Result }),
	}
})

// checkType says of a check without a command that it is meant so.
type checkType struct{}

func (checkType) read(*reader, string, *format.Node, any) {} // by reader.check

func (checkType) value(at any) format.Value {
	if at.(*task.Check).Manual() {
		return format.String("manual")
	}
	return nil
}

func (checkType) edit(*format.Doc, string, any, any) []format.Edit { return nil }

func (r *reader) checkList(name string, n *format.Node) []task.Check {
	return record.Each(r.maps(name, n), r.check)
}

func (r *reader) check(m *format.Node) task.Check {
	c := readObject[task.Check](r, m, checkKeys())
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

func (optionalKey) read(*reader, string, *format.Node, any) {} // by ownKeys

func (k optionalKey) value(at any) format.Value {
	if text := at.(*task.Task).Own[k.name]; text != "" {
		return ownValue(text)
	}
	return nil
}

func (optionalKey) edit(*format.Doc, string, any, any) []format.Edit { return nil } // by ownKeys

// ownKeys are the keys of the user's own, which have no names here. Read and edit are for the optional fields too.
type ownKeys struct{}

func (ownKeys) value(any) format.Value { return nil }

func (ownKeys) fields(at any) format.Map { return ownFields(task.WithoutOptional(at.(*task.Task).Own)) }

// read reads the optional fields, and the keys that cairn does not know or whose value is another program's.
func (ownKeys) read(r *reader, _ string, _ *format.Node, at any) {
	t, keys, root := at.(*task.Task), keysOfTask(), r.doc.Root()
	for i := 0; i+1 < len(root.Content); i += 2 {
		name, n := root.Content[i].Value, format.Deref(root.Content[i+1])
		at := slices.IndexFunc(keys, func(k Key) bool { return k.name == name })
		known := at >= 0 && (keys[at].foreign == nil || !keys[at].foreign(n))
		if known && keys[at].of != content(optionalKey{name}) {
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
func ownFields(own map[string]string) format.Map {
	var m format.Map
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
func keysWith(was, now any) []string {
	added := task.WithoutOptional(now.(task.Task).Own)
	maps.DeleteFunc(added, func(name, _ string) bool { _, had := was.(task.Task).Own[name]; return had })
	return slices.Insert(slices.Clone(taskKeys()), slices.Index(taskKeys(), "refs"), slices.Sorted(maps.Keys(added))...)
}

// edit changes the optional fields and the keys of the user's own that differ.
func (ownKeys) edit(_ *format.Doc, _ string, before, after any) []format.Edit {
	var edits []format.Edit
	was, now := before.(*task.Task), after.(*task.Task)
	for _, name := range now.TakenAway(*was) {
		edits = append(edits, format.Remove(format.Path{name}))
	}
	changed := maps.Clone(now.Own)
	maps.DeleteFunc(changed, func(name, text string) bool { return was.Own[name] == text })
	for _, f := range ownFields(changed) {
		edits = append(edits, format.Set(format.Path{f.Key}, f.Value))
	}
	return edits
}

// editChecks changes the declared checks, and the results of those that stay.
func editChecks(doc *format.Doc, was, now []task.Check) []format.Edit {
	index := make(map[[7]string]int, len(was))
	for at, c := range slices.Backward(was) { // of equal ones the first
		index[declaration(c)] = at
	}
	items, results := make([]format.Item, len(now)), []format.Edit(nil)
	for i, c := range now {
		at, ok := index[declaration(c)]
		if !ok {
			items[i] = format.NewItem(objectOf(checkKeys(), &c))
			continue
		}
		items[i] = format.Old(at)
		if was[at].Result != c.Result {
			results = append(results, format.Set(format.Path{"checks", i, "result"}, format.Plain(c.Result)))
		}
	}
	if slices.EqualFunc(was, now, func(a, b task.Check) bool { return declaration(a) == declaration(b) }) {
		return results
	}
	return append(setItems(doc, "checks", items), results...)
}

// declaration is what the file says of a check beside its result.
func declaration(c task.Check) [7]string {
	return [7]string{c.Desc, c.Cmd, c.Cwd, c.By, strconv.Itoa(c.Timeout), strings.Join(c.Guards, "\n"), c.Expect}
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
