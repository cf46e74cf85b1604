package store

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// ProposalPrefix is what stands before the dash of a proposal's id.
const ProposalPrefix = "plan"

// Proposal is a plan that was stored for others to read, in .cairn/plans/ID.yaml.
type Proposal struct {
	ID         string
	Summary    string
	Tasks      json.RawMessage // a list of tasks, as the verb that made it takes them
	Made       []task.ID       // what came of it
	Provenance []task.Entry    // who proposed it, and who made it real
}

func (l Layout) proposal(id string) string { return filepath.Join(l.PlansDir(), id+sessionExt) }

// ProposalFile is the path of a proposal from the workspace root.
func (l Layout) ProposalFile(id string) string { return l.rel(l.proposal(id)) }

// proposalKeys is the order in which the keys of a proposal stand. Those before provenance that are written no more are read
// as the entries that they were.
var proposalKeys = []string{"id", "summary", "actor", "at", "key", "tasks", "made", "made_by", "made_at", "provenance"}

// Proposal reads a proposal. It returns NOT_FOUND if there is none of that id, and CONFLICT if it was made real already and a
// task of it is still there: the file may have been marked by a write that then was taken back.
func (s *Store) Proposal(id string) (Proposal, error) {
	_, p, err := s.readProposal(id)
	if err == nil && slices.ContainsFunc(p.Made, func(id task.ID) bool { return exists(s.task(id)) }) {
		err = task.Errorf(task.Conflict, "%s was made real before, as %s", id, joined(p.Made)).WithHint("%s shows its tasks", task.CallTo("list"))
	}
	return p, err
}

func (s *Store) readProposal(id string) (file, Proposal, error) {
	if _, err := task.ParseID(id); err != nil || !strings.HasPrefix(id, ProposalPrefix+"-") {
		return file{}, Proposal{}, task.Errorf(task.InvalidInput, "%q is not the id of a proposal", id).
			WithHint("%s returns it; the files are in .cairn/plans", task.CallTo("propose"))
	}
	f, err := s.readFile(s.proposal(id), frontmatter.YAML, &patience{patient})
	if isMissing(err) {
		return f, Proposal{}, task.Errorf(task.NotFound, "there is no proposal %s", id).WithHint("%s makes one; the files are in .cairn/plans", task.CallTo("propose"))
	}
	if err != nil {
		return f, Proposal{}, ioError(err)
	}
	p, err := readProposal(f.doc)
	if err != nil {
		err = s.badFile(f.path, err)
	}
	return f, p, err
}

func readProposal(doc *frontmatter.Doc) (Proposal, error) {
	r := &reader{doc: doc}
	r.noMerge(doc.Root())
	p := Proposal{
		ID:         r.required("id"),
		Summary:    r.text("summary", doc.Get("summary")),
		Provenance: append(r.oldEntries(), r.entries()...),
	}
	for _, id := range r.texts("made", doc.Get("made")) {
		p.Made = append(p.Made, task.ID(id))
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

// oldEntries are what a proposal says in keys of its own, as it was written before it had entries.
func (r *reader) oldEntries() []task.Entry {
	var out []task.Entry
	if who := r.text("actor", r.doc.Get("actor")); who != "" {
		out = append(out, task.Entry{
			Who: task.Actor(who), At: r.instant("at", r.doc.Get("at")), Did: task.Created, Key: r.text("key", r.doc.Get("key")),
		})
	}
	if who := r.text("made_by", r.doc.Get("made_by")); who != "" {
		out = append(out, task.Entry{Who: task.Actor(who), At: r.instant("made_at", r.doc.Get("made_at")), Did: task.Updated, Text: madeReal})
	}
	return out
}

const madeReal = "made real"

// Proposals reads all proposals. What cannot be read is passed over.
func (s *Store) Proposals() ([]Proposal, error) {
	var out []Proposal
	err := eachName(filepath.Dir(s.proposal("")), sessionExt, func(id string) {
		if _, p, err := s.readProposal(id); err == nil {
			out = append(out, p)
		}
	})
	return out, err
}

// Propose stages a new proposal, and the entry that tells of it.
func (tx *Tx) Propose(p Proposal, s task.Stamp) error {
	tasks, err := jsonValue(p.Tasks)
	if err != nil {
		return err
	}
	var m mapping
	m.text("id", p.ID)
	m.text("summary", p.Summary)
	m = append(m, frontmatter.Field{Key: "tasks", Value: tasks})
	created := task.Log{}.Add(s.Entry(task.Created))
	m = append(m, frontmatter.Field{Key: "provenance", Value: seqOf(created, entryValue)})
	tx.others = append(tx.others, change{path: tx.s.proposal(p.ID), content: func(*frontmatter.Doc) ([]byte, error) {
		doc, err := frontmatter.New(frontmatter.YAML, frontmatter.Map(m), "")
		if err != nil {
			return nil, err
		}
		return doc.Bytes(), nil
	}})
	return nil
}

// MakeProposal stages that a proposal was made real, by tasks that the same write creates. It returns CONFLICT if that
// happened before.
func (tx *Tx) MakeProposal(id string, made []task.ID, s task.Stamp) error {
	if _, err := tx.s.Proposal(id); err != nil {
		return err
	}
	f, _, err := tx.s.readProposal(id)
	if err != nil {
		return err
	}
	tx.others = append(tx.others, change{path: f.path, old: f.doc, content: func(old *frontmatter.Doc) ([]byte, error) {
		doc, err := old.Edit(proposalKeys, frontmatter.Set(frontmatter.Path{"made"}, list(made)))
		if err != nil {
			return nil, err
		}
		s.Text = madeReal
		if doc, err = withEntry(doc, proposalKeys, s, task.Updated); err != nil {
			return nil, err
		}
		return doc.Bytes(), nil
	}})
	return nil
}

// jsonValue reads JSON as something to write, the keys in their order.
func jsonValue(src []byte) (frontmatter.Value, error) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	return nextValue(d)
}

func nextValue(d *json.Decoder) (frontmatter.Value, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		var seq frontmatter.Seq
		var m frontmatter.Map
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
				m = append(m, frontmatter.Field{Key: name, Value: value})
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
		return frontmatter.Bool(token), nil
	case json.Number:
		return frontmatter.Plain(token.String()), nil
	case string:
		return frontmatter.String(token), nil
	default:
		return frontmatter.Plain("null"), nil
	}
}

func joined(ids []task.ID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return strings.Join(texts, ", ")
}
