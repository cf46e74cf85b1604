package skills

import (
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Shelf is the folder of the user's own skills, in the folder of their settings. They are of use in every workspace.
type Shelf string

// ShelfIn is the shelf in the folder of a user's settings; none for "".
func ShelfIn(configDir string) Shelf {
	if configDir == "" {
		return ""
	}
	return Shelf(filepath.Join(configDir, "skills"))
}

const ext = ".md"

func (s Shelf) file(id ledger.SkillID) string { return filepath.Join(string(s), string(id)+ext) }

// shown is what messages call the file of a skill: where the user's folder lies is nobody else's concern.
func shown(id ledger.SkillID) string { return "user:skills/" + string(id) + ext }

// Get reads a skill of the shelf. It returns INVALID_INPUT for what is no id, NOT_FOUND if there is no such skill, and
// BAD_FILE for one that cannot be read.
func (s Shelf) Get(id ledger.SkillID) (ledger.Skill, error) {
	if _, err := ledger.ParseSkillID(string(id)); err != nil {
		return ledger.Skill{}, err
	}
	if s == "" {
		return ledger.Skill{}, kind.Skills.NotFound(string(id))
	}
	src, err := layout.ReadFile(s.file(id))
	if problem.Missing(err) {
		return ledger.Skill{}, kind.Skills.NotFound(string(id))
	}
	if err != nil {
		return ledger.Skill{}, problem.IO(err)
	}
	k, err := kind.ShelfSkill(id, src)
	if err != nil {
		return k, problem.BadFile(shown(id), err)
	}
	return k, nil
}

// All reads every skill of the shelf, sorted by id, and lists the files that cannot be read. Names that begin with a
// dot, and those with another ending than .md, are ignored.
func (s Shelf) All() ([]ledger.Skill, []problem.Problem, error) {
	if s == "" {
		return nil, nil, nil
	}
	var out []ledger.Skill
	var problems []problem.Problem
	err := layout.EachName(string(s), ext, func(name string) {
		if strings.HasPrefix(name, ".") || name == "" {
			return
		}
		k, err := s.Get(ledger.SkillID(name))
		switch {
		case record.CodeOf(err) == record.NotFound: // removed since
		case err != nil:
			problems = append(problems, problem.Of(shown(ledger.SkillID(name)), err))
		default:
			out = append(out, k)
		}
	})
	return out, problems, err
}
