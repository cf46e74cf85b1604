package skills

import (
	"context"
	"slices"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/skills"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// ListIn is the input of List. A filter that is left out lets everything through.
type ListIn struct {
	Q           string        `json:"q,omitempty" doc:"only skills with this in the id, the name or the description"`
	Label       string        `json:"label,omitempty" doc:"only skills with this label" from:"skill-labels"`
	Status      record.Status `json:"status,omitempty" doc:"only active or only archived ones" oneof:"active,archived"`
	IncludeBody bool          `json:"include_body,omitempty" doc:"with what is to be done, which may be long"`
	verb.Paging
}

// List returns the skills that fit the filters, sorted by id. It reads no file of a workspace that did not change, but
// for the bodies.
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
	return (in.Status == "" || k.Status == in.Status) && (in.Label == "" || slices.Contains(k.Labels, in.Label)) &&
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
