package proof

import "github.com/cairn-tasks/cairn/internal/ledger"

// Knowledge is what is asked of notes of knowledge. The Value of one is a ledger.Note.
var Knowledge = plainKind(ledger.NoteKind, ledger.NoteActive)
