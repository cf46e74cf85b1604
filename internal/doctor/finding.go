package doctor

import (
	"cmp"
	"context"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
)

// The rules of this machine and of the clock. Rules below is the same list with what each one means.
const (
	GitUnusable         proof.RuleID = "git-unusable"
	LiveReadOnly        proof.RuleID = "live-read-only"
	Untrusted           proof.RuleID = "untrusted"
	FileOrphan          proof.RuleID = "file-orphan"
	FolderFull          proof.RuleID = "folder-full"
	IgnoreLines         proof.RuleID = "ignore-lines"
	MergeDriverOff      proof.RuleID = "merge-driver-off"
	MergeDriverMissing  proof.RuleID = "merge-driver-missing"
	MergeDriverNotFound proof.RuleID = "merge-driver-not-found"
	MergeAttributes     proof.RuleID = "merge-attributes-missing"
	Leftover            proof.RuleID = "leftover"
	StaleRecord         proof.RuleID = "stale-record"
	OverwrittenEntries  proof.RuleID = "overwritten-entries"
	ClaimExpired        proof.RuleID = "claim-expired"
	StrandedRecord      proof.RuleID = "stranded-record"
	WorktreeGone        proof.RuleID = "worktree-gone"
	WorktreeLost        proof.RuleID = "worktree-lost"
	WorktreeLeft        proof.RuleID = "worktree-left"
	SessionStalled      proof.RuleID = "session-stalled"
	SessionLeftOpen     proof.RuleID = "session-left-open"
	SessionWithoutTask  proof.RuleID = "session-without-task"
	JobBroken           proof.RuleID = "job-broken"
	JobStale            proof.RuleID = "job-stale"
	SignersMissing      proof.RuleID = "signers-missing"
	SignerNotListed     proof.RuleID = "signer-not-listed"
	SigningNotSetUp     proof.RuleID = "signing-not-set-up"
	ClaimsUnreachable   proof.RuleID = "claims-unreachable"
	ClaimsUnprobed      proof.RuleID = "claims-unprobed"
	ClaimsRestored      proof.RuleID = "claims-restored"
	ClaimLost           proof.RuleID = "claim-lost"
	ClaimUnsynced       proof.RuleID = "claim-unsynced"
	ClaimUnreadable     proof.RuleID = "claim-unreadable"
	ClaimClock          proof.RuleID = "claim-clock"
)

// Rules is every rule beside those of package proof, in the order in which findings are shown. A rule that is not here
// does not exist.
var Rules = []proof.Rule{
	{ID: OverwrittenEntries, Severity: proof.Error, Summary: "an editor saved over entries that cairn had written, or git replaced the file while it was written to"},
	{ID: GitUnusable, Severity: proof.Error, Summary: "git is missing, too old, or refuses this repository"},
	{ID: LiveReadOnly, Severity: proof.Warning, Summary: "the live state cannot be written, so nothing can"},
	{ID: Leftover, Severity: proof.Warning, Summary: "a killed writer left something behind, or live state says nothing any more"},
	{ID: StaleRecord, Severity: proof.Warning, Summary: "live state is about a record that is not there"},
	{ID: StrandedRecord, Severity: proof.Warning, Summary: "a task waits for work that is nowhere in this clone any more"},
	{ID: WorktreeGone, Severity: proof.Warning, Summary: "a task is held in a worktree that is no longer there"},
	{ID: WorktreeLost, Severity: proof.Warning, Summary: "cairn made a work tree for a task, and its folder is no longer there"},
	{ID: ClaimExpired, Severity: proof.Warning, Summary: "a claim expired without a sign of life"},
	{ID: ClaimLost, Severity: proof.Warning, Summary: "the git remote gave a claim of this clone to another one"},
	{ID: ClaimUnsynced, Severity: proof.Warning, Summary: "the git remote is not known to have a claim of this clone"},
	{ID: ClaimsUnreachable, Severity: proof.Warning, Summary: "claims hold among clones, and the git remote cannot be asked"},
	{ID: ClaimUnreadable, Severity: proof.Warning, Summary: "what the git remote has as a claim cannot be read"},
	{ID: ClaimClock, Severity: proof.Warning, Summary: "a claim of another clone is from the future, so a clock is wrong"},
	{ID: SessionStalled, Severity: proof.Warning, Summary: "a session has given no sign of life for too long"},
	{ID: SessionLeftOpen, Severity: proof.Warning, Summary: "a session is active, and its task is closed or somebody else's"},
	{ID: SessionWithoutTask, Severity: proof.Warning, Summary: "a session is about a task that does not exist"},
	{ID: JobBroken, Severity: proof.Warning, Summary: "the folder of a job cannot be read"},
	{ID: JobStale, Severity: proof.Warning, Summary: "a job lost the process that ran it"},
	{ID: MergeDriverMissing, Severity: proof.Warning, Summary: "the repository asks for the merge driver, and this clone does not have it"},
	{ID: MergeDriverNotFound, Severity: proof.Warning, Summary: "the merge driver is a program that is not found"},
	{ID: MergeAttributes, Severity: proof.Warning, Summary: "this clone has the merge driver, and no file asks for it"},
	{ID: IgnoreLines, Severity: proof.Warning, Summary: "what belongs to one machine is not ignored by git"},
	{ID: SignersMissing, Severity: proof.Warning, Summary: "checks pass with a signature only, and nobody's signature counts"},
	{ID: SignerNotListed, Severity: proof.Notice, Summary: "approvals are signed here, and the key of whoever runs this does not count"},
	{ID: SigningNotSetUp, Severity: proof.Notice, Summary: "approvals are signed here, and whoever runs this cannot sign"},
	{ID: MergeDriverOff, Severity: proof.Notice, Summary: "tasks are merged line by line, since the merge driver is not installed"},
	{ID: ClaimsUnprobed, Severity: proof.Notice, Summary: "claims hold among clones, and the git remote was never asked"},
	{ID: ClaimsRestored, Severity: proof.Notice, Summary: "the git remote had lost claims, which were put back"},
	{ID: FolderFull, Severity: proof.Notice, Summary: "the folder of tasks has very many files"},
	{ID: FileOrphan, Severity: proof.Notice, Summary: "no record refers to a file that was added to one"},
	{ID: WorktreeLeft, Severity: proof.Notice, Summary: "the work tree of a closed task is still there"},
	{ID: Untrusted, Severity: proof.Notice, Summary: "the commands of this clone were not approved on this machine"},
}

// Finding is one thing that is wrong, or worth knowing.
type Finding struct {
	ID       proof.RuleID   `json:"id"`
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

// about names the record that a finding is about.
func (f *Finding) about(of record.Ref) *Finding {
	if of.Kind == record.TaskKind {
		f.Task = record.ID(of.ID)
	} else {
		f.Record = of.ID
	}
	return f
}

// fixable gives a finding its repair.
func (f *Finding) fixable(repair func(context.Context) error, changes ...string) {
	f.Fixable, f.Fix, f.Changes, f.repair = true, cmp.Or(f.Fix, "cairn doctor --fix"), changes, repair
}
