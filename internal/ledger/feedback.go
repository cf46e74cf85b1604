package ledger

import (
	"cmp"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// FeedbackKind is the kind of a record that says where cairn itself gets in the way, in a record.Ref, and
// FeedbackPrefix what stands before the dash of its id.
const (
	FeedbackKind   = "feedback"
	FeedbackPrefix = "FB"
)

// FeedbackID names a piece of feedback: FB-, and the token of a task's id.
type FeedbackID string

// Feedback is what somebody found about cairn itself: a bug, something that is in the way, something that is missing.
// It stays in the workspace.
type Feedback struct {
	record.Header // what all kinds have in common
	Type          FeedbackType
	Severity      Severity
	Tool          string // the verb or command that it is about
	ErrorCode     string // the code that it answered with
	Context       string // what was being done
	Fingerprint   string // of two live ones with the same one the second is not made
	Body          string
}

// FeedbackType says what was found.
type FeedbackType string

// The types, the usual one first.
const (
	Friction   FeedbackType = "friction"
	Bug        FeedbackType = "bug"
	Capability FeedbackType = "capability"
	Docs       FeedbackType = "docs"
)

// FeedbackTypes lists every type.
var FeedbackTypes = []FeedbackType{Friction, Bug, Capability, Docs}

// Severity says how much it is in the way.
type Severity string

// The severities.
const (
	LowSeverity    Severity = "low"
	MediumSeverity Severity = "medium" // the usual one
	HighSeverity   Severity = "high"
)

// Severities lists every severity.
var Severities = []Severity{LowSeverity, MediumSeverity, HighSeverity}

// The states of feedback. The last two are closed: nothing waits for it any more.
const (
	FeedbackOpen       record.Status = "open"
	FeedbackAccepted   record.Status = "accepted"
	FeedbackInProgress record.Status = "in_progress"
	FeedbackShipped    record.Status = "shipped"
	FeedbackDeclined   record.Status = "declined"
)

// FeedbackStates lists every state, and FeedbackEnds those that are closed.
var (
	FeedbackStates = []record.Status{FeedbackOpen, FeedbackAccepted, FeedbackInProgress, FeedbackShipped, FeedbackDeclined}
	FeedbackEnds   = []record.Status{FeedbackShipped, FeedbackDeclined}
)

// NewFeedback returns feedback as it is written first, or INVALID_INPUT if there may be none such. It must say what was
// found.
func NewFeedback(f Feedback, token string, s record.Stamp) (Feedback, error) {
	f.Ref, f.Status = record.Ref{Kind: FeedbackKind, ID: FeedbackPrefix + "-" + token}, FeedbackOpen
	f.Type, f.Severity = cmp.Or(f.Type, Friction), cmp.Or(f.Severity, MediumSeverity)
	f.Body = record.CleanBody(f.Body)
	f.Log = record.Log{}.Add(s.Entry(record.Created))
	if strings.TrimSpace(f.Body) == "" {
		return f, record.Errorf(record.InvalidInput, "body is empty").WithHint("say what you did, what you expected, and what happened")
	}
	return f, f.Valid()
}

// Valid returns INVALID_INPUT for what no feedback may be. The message begins with the key.
func (f Feedback) Valid() error {
	return cmp.Or(
		record.OneOf("type", f.Type, FeedbackTypes), record.OneOf("severity", f.Severity, Severities),
		validOptional("tool", f.Tool), validOptional("error_code", f.ErrorCode), validOptional("fingerprint", f.Fingerprint),
		record.ValidText("context", f.Context), f.Header.Valid(f.Body),
	)
}
