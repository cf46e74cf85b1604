package task

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Result is what is recorded of a check.
type Result string

// The results. A check that was never run, or whose declaration changed, is pending.
const (
	Pending Result = "pending"
	Pass    Result = "pass"
	Fail    Result = "fail"
)

// Check is one condition for closing a task: a command that must exit 0, or a question that somebody must attest.
type Check struct {
	Desc    string // what it verifies; unique within a task
	Cmd     string // for sh -c; "" makes the check manual
	Cwd     string // folder relative to the workspace; "" is the workspace itself
	Timeout int    // seconds; 0 takes the configured default
	By      string // who may attest a manual check: signed, human, anyone, an actor, signed and an actor, or "" for the configured default
	Result  Result
}

// Who may attest a manual check that names nobody in particular.
const (
	BySigned = "signed" // a person who signs it; with an actor behind it, that one
	ByHuman  = "human"
	ByAnyone = "anyone"
)

// Manual reports whether the check is settled by attestation and not by a command.
func (c Check) Manual() bool { return c.Cmd == "" }

// Folder is Cwd in its one spelling, "." for the workspace itself.
func (c Check) Folder() string { return path.Clean("./" + c.Cwd) }

// Key is how the provenance of a task names the check: for a command 16 hex digits of the hash of task, command and folder,
// so that evidence cannot be carried over to another task or command; for a manual check its description.
func (c Check) Key(of ID) string {
	if c.Manual() {
		return c.Desc
	}
	return digest(string(of), c.Cmd, c.Folder())
}

// Same reports whether two declarations ask for the same thing, so that a result of one may stand for the other.
func (c Check) Same(d Check) bool {
	return c.sameAs() == d.sameAs()
}

// Hash identifies what a check of a task asks for, and of whom: 16 hex digits. Its result and time limit are not part of it.
func (c Check) Hash(of ID) string { return digest(string(of), c.Desc, c.Cmd, c.Folder(), c.By) }

// CheckHashes is Check.Hash of each check that the task declares, in their order. It is never nil.
func (t Task) CheckHashes() []string {
	out := make([]string, len(t.Checks))
	for i, c := range t.Checks {
		out[i] = c.Hash(t.ID)
	}
	return out
}

// SameChecks reports whether two versions of a task declare the same checks in the same order, whatever their results.
func (t Task) SameChecks(other Task) bool {
	return slices.EqualFunc(t.Checks, other.Checks, Check.Same)
}

// digest is 16 hex digits over the parts, each ended by a NUL that no part can hold.
func digest(parts ...string) string {
	sum := sha256.New()
	for _, p := range parts {
		sum.Write([]byte(p))
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

const (
	maxLine    = 500    // bytes of a title, a label, a description
	maxCommand = 16_384 // bytes of a command
	maxTimeout = 86_400 // seconds; a day
)

// ValidChecks returns INVALID_INPUT for a list that may not be declared.
func ValidChecks(checks []Check) error {
	seen := map[string]bool{}
	for i, c := range checks {
		if err := validCheck(c); err != nil {
			return Errorf(InvalidInput, "checks[%d]: %s", i, err.Msg).WithHint("%s", err.Hint)
		}
		if seen[c.Desc] {
			return Errorf(InvalidInput, "checks[%d]: another check is called %q", i, c.Desc).WithHint("give each check a desc of its own")
		}
		seen[c.Desc] = true
	}
	return nil
}

func validCheck(c Check) *Error {
	if err := validLine("desc", c.Desc); err != nil {
		return err
	}
	if c.Cmd != "" && blank(c.Cmd) {
		return Errorf(InvalidInput, "cmd is blank").WithHint("leave it out for a manual check")
	}
	if len(c.Cmd) > maxCommand || strings.ContainsRune(c.Cmd, 0) || !utf8.ValidString(c.Cmd) {
		return Errorf(InvalidInput, "cmd is not text of at most %d bytes", maxCommand)
	}
	if c.Timeout < 0 || c.Timeout > maxTimeout {
		return Errorf(InvalidInput, "timeout %d is not between 1 and %d seconds", c.Timeout, maxTimeout)
	}
	if c.Cwd != "" && (path.IsAbs(c.Cwd) || strings.Contains(c.Cwd, `\`) || !pathStays(c.Cwd)) {
		return Errorf(InvalidInput, "cwd %q leaves the workspace", clip(c.Cwd, 100)).
			WithHint("cwd is relative to the folder that holds .cairn, with forward slashes")
	}
	return validBy(c)
}

func validBy(c Check) *Error {
	if c.By == "" || c.By == ByHuman || c.By == ByAnyone || c.By == BySigned {
		return nil
	}
	if _, err := ParseActor(strings.TrimPrefix(c.By, BySigned+" ")); err != nil {
		return Errorf(InvalidInput, "by %q is not signed, human, anyone, an actor, or signed and an actor", clip(c.By, 100))
	}
	return nil
}

func pathStays(p string) bool {
	clean := path.Clean(p)
	return clean != ".." && !strings.HasPrefix(clean, "../")
}

// validLine accepts non-empty text on one line.
func validLine(field, s string) *Error {
	switch {
	case blank(s):
		return Errorf(InvalidInput, "%s is empty", field)
	case len(s) > maxLine:
		return Errorf(InvalidInput, "%s is longer than %d bytes", field, maxLine)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, breaksLine):
		return Errorf(InvalidInput, "%s is not one line of text", field)
	}
	return nil
}

func breaksLine(r rune) bool {
	return r < ' ' && r != '\t' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029
}
