// Package skills holds the verbs of skills: procedures that agents follow.
package skills

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/skills"
	"github.com/cairn-tasks/cairn/internal/sorted"
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

// Short says of a skill how it stands.
func (k Skill) Short(verb.Verb) any {
	return struct {
		verb.Short
		Version int    `json:"version"`
		Source  Source `json:"source"`
	}{verb.Short{Kind: ledger.SkillKind, ID: k.ID, Status: k.Status, Rev: k.Rev, Replayed: k.Replayed}, k.Version, k.Source}
}

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
	sorted.By(all, func(a, b ledger.Skill) int { return cmp.Compare(a.Ref.ID, b.Ref.ID) })
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

// Verbs are the verbs of skills.
var Verbs = verb.Group{Name: "ledger", Noun: "skill", Toolset: verb.Ledger}.Of(
	verb.Declare(List, verb.Verb{Name: "skill_list", Title: "List skills", Lists: "skill",
		Summary: "List the skills that fit all filters given: those of the workspace, and those of the user's own shelf.",
		When:    "Before work of a kind that may have a procedure: the description says when a skill is of use.",
	}),
	verb.Declare(Get, verb.Verb{Name: "skill_get", Title: "Read a skill",
		Summary: "Read one skill with its body.",
		When:    "When its description fits the work. A skill of the workspace comes before one of the same id on the user's shelf.",
	}),
	verb.Declare(Upsert, verb.Verb{Name: "skill_upsert", Title: "Write a skill", Kind: verb.Write,
		Profile: verb.Operator, Idempotent: true,
		Summary: "Create a skill of the workspace, or change it as its next version.",
		When:    "When a procedure was found to work, or did not. A new skill needs a description and a body; of one that is there only what is given changes.",
	}),
)

// ListIn is the input of List. A filter that is left out lets everything through.
type ListIn struct {
	Q           string        `json:"q,omitempty" doc:"only skills with this in the id, the name or the description"`
	Label       string        `json:"label,omitempty" doc:"only skills with this label" from:"skill-labels"`
	Status      record.Status `json:"status,omitempty" doc:"only active or only archived ones" oneof:"active,archived"`
	IncludeBody bool          `json:"include_body,omitempty" doc:"with what is to be done, which may be long"`
	verb.Paging
}

// List returns the skills that fit the filters, sorted by id.
func List(ctx context.Context, w *verb.Workspace, s *store.Store, in ListIn) (verb.Items[Skill], error) {
	var none verb.Items[Skill]
	view, err := w.Reads.Look(ctx, s, kind.Skills.Kind)
	if err != nil {
		return none, err
	}
	shelf, problems, err := skills.ShelfIn(w.ConfigDir).All()
	if err != nil {
		return none, err
	}
	var fit []verb.Ranked[Skill]
	add := func(k Skill) {
		if in.fits(k) {
			fit = append(fit, verb.Ranked[Skill]{At: verb.Position{Key: k.ID}, Item: k})
		}
	}
	for _, r := range view.Rows() {
		add(rowOf(r))
	}
	for _, k := range shelf {
		if view.Find(k.Ref.ID) == nil {
			add(skillOf(w, k, OnShelf))
		}
	}
	return verb.PageOf(fit, in.shown(w, s), append(problems, view.Problems()...), w.PageIn("skills", in.Paging))
}

func rowOf(r *kind.Row) Skill {
	version, _ := strconv.Atoi(r.Fact(kind.VersionFact))
	return Skill{
		ID: r.ID, Name: r.Title, Description: r.Fact(kind.DescriptionFact), Version: version, Status: r.Status, Source: InWorkspace,
		Labels: verb.NoNil(r.Labels), Rev: r.Rev,
	}
}

// shown returns a function that gives a skill of the page its body, or takes it, as was asked.
func (in ListIn) shown(w *verb.Workspace, s *store.Store) func(Skill) Skill {
	return func(k Skill) Skill {
		switch {
		case !in.IncludeBody:
			k.Body, k.BodyTruncated = "", false
		case k.Source == InWorkspace:
			if whole, err := kind.Skills.Get(s, ledger.SkillID(k.ID)); err == nil { // else it changed since
				return skillOf(w, whole, InWorkspace)
			}
		}
		return k
	}
}

func (in ListIn) fits(k Skill) bool {
	return (in.Status == "" || k.Status == in.Status) && (in.Label == "" || record.HasLabel(k.Labels, in.Label)) &&
		verb.AnyHas(in.Q, k.ID, k.Name, k.Description)
}

// GetIn is the input of Get.
type GetIn struct {
	ID ledger.SkillID `json:"id" doc:"skill to read, such as release-notes" cli:"arg" from:"skills"`
}

// Get returns a skill with its body: that of the workspace, or else that of the user's shelf.
func Get(_ context.Context, w *verb.Workspace, s *store.Store, in GetIn) (Skill, error) {
	return read(w, s, in.ID)
}
