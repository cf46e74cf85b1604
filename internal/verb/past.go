package verb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// FieldChange is a field that is not what it was. A short one comes with its old and its new value.
type FieldChange struct {
	Task  record.ID `json:"task,omitempty"` // which of several
	Field string    `json:"field"`          // fits says whether a task is among those that fit the filters
	From  string    `json:"from,omitempty"`
	To    string    `json:"to,omitempty"`
}

// String says it in one line: with both values if they are known and one line long, else by its name.
func (c FieldChange) String() string {
	switch {
	case c.From+c.To == "", strings.Contains(c.From+c.To, "\n"):
		return c.Field
	case c.From == "":
		return c.Field + ": " + c.To
	default:
		return c.Field + ": " + c.From + " -> " + cmp.Or(c.To, "none")
	}
}

// ValuesShown is how many bytes an old and a new value have at most together.
const ValuesShown = 240

// Past is what is known of the earlier states of a record. An entry names the fields that it changed and not their
// values, so these come from states of the file: the file itself, what the clone's journal kept, and commits.
type Past struct {
	log     record.Log
	names   []string                // of the entries of the log
	by      map[string]record.Entry // those of the log, by their names
	states  []state                 // by how many entries they have, the most first
	journal map[string]replaced     // by the name of the entry that was written
}

// state is what a file said, with the names of the entries that it had.
type state struct {
	doc *format.Doc
	has map[string]bool
}

// replaced is a file before a write, as the journal has it, and the digest of the entries that it had.
type replaced struct {
	doc *format.Doc
	had string
}

// PastOf collects the states of a record that are known without git.
func PastOf(s *store.Store, k *kind.Kind, h record.Header) *Past {
	p := &Past{log: h.Log, by: map[string]record.Entry{}, journal: map[string]replaced{}}
	if !slices.ContainsFunc(h.Log, func(e record.Entry) bool { return len(changed(e)) > 0 }) {
		return p
	}
	p.names = entryNames(h.Log)
	for i, e := range h.Log {
		p.by[p.names[i]] = e
	}
	journal := s.Journal(h.Ref)
	written := make(record.Log, len(journal))
	for i, line := range journal {
		written[i] = line.Entry
	}
	for i, name := range entryNames(written) {
		if doc, err := format.Parse([]byte(journal[i].Before), k.Form); journal[i].Before != "" && err == nil {
			p.journal[name] = replaced{doc, journal[i].Had}
		}
	}
	if doc, v, err := s.Document(k, h.Ref.ID); err == nil {
		p.add(doc, k.Header(v).Log)
	}
	return p
}

const versionsRead = 200 // commits, the newest

// entryNames tells entries apart by their hashes, and those of one second that say the same by how many came before.
func entryNames(log record.Log) []string {
	seen, out := map[string]int{}, make([]string, len(log))
	for i, e := range log {
		hash := e.Hash()
		out[i] = fmt.Sprintf("%s %d", hash, seen[hash])
		seen[hash]++
	}
	return out
}

// Recall adds the states in the commits that lead to the one that is checked out. It starts git.
func (p *Past) Recall(ctx context.Context, s *store.Store, of record.Ref) error {
	all, err := snapshot.VersionsOf(ctx, s.Layout, of, versionsRead)
	for _, v := range all {
		p.add(v.Doc, v.Log)
	}
	return err
}

// add takes a state, and those of the journal through which its file has come.
func (p *Past) add(doc *format.Doc, log record.Log) {
	names := entryNames(log)
	p.take(doc, names)
	for i, name := range names {
		if before, ok := p.journal[name]; ok && before.had == session.HadOf(log[:i]) {
			p.take(before.doc, names[:i])
			delete(p.journal, name)
		}
	}
}

func (p *Past) take(doc *format.Doc, names []string) {
	one := state{doc, map[string]bool{}}
	for _, name := range names {
		one.has[name] = true
	}
	at := slices.IndexFunc(p.states, func(other state) bool { return len(other.has) < len(names) })
	if at < 0 {
		at = len(p.states)
	}
	p.states = slices.Insert(p.states, at, one)
}

// Changes says what the entry at i changed of each of its fields whose values before and after it are known: in two
// states of which the later has the entry, and no other that names the field, beside those of the earlier.
func (p *Past) Changes(i int) (out []FieldChange) {
	if i >= len(p.names) {
		return nil
	}
	for _, field := range changed(p.log[i]) {
		before, after := p.around(p.names[i], field)
		if before == nil {
			continue
		}
		from, to := valueIn(before, field), valueIn(after, field)
		if from == to && field == "checks" {
			from, to = changedChecks(before, after)
		}
		if from != to && len(from)+len(to) <= ValuesShown {
			out = append(out, FieldChange{Field: field, From: from, To: to})
		}
	}
	return out
}

const statesTried = 8 // on each side of an entry

// around finds the nearest states before and after an entry between which nothing else changed a field; nil for none.
func (p *Past) around(name, field string) (before, after *format.Doc) {
	nearest, late := 0, 0
	for _, of := range slices.Backward(p.states) {
		if !of.has[name] {
			continue
		}
		if late++; late > statesTried || nearest == 1 {
			break
		}
		early := 0
		for _, from := range p.states {
			far := len(of.has) - len(from.has)
			if far <= 0 || from.has[name] || nearest > 0 && far >= nearest {
				continue
			}
			if early++; early > statesTried {
				break
			}
			if p.leads(from, of, name, field) {
				before, after, nearest = from.doc, of.doc, far
			}
		}
	}
	return before, after
}

// leads reports whether a state came from an earlier one by entries of which, but for one, none names a field.
func (p *Past) leads(early, late state, but, field string) bool {
	for name := range early.has {
		if !late.has[name] {
			return false
		}
	}
	for name := range late.has {
		if name == but || early.has[name] {
			continue
		}
		if e, known := p.by[name]; !known || slices.Contains(changed(e), field) {
			return false
		}
	}
	return true
}

// refPrefix begins the name of a field that is one of the references.
const refPrefix = "refs "

// changed names the fields that an entry changed, and whose values it does not have. Each reference is one.
func changed(e record.Entry) []string { return ViewEntry(e, nil).Changed() }

// Changed names the fields that an entry changed, and whose values it does not have. Each reference is one.
func (e Entry) Changed() []string {
	out := slices.Clone(e.Fields)
	if e.Checks != nil && e.Did != record.Created {
		out = append(out, "checks")
	}
	if e.Detail != nil {
		for _, ref := range e.Refs {
			out = append(out, refPrefix+ref)
		}
	}
	return out
}

// valueIn is what a file says of a field, in words; of a list its items behind one another.
func valueIn(doc *format.Doc, field string) string {
	if field == "body" {
		return record.CleanBody(string(doc.Body()))
	}
	ref, isRef := strings.CutPrefix(field, refPrefix)
	if !isRef {
		return inWords(doc.Get(field), ", ")
	}
	refs := format.Deref(doc.Get("refs"))
	if refs == nil || refs.Kind != format.SequenceNode {
		return ""
	}
	for _, item := range refs.Content {
		if _, id := format.Member(format.Deref(item), "ref"); id != nil && id.Value == ref {
			return inWords(item, " ")
		}
	}
	return ""
}

// changedChecks are the checks of two states that are called alike and ask something else, with what they ask.
func changedChecks(before, after *format.Doc) (from, to string) {
	was, is := checksIn(before), checksIn(after)
	differ := func(these, those []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(these), func(c string) bool { return slices.Contains(those, c) }), ", ")
	}
	return differ(was, is), differ(is, was)
}

// checksIn are the checks of a file, each with what it asks and without its result.
func checksIn(doc *format.Doc) (out []string) {
	list := format.Deref(doc.Get("checks"))
	if list == nil {
		return nil
	}
	for _, item := range list.Content {
		item = format.Deref(item)
		var asks []string
		for i := 0; i+1 < len(item.Content); i += 2 {
			if key := item.Content[i].Value; key != "desc" && key != "result" {
				asks = append(asks, inWords(item.Content[i+1], " "))
			}
		}
		out = append(out, strings.TrimSpace(inWords(item, " ")+" ("+strings.Join(asks, " ")+")"))
	}
	return out
}

// unsaid are the keys of an object that say nothing beside its entry.
var unsaid = map[string]bool{"ref": true, "by": true, "at": true, "repo": true, "number": true}

// inWords is a value in words: of a check what it asks, and of another object its values.
func inWords(n *format.Node, between string) string {
	n = format.Deref(n)
	if format.IsNull(n) {
		return ""
	}
	if n.Kind == format.ScalarNode {
		return n.Value
	}
	if _, desc := format.Member(n, "desc"); desc != nil {
		return desc.Value
	}
	var words []string
	for i, part := range n.Content {
		if n.Kind != format.MappingNode || i%2 == 1 && !unsaid[n.Content[i-1].Value] {
			words = append(words, inWords(part, " "))
		}
	}
	return strings.Join(NonEmpty(words...), between)
}
