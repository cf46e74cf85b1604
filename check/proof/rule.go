package proof

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/sorted"
)

// RuleID names a rule. Ids are stable: config files set severities by them, and an id is never given a second meaning.
type RuleID string

// Group is what a rule is about.
type Group string

// The groups.
const (
	FileGroup    Group = "file"
	GraphGroup   Group = "graph"
	GateGroup    Group = "gate"
	HistoryGroup Group = "history" // needs a base
	TrustGroup   Group = "trust"   // needs a base
	HygieneGroup Group = "hygiene"
	RunGroup     Group = "run" // found by running commands, or by what others signed; never by Judge
)

// Groups is every group, in the order in which they are shown.
var Groups = []Group{FileGroup, GraphGroup, GateGroup, HistoryGroup, TrustGroup, HygieneGroup, RunGroup}

// inGroups sorts rules by group. Within a group they keep their order.
func inGroups(rules []Rule) []Rule {
	sorted.By(rules, func(a, b Rule) int { return slices.Index(Groups, a.Group) - slices.Index(Groups, b.Group) })
	return rules
}

// Severity is how serious a finding is.
type Severity string

// The severities. Off drops a finding.
const (
	Off     Severity = "off"
	Notice  Severity = "notice"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Severities is every severity, lowest first.
var Severities = []Severity{Off, Notice, Warning, Error}

// AtLeast reports whether a severity is as high as another, or higher.
func (s Severity) AtLeast(other Severity) bool {
	return slices.Index(Severities, s) >= slices.Index(Severities, other)
}

// Rule says what a rule finds, and how to fix it.
type Rule struct {
	ID       RuleID
	Group    Group
	Severity Severity // the highest that it gives, unless config sets another
	Summary  string   // what is wrong where it finds something; one line
	Fix      string   // what to do about it in general; a finding may know better
}

// Rules is every rule that cairn has, in the order of their groups, for pages, reports and tests. A tree is judged by
// ownRules and by those of Tree.Kinds, which a program with kinds of its own adds to.
var Rules = inGroups(slices.Concat(ownRules, Sessions.Rules, Proposals.Rules, Decisions.Rules, Handoffs.Rules))

// The rules that are no single kind's own.
var (
	ConflictMarkers = Rule{"conflict-markers", FileGroup, Error, "a merge was not finished: git's conflict markers are in the file",
		"choose between the two sides: cairn resolve, or an editor; cairn setup merge-driver has git merge tasks by field from then on"}
	BadYAML = Rule{"bad-yaml", FileGroup, Error, "a file is not the Markdown or YAML that it should be",
		"correct the line in an editor, or take the last good version from git"}
	DuplicateKey = Rule{"duplicate-key", FileGroup, Error, "a key is in the file twice, so it is not known which one counts",
		"take out the one that is wrong"}
	MissingField = Rule{"missing-field", FileGroup, Error, "a required key is missing",
		"add the key in an editor, or take the last good version from git"}
	BadField = Rule{"bad-field", FileGroup, Error, "a key has a value that is not allowed",
		"correct the value in an editor; docs/format.md says which values are allowed"}
	UnknownState = Rule{"unknown-state", FileGroup, Error, "a task is in a state that the config does not have, or another record in one that its kind does not have",
		"move the task to a state that is configured, or add the state to states in config.yaml; give another record a state of its kind"}
	IDMismatch = Rule{"id-mismatch", FileGroup, Error, "a file's name and the id in it differ, so nothing can refer to it",
		"rename the file to its id, or correct the id"}
	TwoFiles = Rule{"two-files", FileGroup, Error, "a record has two files in different folders, and only one of them is read",
		"cairn check --fix merges the two into one; " +
			"where it shows that they contradict each other, have both say the same first"}

	DanglingDep = Rule{"dangling-dep", GraphGroup, Error, "a task waits for one that does not exist, so it can never start",
		"bring the file back from git; if the task is gone for good, a person removes the dependency"}
	DanglingParent = Rule{"dangling-parent", GraphGroup, Error, "a task belongs to one that does not exist",
		"give it another parent or none, or bring the file back from git"}
	DepCycle = Rule{"dep-cycle", GraphGroup, Error, "tasks wait for one another in a circle, so none can ever start",
		"remove one dependency of the circle"}
	ParentCycle = Rule{"parent-cycle", GraphGroup, Error, "a task belongs, in the end, to itself",
		"give one task of the circle another parent or none"}
	CaseClash = Rule{"case-clash", GraphGroup, Error, "two ids differ only in case, so some file systems can hold only one of them",
		"give one of them another id: rename its file, and change its id and every reference to it"}

	ClosedUnpassed = Rule{"closed-unpassed", GateGroup, Error, "a task is closed although a check has not passed",
		"run the check: cairn run-checks; of a manual one somebody says that it passes: cairn attest; or move the task back to an open state"}
	NoEvidence = Rule{"no-evidence", GateGroup, Error, "a check is marked pass, and no entry that counts says that it passed; a warning while the task is open",
		"run the check: cairn run-checks; of a manual one somebody says that it passes: cairn attest; both write the entry that is missing"}
	EvidenceMismatch = Rule{"evidence-mismatch", GateGroup, Error, "a check is marked pass, and what passed was another command or description; a warning while the task is open",
		"run the check as it is now: cairn run-checks; of a manual one somebody says that it passes: cairn attest"}
	ChecksUnexplained = Rule{"checks-unexplained", GateGroup, Error, "no entry declares the list of checks that the task has; a warning while the task is open",
		"look in git who changed the list; if it is right, a person declares it again with a reason"}
	EvidenceUnhashed = Rule{"evidence-unhashed", GateGroup, Notice, "a check of a closed task passed before entries recorded which command it was",
		"nothing needs to be done; cairn run-checks records the evidence again"}
	EvidenceMissing = Rule{"evidence-missing", GateGroup, Error, "a task that requires evidence is closed without any: no commit, no pull request, and no command check that passed",
		"name the commit or the pull request with cairn ref add, or move the task back to an open state"}
	AttestUnsigned = Rule{"attest-unsigned", GateGroup, Error, "a check that requires a signature was passed by somebody (cairn attest) without one; a warning while the task is open, a notice where the config requires it and there is no base",
		"a person says again that it passes, with cairn attest --sign"}
	GuardsChanged = Rule{"guards-changed", HistoryGroup, Error, "a task was closed on a check that stands on files which the change altered (its tests, their configuration, the script it runs), and nothing accounts for that; a warning where a person closed it",
		"look at how the files changed; a person who has says so: cairn attest --guards; else put them back and run the check: cairn run-checks"}
	NeverRed = Rule{"never-red", HistoryGroup, Error, "a task was closed on a check that was never seen to fail without the work, where the base requires that (red: require); a warning where a person closed it",
		"see whether it fails without the work: cairn verify --matrix on the open task; a check that passes before too says so in its plan"}
	EvidenceLevel = Rule{"evidence-level", RunGroup, Error, "a task that the change closes has less evidence than the base requires (require)",
		"have the change checked with cairn check --run, and with --witness where a witness is required; a signature is given with cairn attest --sign. A close that changed guarded files is not held, even where a person looked or the plan said so: require a witness or a signature of it"}
	SignatureBad = Rule{"signature-bad", GateGroup, Error, "a signature is not valid for its entry by the keys of the base; a warning where the base has it already, or no result rests on it",
		"take the entry out if no commit holds it yet, and have a person pass the check with cairn attest --sign; a key counts once allowed_signers with it is in the base"}
	SignedElsewhere = Rule{"signed-elsewhere", GateGroup, Error, "a signature was made for another record, check, declaration or state of the files than the one it is in; a warning where the base has it already, or no result rests on it",
		"a person looks at this one, and passes it with cairn attest --sign"}

	ProvenanceRewritten = Rule{"provenance-rewritten", HistoryGroup, Error, "an entry, which is a line of the history that a record has in its file (provenance), was removed or changed, or a new one was put before older ones",
		"cairn check --fix puts back what went; or take the file's entries from the base and append the new ones; to correct an entry, append another"}
	StatusUnexplained = Rule{"status-unexplained", HistoryGroup, Error, "a task was moved without an entry that says so; a warning if neither state is closed, and for a session that ended",
		"move it back in the file, then with cairn transition, so that the gates are asked"}
	AssigneeUnexplained = Rule{"assignee-unexplained", HistoryGroup, Warning, "the holder of a task was changed without an entry that says so",
		"change it back in the file, then with cairn claim, release or update"}
	ScopeEmptied = Rule{"scope-emptied", HistoryGroup, Warning, "the scope of a task was taken away without an entry that says so, so decisions about its paths no longer reach it",
		"write the scope back into the file; to take it away, cairn update with an empty --scope"}
	ResultUnexplained = Rule{"result-unexplained", HistoryGroup, Error, "the result of a check was changed without an entry that says so; a warning while the task is open",
		"run the check: cairn run-checks; of a manual one somebody says that it passes: cairn attest; both write the entry that is missing"}
	StartedEarly = Rule{"started-early", HistoryGroup, Error, "a task was started although, by the entries, one it depends on was not closed yet",
		"close the dependency first; the task goes back to the initial state until then"}
	DeletedNeeded = Rule{"deleted-needed", HistoryGroup, Error, "a task was deleted that others depend on, or belong to",
		"bring its file back from git; if it is gone for good, a person removes the references to it"}
	IDChanged = Rule{"id-changed", HistoryGroup, Error, "a task has another id than before, so references to it elsewhere are lost",
		"give the file and the task their id back"}
	ChecksWeakened = Rule{"checks-weakened", HistoryGroup, Error, "a task was closed after a check that it had to pass was removed or changed, and no person gave a reason",
		"a person moves the task back, gives the right list to cairn update with a reason, and closes it again"}
	EvidenceTreeUnknown = Rule{"evidence-tree-unknown", HistoryGroup, Notice, "checks passed on files that no commit of the change holds",
		"commit the files that the checks passed on, or run them again: cairn run-checks; cairn check --run shows whether they pass"}
	EvidenceStale = Rule{"evidence-stale", HistoryGroup, Error, "a task was closed on a pass that was earned on other files; a warning where a later move made up for it and no task depends on it",
		"run the check as the files are now: cairn run-checks"}
	EntryRefused = Rule{"entry-refused", HistoryGroup, Error, "an entry records a write that cairn would have refused, or never makes; a warning where a later move through the gate made up for it and no task depends on this one",
		"take the entry and what it did out of the file, and do it with cairn, so that the rules are asked"}
	TimeAhead = Rule{"time-ahead", HistoryGroup, Error, "an entry is more than a day later than the commit that brought it, so entries after it cannot have their real time",
		"set the clock right, take the last good version of the file from git, and do it again"}
	DepsUnexplained = Rule{"deps-unexplained", HistoryGroup, Error, "the dependencies are not those that the entries declare; a warning if one was only added",
		"restore them in the file, and change them with cairn update, so that an entry explains it"}
	DepsWeakened = Rule{"deps-weakened", HistoryGroup, Error, "an open dependency was removed without a reason, or after work began and not by a person; a warning if another actor had declared it",
		"a person adds it again, or removes it with cairn update --remove-dep and a reason"}
	TaskDeleted = Rule{"task-deleted", HistoryGroup, Notice, "a task was deleted, with its history",
		"nothing, if that was intended; git and the trash of the clone that deleted it have the file"}
	RecordDeleted = Rule{"record-deleted", HistoryGroup, Warning, "a record that is no task was deleted; a notice for a proposal that was never made into tasks",
		"nothing, if that was intended; or bring its file back from git"}
	SignedTreeUnknown = Rule{"signed-tree-unknown", HistoryGroup, Error, "a task was closed with other files than those that were signed, and the change holds no commit with the signed files",
		"a person looks at the files as they are now and signs again; where changes are squashed or rebased as they are merged, docs/approvals.md says what to do"}

	CommandChanged = Rule{"command-changed", TrustGroup, Notice, "a check runs a command that the base does not have",
		"read it: everyone who runs the checks of this branch runs it"}
	ConfigLoosened = Rule{"config-loosened", TrustGroup, Warning, "the change loosens a rule or a gate; that does not count yet for the change itself",
		"read it: it counts from the next change on"}
	SignersChanged = Rule{"signers-changed", TrustGroup, Notice, "the change alters whose signatures count; for the change itself those of the base count",
		"read it: the signers that it names can approve from the next change on"}

	IgnoredCommitted = Rule{"ignored-committed", HygieneGroup, Warning, "git has files that belong to one machine only",
		"take them out of git, and have git ignore them"}
	UnknownConfigKey = Rule{"unknown-config-key", HygieneGroup, Warning, "the config has a key, or names a rule, that cairn does not know and ignores",
		"correct the spelling, or take the line out"}

	CheckFailed = Rule{"check-failed", RunGroup, Error, "a check that is recorded as passed fails when it is run",
		"repair what the check tests; or move the task back to an open state"}
)

// ownRules are the rules of the config, the tasks and the files of all records.
var ownRules = []Rule{
	ConflictMarkers, BadYAML, DuplicateKey, MissingField, BadField, UnknownState, IDMismatch,
	TwoFiles, DanglingDep, DanglingParent, DepCycle, ParentCycle, CaseClash, ClosedUnpassed,
	NoEvidence, EvidenceMismatch, ChecksUnexplained, EvidenceUnhashed, EvidenceMissing,
	AttestUnsigned, GuardsChanged, NeverRed, EvidenceLevel, SignatureBad, SignedElsewhere, ProvenanceRewritten, StatusUnexplained,
	AssigneeUnexplained, ScopeEmptied, ResultUnexplained, StartedEarly, DeletedNeeded, IDChanged, ChecksWeakened,
	EvidenceTreeUnknown, EvidenceStale, EntryRefused, TimeAhead, DepsUnexplained, DepsWeakened,
	TaskDeleted, RecordDeleted, SignedTreeUnknown, CommandChanged, ConfigLoosened, SignersChanged,
	IgnoredCommitted, UnknownConfigKey, CheckFailed, FileMissing, FileChanged, RefsUnexplained, RefDangling, FieldValue,
	FieldMissing, LinkDangling,
}
