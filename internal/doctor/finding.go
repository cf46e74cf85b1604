package doctor

import (
	"cmp"
	"context"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
)

// Rules is every rule beside those of package proof, in the order in which findings are shown. A rule that is not here
// does not exist.
var Rules []proof.Rule

// rule adds one to them.
func rule(id proof.RuleID, severity proof.Severity, summary string) proof.RuleID {
	Rules = append(Rules, proof.Rule{ID: id, Severity: severity, Summary: summary})
	return id
}

func wrong(id proof.RuleID, summary string) proof.RuleID   { return rule(id, proof.Error, summary) }
func warning(id proof.RuleID, summary string) proof.RuleID { return rule(id, proof.Warning, summary) }
func notice(id proof.RuleID, summary string) proof.RuleID  { return rule(id, proof.Notice, summary) }

// The rules of this machine and of the clock.
var (
	overwrittenEntries = wrong("overwritten-entries",
		"an editor saved over entries that cairn had written, or git replaced the file while it was written to")
	entriesTakenOut = warning("entries-taken-out", "a record lacks entries that an earlier commit has, as after git revert")
	gitUnusable     = wrong("git-unusable", "git is missing, too old, or refuses this repository")
	liveReadOnly    = warning("live-read-only", "what cairn keeps of this clone beside the files, such as claims, cannot be written, so nothing can")
	leftover        = warning("leftover", "a killed cairn left something behind, or a note that it keeps of this clone says nothing any more")
	sandboxMissing  = warning("sandbox-missing", "commands of checks or programs of jobs are to run in a sandbox, and this machine has none, so none runs")
	staleRecord     = warning("stale-record", "cairn keeps a note of this clone about a record that is not there")
	strandedRecord  = warning("stranded-record", "a task was changed on a branch or in a work tree that is gone, and cairn refuses to go on without that change")
	worktreeGone    = warning("worktree-gone", "a task is held in a worktree that is no longer there")
	worktreeLost    = warning("worktree-lost", "cairn made a work tree for a task, and its folder is no longer there")
	claimExpired    = warning("claim-expired", "a claim expired without a sign of life")
	claimLost       = warning("claim-lost",
		"the git remote gave a claim of this clone to another one, or git brought a file that says otherwise")
	claimUnsynced      = warning("claim-unsynced", "the git remote is not known to have a claim of this clone")
	claimsUnreachable  = warning("claims-unreachable", "claims hold among clones, and the git remote cannot be asked")
	claimUnreadable    = warning("claim-unreadable", "what the git remote has as a claim cannot be read")
	claimClock         = warning("claim-clock", "a claim of another clone is from the future, so a clock is wrong")
	sessionStalled     = warning("session-stalled", "a session has given no sign of life for too long")
	sessionLeftOpen    = warning("session-left-open", "a session is active, and its task is closed or somebody else's")
	sessionWithoutTask = warning("session-without-task", "a session is about a task that does not exist")
	jobBroken          = warning("job-broken", "the folder of a job cannot be read")
	jobStale           = warning("job-stale", "a job lost the process that ran it")
	mergeDriverMissing = warning("merge-driver-missing",
		"the repository asks for the merge driver, and this clone does not have it")
	mergeDriverNotFound = warning("merge-driver-not-found", "the merge driver is a program that is not found")
	mergeAttributes     = warning("merge-attributes-missing", "this clone has the merge driver, and no file asks for it")
	ignoreLines         = warning("ignore-lines", "what belongs to one machine is not ignored by git")
	signersMissing      = warning("signers-missing", "checks pass with a signature only, and nobody's signature counts")
	signerNotListed     = notice("signer-not-listed",
		"approvals are signed here, and the key of whoever runs this does not count")
	signingNotSetUp = notice("signing-not-set-up", "approvals are signed here, and whoever runs this cannot sign")
	mergeDriverOff  = notice("merge-driver-off", "tasks are merged line by line, since the merge driver is not installed")
	claimsUnprobed  = notice("claims-unprobed", "claims hold among clones, and the git remote was never asked")
	claimsRestored  = notice("claims-restored", "the git remote had lost claims, which were put back")
	folderFull      = notice("folder-full", "the folder of tasks has very many files")
	fileOrphan      = notice("file-orphan", "no record refers to a file that was added to one")
	worktreeLeft    = notice("worktree-left", "the work tree of a closed task is still there")
	untrusted       = notice("untrusted", "the commands of this clone were not approved on this machine")
)

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
