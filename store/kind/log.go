package kind

import (
	"cmp"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
)

// The provenance has the same form in the files of all kinds.

// Entries reads the provenance of a document.
func Entries(doc *format.Doc) (record.Log, error) {
	r := &reader{doc: doc}
	entries := r.entries(doc.Get("provenance"))
	return entries, r.err
}

func (r *reader) entries(n *format.Node) record.Log {
	maps := r.maps("provenance", n)
	if len(maps) == 0 {
		return nil
	}
	out := make(record.Log, 0, len(maps))
	for _, m := range maps {
		out = append(out, r.entry(m))
	}
	return out
}

func (r *reader) entry(m *format.Node) record.Entry {
	text := func(key string) string { return r.text(key, field(m, key)) }
	e := record.Entry{
		Who: record.Actor(text("who")), At: r.instant("at", field(m, "at")),
		From: record.Status(text("from")), To: record.Status(text("to")),
		Commit: text("commit"), Tree: text("tree"), Deps: text("deps"),
		Text: text("text"), Session: text("session"), Key: text("key"), Sig: text("sig"),
	}
	e.Checks = r.texts("checks", field(m, "checks"))
	e.Fields = r.texts("fields", field(m, "fields"))
	e.AddDeps, e.RemoveDeps = textsIn[record.ID](r, "add_deps", field(m, "add_deps")), textsIn[record.ID](r, "remove_deps", field(m, "remove_deps"))
	if n := field(m, "assignee"); n != nil {
		assignee := record.Actor(r.text("assignee", n))
		e.Assignee = &assignee
	}
	for _, res := range r.maps("results", field(m, "results")) {
		e.Results = append(e.Results, record.CheckResult{
			Check:  r.text("check", field(res, "check")),
			Result: record.Result(r.text("result", field(res, "result"))),
		})
	}
	e.ReadDid(text("did"))
	if d := r.detail(m); d != nil {
		e = e.Saying(*d)
	}
	return e
}

// detail reads the keys of a detail from an entry. It is nil for most entries, which have none, and costs no memory
// then.
func (r *reader) detail(m *format.Node) (d *record.Detail) {
	for _, t := range record.DetailTexts {
		if n := field(m, t.Key); n != nil {
			d = cmp.Or(d, &record.Detail{})
			*t.At(d) = r.text(t.Key, n)
		}
	}
	for _, l := range record.DetailLists {
		if n := field(m, l.Key); n != nil {
			d = cmp.Or(d, &record.Detail{})
			l.Set(d, r.texts(l.Key, n))
		}
	}
	return d
}

// LogValue is the provenance of a new file.
func LogValue(log record.Log) format.Value { return seqOf(log, entryValue) }

// entryValue writes an entry on one line.
func entryValue(e record.Entry) format.Value {
	var m mapping
	m.text("who", string(e.Who))
	m.time("at", e.At)
	m.text("did", string(e.Did))
	m.text("from", string(e.From))
	m.text("to", string(e.To))
	if e.Assignee != nil {
		m = append(m, format.Field{Key: "assignee", Value: format.String(*e.Assignee)})
	}
	if len(e.Results) > 0 {
		m = append(m, format.Field{Key: "results", Value: seqOf(e.Results, func(r record.CheckResult) format.Value {
			return format.Map{{Key: "check", Value: format.String(r.Check)}, {Key: "result", Value: format.String(r.Result)}}
		})})
	}
	m.text("commit", e.Commit)
	m.text("tree", e.Tree)
	addList(&m, "fields", e.Fields)
	addList(&m, "add_deps", e.AddDeps)
	addList(&m, "remove_deps", e.RemoveDeps)
	m.text("deps", e.Deps)
	if e.Checks != nil {
		m = append(m, format.Field{Key: "checks", Value: list(e.Checks)})
	}
	m.text("session", e.Session)
	m.text("key", e.Key)
	d := e.Said()
	for _, t := range record.DetailTexts {
		m.text(t.Key, *t.At(&d))
	}
	for _, l := range record.DetailLists {
		addList(&m, l.Key, l.Get(&d))
	}
	m.text("text", e.Text)
	m.text("sig", e.Sig)
	return format.Flow{Value: format.Map(m)}
}

// EditLog makes the edits that add new entries to the provenance of a document. Existing entries keep their bytes.
//
// The oldest entries of a proposal may be in other keys, so the document may have fewer entries than the record.
func EditLog(doc *format.Doc, was, now record.Log) []format.Edit {
	if len(now) <= len(was) {
		return nil
	}
	r := &reader{doc: doc}
	elsewhere := len(was) - len(r.entries(doc.Get("provenance")))
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
