package proof

import "github.com/cairn-tasks/cairn/internal/ledger"

// Skills is what is asked of skills. The Value of one is a ledger.Skill.
var Skills = namedKind(ledger.SkillKind, ledger.SkillActive)
