package proof

import "github.com/cairn-tasks/cairn/task"

// ProposalKind names the proposals in RecordFile.Kind.
const ProposalKind = "proposal"

// ProposalTaskMissing is the rule of proposals.
const ProposalTaskMissing RuleID = "proposal-task-missing"

var proposalRules = []Rule{
	{ProposalTaskMissing, GraphGroup, Notice, "a proposal names a task that was made from it and that does not exist",
		"nothing, if the task was deleted on purpose; or bring its file back from git"},
}

// proposalKind is the proposals. The Value of one is a Proposal.
var proposalKind = Kind{Name: ProposalKind, Rules: proposalRules, Judge: judgeProposal, Deleted: deletedProposal}

// Proposal is what the rules judge of a proposal.
type Proposal struct {
	Made []task.ID // the tasks that were made from it
}

func judgeProposal(c *Case) {
	p, _ := c.Now.Value.(Proposal)
	for i, id := range p.Made {
		if !c.HasTask(id) {
			c.Report(ProposalTaskMissing, Path{"made", i}, "was made into %s, which does not exist", id)
		}
	}
}

// deletedProposal reports a proposal that is gone. One that was never made into tasks may have been declined: that is a notice.
func deletedProposal(c *Case) {
	got := c.Report(RecordDeleted, nil, "the proposal %s is deleted (%d entries)", c.Base.Name, len(c.Base.Head.Log))
	if was, _ := c.Base.Value.(Proposal); len(was.Made) == 0 && c.Base.Sound() {
		got.Severity = Notice
	}
}
