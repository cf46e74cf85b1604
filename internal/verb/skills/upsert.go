package skills

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// UpsertIn is the input of Upsert.
type UpsertIn struct {
	ID ledger.SkillID `json:"id" doc:"what the skill is called: lower-case letters, digits and dashes, such as release-notes" cli:"arg" from:"skills"`
	ledger.SkillChange
	ExpectedVersion *int `json:"expected_version,omitempty" doc:"refuse if it has another version by now; 0 for a skill that is new"`
	verb.Once
}

// Upsert creates a skill of the workspace, or changes it as its next version. It returns CONFLICT if the skill has
// another version than is expected. The user's shelf is not written: a skill of the same id hides the one there.
func Upsert(ctx context.Context, w *verb.Workspace, s *store.Store, in UpsertIn) (Skill, error) {
	if in.ExpectedVersion != nil && *in.ExpectedVersion < 0 {
		return Skill{}, verb.BadInput("expected_version", "is %d", *in.ExpectedVersion).WithHint("the version that you have read; 0 for a skill that is new")
	}
	if _, err := (verb.Change{Kind: kind.Skills.Kind, Decide: func(wc verb.WriteContext) (any, error) { return in.written(wc.Tx, w.Stamp("")) }}).Run(ctx, w, s); err != nil {
		return Skill{}, err
	}
	k, err := kind.Skills.Get(s, in.ID)
	return skillOf(w, k, InWorkspace), err
}

func (in UpsertIn) written(tx *store.Tx, s record.Stamp) (ledger.Skill, error) {
	was, err := kind.Skills.Get(tx, in.ID)
	fresh := record.CodeOf(err) == record.NotFound
	switch {
	case err != nil && !fresh:
		return was, err
	case in.ExpectedVersion != nil && *in.ExpectedVersion != was.Version:
		return was, in.conflict(was, fresh)
	case fresh:
		return ledger.NewSkill(in.ID, in.SkillChange, s)
	default:
		return was.Change(in.SkillChange, s)
	}
}

func (in UpsertIn) conflict(was ledger.Skill, fresh bool) error {
	if fresh {
		return record.Errorf(record.Conflict, "there is no skill %s, and version %d is expected", in.ID, *in.ExpectedVersion).
			WithHint("%s shows what there is", record.CallTo("skill_list"))
	}
	return record.Errorf(record.Conflict, "%s has version %d, and %d is expected", in.ID, was.Version, *in.ExpectedVersion).
		WithHint("%s shows it as it is now", record.CallTo("skill_get", "id", string(in.ID)))
}

// Replay shows the skill as it is now.
func (Skill) Replay(w *verb.Workspace, s *store.Store, made session.Key) (any, error) {
	k, err := kind.Skills.Get(s, ledger.SkillID(verb.MadeID(made)))
	return skillOf(w, k, InWorkspace), err
}
