package proof

import "github.com/cairn-tasks/cairn/ledger"

// Repositories is what is asked of repositories. The Value of one is a ledger.Repository.
var Repositories = plainKind(ledger.RepositoryKind, ledger.RepositoryActive)
