package proof

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof/chain"
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// The rules of decisions.
var (
	SupersedesNothing = Rule{"supersedes-nothing", GraphGroup, Error, "a decision supersedes one that does not exist",
		"bring the file of the other back from git; or log the decision again with cairn decision log, without supersedes"}
	SupersedesCircle = Rule{"supersedes-circle", GraphGroup, Error, "decisions supersede one another in a circle, so nobody can tell which of them governs",
		"give the oldest of them back the supersedes that it was logged with"}
	SupersededTwice = Rule{"superseded-twice", GraphGroup, Warning, "two accepted decisions supersede the same one; the newer one governs",
		"see which of the two is meant, and set the other to rejected with cairn decision set-status"}
	DecisionRewritten = Rule{"decision-rewritten", GateGroup, Error, "what a decision says is not what it said when it was logged",
		"take the file from the base, or from the commit that logged it; to change a decision, cairn decision log one with --supersedes"}
	DecisionDeleted = Rule{"decision-deleted", HistoryGroup, Error, "an accepted decision was deleted, so that it governs no more",
		"bring its file back from git; to end what it decided, cairn decision log one with --supersedes"}
)

// Decisions is what is asked of decisions. The Value of one is a ledger.Decision.
var Decisions = Kind{
	Name: ledger.DecisionKind, Judge: judgeDecision, Deleted: deletedDecision, Mover: "cairn decision set-status ID STATE",
	Rules: []Rule{SupersedesNothing, SupersedesCircle, SupersededTwice, DecisionRewritten, DecisionDeleted},
}

// deletedDecision reports a decision that is gone. An accepted one is taken back by a person, and not by deleting its
// file.
func deletedDecision(c *Case) {
	rule := RecordDeleted
	if c.Base.Head.Status == ledger.Accepted {
		rule = DecisionDeleted
	}
	c.Report(rule, nil, "the decision %s is deleted (%s)", c.Base.Ref.ID, record.Count(len(c.Base.Head.Log), "entry"))
}

// judgeDecision finds a decision that was rewritten, and one whose place in the succession is unclear.
func judgeDecision(c *Case) {
	d, _ := c.Now.Value.(ledger.Decision)
	if err := task.ValidScope(d.Scope); err != nil {
		c.badField(Path{"scope"}, err)
	}
	judgeContent(c, d)
	judgeSuccession(c, d)
}

// judgeContent compares the content of a decision with that of the base, and with the hash that was written when it was
// logged. It must have that, or say what the one of the base says which has it.
func judgeContent(c *Case, d ledger.Decision) {
	var was ledger.Decision
	if c.Base != nil {
		was, _ = c.Base.Value.(ledger.Decision)
		if changed := d.Changed(was); len(changed) > 0 {
			at := Path{changed[0]}
			if changed[0] == "body" {
				at = nil
			}
			c.Report(DecisionRewritten, at, "%s differs from the base", strings.Join(changed, ", "))
			return
		}
	}
	switch hash := ledger.RecordedHash(d.Log); {
	case hash == "":
		c.Report(DecisionRewritten, Path{"provenance"}, "no entry has the hash of what was decided, so nobody can tell whether it was rewritten").Fix =
			"log it anew with cairn decision log, which writes the entry"
	case !d.HasContent(hash) && (c.Base == nil || !was.HasContent(hash)):
		c.Report(DecisionRewritten, nil, "its content is not what its entry created has the hash of")
	}
}

// judgeSuccession judges what a decision supersedes.
func judgeSuccession(c *Case, d ledger.Decision) {
	if d.Supersedes == "" {
		return
	}
	at := Path{"supersedes"}
	if _, ok := c.judge.supersedes(d.Supersedes); !ok {
		if f := c.judge.others[record.ID(d.Supersedes)]; f == nil || f.Ref.Kind != ledger.DecisionKind {
			c.Report(SupersedesNothing, at, "supersedes %s, which does not exist", d.Supersedes)
		}
		return
	}
	before := func(id string) string { of, _ := c.judge.supersedes(ledger.DecisionID(id)); return string(of) }
	if c.judge.lines.Of(c.Now.Ref.ID, before) == chain.IsInCircle {
		c.Report(SupersedesCircle, at, "supersedes itself in the end, over %s", d.Supersedes)
		return
	}
	if other := c.judge.successors()[d.Supersedes]; d.Status == ledger.Accepted && len(other) > 1 && other[0] != c.Now.Ref.ID {
		c.Report(SupersededTwice, at, "supersedes %s, and so does %s; both are accepted, and one of them governs", d.Supersedes, other[0])
	}
}

// supersedes returns what a decision of the tree supersedes. It reports false for one that does not exist or cannot be
// read.
func (j *judge) supersedes(id ledger.DecisionID) (ledger.DecisionID, bool) {
	f := j.others[record.ID(id)]
	if f == nil || !f.Sound() {
		return "", false
	}
	d, ok := f.Value.(ledger.Decision)
	return d.Supersedes, ok
}

// successors lists, of each decision that accepted ones supersede, the names of these.
func (j *judge) successors() map[ledger.DecisionID][]string {
	if j.succeed == nil {
		j.succeed = map[ledger.DecisionID][]string{}
		for _, f := range j.Records {
			if d, ok := f.Value.(ledger.Decision); ok && f.Sound() && d.Status == ledger.Accepted && d.Supersedes != "" {
				j.succeed[d.Supersedes] = append(j.succeed[d.Supersedes], f.Ref.ID)
			}
		}
	}
	return j.succeed
}

// The rules of proposals.
var (
	ProposalTaskMissing = Rule{"proposal-task-missing", GraphGroup, Notice, "a proposal names a task that was made from it and that does not exist",
		"nothing, if the task was deleted on purpose; or bring its file back from git"}
	ProposalRewritten = Rule{"proposal-rewritten", HistoryGroup, Error, "a proposal has another summary or other tasks than before; a warning if no entry says what it was made into",
		"take the file from the base; propose what is different as a plan of its own"}
)

// Proposals is what is asked of proposals. The Value of one is a task.Proposal.
var Proposals = Kind{Name: task.ProposalKind, Judge: judgeProposal, Deleted: deletedProposal, Rules: []Rule{ProposalTaskMissing, ProposalRewritten}}

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
	if c.judge.change != nil && !slices.Equal(was.Made, p.Made) && len(p.Provenance) > 0 {
		known := was.Provenance.Hashes()
		if !slices.ContainsFunc(p.Provenance, func(e record.Entry) bool {
			return e.Did == record.Updated && e.Text == task.MadeReal && !known[e.Hash()]
		}) {
			got := c.Report(ProposalRewritten, Path{"made"}, "made differs from the base, and no entry says that the proposal was made real")
			got.Severity, got.Fix = Warning, "take made from the base; cairn plan --proposal makes a proposal real"
		}
	}
	for i, id := range p.Made {
		if !c.HasTask(id) {
			c.Report(ProposalTaskMissing, Path{"made", i}, "was made into %s, which does not exist", id)
		}
	}
}

// deletedProposal reports a proposal that is gone. One that was never made into tasks may have been declined: that is a
// notice.
func deletedProposal(c *Case) {
	got := c.Report(RecordDeleted, nil, "the proposal %s is deleted (%s)", c.Base.Ref.ID, record.Count(len(c.Base.Head.Log), "entry"))
	if was, _ := c.Base.Value.(task.Proposal); len(was.Made) == 0 && c.Base.Sound() {
		got.Severity = Notice
	}
}

// HandoffRewritten is about what a handoff asks, which none changes once it is made.
var HandoffRewritten = Rule{"handoff-rewritten", HistoryGroup, Error, "a handoff asks something else, or somebody else, than when it was made",
	"take what it asks from the base; what is different is asked in a handoff of its own"}

// Handoffs is what is asked of handoffs. The Value of one is a ledger.Handoff.
var Handoffs = Kind{Name: ledger.HandoffKind, Judge: judgeHandoff, Mover: "cairn handoff claim, respond or resolve", Rules: []Rule{HandoffRewritten}}

// judgeHandoff finds a handoff that says something else than when it was made.
func judgeHandoff(c *Case) {
	h, _ := c.Now.Value.(ledger.Handoff)
	if err := record.OneOf("type", h.Type, ledger.HandoffTypes); err != nil {
		c.badField(Path{"type"}, err)
	}
	if len(h.To) == 0 {
		c.Report(BadField, Path{"to"}, "to names nobody")
	}
	if err := h.Due.Valid(); err != nil {
		c.badField(Path{"due"}, err)
	}
	if hash := ledger.RecordedHash(h.Log); hash != "" && !h.HasContent(hash) {
		c.Report(HandoffRewritten, Path{"provenance", 0}, "what it asks is not what its first entry has the hash of")
	}
}
