package task

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// SignatureNamespace is the SSH signature namespace of approvals. A signature made in another namespace does not count.
const SignatureNamespace = "cairn"

// MaxSignature is the length of the longest signature that is verified, in bytes of its text.
const MaxSignature = 4096

// Approval is what somebody signs: the result of a check of a record, on a state of the files. Approves says what kind
// of thing is approved; so far that is always a check.
type Approval struct {
	Workspace   string // the prefix of its ids
	Approves    string // ApprovesCheck
	Record      record.ID
	Check       string // Check.Key
	Declaration string // hash of what the check asks for, and of whom
	Result      record.Result
	Who         record.Actor
	At          time.Time
	Commit      string // HEAD, "" outside git
	Tree        string // fingerprint of the files that were judged, "" outside git
	Text        string
}

// ApprovesCheck is the attestation of a manual check.
const ApprovesCheck = "check"

// Message returns the text that is signed. Each value has a line of its own, or none if it is empty. The text, which
// may have several lines, comes last, so no two approvals have the same message. It returns INVALID_INPUT if another
// value is not one line.
func (a Approval) Message() ([]byte, error) {
	var b strings.Builder
	b.WriteString("cairn approval 1\n")
	for _, line := range []struct{ key, value string }{
		{"workspace", a.Workspace},
		{"approves", a.Approves},
		{"record", string(a.Record)},
		{"check", a.Check},
		{"declaration", a.Declaration},
		{"result", string(a.Result)},
		{"who", string(a.Who)},
		{"at", a.At.UTC().Format(time.RFC3339)},
		{"commit", a.Commit},
		{"tree", a.Tree},
	} {
		if strings.ContainsFunc(line.value, record.BreaksLine) {
			return nil, record.Errorf(record.InvalidInput, "%s is not one line, and so cannot be signed", line.key)
		}
		if line.value != "" {
			fmt.Fprintf(&b, "%s: %s\n", line.key, line.value)
		}
	}
	if a.Text != "" {
		fmt.Fprintf(&b, "text: %s\n", a.Text)
	}
	return []byte(b.String()), nil
}

// Signers knows which keys are whose.
type Signers interface {
	// Verify returns nil if the signature is of the message, by a key that was the actor's at the time, or else the
	// reason. That is ErrOtherMessage if the key is right and signed something else.
	Verify(message []byte, sig string, who record.Actor, at time.Time) error
}

// ErrOtherMessage says that a signature is by a key that counts, over another message.
var ErrOtherMessage = errors.New("what it signs is something else")

// SignatureError says why a signature does not count.
type SignatureError struct {
	Elsewhere bool // the entry is about something else, or stands where it cannot have been written: another task's check, out of order
	Other     bool // it is by a key that counts, over another message; SignedInstead may find out which
	Msg       string
}

func (e *SignatureError) Error() string { return e.Msg }

func badSignature(format string, args ...any) *SignatureError {
	return &SignatureError{Msg: fmt.Sprintf(format, args...)}
}

func signedElsewhere(format string, args ...any) *SignatureError {
	return &SignatureError{Elsewhere: true, Msg: fmt.Sprintf(format, args...)}
}

// Signature returns why the signature of the task's n-th entry does not hold, or nil if it does. It holds if it signs
// the approval that the entry describes, by a key of the entry's actor. An entry without a signature has none that
// holds. The checks gate and cairn check both go by this.
func (a Attesters) Signature(t Task, n int) *SignatureError {
	e := t.Provenance[n]
	if e.Sig == "" {
		return badSignature("it is not signed")
	}
	if a.Signers == nil {
		return badSignature("no keys are known")
	}
	c, flaw := t.approved(e)
	if flaw != nil {
		return flaw
	}
	for _, earlier := range t.Provenance[:n] {
		if earlier.At.After(e.At) {
			return signedElsewhere("it is of %s, and stands below entries that are later", e.At.Format(time.RFC3339))
		}
	}
	err := a.verify(a.approval(t.ID, c, e), e)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, ErrOtherMessage):
		return badSignature("%v", err)
	}
	return &SignatureError{Other: true, Msg: "what it signs is not what the entry says of this check"}
}

// approved returns the check that a signed entry is about. Such an entry has exactly one result, of a manual check, and
// nothing else, because the signature would not cover the rest.
func (t Task) approved(e record.Entry) (Check, *SignatureError) {
	if e.Did != record.Attested || len(e.Results) != 1 || e.Results[0].Unhashed ||
		e.From != "" || e.To != "" || e.Assignee != nil || e.Checks != nil || e.Deps != "" || len(e.AddDeps)+len(e.RemoveDeps)+len(e.Fields) > 0 ||
		e.Detail != nil {
		return Check{}, badSignature("it stands in an entry that says more, or less, than the result of one check")
	}
	for _, c := range t.Checks {
		if c.Manual() && c.Key(t.ID) == e.Results[0].Check {
			return c, nil
		}
	}
	return Check{}, signedElsewhere("it is about %q, which is no check of the task", record.Clip(e.Results[0].Check, 60))
}

// approval returns the approval that an entry about a check of a record describes.
func (a Attesters) approval(id record.ID, c Check, e record.Entry) Approval {
	return Approval{
		Workspace: a.Prefix, Approves: ApprovesCheck, Record: id, Check: e.Results[0].Check, Declaration: c.Hash(id),
		Result: e.Results[0].Result, Who: e.Who, At: e.At, Commit: e.Commit, Tree: e.Tree, Text: e.Text,
	}
}

func (a Attesters) verify(approval Approval, e record.Entry) error {
	message, err := approval.Message()
	if err != nil {
		return err
	}
	return a.Signers.Verify(message, e.Sig, e.Who, e.At)
}

// mostSearched limits the checks, and the entries, that SignedInstead tries.
const mostSearched = 16

// SignedInstead returns in words what the signature of the n-th entry was made for, if not for the check as the task
// has it now: the same check when somebody else was to settle it, another check of the task, or another state of the
// files that an entry names. It returns "" if it was none of those that it tries.
func (a Attesters) SignedInstead(t Task, n int) string {
	e := t.Provenance[n]
	c, flaw := t.approved(e)
	if flaw != nil {
		return ""
	}
	holds := func(other Approval) bool { return a.verify(other, e) == nil }
	was := c
	for _, by := range []string{"", ByAnyone, ByHuman, BySigned, string(e.Who), BySigned + " " + string(e.Who)} {
		if was.By = by; by != c.By && holds(a.approval(t.ID, was, e)) {
			return fmt.Sprintf("the check when it was passed or failed by %s", cmp.Or(by, "whom the config names"))
		}
	}
	for _, other := range t.Checks[:min(len(t.Checks), mostSearched)] {
		approval := a.approval(t.ID, other, e)
		approval.Check = other.Key(t.ID)
		if other.Manual() && other.Desc != c.Desc && holds(approval) {
			return fmt.Sprintf("the check %q", other.Desc)
		}
	}
	for _, other := range t.Provenance[max(0, n-mostSearched):n] {
		approval := a.approval(t.ID, c, e)
		approval.Commit, approval.Tree = other.Commit, other.Tree
		if other.Tree != e.Tree && holds(approval) {
			return "another state of the files"
		}
	}
	return ""
}

// SignedFor reports whether the signature of an entry holds if the entry is taken as one of another task: the one that
// it was copied from.
func (a Attesters) SignedFor(other Task, e record.Entry) bool {
	if a.Signers == nil {
		return false
	}
	c, flaw := other.approved(e)
	return flaw == nil && a.verify(a.approval(other.ID, c, e), e) == nil
}
