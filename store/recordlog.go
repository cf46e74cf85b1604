package store

import (
	"slices"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// Logged is the provenance of a record that is no task: the config or a proposal.
type Logged struct {
	Name       string // "config", or the proposal's id
	Title      string
	Provenance []task.Entry
}

// Logged reads the provenance of the config and of all proposals, and names the files in which it cannot be read.
func (s *Store) Logged() ([]Logged, []Problem, error) {
	var out []Logged
	var problems []Problem
	entries, err := s.ConfigEntries()
	switch {
	case err != nil:
		problems = append(problems, s.problemOf(s.ConfigFile(), err))
	case len(entries) > 0:
		out = append(out, Logged{"config", s.ConfigPath(), entries})
	}
	proposals, err := s.Proposals()
	for _, p := range proposals {
		out = append(out, Logged{p.ID, p.Summary, p.Provenance})
	}
	return out, problems, err
}

// ConfigEntries are the entries of the config's provenance.
func (s *Store) ConfigEntries() ([]task.Entry, error) {
	f, err := s.readFile(s.ConfigFile(), frontmatter.YAML, &patience{patient})
	if err != nil {
		return nil, ioError(err)
	}
	r := &reader{doc: f.doc}
	entries := r.entries()
	if r.err != nil {
		return nil, s.badFile(f.path, r.err)
	}
	return entries, nil
}

// withEntry appends an entry to the provenance of a document. Its time never lies before that of the entry above.
func withEntry(doc *frontmatter.Doc, order []string, s task.Stamp, did task.Did) (*frontmatter.Doc, error) {
	r := &reader{doc: doc}
	was := r.entries()
	if r.err != nil {
		return nil, r.err
	}
	now := task.Log(was).Add(s.Entry(did))
	return doc.Edit(order, setItems(doc, "provenance", grown(slices.Clone(was), now))...)
}
