package proof

import (
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
)

// HandoffRewritten is the rule of handoffs.
const HandoffRewritten RuleID = "handoff-rewritten"

var handoffRules = []Rule{
	{HandoffRewritten, HistoryGroup, Error, "a handoff asks something else, or somebody else, than when it was made",
		"take what it asks from the base; what is different is asked in a handoff of its own"},
}

// Handoffs is what is asked of handoffs. The Value of one is a ledger.Handoff.
var Handoffs = Kind{Name: ledger.HandoffKind, Rules: handoffRules, Judge: judgeHandoff, Mover: "cairn handoff claim, respond or resolve"}

// judgeHandoff finds a handoff that says something else than when it was made.
func judgeHandoff(c *Case) {
	h, _ := c.Now.Value.(ledger.Handoff)
	if err := record.OneOf("type", h.Type, ledger.HandoffTypes); err != nil {
		c.Report(BadField, Path{"type"}, "%s", record.MessageOf(err))
	}
	if len(h.To) == 0 {
		c.Report(BadField, Path{"to"}, "to names nobody")
	}
	if err := h.Due.Valid(); err != nil {
		c.Report(BadField, Path{"due"}, "%s", record.MessageOf(err))
	}
	if hash := ledger.RecordedHash(h.Log); hash != "" && hash != h.ContentHash() {
		c.Report(HandoffRewritten, Path{"provenance", 0}, "what it asks is not what its first entry has the hash of")
	}
}
