package skills

import (
	"cmp"
	"slices"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/skills"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Source is where a skill comes from.
type Source string

// The sources.
const (
	InWorkspace Source = "workspace"
	OnShelf     Source = "user" // the user's own, for every workspace
)

// Skill is a skill as the verbs return it.
type Skill struct {
	ID            string        `json:"id"`
	Name          string        `json:"name"`
	Description   string        `json:"description"`
	Version       int           `json:"version"`
	Status        record.Status `json:"status"`
	Source        Source        `json:"source"` // workspace, or user: the shelf of the user, for every workspace
	Labels        []string      `json:"labels"`
	Body          string        `json:"body,omitempty"`
	BodyTruncated bool          `json:"body_truncated,omitempty"` // the file has more
	Rev           record.Rev    `json:"rev,omitempty"`
	Replayed      bool          `json:"replayed,omitempty"` // the call was made before, under the same idempotency key
}

// skillOf shows a skill with its body.
func skillOf(w *verb.Workspace, k ledger.Skill, from Source) Skill {
	out := Skill{
		ID: k.Ref.ID, Name: k.Title, Description: k.Description, Version: k.Version, Status: k.Status, Source: from,
		Labels: verb.NoNil(k.Labels), Body: k.Body, Rev: k.Rev,
	}
	if body := verb.Beginning(k.Body, verb.Most.Body, verb.Most.BodyRoom); w.Bounded && len(body) < len(k.Body) {
		out.Body, out.BodyTruncated = body+"…", true
	}
	return out
}

// All returns the skills that there are for a workspace, sorted by id: its own, and those of the user's shelf that have
// no other of the same id before them.
func All(w *verb.Workspace, own []ledger.Skill) ([]ledger.Skill, verb.Problems, error) {
	shelf, problems, err := skills.ShelfIn(w.ConfigDir).All()
	all := slices.Clone(own)
	for _, k := range shelf {
		if !slices.ContainsFunc(own, func(o ledger.Skill) bool { return o.Ref.ID == k.Ref.ID }) {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b ledger.Skill) int { return cmp.Compare(a.Ref.ID, b.Ref.ID) })
	return all, verb.Problems{Problems: problems}, err
}

// read reads a skill: that of the workspace, or else that of the shelf.
func read(w *verb.Workspace, s *store.Store, id ledger.SkillID) (Skill, error) {
	k, err := kind.Skills.Get(s, id)
	if record.CodeOf(err) != record.NotFound {
		return skillOf(w, k, InWorkspace), err
	}
	k, err = skills.ShelfIn(w.ConfigDir).Get(id)
	return skillOf(w, k, OnShelf), err
}
