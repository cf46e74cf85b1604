package verb

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
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

// ValuesShown is how many bytes an old and a new value have at most together.
const ValuesShown = 240

// Past is what is known of the earlier states of a record. An entry names the fields that it changed and not their
// values, so these come from states of the file: the file itself, what the clone's journal kept, and commits.
type Past struct {
	log    record.Log
	states map[int]*format.Doc // by how many entries the file had
}

// PastOf collects the states of a record that are known without git.
func PastOf(s *store.Store, k *kind.Kind, h record.Header) Past {
	p := Past{log: h.Log, states: map[int]*format.Doc{}}
	if !slices.ContainsFunc(h.Log, func(e record.Entry) bool { return len(changed(e)) > 0 }) {
		return p
	}
	if doc, v, err := s.Document(k, h.Ref.ID); err == nil {
		p.add(doc, k.Header(v).Log)
	}
	at := map[string]int{}
	for i, e := range h.Log {
		at[e.Hash()] = i
	}
	for _, line := range s.Journal(h.Ref) {
		i, known := at[line.Entry.Hash()]
		if doc, err := format.Parse([]byte(line.Before), k.Form); known && line.Before != "" && err == nil {
			p.states[i] = doc
		}
	}
	return p
}

// Recall adds the states in the commits that lead to the one that is checked out. It starts git.
func (p Past) Recall(ctx context.Context, s *store.Store, of record.Ref) error {
	all, err := snapshot.VersionsOf(ctx, s.Layout, of)
	for _, v := range all {
		p.add(v.Doc, v.Log)
	}
	return err
}

// add takes a state, if the record has come through it.
func (p Past) add(doc *format.Doc, log record.Log) {
	n := len(log)
	if n > 0 && n <= len(p.log) && p.states[n] == nil && log[n-1].Equal(p.log[n-1]) {
		p.states[n] = doc
	}
}

// Changes says what an entry, by its short hash, changed of each of its fields whose values before and after it are
// known: in states between which no other entry names the field.
func (p Past) Changes(hash string) (out []FieldChange) {
	i := slices.IndexFunc(p.log, func(e record.Entry) bool { return e.ShortHash() == hash })
	if i < 0 {
		return nil
	}
	for _, field := range changed(p.log[i]) {
		before, after := p.near(field, i, -1), p.near(field, i+1, +1)
		if before == nil || after == nil {
			continue
		}
		from, to := valueIn(before, field), valueIn(after, field)
		if from != to && len(from)+len(to) <= ValuesShown {
			out = append(out, FieldChange{Field: field, From: from, To: to})
		}
	}
	return out
}

// near is the known state nearest to the one with n entries, in a direction, that has the same value of a field; nil for
// none.
func (p Past) near(field string, n, step int) *format.Doc {
	for ; n >= 0 && n <= len(p.log); n += step {
		if doc := p.states[n]; doc != nil {
			return doc
		}
		over := n // the entry between this state and the next
		if step < 0 {
			over = n - 1
		}
		if over >= 0 && over < len(p.log) && slices.Contains(changed(p.log[over]), field) {
			return nil
		}
	}
	return nil
}

// refPrefix begins the name of a field that is one of the references.
const refPrefix = "refs "

// changed names the fields that an entry changed, and whose values it does not have. Each reference is one.
func changed(e record.Entry) []string {
	out := slices.Clone(e.Fields)
	if e.Checks != nil && e.Did != record.Created {
		out = append(out, "checks")
	}
	for _, ref := range e.Said().Refs {
		out = append(out, refPrefix+ref)
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
