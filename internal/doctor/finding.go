package doctor

import (
	"context"
	"slices"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
)

// ID names a kind of finding: one of Kinds, or a rule of package proof. Ids are stable, and an id is never given a
// second meaning.
type ID string

// The kinds. Kinds below is the same list with what each one means.
const (
	GitUnusable         ID = "git-unusable"
	LiveReadOnly        ID = "live-read-only"
	Untrusted           ID = "untrusted"
	FileOrphan          ID = "file-orphan"
	FolderFull          ID = "folder-full"
	IgnoreLines         ID = "ignore-lines"
	MergeDriverOff      ID = "merge-driver-off"
	MergeDriverMissing  ID = "merge-driver-missing"
	MergeDriverNotFound ID = "merge-driver-not-found"
	MergeAttributes     ID = "merge-attributes-missing"
	Leftover            ID = "leftover"
	StaleRecord         ID = "stale-record"
	OverwrittenEntries  ID = "overwritten-entries"
	ClaimExpired        ID = "claim-expired"
	StrandedRecord      ID = "stranded-record"
	WorktreeGone        ID = "worktree-gone"
	WorktreeLost        ID = "worktree-lost"
	WorktreeLeft        ID = "worktree-left"
	SessionStalled      ID = "session-stalled"
	SessionLeftOpen     ID = "session-left-open"
	SessionWithoutTask  ID = "session-without-task"
	JobBroken           ID = "job-broken"
	JobStale            ID = "job-stale"
	SignersMissing      ID = "signers-missing"
	SignerNotListed     ID = "signer-not-listed"
	SigningNotSetUp     ID = "signing-not-set-up"
	ClaimsUnreachable   ID = "claims-unreachable"
	ClaimsUnprobed      ID = "claims-unprobed"
	ClaimsRestored      ID = "claims-restored"
	ClaimLost           ID = "claim-lost"
	ClaimUnsynced       ID = "claim-unsynced"
	ClaimUnreadable     ID = "claim-unreadable"
	ClaimClock          ID = "claim-clock"
)

// Kind says what a kind of finding means.
type Kind struct {
	ID       ID
	Severity proof.Severity
	Summary  string // one line
}

// Kinds is every kind beside the rules, in the order in which findings are shown. A kind that is not here does not
// exist.
var Kinds = []Kind{
	{OverwrittenEntries, proof.Error, "an editor saved over entries that cairn had written, or git replaced the file while it was written to"},
	{GitUnusable, proof.Error, "git is missing, too old, or refuses this repository"},
	{LiveReadOnly, proof.Warning, "the live state cannot be written, so nothing can"},
	{Leftover, proof.Warning, "a killed writer left something behind, or live state says nothing any more"},
	{StaleRecord, proof.Warning, "live state is about a record that is not there"},
	{StrandedRecord, proof.Warning, "a task waits for work that is nowhere in this clone any more"},
	{WorktreeGone, proof.Warning, "a task is held in a worktree that is no longer there"},
	{WorktreeLost, proof.Warning, "cairn made a work tree for a task, and its folder is no longer there"},
	{ClaimExpired, proof.Warning, "a claim expired without a sign of life"},
	{ClaimLost, proof.Warning, "the git remote gave a claim of this clone to another one"},
	{ClaimUnsynced, proof.Warning, "the git remote is not known to have a claim of this clone"},
	{ClaimsUnreachable, proof.Warning, "claims hold among clones, and the git remote cannot be asked"},
	{ClaimUnreadable, proof.Warning, "what the git remote has as a claim cannot be read"},
	{ClaimClock, proof.Warning, "a claim of another clone is from the future, so a clock is wrong"},
	{SessionStalled, proof.Warning, "a session has given no sign of life for too long"},
	{SessionLeftOpen, proof.Warning, "a session is active, and its task is closed or somebody else's"},
	{SessionWithoutTask, proof.Warning, "a session is about a task that does not exist"},
	{JobBroken, proof.Warning, "the folder of a job cannot be read"},
	{JobStale, proof.Warning, "a job lost the process that ran it"},
	{MergeDriverMissing, proof.Warning, "the repository asks for the merge driver, and this clone does not have it"},
	{MergeDriverNotFound, proof.Warning, "the merge driver is a program that is not found"},
	{MergeAttributes, proof.Warning, "this clone has the merge driver, and no file asks for it"},
	{IgnoreLines, proof.Warning, "what belongs to one machine is not ignored by git"},
	{SignersMissing, proof.Warning, "checks pass with a signature only, and nobody's signature counts"},
	{SignerNotListed, proof.Notice, "approvals are signed here, and the key of whoever runs this does not count"},
	{SigningNotSetUp, proof.Notice, "approvals are signed here, and whoever runs this cannot sign"},
	{MergeDriverOff, proof.Notice, "tasks are merged line by line, since the merge driver is not installed"},
	{ClaimsUnprobed, proof.Notice, "claims hold among clones, and the git remote was never asked"},
	{ClaimsRestored, proof.Notice, "the git remote had lost claims, which were put back"},
	{FolderFull, proof.Notice, "the folder of tasks has very many files"},
	{FileOrphan, proof.Notice, "no record refers to a file that was added to one"},
	{WorktreeLeft, proof.Notice, "the work tree of a closed task is still there"},
	{Untrusted, proof.Notice, "the commands of this clone were not approved on this machine"},
}

// Finding is one thing that is wrong, or worth knowing.
type Finding struct {
	ID       ID             `json:"id"`
	Severity proof.Severity `json:"severity"`
	Path     string         `json:"path,omitempty"` // from the workspace root, with forward slashes
	Line     int            `json:"line,omitempty"`
	Task     record.ID      `json:"task,omitempty"`
	Record   string         `json:"record,omitempty"`  // the id of a record of another kind
	Message  string         `json:"message"`           // what is wrong; one line
	Fix      string         `json:"fix"`               // what to do about it: a command, or an instruction
	Fixable  bool           `json:"fixable"`           // Repair does it
	Changes  []string       `json:"changes,omitempty"` // what Repair would change, a line each
	Repaired bool           `json:"repaired"`

	repair func(context.Context) error
}

// Repair does what Changes said. Only a finding that is Fixable has a repair. What is in order by now stays as it is.
func (f *Finding) Repair(ctx context.Context) error {
	err := f.repair(ctx)
	f.Repaired = err == nil
	return err
}

// Matters reports whether the finding is more than a notice and was not repaired.
func (f Finding) Matters() bool { return f.Severity != proof.Notice && !f.Repaired }

// find makes a finding of a kind.
func find(id ID, path, message, fix string) Finding {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.ID == id })
	return Finding{ID: id, Severity: Kinds[i].Severity, Path: path, Message: message, Fix: fix}
}

// about names the record that a finding is about.
func (f Finding) about(of record.Ref) Finding {
	if of.Kind == record.TaskKind {
		f.Task = record.ID(of.ID)
	} else {
		f.Record = of.ID
	}
	return f
}

const doctorFix = "cairn doctor --fix"

// fixable gives a finding its repair.
func (f Finding) fixable(changes []string, repair func(context.Context) error) Finding {
	f.Fixable, f.Fix, f.Changes, f.repair = true, doctorFix, changes, repair
	return f
}
