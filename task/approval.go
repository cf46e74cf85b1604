package task

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// SignatureNamespace is what signatures of approvals are made for, so that none that was made for something else counts.
const SignatureNamespace = "cairn"

// MaxSignature is the longest signature that is looked at, in bytes of its text.
const MaxSignature = 4096

// Approval is what somebody signs: that a check of a record came out as it did, on a state of the files. Approvals of other
// things than checks will have an Approves of their own.
type Approval struct {
	Workspace   string // the prefix of its ids
	Approves    string // what kind of thing: ApprovesCheck
	Record      ID
	Check       string // Check.Key
	Declaration string // hash of what the check asks for, and of whom
	Result      Result
	Who         Actor
	At          time.Time
	Commit      string // HEAD, "" outside git
	Tree        string // fingerprint of the files that were judged, "" outside git
	Text        string
}

// ApprovesCheck is the attestation of a manual check.
const ApprovesCheck = "check"

// Message is the text that is signed. Each value has its line and is left out if it is empty; the text, which may have lines
// of its own, comes last. So two approvals with the same message say the same. It fails for a value that is not one line.
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
		if strings.ContainsFunc(line.value, breaksLine) {
			return nil, Errorf(InvalidInput, "%s is not one line, and so cannot be signed", line.key)
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
	// Verify returns nil if a signature is one of the message, by a key that was the actor's at a time, and else why not: an
	// error that is ErrOtherMessage if the key is right and signed something else.
	Verify(message []byte, sig string, who Actor, at time.Time) error
}

// ErrOtherMessage says that a signature is by a key that counts, and of another message.
var ErrOtherMessage = errors.New("what it signs is something else")

// SignatureError says why a signature does not count.
type SignatureError struct {
	Elsewhere bool // it holds, for something else: another record, check, declaration or state of the files
	Other     bool // it is by a key that counts, and what it signs is not this; SignedInstead may tell what is
	Msg       string
}

func (e *SignatureError) Error() string { return e.Msg }

func badSignature(format string, args ...any) *SignatureError {
	return &SignatureError{Msg: fmt.Sprintf(format, args...)}
}

func signedElsewhere(format string, args ...any) *SignatureError {
	return &SignatureError{Elsewhere: true, Msg: fmt.Sprintf(format, args...)}
}

// Signature returns why the signature of the task's n-th entry does not hold, and nil if it does. It holds if it is of the
// approval that the entry tells of, by a key of the entry's actor. It is the one answer for the gate of a working tree and for
// cairn check. An entry without a signature has none that could hold.
func (f Flow) Signature(t Task, n int) *SignatureError {
	e := t.Provenance[n]
	if e.Sig == "" {
		return badSignature("it is not signed")
	}
	if f.Signers == nil {
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
	err := f.verify(f.approval(t.ID, c, e), e)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, ErrOtherMessage):
		return badSignature("%v", err)
	}
	return &SignatureError{Other: true, Msg: "what it signs is not what the entry says of this check"}
}

// approved is the check that a signed entry is about. Nothing but one result of one manual check can be signed: whatever else
// stood in the entry would be covered by nothing.
func (t Task) approved(e Entry) (Check, *SignatureError) {
	if e.Did != Attested || len(e.Results) != 1 || e.Results[0].Unhashed ||
		e.From != "" || e.To != "" || e.Assignee != nil || e.Checks != nil || e.Deps != "" || len(e.AddDeps)+len(e.RemoveDeps)+len(e.Fields) > 0 {
		return Check{}, badSignature("it stands in an entry that says more, or less, than the result of one check")
	}
	for _, c := range t.Checks {
		if c.Manual() && c.Key(t.ID) == e.Results[0].Check {
			return c, nil
		}
	}
	return Check{}, signedElsewhere("it is about %q, which is no check of the task", clip(e.Results[0].Check, 60))
}

// approval is what an entry about a check of a record approves.
func (f Flow) approval(id ID, c Check, e Entry) Approval {
	return Approval{
		Workspace: f.Prefix, Approves: ApprovesCheck, Record: id, Check: e.Results[0].Check, Declaration: c.Hash(id),
		Result: e.Results[0].Result, Who: e.Who, At: e.At, Commit: e.Commit, Tree: e.Tree, Text: e.Text,
	}
}

func (f Flow) verify(a Approval, e Entry) error {
	message, err := a.Message()
	if err != nil {
		return err
	}
	return f.Signers.Verify(message, e.Sig, e.Who, e.At)
}

// mostSearched is how many checks, and how many entries, are looked at for what a signature may have been made for.
const mostSearched = 16

// SignedInstead finds out what the signature of the n-th entry was made for, where it was not for the check as the task has it:
// the same check when it asked somebody else, another check of the task, or another state of the files that the record tells of.
// It returns "" if it was none of those that are looked at.
func (f Flow) SignedInstead(t Task, n int) string {
	e := t.Provenance[n]
	c, flaw := t.approved(e)
	if flaw != nil {
		return ""
	}
	holds := func(a Approval) bool { return f.verify(a, e) == nil }
	was := c
	for _, by := range []string{"", ByAnyone, ByHuman, BySigned, string(e.Who), BySigned + " " + string(e.Who)} {
		if was.By = by; by != c.By && holds(f.approval(t.ID, was, e)) {
			return fmt.Sprintf("the check when it was settled by %s", orDefault(by))
		}
	}
	for _, other := range t.Checks[:min(len(t.Checks), mostSearched)] {
		a := f.approval(t.ID, other, e)
		a.Check = other.Key(t.ID)
		if other.Manual() && other.Desc != c.Desc && holds(a) {
			return fmt.Sprintf("the check %q", other.Desc)
		}
	}
	for _, other := range t.Provenance[max(0, n-mostSearched):n] {
		a := f.approval(t.ID, c, e)
		a.Commit, a.Tree = other.Commit, other.Tree
		if other.Tree != e.Tree && holds(a) {
			return "another state of the files"
		}
	}
	return ""
}

func orDefault(by string) string {
	if by == "" {
		return "whom the config names"
	}
	return by
}

// SignedFor reports whether a signature holds for what an entry says of a check of another task: one of those that the check
// could have been copied to.
func (f Flow) SignedFor(other Task, e Entry) bool {
	if f.Signers == nil {
		return false
	}
	c, flaw := other.approved(e)
	return flaw == nil && f.verify(f.approval(other.ID, c, e), e) == nil
}
