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

// refMember is a member of a reference in a file, in the order in which they are written.
type refMember struct {
	key   string
	value func(*mapping, record.Reference) // writes one that is no text
	read  func(*reader, *format.Node, *record.Reference)
}

var refMembers = sync.OnceValue(func() []refMember {
	return []refMember{
		refText("ref", func(r *record.Reference) *string { return &r.Ref }),
		refText("type", func(r *record.Reference) *string { return (*string)(&r.Type) }),
		refText("path", func(r *record.Reference) *string { return &r.Path }),
		refNumber("size", func(r *record.Reference) *int { return &r.Size }),
		refText("mime", func(r *record.Reference) *string { return &r.Mime }),
		refText("target", func(r *record.Reference) *string { return &r.Target }),
		refText("sha", func(r *record.Reference) *string { return &r.Sha }),
		refText("branch", func(r *record.Reference) *string { return &r.Branch }),
		refText("repo", func(r *record.Reference) *string { return &r.Repo }),
		refNumber("number", func(r *record.Reference) *int { return &r.Number }),
		refText("url", func(r *record.Reference) *string { return &r.URL }),
		refText("state", func(r *record.Reference) *string { return &r.State }),
		refText("by", func(r *record.Reference) *string { return (*string)(&r.By) }),
		{
			key:   "at",
			value: func(m *mapping, r record.Reference) { m.time("at", r.At) },
			read:  func(rd *reader, n *format.Node, r *record.Reference) { r.At = rd.instant("at", n) },
		},
		refText("title", func(r *record.Reference) *string { return &r.Title }),
	}
})

func refText(key string, at func(*record.Reference) *string) refMember {
	return refMember{
		key:   key,
		value: func(m *mapping, r record.Reference) { m.text(key, *at(&r)) },
		read:  func(rd *reader, n *format.Node, r *record.Reference) { *at(r) = rd.text(key, n) },
	}
}

func refNumber(key string, at func(*record.Reference) *int) refMember {
	return refMember{
		key: key,
		value: func(m *mapping, r record.Reference) {
			if n := *at(&r); n != 0 {
				*m = append(*m, format.Field{Key: key, Value: format.Int(n)})
			}
		},
		read: func(rd *reader, n *format.Node, r *record.Reference) { *at(r) = rd.number(key, n) },
	}
}

// refs reads the references of a document. One without ref or type is an error; other values are for the rules of cairn
// check.
func (r *reader) refs(n *format.Node) []record.Reference {
	maps := r.maps("refs", n)
	if len(maps) == 0 {
		return nil
	}
	out := make([]record.Reference, 0, len(maps))
	for _, m := range maps {
		out = append(out, r.reference(m))
	}
	return out
}

func (r *reader) reference(m *format.Node) record.Reference {
	var ref record.Reference
	for _, member := range refMembers() {
		if n := field(m, member.key); n != nil {
			member.read(r, n, &ref)
		}
	}
	switch {
	case ref.Ref == "":
		r.fail(m, "a reference needs a ref")
	case ref.Type == "":
		r.fail(m, "a reference needs a type")
	}
	return ref
}

// refValue writes a reference on one line.
func refValue(r record.Reference) format.Value {
	return format.Flow{Value: format.Map(refMap(r))}
}

func refMap(r record.Reference) mapping {
	var m mapping
	for _, member := range refMembers() {
		member.value(&m, r)
	}
	return m
}

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
	for _, f := range refMap(was) {
		had[f.Key] = f.Value
	}
	var edits []format.Edit
	for _, f := range refMap(now) {
		if had[f.Key] != f.Value {
			edits = append(edits, format.Set(format.Path{"refs", at, f.Key}, f.Value))
		}
		delete(had, f.Key)
	}
	for _, member := range refMembers() {
		if had[member.key] != nil {
			edits = append(edits, format.Remove(format.Path{"refs", at, member.key}))
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
