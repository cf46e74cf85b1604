package proof

import "github.com/cairn-tasks/cairn/internal/ledger"

// Feedback is what is asked of feedback. The Value of one piece is a ledger.Feedback.
var Feedback = plainKind(ledger.FeedbackKind, ledger.FeedbackOpen)
