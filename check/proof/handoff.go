package proof

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/task"
)

// HandoffRewritten is the rule of handoffs.
const HandoffRewritten RuleID = "handoff-rewritten"

var handoffRules = []Rule{
	{HandoffRewritten, HistoryGroup, Error, "a handoff asks something else, or somebody else, than when it was made",
		"take what it asks from the base; what is different is asked in a handoff of its own"},
}

// Handoffs is what is asked of handoffs. The Value of one is a ledger.Handoff.
var Handoffs = Kind{Name: ledger.HandoffKind, Rules: handoffRules, Judge: judgeHandoff, Entry: badHandoffEntry}

// handoffEntries lists the kinds of entry that a handoff has.
var handoffEntries = []task.Did{task.Created, task.Claimed, task.TakenOver, task.Released, task.Responded, task.Resolved, task.Noted, task.Updated}

// badHandoffEntry returns why no verb writes the i-th entry of a handoff, or "". Who may do what is judged by the provenance as it was
// when the entry was written: on another branch somebody else may have claimed the handoff at the same time.
func badHandoffEntry(c *Case, i int) string {
	h, _ := c.Now.Value.(ledger.Handoff)
	e := c.Now.Head.Log[i]
	form := e
	if form.Assignee = nil; e.Did == task.Updated {
		form.Fields = nil
	}
	if reason := badForm(form, handoffEntries...); reason != "" {
		return reason
	}
	was := handoffBefore(h, c.WrittenWith(i), e)
	switch {
	case e.Did == task.Created && (i > 0 || c.Base != nil):
		return "creates a handoff that exists"
	case e.Did == task.Created && e.Said().Content == "":
		return "does not say what was asked"
	case !handoffMoves(was, e):
		return "does not move the handoff as an entry of its kind does"
	}
	return c.mayHandoff(was, e)
}

// handoffBefore is a handoff as it was before an entry of its log.
func handoffBefore(h ledger.Handoff, log task.Log, e task.Entry) ledger.Handoff {
	h.Status, h.Assignee = ledger.HandoffOpen, ""
	at := slices.IndexFunc(log, e.Equal)
	if at < 0 {
		at = len(log)
	}
	h.Log = log[:at]
	for _, before := range h.Log {
		if before.To != "" {
			h.Status = before.To
		}
		if before.Assignee != nil {
			h.Assignee = *before.Assignee
		}
	}
	return h
}

// handoffMoves reports whether an entry moves a handoff, and changes who has claimed it, as the verb does that writes such an entry.
func handoffMoves(was ledger.Handoff, e task.Entry) bool {
	type change struct {
		from, to task.Status
		holder   string // "-" for no change
	}
	got := change{e.From, e.To, "-"}
	if e.Assignee != nil {
		got.holder = string(*e.Assignee)
	}
	var may []change
	switch who := string(e.Who); e.Did {
	case task.Claimed:
		may = []change{{ledger.HandoffOpen, ledger.HandoffClaimed, who}}
	case task.TakenOver:
		may = []change{{"", "", who}, {ledger.HandoffOpen, ledger.HandoffClaimed, who}}
	case task.Released:
		may = []change{{ledger.HandoffClaimed, ledger.HandoffOpen, ""}}
	case task.Responded:
		may = []change{{was.Status, ledger.HandoffResponded, "-"}}
		if was.Status == ledger.HandoffResponded {
			may = []change{{"", "", "-"}}
		}
	case task.Resolved:
		may = []change{{was.Status, ledger.HandoffResolved, "-"}, {was.Status, ledger.HandoffCanceled, "-"}}
	default:
		may = []change{{"", "", "-"}}
	}
	return slices.Contains(may, got) && (e.From == "" || e.From == was.Status)
}

// mayHandoff returns why an actor may not do to a handoff what an entry says, or "".
func (c *Case) mayHandoff(was ledger.Handoff, e task.Entry) string {
	recipient := was.Assignee == e.Who || c.addressed(was, e.Who)
	switch {
	case was.Closed() && slices.Contains([]task.Did{task.Claimed, task.TakenOver, task.Responded, task.Resolved}, e.Did):
		return "is about a handoff that was " + string(was.Status)
	case (e.Did == task.Claimed || e.Did == task.TakenOver) && !recipient:
		return "claims what is not addressed to " + string(e.Who)
	case e.Did == task.Released && was.Assignee != e.Who && !e.Who.Human():
		return "releases what " + string(was.Assignee) + " holds"
	case e.Did == task.Responded && !recipient:
		return "answers what is neither addressed to " + string(e.Who) + " nor claimed by it"
	case e.Did == task.Responded && !was.Accepts(e.Said().Option, e.Text):
		return "answers what was not to choose from"
	case e.Did == task.Resolved && !was.MayResolve(e.Who):
		return "ends what " + string(e.Who) + " neither asked, nor claimed, nor answered"
	}
	return ""
}

// addressed reports whether an actor is a recipient of a handoff. To a group belongs who the directory says, now or in the base.
func (c *Case) addressed(h ledger.Handoff, who task.Actor) bool {
	if h.AddressedTo(who, func(task.Actor) []string { return groupIn(c.judge.Records, who) }) {
		return true
	}
	return c.judge.change != nil && h.AddressedTo(who, func(task.Actor) []string { return groupIn(c.judge.change.Base.Records, who) })
}

// groupIn finds the group that an actor belongs to by its record.
func groupIn(records []RecordFile, who task.Actor) []string {
	for i := range records {
		if f := &records[i]; f.Kind == ledger.ActorKind && f.Head.Ref.ID == string(who) && f.Sound() {
			a, _ := f.Value.(ledger.Actor)
			return []string{a.Group}
		}
	}
	return nil
}

// judgeHandoff finds a handoff that says something else than when it was made, and a state or a claim that no entry explains.
func judgeHandoff(c *Case) {
	h, _ := c.Now.Value.(ledger.Handoff)
	if err := task.OneOf("type", h.Type, ledger.HandoffTypes); err != nil {
		c.Report(BadField, Path{"type"}, "%s", task.MessageOf(err))
	}
	if len(h.To) == 0 {
		c.Report(BadField, Path{"to"}, "to names nobody")
	}
	if err := h.Due.Valid(); err != nil {
		c.Report(BadField, Path{"due"}, "%s", task.MessageOf(err))
	}
	if hash := ledger.RecordedHash(h.Log); hash != "" && hash != h.ContentHash() {
		c.Report(HandoffRewritten, Path{"provenance", 0}, "what it asks is not what its first entry has the hash of")
	}
	if c.judge.change == nil {
		return
	}
	var was ledger.Handoff
	if c.Base != nil {
		was, _ = c.Base.Value.(ledger.Handoff)
	}
	if was.Status != h.Status && !handoffExplains(h, func(e task.Entry) (string, bool) { return string(e.To), e.To != "" }, string(ledger.HandoffOpen), string(h.Status)) {
		c.Report(StatusUnexplained, Path{"status"}, "the handoff is %s, and no entry says so", h.Status).
			Fix = "write the state of the newest entry into the file, and move it with cairn handoff claim, respond or resolve"
	}
	holder := func(e task.Entry) (string, bool) {
		if e.Assignee == nil {
			return "", false
		}
		return string(*e.Assignee), true
	}
	if was.Assignee != h.Assignee && !handoffExplains(h, holder, "", string(h.Assignee)) {
		c.Report(AssigneeUnexplained, Path{"assignee"}, "%s has the handoff, and no entry says so", h.Assignee.OrNobody()).
			Fix = "change it back in the file, then claim the handoff with cairn handoff claim"
	}
}

// handoffExplains reports whether the entries give a handoff a value that it has: the newest entry that sets it, or, after a merge, any.
func handoffExplains(h ledger.Handoff, set func(task.Entry) (string, bool), value, want string) bool {
	merged, ever := false, value == want
	state := ledger.HandoffOpen
	for _, e := range h.Log {
		if e.To != "" {
			merged = merged || e.From != state
			state = e.To
		}
		if v, ok := set(e); ok {
			value = v
			ever = ever || v == want
		}
	}
	return value == want || merged && ever
}
