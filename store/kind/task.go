package kind

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

var taskKind = Kind{
	Name: record.TaskKind, Folder: "tasks", Rest: "closed", Form: format.Markdown, Keys: taskKeys, Lists: "list",
	ParseID: func(id string) error { _, err := record.ParseID(id); return err },
	Closed:  func(flow task.Flow, s record.Status) bool { return flow.IsClosed(s) },
	Settle:  settleTask,
}

var taskCodec = Codec[task.Task]{
	Merge:  taskMerge,
	Decode: decodeTask, Edit: editTask, Create: newTask,
	Header: task.Task.Header, With: task.Task.With, PutBack: task.Flow.PutBack, Lean: leanTask,
	WithRefs: func(t task.Task, refs []record.Reference) task.Task {
		t.Refs = refs
		return t
	},
	Row: taskRow, Body: func(t task.Task) string { return t.Body }, Search: wordsOfTask,
}

// wordsOfTask are the checks of a task and the values of keys of the user's own.
func wordsOfTask(t task.Task) []string {
	var out []string
	for _, c := range t.Checks {
		out = append(out, c.Desc, c.Cmd)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Own)) {
		out = append(out, t.Own[name])
	}
	return out
}

// taskKeys is the keys of a task file that cairn knows, in their order.
var taskKeys = task.TaskKeys

// decodeTask reads a document as a task. The error is a *format.Error with the line.
func decodeTask(doc *format.Doc) (task.Task, error) {
	r := &reader{doc: doc}
	r.noMerge(doc.Root())
	t := task.Task{
		ID:         record.ID(r.required("id")),
		Title:      r.required("title"),
		Status:     record.Status(r.required("status")),
		Priority:   r.priority(),
		Mode:       task.Mode(r.text("mode", doc.Get("mode"))),
		Due:        task.Due(r.text("due", doc.Get("due"))),
		Labels:     r.texts("labels", doc.Get("labels")),
		Assignee:   record.Actor(r.text("assignee", doc.Get("assignee"))),
		Parent:     record.ID(r.text("parent", doc.Get("parent"))),
		Deps:       ids(r.texts("deps", doc.Get("deps"))),
		Scope:      r.texts("scope", doc.Get("scope")),
		Checks:     r.checkList(),
		Refs:       r.refs(),
		Provenance: r.entries(),

		RequiresEvidence: r.boolean("requires_evidence", doc.Get("requires_evidence")),

		Body:  record.CleanBody(string(doc.Body())),
		Rev:   Rev(doc.Bytes()),
		Extra: extra(doc),
	}
	for _, kind := range task.LinkKinds {
		if ours(kind.Name, doc) {
			*t.LinksOf(kind.Name) = ids(r.texts(kind.Name, doc.Get(kind.Name)))
		}
	}
	t.Own = ownValues(doc, t.Extra)
	if _, err := record.ParseID(string(t.ID)); err != nil {
		r.fail(doc.Get("id"), "%v", err)
	}
	if repo := r.text("repo", doc.Get("repo")); repo != "" {
		t = t.InRepo(repo)
	}
	return t, r.err
}

func ids(texts []string) []record.ID {
	if len(texts) == 0 {
		return nil
	}
	out := make([]record.ID, len(texts))
	for i, text := range texts {
		out[i] = record.ID(text)
	}
	return out
}

func (r *reader) required(key string) string {
	n := r.doc.Get(key)
	if format.IsNull(n) {
		at := n
		if at == nil {
			at = r.doc.Root()
		}
		r.note(at, format.Error{Msg: key + " is missing", Missing: true})
		return ""
	}
	return r.text(key, n)
}

func (r *reader) priority() task.Priority {
	n := r.doc.Get("priority")
	p, err := task.ParsePriority(r.text("priority", n))
	if err != nil {
		r.fail(n, "%v", err)
	}
	return p
}

func (r *reader) checkList() []task.Check {
	maps := r.maps("checks", r.doc.Get("checks"))
	if len(maps) == 0 {
		return nil
	}
	out := make([]task.Check, 0, len(maps))
	for _, m := range maps {
		out = append(out, r.check(m))
	}
	return out
}

func (r *reader) check(m *format.Node) task.Check {
	c := task.Check{
		Desc:    r.text("desc", field(m, "desc")),
		Cmd:     r.text("cmd", field(m, "cmd")),
		Cwd:     r.text("cwd", field(m, "cwd")),
		Timeout: r.number("timeout", field(m, "timeout")),
		By:      r.text("by", field(m, "by")),
		Result:  record.Result(r.text("result", field(m, "result"))),
	}
	if c.Desc == "" {
		r.fail(m, "a check needs a desc")
	}
	if kind := r.text("type", field(m, "type")); kind == "manual" && c.Cmd != "" {
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

func extra(doc *format.Doc) map[string]any {
	var out map[string]any
	root := doc.Root()
	for i := 0; i+1 < len(root.Content); i += 2 {
		if k := root.Content[i].Value; !slices.Contains(taskKeys, k) || !ours(k, doc) {
			if out == nil {
				out = map[string]any{}
			}
			out[k] = plain(root.Content[i+1])
		}
	}
	return out
}

// ours reports whether a key has a value of the form that it has in cairn. The keys that it asks about are younger than
// the format, so a value of another form, such as a mapping, is another program's: it is kept, as that of an unknown
// key is.
func ours(key string, doc *format.Doc) bool {
	n := format.Deref(doc.Get(key))
	if task.IsOptional(key) {
		return n == nil || n.Kind == format.ScalarNode
	}
	switch key {
	case "discovered_from", "duplicates", "related":
		return n == nil || n.Kind != format.MappingNode && !slices.ContainsFunc(n.Content, func(item *format.Node) bool { return format.Deref(item).Kind != format.ScalarNode })
	default:
		return true
	}
}

// ownValues are the optional fields, and the keys that cairn does not know, that hold one value, as the text in the
// file.
func ownValues(doc *format.Doc, unknown map[string]any) map[string]string {
	var out map[string]string
	add := func(name string) {
		n := format.Deref(doc.Get(name))
		if n == nil || n.Kind != format.ScalarNode || format.IsNull(n) || n.Value == "" {
			return
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = n.Value
	}
	for _, field := range task.OptionalFields() {
		add(field.Name)
	}
	for name := range unknown {
		add(name)
	}
	return out
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
func keysWith(was, now map[string]string) []string {
	var added []string
	for name := range now {
		if _, ok := was[name]; !ok && !task.IsOptional(name) {
			added = append(added, name)
		}
	}
	if len(added) == 0 {
		return taskKeys
	}
	slices.Sort(added)
	at := slices.Index(taskKeys, "refs")
	return slices.Concat(taskKeys[:at], added, taskKeys[at:])
}

// editOwn changes the optional fields and the keys of the user's own that differ.
func editOwn(was, now task.Task) []format.Edit {
	var edits []format.Edit
	for _, name := range now.TakenAway(was) {
		edits = append(edits, format.Remove(format.Path{name}))
	}
	for _, name := range slices.Sorted(maps.Keys(now.Own)) {
		if now.Own[name] != was.Own[name] {
			edits = append(edits, format.Set(format.Path{name}, ownValue(now.Own[name])))
		}
	}
	return edits
}

// newTask makes the document of a task that has no file yet.
func newTask(t task.Task) (*format.Doc, error) {
	m := mapping{
		{Key: "id", Value: format.String(t.ID)},
		{Key: "title", Value: format.String(t.Title)},
		{Key: "status", Value: format.String(t.Status)},
	}
	if t.Priority != task.DefaultPriority {
		m = append(m, format.Field{Key: "priority", Value: format.Int(t.Priority)})
	}
	m.text("mode", string(t.Mode))
	if t.Due != "" {
		m = append(m, format.Field{Key: "due", Value: dueValue(t.Due)})
	}
	for _, field := range task.OptionalFields() {
		if text := t.Own[field.Name]; text != "" {
			m = append(m, format.Field{Key: field.Name, Value: ownValue(text)})
		}
	}
	addList(&m, "labels", t.Labels)
	m.text("assignee", string(t.Assignee))
	m.text("parent", string(t.Parent))
	addList(&m, "deps", t.Deps)
	for _, kind := range task.LinkKinds {
		addList(&m, kind.Name, *t.LinksOf(kind.Name))
	}
	addList(&m, "scope", t.Scope)
	m.text("repo", t.Repo)
	if len(t.Checks) > 0 {
		m = append(m, format.Field{Key: "checks", Value: seqOf(t.Checks, checkValue)})
	}
	if t.RequiresEvidence {
		m = append(m, format.Field{Key: "requires_evidence", Value: format.Bool(true)})
	}
	others := task.WithoutOptional(t.Own)
	for _, name := range slices.Sorted(maps.Keys(others)) {
		m = append(m, format.Field{Key: name, Value: ownValue(others[name])})
	}
	addRefs(&m, t.Refs)
	m = append(m, format.Field{Key: "provenance", Value: LogValue(t.Provenance)})
	return format.New(format.Markdown, format.Map(m), spaced(t.Body))
}

// dueValue is a date or a time, which needs no quotes.
func dueValue(d task.Due) format.Value {
	if _, ok := d.By(); ok {
		return format.Plain(string(d))
	}
	return format.String(string(d))
}

func checkValue(c task.Check) format.Value {
	var m mapping
	m.text("desc", c.Desc)
	m.text("cmd", c.Cmd)
	m.text("cwd", c.Cwd)
	if c.Manual() {
		m.text("type", "manual")
	}
	m.text("by", c.By)
	if c.Timeout > 0 {
		m = append(m, format.Field{Key: "timeout", Value: format.Int(c.Timeout)})
	}
	m.text("result", string(c.Result))
	return format.Map(m)
}

// editTask returns the document after a change of the task. It touches only what differs.
func editTask(doc *format.Doc, was, now task.Task) (*format.Doc, error) {
	var edits []format.Edit
	set := func(key string, v format.Value) {
		edits = append(edits, format.Set(format.Path{key}, v))
	}
	if was.Title != now.Title {
		set("title", format.String(now.Title))
	}
	if was.Status != now.Status {
		set("status", format.String(now.Status))
	}
	if was.Priority != now.Priority {
		set("priority", format.Int(now.Priority))
	}
	switch {
	case was.Due == now.Due:
	case now.Due == "":
		edits = append(edits, format.Remove(format.Path{"due"}))
	default:
		set("due", dueValue(now.Due))
	}
	edits = append(edits, editOptional("mode", string(was.Mode), string(now.Mode))...)
	edits = append(edits, editOptional("repo", was.Repo, now.Repo)...)
	edits = append(edits, editOptional("assignee", string(was.Assignee), string(now.Assignee))...)
	edits = append(edits, editOptional("parent", string(was.Parent), string(now.Parent))...)
	edits = append(edits, editList(doc, "labels", was.Labels, now.Labels)...)
	edits = append(edits, editList(doc, "deps", was.Deps, now.Deps)...)
	for _, kind := range task.LinkKinds {
		edits = append(edits, editList(doc, kind.Name, *was.LinksOf(kind.Name), *now.LinksOf(kind.Name))...)
	}
	edits = append(edits, editOwn(was, now)...)
	edits = append(edits, editList(doc, "scope", was.Scope, now.Scope)...)
	edits = append(edits, editChecks(doc, was.Checks, now.Checks)...)
	edits = append(edits, editRefs(doc, was.Refs, now.Refs)...)
	switch {
	case was.RequiresEvidence && !now.RequiresEvidence:
		edits = append(edits, format.Remove(format.Path{"requires_evidence"}))
	case now.RequiresEvidence && !was.RequiresEvidence:
		set("requires_evidence", format.Bool(true))
	}
	edits = append(edits, EditLog(doc, was.Provenance, now.Provenance)...)
	if was.Body != now.Body {
		edits = append(edits, format.SetBody(spaced(now.Body)))
	}
	doc, err := doc.Edit(keysWith(was.Own, now.Own), edits...)
	if err != nil {
		return nil, err
	}
	return editResults(doc, now.Checks)
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
			items[i] = format.NewItem(checkValue(c))
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
	for i, written := range r.checkList() {
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

// leanTask is a task as lists have it: a long body is replaced by a digest, which differs if the bodies differ.
func leanTask(t task.Task) task.Task {
	t.Body = shortBody(t.Body)
	return t
}

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
