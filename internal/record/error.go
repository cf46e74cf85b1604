package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Code names a kind of failure. Codes are stable: programs match on them, and a code is never given a second meaning.
type Code string

// The codes. Codes below is the same list with what each one means; docs/errors.md is generated from it.
const (
	NotFound         Code = "NOT_FOUND"
	AmbiguousID      Code = "AMBIGUOUS_ID"
	InvalidInput     Code = "INVALID_INPUT"
	InvalidParams    Code = "INVALID_PARAMS"
	InvalidTimeout   Code = "INVALID_TIMEOUT"
	UnknownState     Code = "UNKNOWN_STATE"
	DepsOpen         Code = "DEPS_OPEN"
	ChecksFailed     Code = "CHECKS_FAILED"
	ChecksPending    Code = "CHECKS_PENDING"
	ChecksRunning    Code = "CHECKS_RUNNING"
	EvidenceMissing  Code = "EVIDENCE_MISSING"
	GuardsChanged    Code = "GUARDS_CHANGED"
	NeverRed         Code = "NEVER_RED"
	DanglingDep      Code = "DANGLING_DEP"
	DepCycle         Code = "DEP_CYCLE"
	AlreadyClaimed   Code = "ALREADY_CLAIMED"
	NotYours         Code = "NOT_YOURS"
	ClaimLost        Code = "CLAIM_LOST"
	Offline          Code = "OFFLINE"
	Elsewhere        Code = "ELSEWHERE"
	Collides         Code = "COLLIDES"
	Conflict         Code = "CONFLICT"
	Busy             Code = "BUSY"
	IdentityMismatch Code = "IDENTITY_MISMATCH"
	SessionEnded     Code = "SESSION_ENDED"
	SessionLive      Code = "SESSION_LIVE"
	HasDependents    Code = "HAS_DEPENDENTS"
	TaskClosed       Code = "TASK_CLOSED"
	TaskFull         Code = "TASK_FULL"
	Untrusted        Code = "UNTRUSTED"
	Forbidden        Code = "FORBIDDEN"
	OutOfScope       Code = "OUT_OF_SCOPE"
	ReadOnly         Code = "READ_ONLY"
	NoWorkspace      Code = "NO_WORKSPACE"
	BadFile          Code = "BAD_FILE"
	IO               Code = "IO"
	Git              Code = "GIT"
	NoShell          Code = "NO_SHELL"
	NoSandbox        Code = "NO_SANDBOX"
	Sandboxed        Code = "SANDBOXED"
	NoBase           Code = "NO_BASE"
	InvalidSpec      Code = "INVALID_SPEC"
	ExecutorMissing  Code = "EXECUTOR_MISSING"
	JobNotFound      Code = "JOB_NOT_FOUND"
	ResourceNotFound Code = "RESOURCE_NOT_FOUND"
	ArtifactMissing  Code = "ARTIFACT_MISSING"
	AlreadyTerminal  Code = "ALREADY_TERMINAL"
	RateLimit        Code = "RATE_LIMIT"
	BudgetSpent      Code = "BUDGET_SPENT"
	TaskTypeMismatch Code = "TASK_TYPE_MISMATCH"
	TaskTypeInStatus Code = "TASK_TYPE_VALUE_IN_STATUS"
	MergeRequired    Code = "MERGE_REQUIRED"
	MergeConflict    Code = "MERGE_CONFLICT"
	RebaseConflict   Code = "REBASE_CONFLICT"
	BaseDirty        Code = "BASE_DIRTY"
	BaseMoved        Code = "BASE_MOVED"
)

// CodeInfo says what a code means.
type CodeInfo struct {
	Code      Code
	Meaning   string // one sentence, for docs/errors.md
	Exit      int    // the command line's exit number
	Retryable bool   // the same call may succeed later, when others have gone on; not if the error is Final
}

// Codes is every code, in the order of their exit numbers. A code that is not here does not exist.
var Codes = []CodeInfo{
	{IO, "the operating system refused to read or write a file", 1, true},
	{BadFile, "a file under .cairn/ cannot be read as what it should be", 1, false},
	{Busy, "another process holds the lock and did not let go in time", 1, true},
	{Git, "git is missing, too old, or refuses to work here", 1, false},
	{NoShell, "there is no POSIX shell to run checks with", 1, false},
	{NoSandbox, "a command is to run in a sandbox, and this machine has none", 1, false},
	{Sandboxed, "the folder that holds the lock cannot be written here", 1, false},
	{InvalidInput, "an argument is missing, unknown, or not of the right form", 2, false},
	{InvalidParams, "the arguments of a wait do not go together", 2, false},
	{InvalidTimeout, "a wait cannot last that long", 2, false},
	{UnknownState, "the workspace's config does not know this state", 2, false},
	{AmbiguousID, "part of an id fits more than one task", 2, false},
	{NoBase, "what the record is to be compared with is not there, or cannot be compared with", 2, false},
	{InvalidSpec, "what a job is asked to do is out of range, or contradicts itself", 2, false},
	{TaskTypeInStatus, "AUTO and PAIR are modes of a task, not states", 2, false},
	{JobNotFound, "this clone has no such job", 3, false},
	{ResourceNotFound, "an MCP resource is of a job that this clone does not have", 3, false},
	{ArtifactMissing, "the job has not made this file, or not yet", 3, true},
	{NotFound, "there is no such task or session", 3, false},
	{NoWorkspace, "no .cairn folder was found here or in any folder above", 3, false},
	{DepsOpen, "the task waits for tasks that are not closed", 4, false},
	{ChecksFailed, "a check ran and did not pass", 4, false},
	{ChecksPending, "a check has no result that the record accounts for", 4, false},
	{ChecksRunning, "the checks run on; the same call gets their result", 4, true},
	{GuardsChanged, "a check passed, and stands on files that the work changed without anybody accounting for it", 4, false},
	{NeverRed, "a check passed, and was never seen to fail without the work", 4, false},
	{EvidenceMissing, "the task requires evidence: a commit, a pull request, or a command check that passed", 4, false},
	{DanglingDep, "a dependency or parent names a task that does not exist", 4, false},
	{DepCycle, "the dependency would close a circle", 4, false},
	{HasDependents, "other tasks depend on it or are grouped by it", 4, false},
	{TaskClosed, "the task is closed; reopen it first", 4, false},
	{TaskFull, "the task's record has grown so long that it takes no more notes or results", 4, false},
	{SessionEnded, "the session is over", 4, false},
	{SessionLive, "the task has a live session already", 4, false},
	{AlreadyTerminal, "the job has ended", 4, false},
	{TaskTypeMismatch, "the task is for a person and an agent together, and a job has no person", 4, false},
	{MergeRequired, "the workspace closes tasks by merging their branches, and this one's is not merged", 4, false},
	{BaseDirty, "the checkout of the branch that is merged into has changes that are not committed", 4, false},
	{ExecutorMissing, "the program that is to do the job is not on this machine", 4, false},
	{MergeConflict, "the branch does not merge without conflicts", 5, false},
	{RebaseConflict, "the branch cannot be rebased without conflicts", 5, false},
	{BaseMoved, "the branch that is merged or pushed to kept moving meanwhile", 5, true},
	{RateLimit, "too many jobs wait already", 5, true},
	{BudgetSpent, "jobs cost as much as the user's config lets them, or failed at the task again and again", 5, false},
	{AlreadyClaimed, "another actor, or the same one in another worktree, holds the task", 5, false},
	{NotYours, "the task or session belongs to another actor", 5, false},
	{ClaimLost, "the git remote gave the task to another clone, so the work here must stop", 5, false},
	{Elsewhere, "another branch, worktree or clone has carried the task further", 5, false},
	{Collides, "another task at work is about the same files", 5, false},
	{Offline, "the git remote gave no answer, so what it has, such as a claim, is not known", 5, true},
	{Conflict, "the task changed meanwhile; read it again and decide anew", 5, true},
	{Forbidden, "the caller's profile does not include this", 7, false},
	{OutOfScope, "the caller may change another task only", 7, false},
	{ReadOnly, "the caller, or this workspace, may only be read", 7, false},
	{IdentityMismatch, "the caller is not who it says it expects to be", 7, false},
	{Untrusted, "commands from this clone's files were not approved on this machine", 8, false},
}

// Info returns what a code means. An unknown code is a plain failure.
func (c Code) Info() CodeInfo {
	if i := slices.IndexFunc(Codes, func(info CodeInfo) bool { return info.Code == c }); i >= 0 {
		return Codes[i]
	}
	return CodeInfo{Code: c, Meaning: "a failure without a code of its own", Exit: 1}
}

// Error is the error type of cairn. The layer that knows Op and ID sets them, so a message need not contain them.
type Error struct {
	Code    Code
	Op      string         // the verb, e.g. "transition"
	ID      string         // the task or session concerned, if any
	Msg     string         // one line, lower case, no full stop
	Hint    Hint           // what to do next; never anything destructive
	Next    []Call         // calls that help, where the hint does not hold the one that does; see NextCalls
	Final   bool           // the same call cannot succeed later, even if the code is Retryable
	Details map[string]any // what a program may want beyond the message: candidates, commands, a run, a path and line, dependents
	Err     error          // the cause, for errors.Is
}

// NextCalls returns the calls that help, the best one first: those that WithNext named, or else the one call in the
// hint, if there is exactly one, which is neither for a person nor only shown. What the hint holds may lack arguments
// that its verb requires.
func (e *Error) NextCalls() []Call {
	if len(e.Next) > 0 {
		return e.Next
	}
	if calls := e.Hint.Calls(); len(calls) == 1 && !calls[0].Person && !calls[0].Shown {
		return calls
	}
	return nil
}

// Errorf makes an error of a code. A %w in the format becomes the cause.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// WithHint sets the hint, as Hintf makes it, and returns the error itself.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = Hintf(format, args...)
	return e
}

// WithNext adds a call that helps, where the hint does not hold it, and returns the error itself.
func (e *Error) WithNext(c Call) *Error {
	e.Next = append(e.Next, c)
	return e
}

// ForGood says that the same call cannot succeed later, and returns the error itself.
func (e *Error) ForGood() *Error {
	e.Final = true
	return e
}

// Error returns "op id: message" without the parts that are not known.
func (e *Error) Error() string {
	if at := strings.TrimSpace(e.Op + " " + e.ID); at != "" {
		return at + ": " + e.Msg
	}
	return e.Msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// MissingError is the cause of a refusal that says which record there is not.
type MissingError struct{ Ref Ref }

func (m MissingError) Error() string { return m.Ref.ID + " is not there" }

// MessageOf returns the message of the first Error in err's chain without its operation and id, or else the text of
// err.
func MessageOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Msg
	}
	return err.Error()
}

// AndMore ends a list of which n are left out: " and 3 more", or nothing for 0.
func AndMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// CodeOf returns the code of the first Error in err's chain, or "" if there is none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}
