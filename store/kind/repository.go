package kind

import (
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
)

// Repositories is the row of repositories in the table of kinds.
var Repositories = DefineMarkdown[ledger.RepositoryID](
	Kind{
		Name: ledger.RepositoryKind, Folder: "repositories", ParseID: Prefixed(ledger.RepositoryKind, ledger.RepositoryPrefix),
		Named: true,
	},
	Markdown[ledger.Repository]{
		Header: func(r *ledger.Repository) *record.Header { return &r.Header },
		Body:   func(r *ledger.Repository) *string { return &r.Body },
		Keys: []Key[ledger.Repository]{
			Text("repo", func(r *ledger.Repository) *string { return &r.Repo }).Required(),
			Text("default_branch", func(r *ledger.Repository) *string { return &r.DefaultBranch }),
			Text("role", func(r *ledger.Repository) *string { return &r.Role }),
		},
		States: ledger.RepositoryStates,
		Row: func(r ledger.Repository, row *Row) {
			row.Add(RepoFact, r.Repo)
			row.Add(BranchFact, r.DefaultBranch)
			row.Add(RoleFact, r.Role)
		},
	})

// The names of the facts that only the row of a repository has.
const (
	BranchFact = "default_branch"
)
