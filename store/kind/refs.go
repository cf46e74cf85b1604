package kind

import (
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
)

// The references have the same form in the files of all kinds.

// refsRule merges references: those of both sides, by their ref. The same one that both sides added is the same,
// whoever added it first.
var refsRule = format.Rule{Kind: format.Keyed, Key: "ref", Derived: []string{"by", "at"}}

// refKeys are the members of a reference in a file, in the order in which they are written.
var refKeys = sync.OnceValue(func() []Key {
	return fieldsOf[record.Reference]("ref", "type", "path", "size", "mime", "target", "sha", "branch", "repo", "number", "url", "state",
		"by", "at", "title")
})

// refs reads the references of a document. One without ref or type is an error; other values are for the rules of cairn
// check.
func (r *reader) refs(name string, n *format.Node) []record.Reference {
	maps := r.maps(name, n)
	if len(maps) == 0 {
		return nil
	}
	out := make([]record.Reference, len(maps))
	for i, m := range maps {
		out[i] = readObject[record.Reference](r, m, refKeys())
		switch {
		case out[i].Ref == "":
			r.fail(m, "a reference needs a ref")
		case out[i].Type == "":
			r.fail(m, "a reference needs a type")
		}
	}
	return out
}

func refsValue(refs []record.Reference) format.Value {
	if len(refs) == 0 {
		return nil
	}
	return seqOf(refs, refValue)
}

// refValue writes a reference on one line.
func refValue(r record.Reference) format.Value { return format.Flow{Value: objectOf(refKeys(), &r)} }

// editRefs changes the references of a document: one that changed by its members, so that keys of other programs stay,
// and the list item by item.
func editRefs(doc *format.Doc, was, now []record.Reference) []format.Edit {
	if slices.Equal(was, now) {
		return nil
	}
	if len(now) == 0 {
		return []format.Edit{format.Remove(format.Path{"refs"})}
	}
	index := make(map[string]int, len(was))
	for i, r := range slices.Backward(was) {
		index[r.Ref] = i
	}
	var edits []format.Edit
	var items []format.Item
	for _, r := range now {
		at, ok := index[r.Ref]
		if !ok {
			items = append(items, format.NewItem(refValue(r)))
			continue
		}
		delete(index, r.Ref) // an old item can be used once
		edits, items = append(edits, editRef(at, was[at], r)...), append(items, format.Old(at))
	}
	if len(items) == len(was) && len(index) == 0 {
		return edits
	}
	return append(edits, setItems(doc, "refs", items)...)
}

// editRef changes the members of a reference that differ.
func editRef(at int, was, now record.Reference) []format.Edit {
	had := map[string]format.Value{}
	for _, f := range objectOf(refKeys(), &was) {
		had[f.Key] = f.Value
	}
	var edits []format.Edit
	for _, f := range objectOf(refKeys(), &now) {
		if had[f.Key] != f.Value {
			edits = append(edits, format.Set(format.Path{"refs", at, f.Key}, f.Value))
		}
		delete(had, f.Key)
	}
	for _, k := range refKeys() {
		if had[k.name] != nil {
			edits = append(edits, format.Remove(format.Path{"refs", at, k.name}))
		}
	}
	return edits
}

// wordsOfRefs are the texts by which references are found, one text for each.
func wordsOfRefs(refs []record.Reference) []string {
	var out []string
	for _, r := range refs {
		out = append(out, strings.Join([]string{r.Title, r.URL, r.Path, r.Repo, r.Branch, r.Target, r.Sha}, " "))
	}
	return out
}
