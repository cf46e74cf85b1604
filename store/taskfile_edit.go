package store

import (
	"slices"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
	"gopkg.in/yaml.v3"
)

// editTask makes the edits that turn the document of one state of a task into that of the next. Only what differs is
// touched.
func editTask(doc *frontmatter.Doc, was, now task.Task) (*frontmatter.Doc, error) {
	var edits []frontmatter.Edit
	set := func(key string, v frontmatter.Value) {
		edits = append(edits, frontmatter.Set(frontmatter.Path{key}, v))
	}
	if was.Title != now.Title {
		set("title", frontmatter.String(now.Title))
	}
	if was.Status != now.Status {
		set("status", frontmatter.String(now.Status))
	}
	if was.Priority != now.Priority {
		set("priority", frontmatter.Int(now.Priority))
	}
	edits = append(edits, editOptional("assignee", string(was.Assignee), string(now.Assignee))...)
	edits = append(edits, editOptional("parent", string(was.Parent), string(now.Parent))...)
	edits = append(edits, editList(doc, "labels", was.Labels, now.Labels)...)
	edits = append(edits, editList(doc, "deps", was.Deps, now.Deps)...)
	edits = append(edits, editChecks(doc, was.Checks, now.Checks)...)
	if len(now.Provenance) > len(was.Provenance) {
		edits = append(edits, setItems(doc, "provenance", grown(was.Provenance, now.Provenance))...)
	}
	if was.Body != now.Body {
		edits = append(edits, frontmatter.SetBody(spaced(now.Body)))
	}
	doc, err := doc.Edit(taskKeys, edits...)
	if err != nil {
		return nil, err
	}
	return editResults(doc, now.Checks)
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

// editList changes a list of texts item by item, so that those which stay keep their bytes.
func editList[T ~string](doc *frontmatter.Doc, key string, was, now []T) []frontmatter.Edit {
	if slices.Equal(was, now) {
		return nil
	}
	path := frontmatter.Path{key}
	if n := deref(doc.Get(key)); n != nil && n.Kind == yaml.ScalarNode && !isNull(n) {
		return []frontmatter.Edit{frontmatter.Set(path, list(now))} // a lone text becomes a list
	}
	places := make(map[T][]int, len(was)) // a file may say the same twice
	for at, text := range was {
		places[text] = append(places[text], at)
	}
	items := make([]frontmatter.Item, len(now))
	for i, text := range now {
		items[i] = frontmatter.NewItem(frontmatter.String(text))
		if left := places[text]; len(left) > 0 {
			items[i], places[text] = frontmatter.Old(left[0]), left[1:]
		}
	}
	return setItems(doc, key, items)
}

// setItems sets a list item by item. A key that says null, in whatever spelling, gives way to one that holds the list.
func setItems(doc *frontmatter.Doc, key string, items []frontmatter.Item) []frontmatter.Edit {
	path := frontmatter.Path{key}
	set := frontmatter.SetSeq(path, items...)
	if n := doc.Get(key); n != nil && isNull(n) {
		return []frontmatter.Edit{frontmatter.Remove(path), set}
	}
	return []frontmatter.Edit{set}
}

// editChecks changes the declared list. Results are left to editResults.
func editChecks(doc *frontmatter.Doc, was, now []task.Check) []frontmatter.Edit {
	if slices.EqualFunc(was, now, sameDeclaration) {
		return nil
	}
	places := make(map[task.Check]int, len(was))
	for at, c := range slices.Backward(was) { // of equal ones the first
		places[declaration(c)] = at
	}
	items := make([]frontmatter.Item, len(now))
	for i, c := range now {
		if at, ok := places[declaration(c)]; ok {
			items[i] = frontmatter.Old(at)
		} else {
			items[i] = frontmatter.NewItem(checkValue(c))
		}
	}
	return setItems(doc, "checks", items)
}

func sameDeclaration(a, b task.Check) bool { return declaration(a) == declaration(b) }

// declaration is a check without its result.
func declaration(c task.Check) task.Check {
	c.Result = ""
	return c
}

// editResults writes the results that differ from what the document says.
func editResults(doc *frontmatter.Doc, checks []task.Check) (*frontmatter.Doc, error) {
	r := &reader{doc: doc}
	var edits []frontmatter.Edit
	for i, written := range r.checkList() {
		if i < len(checks) && written.Result != checks[i].Result {
			path := frontmatter.Path{"checks", i, "result"}
			edits = append(edits, frontmatter.Set(path, frontmatter.Plain(checks[i].Result)))
		}
	}
	if r.err != nil || len(edits) == 0 {
		return doc, r.err
	}
	return doc.Edit(taskKeys, edits...)
}

// grown is a longer record: the entries that were there keep their bytes and their order, and the new ones stand among or
// behind them.
func grown(was, now []task.Entry) []frontmatter.Item {
	var items []frontmatter.Item
	at := 0
	for i, e := range now {
		left := len(now) - i
		if at < len(was) && (len(was)-at == left || was[at].Equal(e)) {
			items = append(items, frontmatter.Old(at))
			at++
			continue
		}
		items = append(items, frontmatter.NewItem(entryValue(e)))
	}
	return items
}
