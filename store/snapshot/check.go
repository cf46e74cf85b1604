package snapshot

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/task"
)

// CheckOptions says what Check judges, and what it compares with.
type CheckOptions struct {
	Base    string              // any name of a commit; "" for what the CI names, else origin/HEAD
	NoBase  bool                // compare with nothing
	Staged  bool                // judge the index and not the working tree; without Base it is compared with HEAD
	Commit  string              // judge this commit and not the working tree; "" for none
	Trusted bool                // git may start programs that the clone's own config names, to hash files
	Now     time.Time           // no commit counts as later, whatever it says; zero for no limit
	Getenv  func(string) string // looks up environment variables; nil for none
}

func (o CheckOptions) getenv(name string) string {
	if o.Getenv == nil {
		return ""
	}
	return o.Getenv(name)
}

// named reports whether the caller names a base, or a CI runs this: then it would be wrong to compare with nothing.
func (o CheckOptions) named() bool {
	return o.Base != "" || !o.NoBase && (InCI(o.Getenv) || slices.ContainsFunc(ciBases, func(ci ciBase) bool { return ci.value(o) != "" }))
}

// What Check judges.
const (
	WorkingTree = "working tree"
	Index       = "index"
	Commit      = "commit"
)

// Checked is what Check found, and what it judged.
type Checked struct {
	Findings []proof.Finding // as proof.Judge sorts them
	Judged   string          // WorkingTree, Index or Commit
	Head     string          // the commit that is checked out, or was judged; "" if there is none
	Base     string          // the first commit that was compared with; "" if there is none
	BaseName string          // where Base comes from, such as "--base main" or "origin/HEAD"
	Note     string          // what was not compared, and why; "" for nothing
	Tree     proof.Tree      // what was judged
	Changes  []*proof.Change // what was judged, as a change of each commit that it was compared with
	Closed   []record.ID     // the tasks that the change closes
}

// Check judges records by the rules of package proof: by themselves, and, if there is a base, as a change of it. It
// runs no command of the repository, takes no lock, uses no network and writes nothing.
//
// It returns NO_BASE if a base is named and cannot be compared with, and if a CI runs this and there is no base;
// INVALID_INPUT for options that do not go together, for records behind a link, and for a working tree that is not what
// git would commit; READ_ONLY for a newer format, whose rules this version cannot know; and GIT if git refuses. Outside
// a CI, files without git or without a base are judged alone, and Note says so.
func Check(ctx context.Context, l layout.Layout, opts CheckOptions) (Checked, error) {
	if err := opts.valid(l); err != nil {
		return Checked{}, err
	}
	s, err := subjectReader{l, opts}.read(ctx)
	if err == nil {
		err = kind.KnownFormat(s.tree.format)
	}
	if err != nil {
		return Checked{}, err
	}
	var b base
	if s.noGit != "" {
		b, err = without(opts, s.noGit)
	} else {
		b, err = baseFinder{l.Repo, opts}.find(ctx, s.head)
	}
	if err != nil {
		return Checked{}, err
	}
	if err := (otherWorkspaces{l}).keptAround(ctx, opts); err != nil {
		return Checked{}, err
	}
	s.clock = opts.Now
	c := Checked{Judged: s.what, Head: s.head, BaseName: b.name, Note: b.note, Tree: s.tree.Tree}
	if err := (comparison{l, s, b}).run(ctx, &c); err != nil {
		return Checked{}, err
	}
	if len(c.Changes) == 0 {
		c.Findings = proof.Judge(c.Tree)
	}
	c.note(s.note)
	return c, nil
}

// valid returns INVALID_INPUT for options that do not go together, for those that need git outside a repository, and
// for links.
func (o CheckOptions) valid(l layout.Layout) error {
	switch {
	case o.Base != "" && o.NoBase:
		return record.Errorf(record.InvalidInput, "a base, and no base, are asked for").WithHint("leave one of them out")
	case o.Staged && o.Commit != "":
		return record.Errorf(record.InvalidInput, "the index or a commit can be judged, not both").WithHint("leave one of them out")
	case l.Repo == nil && (o.Base != "" || o.Staged || o.Commit != ""):
		return record.Errorf(record.InvalidInput, "%s is not in a git repository, so there is no commit and no index", l.Root).
			WithHint("%s judges the files alone", record.CallTo("check"))
	case o.Staged || o.Commit != "":
		return nil
	}
	return l.NoLinks(place.All(l)...)
}

type comparison struct {
	layout.Layout
	subject subject
	base    base
}

// run judges the subject as a change of each commit of the base, but for those in which there was no workspace yet.
func (l comparison) run(ctx context.Context, c *Checked) error {
	s, b := l.subject, l.base
	for _, commit := range b.commits {
		before, err := l.baseTree(ctx, commit)
		if err != nil {
			return err
		}
		if before == nil {
			continue
		}
		recalled, err := l.recallDeleted(ctx, commit, before)
		if err != nil {
			return err
		}
		change := proof.Compare(s.tree.Tree, before.Tree)
		h, err := newHistory(ctx, l.Layout, s, commit, before)
		if err != nil {
			return err
		}
		defer h.close()
		if err := h.tell(change, recalled, b.commits); err != nil {
			return err
		}
		c.Base = cmp.Or(c.Base, commit)
		c.Changes = append(c.Changes, change)
		c.Findings = proof.Unite(c.Findings, change.Judge()) // a finding that is there already is not added again
		c.Closed = append(c.Closed, change.Closed()...)
		if h.err != nil {
			return h.err
		}
	}
	slices.Sort(c.Closed)
	c.Closed = slices.Compact(c.Closed)
	if len(b.commits) > 0 && len(c.Changes) == 0 {
		c.Note = "nothing is compared: " + c.BaseName + " has no record"
	}
	return nil
}

// baseTree reads the records of a commit of the base. It returns nil if the commit has no workspace at all, and NO_BASE
// if it cannot be compared with.
func (l comparison) baseTree(ctx context.Context, commit string) (*tree, error) {
	name, others := l.base.name, otherWorkspaces{l.Layout}
	before, err := readTree(ctx, l.Layout, commitSource(l.Layout, commit), l.subject.tree)
	if record.CodeOf(err) == record.InvalidInput { // a link, a submodule or a file in place of a folder
		return nil, record.Errorf(record.NoBase, "the record of %s cannot be read: %s", name, record.MessageOf(err)).WithHint(ownChange)
	}
	if err != nil {
		return nil, err
	}
	if before.empty() {
		return nil, others.noneIn(ctx, commit, name)
	}
	if err := kind.KnownFormat(before.format); err != nil {
		return nil, record.Errorf(record.NoBase, "the record of %s cannot be read: %s", name, record.MessageOf(err)).WithHint("take a newer cairn")
	}
	if err := others.keptFrom(ctx, l.subject, commit, name); err != nil {
		return nil, err
	}
	return before, l.subject.tree.unread(before, name)
}

func (c *Checked) note(more string) {
	switch {
	case c.Note == "":
		c.Note = more
	case more != "" && !strings.Contains(c.Note, more):
		c.Note += "; " + more
	}
}

// Done lists the tasks in a closed state that is not an abandoned one. A change of the configured states does not count
// for itself.
func (c Checked) Done() []record.ID {
	var out []record.ID
	for _, change := range c.changes() {
		out = append(out, c.Tree.Done(change)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Failed returns the findings about a command that failed. A change cannot lower their severity below that of its base.
func (c Checked) Failed(command proof.Command, summary string) []proof.Finding {
	var out []proof.Finding
	for _, change := range c.changes() {
		out = proof.Unite(out, c.Tree.Failed(change, command, summary))
	}
	return out
}

// Lacking returns the findings about a task that the change closes at a lower level than one of its bases requires. need
// says which level that is.
func (c Checked) Lacking(id record.ID, has task.Level, need func(needs []task.Need) task.Level) (out []proof.Finding) {
	for _, change := range c.Changes {
		if needs := need(change.Base.Config.Require); has < needs {
			out = proof.Unite(out, c.Tree.Lacking(change, id, has, needs))
		}
	}
	return out
}

// changes are the changes, or one nil for none.
func (c Checked) changes() []*proof.Change {
	if len(c.Changes) == 0 {
		return []*proof.Change{nil}
	}
	return c.Changes
}

// Errors returns the findings that are errors, and those of other rules that the caller takes for errors.
func (c Checked) Errors(also ...proof.RuleID) []proof.Finding {
	return slices.DeleteFunc(slices.Clone(c.Findings), func(f proof.Finding) bool { return !f.Severity.AtLeast(proof.Error) && !slices.Contains(also, f.Rule) })
}

// ErrorsSince returns the errors of the working tree as a change of a commit, but for those that the commit has by
// itself. The clone must be trusted: git may start the filters of its config. It returns NO_BASE if the commit has no
// workspace to compare with, and otherwise the errors of Check.
func ErrorsSince(ctx context.Context, l layout.Layout, commit string, also ...proof.RuleID) ([]proof.Finding, error) {
	found, err := Check(ctx, l, CheckOptions{Base: commit, Trusted: true})
	if err != nil {
		return nil, err
	}
	errs := found.Errors(also...)
	if len(errs) == 0 {
		return nil, nil
	}
	before, err := Check(ctx, l, CheckOptions{Commit: commit, NoBase: true})
	if err != nil {
		return nil, err
	}
	old := before.Errors(also...)
	return slices.DeleteFunc(errs, func(f proof.Finding) bool {
		return slices.ContainsFunc(old, func(o proof.Finding) bool { return o.Rule == f.Rule && o.Path == f.Path && o.Message == f.Message })
	}), nil
}
