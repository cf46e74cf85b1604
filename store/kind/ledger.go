package kind

import (
	"cmp"
	"slices"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// The names of the facts that only the row of a decision has.
const (
	SupersedesFact = "supersedes"
	ScopeFact      = "scope" // one for each glob
)

// Decisions is the row of decisions in the table of kinds.
var Decisions = DefineMarkdown[ledger.DecisionID](
	Kind{
		Name: ledger.DecisionKind, Folder: "decisions", Lists: "decision_query", Mover: "decision_set_status", Judge: &proof.Decisions, Life: ledger.DecisionLife,
		Prefix: ledger.DecisionPrefix,
	},
	Markdown[ledger.Decision]{
		Header: func(d *ledger.Decision) *record.Header { return &d.Header },
		Body:   func(d *ledger.Decision) *string { return &d.Body },
		Keys: func() []Key {
			return []Key{
				KeyOf("choice", func(d *ledger.Decision) *string { return &d.Choice }).Required(),
				KeyOf("supersedes", func(d *ledger.Decision) *ledger.DecisionID { return &d.Supersedes }).Fact(SupersedesFact),
				{name: "options", at: place(func(d *ledger.Decision) *[]ledger.Option { return &d.Options }), of: objectsOf[ledger.Option](
					KeyOf("label", func(o *ledger.Option) *string { return &o.Label }),
					KeyOf("summary", func(o *ledger.Option) *string { return &o.Summary }),
					KeyOf("pros", func(o *ledger.Option) *string { return &o.Pros }),
					KeyOf("cons", func(o *ledger.Option) *string { return &o.Cons }),
				)},
				KeyOf("scope", func(d *ledger.Decision) *[]string { return &d.Scope }).Fact(ScopeFact),
				KeyOf("about", func(d *ledger.Decision) *[]string { return &d.About }).Fact(AboutFact),
			}
		},
		States: ledger.DecisionStates,
		Row:    func(d ledger.Decision, r *Row) { r.Add(FromFact, string(d.Log.First().Who)) },
		Closed: []record.Status{ledger.Accepted, ledger.Rejected},
	})

// DecisionSuccessor is what the order of succession asks of a decision, from its row.
func DecisionSuccessor(r *Row) ledger.Successor {
	return ledger.Successor{
		ID: ledger.DecisionID(r.ID), Supersedes: ledger.DecisionID(r.Fact(SupersedesFact)), Status: r.Status, Created: r.Created,
	}
}

// Knowledge is the row of notes of knowledge in the table of kinds.
var Knowledge = DefineMarkdown[ledger.NoteID](
	Kind{
		Name: ledger.NoteKind, Folder: "knowledge", Lists: "knowledge_search", Prefix: ledger.NotePrefix,
	},
	Markdown[ledger.Note]{
		Header: func(n *ledger.Note) *record.Header { return &n.Header },
		Body:   func(n *ledger.Note) *string { return &n.Body },
		Keys: func() []Key {
			return []Key{
				KeyOf("type", func(n *ledger.Note) *ledger.NoteType { return &n.Type }),
				KeyOf("about", func(n *ledger.Note) *[]string { return &n.About }).United().Fact(AboutFact),
			}
		},
		States: ledger.NoteStates,
		Row:    func(n ledger.Note, r *Row) { r.Add(TypeFact, string(cmp.Or(n.Type, ledger.PlainNote))) },
	})

// Handoffs is the row of handoffs in the table of kinds.
var Handoffs = DefineMarkdown[ledger.HandoffID](
	Kind{
		Name: ledger.HandoffKind, Folder: "handoffs", Lists: "handoff_query", Mover: "handoff_resolve", Prefix: ledger.HandoffPrefix,
		Life: ledger.HandoffLife, Judge: &proof.Handoffs,
	},
	Markdown[ledger.Handoff]{
		Header: func(h *ledger.Handoff) *record.Header { return &h.Header },
		Body:   func(h *ledger.Handoff) *string { return &h.Body },
		Keys: func() []Key {
			return []Key{
				KeyOf("type", func(h *ledger.Handoff) *ledger.HandoffType { return &h.Type }).Required().Fact(TypeFact),
				KeyOf("to", func(h *ledger.Handoff) *[]ledger.Recipient { return &h.To }).United().Fact(ToFact),
				KeyOf("assignee", func(h *ledger.Handoff) *record.Actor { return &h.Assignee }),
				KeyOf("options", func(h *ledger.Handoff) *[]string { return &h.Options }),
				flagUnless("allow_free_text", func(h *ledger.Handoff) *bool { return &h.OptionsOnly }),
				KeyOf("due", func(h *ledger.Handoff) *task.Due { return &h.Due }).Fact(DueFact),
				KeyOf("default", func(h *ledger.Handoff) *string { return &h.Default }),
				KeyOf("about", func(h *ledger.Handoff) *[]string { return &h.About }).United().Fact(AboutFact),
				KeyOf("fingerprint", func(h *ledger.Handoff) *string { return &h.Fingerprint }).Fact(FingerprintFact),
			}
		},
		States: ledger.HandoffStates,
		Closed: ledger.HandoffEnds,
		Row:    handoffRow,
	})

// FromFact is the name of the fact that says who asked a handoff, or logged a decision.
const FromFact = "from"

// The names of the facts that only the row of a handoff has.
const (
	ToFact       = "to"      // one for each recipient
	OptionFact   = "option"  // the newest answer's
	AnswerFact   = "answer"  // a Said: who answered or ended it, but for who asked, since who asked ended it; the newest few
	AnsweredFact = "settler" // who may end it beside who asked and who has claimed it: one for each who answered
)

// handoffRow sets the facts by which handoffs are found and shown in lists.
func handoffRow(h ledger.Handoff, r *Row) {
	r.Add(FromFact, string(h.From()))
	if e, ok := h.Response(); ok {
		r.Add(OptionFact, e.Said().Option)
	}
	var answers, settlers []string
	for _, e := range h.Log {
		if e.Did == record.Responded && !slices.Contains(settlers, string(e.Who)) {
			settlers = append(settlers, string(e.Who))
		}
		if e.Did == record.Resolved && e.Who == h.From() {
			answers = nil // who asked has dealt with them
		}
		if (e.Did == record.Responded || e.Did == record.Resolved) && e.Who != h.From() {
			answers = append(answers, SaidOf(e).String())
		}
	}
	r.Add(AnswerFact, newest(answers)...)
	r.Add(AnsweredFact, settlers...)
}

// Milestones is the row of milestones in the table of kinds.
var Milestones = DefineMarkdown[ledger.MilestoneID](
	Kind{
		Name: ledger.MilestoneKind, Folder: "milestones", Lists: "milestone_list", Prefix: ledger.MilestonePrefix,
	},
	Markdown[ledger.Milestone]{
		Header: func(m *ledger.Milestone) *record.Header { return &m.Header },
		Body:   func(m *ledger.Milestone) *string { return &m.Body },
		Keys: func() []Key {
			return []Key{KeyOf("due", func(m *ledger.Milestone) *task.Due { return &m.Due }).Fact(DueFact)}
		},
		States: ledger.MilestoneStates,
		Closed: ledger.MilestoneStates[1:],
	})

// Skills is the row of skills in the table of kinds.
var Skills = DefineMarkdown[ledger.SkillID](
	Kind{
		Name: ledger.SkillKind, Folder: "skills", Lists: "skill_list", Mover: "skill_upsert", Words: true,
		ParseID: func(id string) error { _, err := ledger.ParseSkillID(id); return err },
		Named:   true,
	},
	Markdown[ledger.Skill]{
		Header: func(k *ledger.Skill) *record.Header { return &k.Header },
		Body:   func(k *ledger.Skill) *string { return &k.Body },
		Keys: func() []Key {
			return []Key{
				KeyOf("description", func(k *ledger.Skill) *string { return &k.Description }).Required().Fact(DescriptionFact),
				KeyOf("version", func(k *ledger.Skill) *int { return &k.Version }).Required().Fact(VersionFact).
					From(higher(func(k ledger.Skill) (int64, bool) { return int64(k.Version), true })),
			}
		},
		States: ledger.SkillStates,
	})

// The names of the facts that only the row of a skill has.
const (
	DescriptionFact = "description"
	VersionFact     = "version"
)

// ShelfSkill reads a skill of the user's own shelf, which is a file as in a workspace or one in the Agent Skills
// format: only the description is needed. Its id is the name of the file.
func ShelfSkill(id ledger.SkillID, src []byte) (ledger.Skill, error) {
	doc, err := format.Parse(src, format.Markdown)
	if err != nil {
		return ledger.Skill{}, err
	}
	r := &reader{doc: doc}
	r.noMerge(doc.Root())
	k := ledger.Skill{
		Header: record.Header{
			Ref:    record.Ref{Kind: ledger.SkillKind, ID: string(id)},
			Title:  cmp.Or(r.text("title", doc.Get("title")), r.text("name", doc.Get("name")), string(id)),
			Status: record.Status(cmp.Or(r.text("status", doc.Get("status")), string(ledger.SkillActive))),
			Labels: r.texts("labels", doc.Get("labels")), Rev: Rev(src),
		},
		Description: r.text("description", doc.Get("description")),
		Version:     max(1, r.number("version", doc.Get("version"))),
		Body:        record.CleanBody(string(doc.Body())),
	}
	if k.Description == "" {
		r.missing("description", doc.Get("description"))
	}
	if own := r.text("id", doc.Get("id")); own != "" && own != string(id) {
		r.fail(doc.Get("id"), "the file is called %s, and its id is %s", id, own)
	}
	return k, cmp.Or(r.err, k.Valid())
}

// Feedback is the row of feedback in the table of kinds.
var Feedback = DefineMarkdown[ledger.FeedbackID](
	Kind{
		Name: ledger.FeedbackKind, Folder: "feedback", Lists: "feedback_query", Prefix: ledger.FeedbackPrefix,
	},
	Markdown[ledger.Feedback]{
		Header: func(f *ledger.Feedback) *record.Header { return &f.Header },
		Body:   func(f *ledger.Feedback) *string { return &f.Body },
		Keys: func() []Key {
			return []Key{
				KeyOf("type", func(f *ledger.Feedback) *ledger.FeedbackType { return &f.Type }).Required().Fact(TypeFact),
				KeyOf("severity", func(f *ledger.Feedback) *ledger.Severity { return &f.Severity }).Required().Fact(SeverityFact),
				KeyOf("tool", func(f *ledger.Feedback) *string { return &f.Tool }).Fact(ToolFact),
				KeyOf("error_code", func(f *ledger.Feedback) *string { return &f.ErrorCode }).Fact(CodeFact),
				KeyOf("context", func(f *ledger.Feedback) *string { return &f.Context }),
				KeyOf("fingerprint", func(f *ledger.Feedback) *string { return &f.Fingerprint }).Fact(FingerprintFact),
			}
		},
		States: ledger.FeedbackStates,
		Closed: ledger.FeedbackEnds,
	})

// The names of the facts that only the row of feedback has.
const (
	SeverityFact = "severity"
	ToolFact     = "tool"
	CodeFact     = "error_code"
)

// Actors is the row of actors in the table of kinds. The file of agent:claude-1 is agent.claude-1.md, since a colon is
// in no name on Windows.
var Actors = DefineMarkdown[record.Actor](
	Kind{
		Name: ledger.ActorKind, Folder: "actors", Lists: "directory", Swaps: ":.",
		ParseID: func(id string) error { _, err := record.ParseActor(id); return err },
		Named:   true,
	},
	Markdown[ledger.Actor]{
		Header: func(a *ledger.Actor) *record.Header { return &a.Header },
		Body:   func(a *ledger.Actor) *string { return &a.Body },
		Keys: func() []Key {
			return []Key{
				KeyOf("external_ref", func(a *ledger.Actor) *string { return &a.ExternalRef }).Fact(ExternalRefFact),
				KeyOf("group", func(a *ledger.Actor) *string { return &a.Group }).Fact(GroupFact),
				KeyOf("role", func(a *ledger.Actor) *string { return &a.Role }).Fact(RoleFact),
				KeyOf("capabilities", func(a *ledger.Actor) *[]string { return &a.Abilities }).United().Fact(CapabilityFact),
			}
		},
		States: ledger.ActorStates,
	})

// The names of the facts that only the row of an actor has.
const (
	ExternalRefFact = "external_ref"
	GroupFact       = "group"
	CapabilityFact  = "capability" // one for each
)

// Repositories is the row of repositories in the table of kinds.
var Repositories = DefineMarkdown[ledger.RepositoryID](
	Kind{
		Name: ledger.RepositoryKind, Folder: "repositories", ParseID: Prefixed(ledger.RepositoryKind, ledger.RepositoryPrefix),
		Named: true,
	},
	Markdown[ledger.Repository]{
		Header: func(r *ledger.Repository) *record.Header { return &r.Header },
		Body:   func(r *ledger.Repository) *string { return &r.Body },
		Keys: func() []Key {
			return []Key{
				KeyOf("repo", func(r *ledger.Repository) *string { return &r.Repo }).Required().Fact(RepoFact),
				KeyOf("default_branch", func(r *ledger.Repository) *string { return &r.DefaultBranch }).Fact(BranchFact),
				KeyOf("role", func(r *ledger.Repository) *string { return &r.Role }).Fact(RoleFact),
			}
		},
		States: ledger.RepositoryStates,
	})

// The names of the facts that only the row of a repository has.
const (
	BranchFact = "default_branch"
)
