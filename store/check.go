package store

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/task"
)

// CheckOptions says what Check judges, and what it compares that with.
type CheckOptions struct {
	Base    string              // any name of a commit; "" takes what the system that runs this names, else origin/HEAD
	NoBase  bool                // compares with nothing
	Staged  bool                // judges the index and not the working tree; compares with HEAD, unless Base names something
	Commit  string              // judges a commit and not the working tree; "" for none
	Trusted bool                // to hash files git may start programs that the clone's own config names
	Getenv  func(string) string // where variables are looked up; nil has none
}

func (o CheckOptions) getenv(name string) string {
	if o.Getenv == nil {
		return ""
	}
	return o.Getenv(name)
}

// named reports whether the caller or the system that runs this names a base, so that not to compare would be to pass over
// something.
func (o CheckOptions) named() bool {
	return o.Base != "" || !o.NoBase && (InCI(o.Getenv) || slices.ContainsFunc(ciBases, func(ci ciBase) bool { return ci.value(o) != "" }))
}

// What Check judged.
const (
	WorkingTree = "working tree"
	Index       = "index"
	Commit      = "commit"
)

// Checked is what Check found, and what it looked at.
type Checked struct {
	Findings []proof.Finding // as proof.Judge sorts them
	Judged   string          // WorkingTree, Index or Commit
	Head     string          // the commit that is checked out, or was judged; "" if there is none
	Base     string          // the commit that was compared with, of several the first; "" if there is none
	BaseName string          // who named it, such as "--base main" or "origin/HEAD"
	Note     string          // what was not compared, and why; "" if there is nothing to say
	Tree     proof.Tree      // what was judged
	Changes  []*proof.Change // what was judged, as a change of Base, and of each further one; none if there is none
	Closed   []task.ID       // the tasks that the change closes
}

// Check holds a record against the rules of package proof: by itself, and, where there is a base, as a change of that. It
// runs no command from the repository, takes no lock, uses no network and writes nothing.
//
// It returns NO_BASE if a base is named and cannot be compared with, and if a CI runs this and no base is to be found;
// INVALID_INPUT for options that do not go together, for a record behind a link, and for a working tree that is not what git
// would commit; READ_ONLY for a format whose rules this version cannot know; and GIT if git refuses. Elsewhere than in a CI,
// without git, and where no base is to be found, the files are judged alone, and Note says so.
func (l Layout) Check(ctx context.Context, opts CheckOptions) (Checked, error) {
	if err := l.valid(opts); err != nil {
		return Checked{}, err
	}
	s, err := l.subject(ctx, opts)
	if err == nil {
		err = knownFormat(s.tree.format)
	}
	if err != nil {
		return Checked{}, err
	}
	var b base
	if s.unasked != "" {
		b, err = without(opts, s.unasked)
	} else {
		b, err = l.findBase(ctx, opts, s.head)
	}
	if err != nil {
		return Checked{}, err
	}
	if err := l.outerKeeps(ctx, opts); err != nil {
		return Checked{}, err
	}
	c := Checked{Judged: s.what, Head: s.head, BaseName: b.name, Note: b.note, Tree: s.tree.Tree}
	if err = l.compare(ctx, s, b, &c); err != nil {
		return Checked{}, err
	}
	if len(c.Changes) == 0 {
		c.Findings = proof.Judge(c.Tree)
	}
	c.note(s.note)
	return c, nil
}

// note adds to what there is to say of what was compared.
func (c *Checked) note(more string) {
	switch {
	case c.Note == "":
		c.Note = more
	case more != "" && !strings.Contains(c.Note, more):
		c.Note += "; " + more
	}
}

// valid refuses options that do not go together, what needs a repository where there is none, and links.
func (l Layout) valid(opts CheckOptions) error {
	switch {
	case opts.Base != "" && opts.NoBase:
		return task.Errorf(task.InvalidInput, "a base, and no base, are asked for").WithHint("leave one of them out")
	case opts.Staged && opts.Commit != "":
		return task.Errorf(task.InvalidInput, "the index or a commit can be judged, not both").WithHint("leave one of them out")
	case l.Repo == nil && (opts.Base != "" || opts.Staged || opts.Commit != ""):
		return task.Errorf(task.InvalidInput, "%s is not in a git repository, so there is no commit and no index", l.Root).
			WithHint("%s judges the files alone", task.CallTo("check"))
	case opts.Staged || opts.Commit != "":
		return nil
	}
	return l.noLinks()
}

// subject is what is judged.
type subject struct {
	what    string
	head    string
	tree    *tree
	unasked string // why git cannot be asked about it; "" if it can
	note    string // what there is to say of it; ""  if nothing

	gone  func(ctx context.Context, commit string) ([]string, error) // what a commit has and this has not, by its path from the top
	holds func(ctx context.Context, folder string) (bool, error)     // whether a folder, seen from the top, holds a record

	fingerprint func(context.Context) (string, error) // of the files outside every .cairn; nil for those of a commit
	unhashed    bool                                  // nobody may ask for the fingerprint
}

func (l Layout) subject(ctx context.Context, opts CheckOptions) (subject, error) {
	switch {
	case l.Repo == nil:
		return l.onDiskAlone(ctx, "this is no git repository")
	case opts.Commit != "":
		return l.committed(ctx, opts.Commit)
	}
	head, err := l.Repo.Head(ctx)
	if err != nil {
		return subject{}, err
	}
	if opts.Staged {
		return l.staged(ctx, opts.getenv("GIT_INDEX_FILE"), head.Commit)
	}
	s, err := l.workingTree(ctx, head.Commit, opts.Trusted)
	if errors.Is(err, exec.ErrNotFound) && !opts.named() {
		return l.onDiskAlone(ctx, messageOf(err))
	}
	return s, err
}

// onDiskAlone is the record as it lies on the disk, where git cannot be asked.
func (l Layout) onDiskAlone(ctx context.Context, why string) (s subject, err error) {
	s = subject{what: WorkingTree, unasked: why}
	s.tree, err = l.readTree(ctx, diskSource{l}, nil)
	return s, err
}

// workingTree is the record as it lies in the working tree, where that is what git would commit.
func (l Layout) workingTree(ctx context.Context, head string, trusted bool) (s subject, err error) {
	if err := l.ownTree(ctx); err != nil {
		return subject{}, err
	}
	s = subject{what: WorkingTree, head: head, unhashed: !trusted, gone: l.goneFromTree, holds: l.holdsInTree}
	if trusted {
		s.fingerprint = l.Repo.Fingerprint
	}
	src := l.treeSource()
	if s.tree, err = l.readGit(ctx, src, false, ""); err == nil {
		s.note, err = l.notCommitted(ctx, src.untracked)
	}
	return s, err
}

// staged is the record in an index, which is named as for git.Repo.Tracked.
func (l Layout) staged(ctx context.Context, index, head string) (s subject, err error) {
	s = subject{what: Index, head: head}
	s.fingerprint = func(ctx context.Context) (string, error) { return l.Repo.IndexFingerprint(ctx, index) }
	s.gone = func(ctx context.Context, commit string) ([]string, error) {
		return l.Repo.GoneFromIndex(ctx, commit, index)
	}
	s.holds = func(ctx context.Context, folder string) (bool, error) {
		return holdsRecord(l.Repo.Tracked(ctx, index, path.Join(folder, Folder)))
	}
	s.tree, err = l.readGit(ctx, l.indexSource(index), true, index)
	return s, err
}

// readGit is readTree for what git has, or would have, and judges only what everybody gets.
func (l Layout) readGit(ctx context.Context, src source, staged bool, index string) (*tree, error) {
	if err := l.Repo.NoPipes(l.TasksDir(), l.SessionsDir(), l.PlansDir()); err != nil {
		return nil, err
	}
	t, err := l.readTree(ctx, src, nil)
	if err == nil {
		err = l.unconverted(ctx, t, staged, index)
	}
	if err == nil {
		err = t.noPointers()
	}
	return t, err
}

// committed is the record of a commit.
func (l Layout) committed(ctx context.Context, name string) (subject, error) {
	commit, err := l.Repo.Commit(ctx, name)
	if err == nil && commit == "" {
		err = task.Errorf(task.InvalidInput, "there is no commit %q", name).WithHint("git log shows what there is")
	}
	if err != nil {
		return subject{}, err
	}
	s := subject{what: Commit, head: commit}
	s.gone = func(ctx context.Context, from string) ([]string, error) { return l.Repo.Gone(ctx, from, commit) }
	s.holds = func(ctx context.Context, folder string) (bool, error) {
		return holdsRecord(l.Repo.FilesOf(ctx, commit, path.Join(folder, Folder)))
	}
	if s.tree, err = l.readTree(ctx, l.commitSource(commit), nil); err == nil {
		err = s.tree.noPointers()
	}
	return s, err
}

// compare judges what was read as a change of each commit of a base. Those from before there was any record are no base.
func (l Layout) compare(ctx context.Context, s subject, b base, c *Checked) error {
	var newest time.Time
	if s.head != "" && len(b.commits) > 0 {
		var err error
		if newest, err = l.Repo.CommitTime(ctx, s.head); err != nil {
			return err
		}
	}
	for _, commit := range b.commits {
		before, err := l.baseTree(ctx, s, commit, b.name)
		if err != nil {
			return err
		}
		if before == nil {
			continue
		}
		if err := l.recallDeleted(ctx, s, commit, before); err != nil {
			return err
		}
		change := proof.Compare(s.tree.Tree, before.Tree)
		h := history{Layout: l, ctx: ctx, subject: s, since: commit}
		if change.Past, err = h.past(change.Suspects()); err != nil {
			return err
		}
		change.Committed, change.BroughtBy, change.RecordBroughtBy, change.FilesAt, change.Newest = h.committed, h.broughtBy, h.recordBroughtBy, h.filesAt, newest
		c.add(change, commit, change.Judge())
		if h.err != nil {
			return h.err
		}
		if len(h.commits) > mostCommits {
			c.note(fmt.Sprintf("the change has %d commits or more, so nobody looked whether they hold the files that its checks passed on", mostCommits))
		}
	}
	if len(b.commits) > 0 && len(c.Changes) == 0 {
		c.Note = "nothing is compared: " + c.BaseName + " has no record"
	}
	return nil
}

// add adds what a change was found to do. What was found of another one already is not found twice.
func (c *Checked) add(change *proof.Change, base string, findings []proof.Finding) {
	if c.Base == "" {
		c.Base = base
	}
	c.Changes = append(c.Changes, change)
	c.Findings = proof.Unite(c.Findings, findings)
	c.Closed = append(c.Closed, change.Closed()...)
	slices.Sort(c.Closed)
	c.Closed = slices.Compact(c.Closed)
}

// Done lists the tasks that are closed and claim that they work. What a change makes of the states does not count for it yet.
func (c Checked) Done() []task.ID {
	if len(c.Changes) == 0 {
		return c.Tree.Done(nil)
	}
	var out []task.ID
	for _, change := range c.Changes {
		out = append(out, c.Tree.Done(change)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Failed is what there is to say of a command that failed, which a change can make no less of than its base does.
func (c Checked) Failed(command proof.Command, summary string) []proof.Finding {
	if len(c.Changes) == 0 {
		return c.Tree.Failed(nil, command, summary)
	}
	var out []proof.Finding
	for _, change := range c.Changes {
		out = proof.Unite(out, c.Tree.Failed(change, command, summary))
	}
	return out
}
