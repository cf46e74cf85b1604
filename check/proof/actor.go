package proof

import "github.com/cairn-tasks/cairn/internal/ledger"

// Actors is what is asked of the actors in the directory. The Value of one is a ledger.Actor.
var Actors = namedKind(ledger.ActorKind, ledger.ActorActive)
