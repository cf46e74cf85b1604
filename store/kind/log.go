package kind

import (
	"slices"
	"sync"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
)

// The provenance has the same form in the files of all kinds.

// Entries reads the provenance of a document.
func Entries(doc *format.Doc) (record.Log, error) {
	r := &reader{doc: doc}
	entries := r.entries("provenance", doc.Get("provenance"))
	return entries, r.err
}

func (r *reader) entries(name string, n *format.Node) record.Log {
	maps := r.maps(name, n)
	if len(maps) == 0 {
		return nil
	}
	out := make(record.Log, len(maps))
	for i, m := range maps {
		r.entry(m, &out[i])
	}
	return out
}

// entryKeys are the keys of an entry in a file, in their order: those before its details, and those behind them.
var entryKeys = sync.OnceValue(func() (keys struct{ first, details, last []Key }) {
	keys.first = fieldsOf[record.Entry]("who", "at", "did", "from", "to", "assignee", "results", "commit", "tree",
		"fields", "add_deps", "remove_deps", "deps", "checks", "session", "key")
	for i, k := range keys.first {
		switch k.name {
		case "assignee":
			keys.first[i].of = &single[*record.Actor]{assignee, assigneeValue, nil}
		case "results":
			keys.first[i].of = objectsOf[record.CheckResult](fieldsOf[record.CheckResult]("check", "result", "held")...)
		case "checks": // a list without any is another than none
			keys.first[i].of = &single[[]string]{(*reader).texts, func(all []string) format.Value {
				if all == nil {
					return nil
				}
				return list(all)
			}, nil}
		}
	}
	keys.details = fieldsOf[record.Detail](record.DetailKeys...)
	keys.last = fieldsOf[record.Entry]("text", "sig")
	return keys
})

// assignee reads a holder; nil for one that is not there.
func assignee(r *reader, name string, n *format.Node) *record.Actor {
	if n == nil {
		return nil
	}
	who := record.Actor(r.text(name, n))
	return &who
}

func assigneeValue(who *record.Actor) format.Value {
	if who == nil {
		return nil
	}
	return format.String(*who)
}

// entry reads an entry. Most have no details, and cost no memory for them.
func (r *reader) entry(m *format.Node, e *record.Entry) {
	keys, value := entryKeys(), func(key string) *format.Node { return field(m, key) }
	readKeys(r, keys.first, value, e)
	readKeys(r, keys.last, value, e)
	e.ReadDid(string(e.Did))
	isDetail := func(k Key) bool { return field(m, k.name) != nil }
	if slices.ContainsFunc(keys.details, isDetail) {
		*e = e.Saying(readObject[record.Detail](r, m, keys.details))
	}
}

// logValue is the provenance of a new file.
func logValue(log record.Log) format.Value {
	if len(log) == 0 {
		return nil
	}
	return seqOf(log, entryValue)
}

// entryValue writes an entry on one line.
func entryValue(e record.Entry) format.Value {
	keys, said := entryKeys(), e.Said()
	return format.Flow{Value: slices.Concat(objectOf(keys.first, &e), objectOf(keys.details, &said), objectOf(keys.last, &e))}
}

// editLog makes the edits that add new entries to the provenance of a document. Existing entries keep their bytes.
//
// The oldest entries of a proposal may be in other keys, so the document may have fewer entries than the record.
func editLog(doc *format.Doc, was, now record.Log) []format.Edit {
	if len(now) <= len(was) {
		return nil
	}
	r := &reader{doc: doc}
	elsewhere := len(was) - len(r.entries("provenance", doc.Get("provenance")))
	return setItems(doc, "provenance", grown(was[elsewhere:], now[elsewhere:]))
}

// grown is the items of a longer provenance: existing entries keep their bytes and their order, and new ones come among
// or after them.
func grown(was, now record.Log) []format.Item {
	var items []format.Item
	at := 0
	for i, e := range now {
		left := len(now) - i
		if at < len(was) && (len(was)-at == left || was[at].Equal(e)) {
			items = append(items, format.Old(at))
			at++
			continue
		}
		items = append(items, format.NewItem(entryValue(e)))
	}
	return items
}
