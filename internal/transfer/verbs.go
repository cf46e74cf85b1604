package transfer

import "github.com/cairn-tasks/cairn/internal/verb"

// ImportName is the name of the verb that imports, whose command reads the files of other systems.
const ImportName = "import"

// Verbs are the verbs that bring tasks in.
var Verbs = verb.Group{Name: "tasks", Toolset: verb.Admin}.Of(
	verb.DeclareBare(Import, verb.Verb{Name: ImportName, Title: "Import tasks", Kind: verb.Write,
		Profile: verb.Operator, Idempotent: true,
		Summary: "Make tasks of the items of another tracker: all in one write, none twice.",
		When:    "With dry_run first: it tells how states and priorities are mapped and what has no place. What was imported before is left as it is, unless update is true; what changed there since is told.",
	}),
)
