package store

import (
	"context"
	"path/filepath"
	"slices"

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
	return o.Base != "" || !o.NoBase && slices.ContainsFunc(ciBases, func(ci ciBase) bool { return ci.value(o) != "" })
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
	Base     string          // the commit that was compared with; "" if there is none
	BaseName string          // who named it, such as "--base main" or "origin/HEAD"
	Note     string          // what was not compared, and why; "" if there is nothing to say
	Tree     proof.Tree      // what was judged
	Change   *proof.Change   // what was judged, as a change of Base; nil if there is none
	Closed   []task.ID       // the tasks that the change closes
}

// Check holds a record against the rules of package proof: by itself, and, where there is a base, as a change of that. It
// runs no command from the repository, takes no lock, uses no network and writes nothing.
//
// It returns NO_BASE if a base is named and cannot be compared with, INVALID_INPUT for options that do not go together and
// for a record behind a link, READ_ONLY for a format whose rules this version cannot know, and GIT if git refuses. Without
// git, and where no base is to be found, the files are judged alone, and Note says so.
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
	b := base{note: s.unasked}
	if b.note == "" {
		if b, err = l.findBase(ctx, opts, s.head); err != nil {
			return Checked{}, err
		}
	}
	c := Checked{Judged: s.what, Head: s.head, Base: b.commit, BaseName: b.name, Note: b.note, Tree: s.tree.Tree}
	if b.commit != "" {
		err = l.compare(ctx, s, b.commit, &c)
	}
	if c.Base == "" {
		c.Findings = proof.Judge(c.Tree)
	}
	return c, err
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
			WithHint("cairn check judges the files alone")
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

	fingerprint func(context.Context) (string, error) // of the files outside every .cairn; nil for those of a commit
	unhashed    bool                                  // nobody may ask for the fingerprint
}

func (l Layout) subject(ctx context.Context, opts CheckOptions) (s subject, err error) {
	if l.Repo == nil {
		s = subject{what: WorkingTree, unasked: "nothing is compared: this is no git repository"}
		s.tree, err = l.readTree(ctx, diskSource{l}, nil)
		return s, err
	}
	if opts.Commit != "" {
		return l.committed(ctx, opts.Commit)
	}
	head, err := l.Repo.Head(ctx)
	if err == nil && opts.Staged {
		index := opts.getenv("GIT_INDEX_FILE")
		s = subject{what: Index, head: head.Commit, fingerprint: func(ctx context.Context) (string, error) { return l.Repo.IndexFingerprint(ctx, index) }}
		s.tree, err = l.readTree(ctx, l.indexSource(index), nil)
		return s, err
	}
	s = subject{what: WorkingTree, head: head.Commit, unhashed: !opts.Trusted}
	if opts.Trusted {
		s.fingerprint = l.Repo.Fingerprint
	}
	if err == nil {
		s.tree, err = l.readTree(ctx, l.treeSource(), nil)
	}
	if task.CodeOf(err) == task.Git && !opts.named() {
		s.unasked = "nothing is compared: " + messageOf(err)
		s.tree, err = l.readTree(ctx, diskSource{l}, nil)
	}
	return s, err
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
	s.tree, err = l.readTree(ctx, l.commitSource(commit), nil)
	return s, err
}

// hidesNone returns NO_BASE if a commit has a record in a folder above this one: whoever added the workspace here could have
// done it so that the other is judged no more.
func (l Layout) hidesNone(ctx context.Context, commit, name string) error {
	for outer := l; outer.Root != l.Repo.Top && outer.Root != filepath.Dir(outer.Root); {
		outer.Root = filepath.Dir(outer.Root)
		blobs, err := outer.commitSource(commit).list(ctx)
		if task.CodeOf(err) == task.InvalidInput || err == nil && len(blobs) == 0 {
			continue
		}
		if err != nil {
			return err
		}
		return task.Errorf(task.NoBase, "%s has no record here, and one in %s, which this workspace hides", name, outer.Root).
			WithHint("cairn -C %s check judges that one", outer.Root)
	}
	return nil
}

// compare judges what was read as a change of a commit. One without a record is no base.
func (l Layout) compare(ctx context.Context, s subject, commit string, c *Checked) error {
	before, err := l.readTree(ctx, l.commitSource(commit), s.tree)
	if task.CodeOf(err) == task.InvalidInput || err == nil && before.empty() {
		c.Base, c.Note = "", "nothing is compared: "+c.BaseName+" has no record here"
		return l.hidesNone(ctx, commit, c.BaseName)
	}
	if err != nil {
		return err
	}
	change := proof.Compare(s.tree.Tree, before.Tree)
	h := history{Layout: l, ctx: ctx, subject: s, since: commit}
	if change.Past, err = h.past(change.Suspects()); err != nil {
		return err
	}
	change.Committed, change.BroughtBy, change.FilesAt = h.committed, h.broughtBy, h.filesAt
	if s.head != "" {
		if change.Newest, err = l.Repo.CommitTime(ctx, s.head); err != nil {
			return err
		}
	}
	c.Findings, c.Change, c.Closed = change.Judge(), change, change.Closed()
	return h.err
}
