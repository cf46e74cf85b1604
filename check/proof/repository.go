package proof

import "github.com/cairn-tasks/cairn/internal/ledger"

// Repositories is what is asked of repositories. The Value of one is a ledger.Repository.
var Repositories = namedKind(ledger.RepositoryKind, ledger.RepositoryActive)
