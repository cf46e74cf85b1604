package kind

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

var proposalKind = Kind{
	Name: task.ProposalKind, Folder: "plans", Form: format.YAML, Keys: proposalKeys, Lists: "list_proposals",
	ParseID: Prefixed(task.ProposalKind, task.ProposalPrefix),
	Judge:   &proof.Proposals, Life: task.ProposalLife,
}

var proposalCodec = Codec[task.Proposal]{
	Merge:  proposalMerge,
	Decode: decodeProposal, Edit: editProposal, Create: newProposal, Header: task.Proposal.Header, With: task.Proposal.With,
	WithRefs: func(p task.Proposal, refs []record.Reference) task.Proposal {
		p.Refs = refs
		return p
	},
	Search: wordsOfProposal,
}

// wordsOfProposal are the texts of the tasks that a proposal plans.
func wordsOfProposal(p task.Proposal) []string {
	tasks, err := jsonValue(p.Tasks)
	if err != nil {
		return nil
	}
	return textsOf(tasks)
}

// proposalKeys is the keys of a proposal, in their order. Newer files have actor, at, key, made_by and made_at as
// entries in provenance.
var proposalKeys = []string{"id", "summary", "actor", "at", "key", "tasks", "made", "made_by", "made_at", "refs", "provenance"}

// decodeProposal reads a document as a proposal.
func decodeProposal(doc *format.Doc) (task.Proposal, error) {
	r := &reader{doc: doc}
	r.noMerge(doc.Root())
	p := task.Proposal{
		ID:         r.required("id"),
		Summary:    r.text("summary", doc.Get("summary")),
		Refs:       r.refs(),
		Provenance: append(r.oldEntries(), r.entries()...),
		Rev:        Rev(doc.Bytes()),
	}
	for _, id := range r.texts("made", doc.Get("made")) {
		p.Made = append(p.Made, record.ID(id))
	}
	var tasks any
	if n := doc.Get("tasks"); n != nil {
		tasks = plain(n)
	}
	src, err := json.Marshal(tasks)
	if err != nil {
		return p, err
	}
	p.Tasks = src
	return p, r.err
}

// oldEntries are the entries that older proposals have in keys of their own.
func (r *reader) oldEntries() []record.Entry {
	var out record.Log
	if who := r.text("actor", r.doc.Get("actor")); who != "" {
		out = append(out, record.Entry{
			Who: record.Actor(who), At: r.instant("at", r.doc.Get("at")), Did: record.Created, Key: r.text("key", r.doc.Get("key")),
		})
	}
	if who := r.text("made_by", r.doc.Get("made_by")); who != "" {
		out = append(out, record.Entry{Who: record.Actor(who), At: r.instant("made_at", r.doc.Get("made_at")), Did: record.Updated, Text: task.MadeReal})
	}
	return out
}

func newProposal(p task.Proposal) (*format.Doc, error) {
	tasks, err := jsonValue(p.Tasks)
	if err != nil {
		return nil, err
	}
	var m mapping
	m.text("id", p.ID)
	m.text("summary", p.Summary)
	m = append(m, format.Field{Key: "tasks", Value: tasks}, format.Field{Key: "provenance", Value: LogValue(p.Provenance)})
	return format.New(format.YAML, format.Map(m), "")
}

// editProposal sets what was made of a proposal. Nothing else of it changes.
func editProposal(doc *format.Doc, was, now task.Proposal) (*format.Doc, error) {
	var edits []format.Edit
	if !slices.Equal(was.Made, now.Made) {
		edits = append(edits, format.Set(format.Path{"made"}, list(now.Made)))
	}
	edits = append(edits, editRefs(doc, was.Refs, now.Refs)...)
	return doc.Edit(proposalKeys, append(edits, EditLog(doc, was.Provenance, now.Provenance)...)...)
}

// jsonValue turns JSON into a value to write, with the keys in their order.
func jsonValue(src []byte) (format.Value, error) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	return nextValue(d)
}

func nextValue(d *json.Decoder) (format.Value, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		var seq format.Seq
		var m format.Map
		for d.More() {
			var key json.Token
			if token == '{' {
				if key, err = d.Token(); err != nil {
					return nil, err
				}
			}
			value, err := nextValue(d)
			if err != nil {
				return nil, err
			}
			if name, ok := key.(string); ok {
				m = append(m, format.Field{Key: name, Value: value})
			} else {
				seq = append(seq, value)
			}
		}
		_, err := d.Token()
		if token == '{' {
			return m, err
		}
		return seq, err
	case bool:
		return format.Bool(token), nil
	case json.Number:
		return format.Plain(token.String()), nil
	case string:
		return format.String(token), nil
	default:
		return format.Plain("null"), nil
	}
}
