package kind

import (
	"cmp"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
)

// Skills is the row of skills in the table of kinds.
var Skills = DefineMarkdown[ledger.SkillID](
	Kind{
		Name: ledger.SkillKind, Folder: "skills", Lists: "skill_list", Mover: "skill_upsert", Words: true,
		ParseID: func(id string) error { _, err := ledger.ParseSkillID(id); return err },
		Merge:   map[string]format.Rule{"version": {Choose: newerVersion}},
		Named:   true,
	},
	Markdown[ledger.Skill]{
		Header: func(k *ledger.Skill) *record.Header { return &k.Header },
		Body:   func(k *ledger.Skill) *string { return &k.Body },
		Keys: []Key[ledger.Skill]{
			Text("description", func(k *ledger.Skill) *string { return &k.Description }).Required(),
			Number("version", func(k *ledger.Skill) *int { return &k.Version }).Required(),
		},
		States: ledger.SkillStates,
		Row: func(k ledger.Skill, r *Row) {
			r.Add(DescriptionFact, k.Description)
			r.Add(VersionFact, strconv.Itoa(k.Version))
		},
	})

// The names of the facts that only the row of a skill has.
const (
	DescriptionFact = "description"
	VersionFact     = "version"
)

// newerVersion chooses the side with the higher version. What both sides changed in the same key is a conflict there.
func newerVersion(_, ours, theirs *format.Doc) format.Side {
	version := func(doc *format.Doc) int { return (&reader{doc: doc}).number("version", doc.Get("version")) }
	switch o, t := version(ours), version(theirs); {
	case o > t:
		return format.Ours
	case o < t:
		return format.Theirs
	default:
		return format.Neither
	}
}

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
		Description: r.required("description"),
		Version:     max(1, r.number("version", doc.Get("version"))),
		Body:        record.CleanBody(string(doc.Body())),
	}
	if own := r.text("id", doc.Get("id")); own != "" && own != string(id) {
		r.fail(doc.Get("id"), "the file is called %s, and its id is %s", id, own)
	}
	return k, cmp.Or(r.err, k.Valid())
}
