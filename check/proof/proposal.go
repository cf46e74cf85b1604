package proof

import (
	"bytes"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// The rules of proposals.
const (
	ProposalTaskMissing RuleID = "proposal-task-missing"
	ProposalRewritten   RuleID = "proposal-rewritten"
)

var proposalRules = []Rule{
	{ProposalTaskMissing, GraphGroup, Notice, "a proposal names a task that was made from it and that does not exist",
		"nothing, if the task was deleted on purpose; or bring its file back from git"},
	{ProposalRewritten, HistoryGroup, Error, "a proposal has another summary or other tasks than before; a warning if no entry says what it was made into",
		"take the file from the base; propose what is different as a plan of its own"},
}

// Proposals is what is asked of proposals. The Value of one is a task.Proposal.
var Proposals = Kind{Name: task.ProposalKind, Rules: proposalRules, Judge: judgeProposal, Deleted: deletedProposal}

// judgeProposal finds a proposal that was rewritten, and one that was made into tasks which are not there. The summary
// and the tasks of a proposal never change. What it was made into is set by the write that an entry tells of.
func judgeProposal(c *Case) {
	p, _ := c.Now.Value.(task.Proposal)
	var was task.Proposal
	if c.Base != nil {
		was, _ = c.Base.Value.(task.Proposal)
		if was.Summary != p.Summary {
			c.Report(ProposalRewritten, Path{"summary"}, "summary differs from the base")
		}
		if !bytes.Equal(was.Tasks, p.Tasks) {
			c.Report(ProposalRewritten, Path{"tasks"}, "tasks differs from the base")
		}
	}
	if c.judge.change != nil && !slices.Equal(was.Made, p.Made) && len(p.Provenance) > 0 && !madeReal(p.Provenance, was.Provenance) {
		got := c.Report(ProposalRewritten, Path{"made"}, "made differs from the base, and no entry says that the proposal was made real")
		got.Severity, got.Fix = Warning, "take made from the base; cairn plan --proposal makes a proposal real"
	}
	for i, id := range p.Made {
		if !c.HasTask(id) {
			c.Report(ProposalTaskMissing, Path{"made", i}, "was made into %s, which does not exist", id)
		}
	}
}

// madeReal reports whether a provenance has an entry that the base lacks and that says that the proposal was made real.
func madeReal(now, base record.Log) bool {
	known := base.Hashes()
	return slices.ContainsFunc(now, func(e record.Entry) bool {
		return e.Did == record.Updated && e.Text == task.MadeReal && !known[e.Hash()]
	})
}

// deletedProposal reports a proposal that is gone. One that was never made into tasks may have been declined: that is a
// notice.
func deletedProposal(c *Case) {
	got := c.Report(RecordDeleted, nil, "the proposal %s is deleted (%d entries)", c.Base.Name, len(c.Base.Head.Log))
	if was, _ := c.Base.Value.(task.Proposal); len(was.Made) == 0 && c.Base.Sound() {
		got.Severity = Notice
	}
}
