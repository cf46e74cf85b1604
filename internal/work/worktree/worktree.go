package worktree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/trust"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Options say where work trees lie and what else is known about them.
type Options struct {
	Setting  string                    // worktrees of the config: the folder around all; "" for a folder beside the repository
	StateDir string                    // the state folder of the user, where it says whether the clone is trusted; "" if the caller has asked
	Driver   string                    // the command of the merge driver; "" for that of this program or, in others, the one that is installed
	Now      func() time.Time          // the clock; nil for that of the system
	Busy     func(id record.ID) string // why something works in the work tree of a task, such as "job job-… runs"; "" if nothing does

	// Repo is the name of another repository of the workspace, in which these work trees are: no record lies there. ""
	// stands for the workspace's own.
	Repo    string
	Trusted func() bool                           // whether git may start programs there; nil to ask by StateDir
	Other   func(repo string) (*Worktrees, error) // opens the work trees in another repository; nil if there are none
}

// Worktrees are the work trees of the tasks of one workspace.
type Worktrees struct {
	*clone
	NoHooks bool // Commit runs no hook: one may run what a program in a sandbox wrote
}

// Open returns the work trees of a workspace. It starts no process and writes nothing. It returns GIT outside a
// repository. For another repository the layout has that one's folders, and the live state of the workspace.
func Open(l layout.Layout, o Options) (*Worktrees, error) {
	if l.Repo == nil {
		return nil, record.Errorf(record.Git, "the workspace is not in a git repository, and work trees are git's").WithHint("git init makes it one")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Busy == nil {
		o.Busy = func(record.ID) string { return "" }
	}
	return &Worktrees{clone: &clone{l, l.Repo, o}}, nil
}

// Tree is the work tree of a task.
type Tree struct {
	Task       record.ID `json:"task"`
	Path       string    `json:"path"`           // its top
	Root       string    `json:"root"`           // the workspace in it: Path, or a folder in it
	Branch     string    `json:"branch"`         // short name
	Base       string    `json:"base"`           // the branch that its work goes to; short name
	Repo       string    `json:"repo,omitempty"` // the repository that it is a work tree of; "" for the workspace's own
	BaseCommit string    `json:"base_commit"`    // the commit that the work began at, or was rebased onto
	Since      time.Time `json:"-"`              // the branch had no work before; zero for a branch that was there already
}

func (t Tree) layout() layout.Layout { return layout.Layout{Root: t.Root, Worktree: t.Path} }

// Unreadable is the error of the workspace in a work tree that cannot be opened: whoever worked there has broken it.
func (t Tree) Unreadable(err error) error {
	if err == nil {
		return nil
	}
	return record.Errorf(record.CodeOf(err), "the workspace in its work tree, %s, cannot be opened: %s", t.Path, record.MessageOf(err)).
		WithHint("mend it there; or %s begins anew, and keeps what is there on a branch of its own", record.CallTo("job_discard", "id", t.Task).OnlyShown()).ForGood()
}

// Branch is the name of the branch of a task.
func Branch(id record.ID) string { return layout.OwnBranch(string(id)) }

// Find returns the work tree that is recorded for a task, and false if none is. It runs no git; Verify tells whether it
// is still there.
func (w *Worktrees) Find(id record.ID) (Tree, bool, error) {
	m, ok, err := w.records().read(id)
	if err != nil || !ok || !m.Ready || m.Removing != "" || m.Repo != w.o.Repo {
		return Tree{}, false, err
	}
	return w.treeOf(m), true, nil
}

// Repo is the repository of the work trees.
func (w *Worktrees) Repo() *git.Repo { return w.repo }

// InRepo is the name of the other repository in which the work tree of a task is recorded, and its top. Both are "" for
// one in the workspace's own repository, and where none is recorded or the record cannot be read.
func InRepo(live layout.Live, id record.ID) (repo, top string) {
	m, ok, err := records{live}.read(id)
	if err != nil || !ok || m.Repo == "" {
		return "", ""
	}
	return m.Repo, m.Path
}

// of is the work trees to which the recorded one of a task belongs: these, or those in another repository.
func (w *Worktrees) of(m made) (*Worktrees, error) {
	switch {
	case m.Repo == w.o.Repo:
		return w, nil
	case m.Repo != "" && w.o.Other != nil:
		return w.o.Other(m.Repo)
	default:
		return nil, record.Errorf(record.Conflict, "the work tree of %s is in another repository, %s", m.Task, m.Path)
	}
}

// work is what was done for one task: its work tree, and the branch that is checked out there.
type work struct {
	*clone
	tree Tree
}

func (c *clone) on(t Tree) work { return work{c, t} }

// tip is the newest commit of the branch.
func (w work) tip(ctx context.Context) (string, error) {
	tip, err := w.branchTip(ctx, w.tree.Branch)
	if err == nil && tip == "" {
		err = record.Errorf(record.Conflict, "the branch %s of %s is not there any more", w.tree.Branch, w.tree.Task).
			WithHint("git reflog may still name its commits; %s begins anew, and keeps what is left", w.discard())
	}
	return tip, err
}

// Verify returns nil if a work tree is as it was made: its folder is there, it is a work tree of this clone, git's
// commands find its top from there, its branch is checked out, and that branch contains the commit that the work began
// at. Else a person has moved the work tree or uses it for something else, and nothing may work in it: it returns
// CONFLICT. It returns GIT if git cannot tell.
func (w *Worktrees) Verify(ctx context.Context, t Tree) error {
	_, err := w.on(t).verified(ctx)
	return err
}

// verified is the repository of the work tree, which Verify accepts.
func (w work) verified(ctx context.Context) (*git.Repo, error) {
	there, err := w.opened(w.tree.Path)
	if err != nil {
		return nil, record.Errorf(record.Conflict, "the work tree of %s is not at %s any more", w.tree.Task, w.tree.Path).
			WithHint("if it was moved, git worktree list shows where it is; if it is gone, %s begins anew, and keeps what its branch has", w.discard()).
			WithNext(record.CallTo("worktree_list"))
	}
	if !w.isOurs(there) {
		return nil, w.changed("is not a work tree of this clone")
	}
	m, ok, err := w.records().read(w.tree.Task)
	if err != nil {
		return nil, err
	}
	if !ok || m.Path != w.tree.Path || m.GitDir != layout.GitDirOf(there) {
		return nil, w.changed("is not the one that was made for it")
	}
	head, err := there.Head(ctx)
	if err != nil {
		return nil, err
	}
	if head.Branch != w.tree.Branch {
		return nil, w.changed("has " + checkedOut(head) + " checked out, and not " + w.tree.Branch)
	}
	if head.Commit == "" {
		_, err := w.tip(ctx)
		return nil, cmp.Or(err, w.changed("has no commit"))
	}
	if top, err := there.TopLevel(ctx); err != nil || filepath.Clean(filepath.FromSlash(top)) != w.tree.Path {
		return nil, w.changed("is not the work tree that git finds there, which is " + top)
	}
	if ok, err := w.repo.History().Contains(ctx, head.Commit, w.tree.BaseCommit); err != nil || !ok {
		return nil, w.changed("does not contain the commit that its work began at, " + short(w.tree.BaseCommit))
	}
	return there, nil
}

// changed is the error of a work tree that a person has changed.
func (w work) changed(what string) error {
	return record.Errorf(record.Conflict, "the work tree of %s, %s, %s", w.tree.Task, w.tree.Path, what).
		WithHint("what a person changed there is left alone; to go on, check out %s there again, or begin anew: %s keeps what is there on a branch of its own",
			w.tree.Branch, w.discard())
}

// discard is the call that gives the attempt up, whatever is left of it.
func (w work) discard() record.Call {
	return record.CallTo("job_discard", "id", w.tree.Task).OnlyShown()
}

func checkedOut(h git.Head) string {
	if h.Branch == "" {
		return "the commit " + short(h.Commit)
	}
	return h.Branch
}

// clone is the clone that the work trees belong to, with the workspace in it and the options. Whatever is done to a
// work tree holds one.
type clone struct {
	layout layout.Layout
	repo   *git.Repo
	o      Options
}

func (c *clone) records() records { return records{c.layout.Live} }

func (c *clone) treeOf(m made) Tree {
	t := Tree{Task: m.Task, Path: m.Path, Root: c.rootIn(m.Path), Branch: m.Branch, Base: m.Base, BaseCommit: m.BaseCommit, Repo: m.Repo}
	if !m.Taken {
		t.Since = m.MadeAt
	}
	return t
}

// rootIn is the workspace in a work tree of the clone.
func (c *clone) rootIn(top string) string {
	return filepath.Join(top, filepath.FromSlash(layout.SlashRel(c.repo.Top, c.layout.Root)))
}

// adminDir is the folder in which git keeps what it knows of a work tree. It stays where it is when the work tree is
// moved.
func (c *clone) adminDir(m made) string {
	return filepath.Join(c.repo.CommonDir, filepath.FromSlash(m.GitDir))
}

// opened is the repository of the work tree whose top is a path. The workspace of the clone lies in it where it lies in
// others.
func (c *clone) opened(path string) (*git.Repo, error) {
	switch info, err := os.Lstat(path); {
	case err != nil:
		return nil, record.Errorf(record.NotFound, "there is no folder %s", path)
	case !info.IsDir():
		return nil, record.Errorf(record.NotFound, "%s is no folder any more", path)
	}
	repo, ok, err := git.Find(path)
	if err != nil {
		return nil, err
	}
	if !ok || repo.Top != path {
		return nil, record.Errorf(record.Conflict, "%s is no work tree", path)
	}
	repo.Aside = c.repo.Aside
	return repo, nil
}

// isOurs reports whether a repository is a work tree of this clone, other than the main one.
func (c *clone) isOurs(there *git.Repo) bool {
	return there.Linked() && there.CommonDir == c.repo.CommonDir
}

// trusted reports whether programs that the clone's config names may be started.
func (c *clone) trusted() bool {
	if c.o.Trusted != nil {
		return c.o.Trusted()
	}
	return c.o.StateDir == "" || trust.Trusted(c.layout, c.o.StateDir)
}

// mayWrite returns UNTRUSTED if the user has not let the commands of the clone run: what git does for a commit, a
// checkout or a merge starts the hooks, filters and drivers of its config.
func (c *clone) mayWrite() error {
	if c.trusted() {
		return nil
	}
	approve := record.CallTo("trust")
	if c.o.Repo != "" {
		approve = record.CallTo("trust", "in-repo", c.o.Repo).ByPerson()
	}
	return record.Errorf(record.Untrusted, "the commands of the clone in %s were not approved on this machine, and git would run some", c.repo.Top).
		WithHint("read what its .git/config and hooks run; %s approves it", approve)
}

// lock takes a lock of the clone by its name: that of a task, or of a base. Only its holder changes the work tree of
// the task, or the base. It returns UNTRUSTED if nothing may be changed.
func (c *clone) lock(ctx context.Context, name string) (release func(), err error) {
	if err := c.mayWrite(); err != nil {
		return nil, err
	}
	return c.acquire(ctx, name)
}

// acquire is lock where the caller knows that git starts nothing which the user did not approve.
func (c *clone) acquire(ctx context.Context, name string) (release func(), err error) {
	if err := c.layout.MakeWorktrees(); err != nil {
		return nil, err
	}
	lock, err := filelock.Acquire(ctx, c.lockFile(name))
	if ctx.Err() != nil {
		return nil, record.Errorf(record.Busy, "another process works on %s for too long: %w", name, ctx.Err()).WithHint("try again later")
	}
	if err != nil {
		return nil, c.layout.Live.Failed(err)
	}
	return func() { _ = lock.Release() }, nil
}

func (c *clone) lockFile(name string) string {
	return filepath.Join(c.layout.Live.Worktrees(), name+".lock")
}

func (c *clone) lockTask(ctx context.Context, id record.ID) (release func(), err error) {
	return c.lock(ctx, taskLock(id))
}

func taskLock(id record.ID) string { return "task-" + string(id) }

// folder makes the folder in which the work trees of the workspace lie, and returns its path. The setting names the
// folder around it: absolute, from the user's home if it begins with "~/", or else from the folder of the repository,
// which is the top of its main work tree, or the git folder if there is none. It returns INVALID_INPUT if that lies in
// the repository, or if a link is on the way to it.
func (c *clone) folder() (string, error) {
	home := c.repo.Top
	if c.repo.Linked() {
		if home = c.repo.CommonDir; filepath.Base(home) == ".git" {
			home = filepath.Dir(home)
		}
	}
	name := strings.TrimPrefix(filepath.Base(home), ".")
	around := filepath.Join(filepath.Dir(home), "."+name+"-worktrees")
	if set := filepath.FromSlash(c.o.Setting); set != "" {
		if below, ok := strings.CutPrefix(set, "~"+string(filepath.Separator)); ok {
			user, err := os.UserHomeDir()
			if err != nil {
				return "", problem.IO(err)
			}
			set = filepath.Join(user, below)
		}
		if !filepath.IsAbs(set) {
			set = filepath.Join(home, set)
		}
		around = filepath.Clean(set)
	}
	for _, inside := range []string{home, c.repo.Top, c.repo.CommonDir} {
		if disk.Within(inside, around) {
			return "", record.Errorf(record.InvalidInput, "work trees would lie in %s, which is in the repository", around).
				WithHint("set worktrees in .cairn/config.yaml to a folder outside, such as ../worktrees")
		}
	}
	sum := sha256.Sum256([]byte(c.layout.Live)) // since several workspaces may have one setting
	dir := filepath.Join(around, name+"-"+hex.EncodeToString(sum[:])[:8])
	there := dir
	for !layout.Exists(there) && there != filepath.Dir(there) {
		there = filepath.Dir(there)
	}
	resolved, err := filepath.EvalSymlinks(there)
	switch {
	case problem.Missing(err):
		return "", problem.Link(there) // one that leads nowhere
	case err != nil:
		return "", problem.IO(err)
	case resolved != there:
		return "", record.Errorf(record.InvalidInput, "%s leads through a link, to %s, and work trees do not", there, resolved).
			WithHint("set worktrees in .cairn/config.yaml to %s", resolved)
	}
	if err := disk.MakeVolatile(there, dir); err != nil {
		return "", record.Errorf(record.IO, "cannot make the folder of the work trees: %w", err).
			WithHint("set worktrees in .cairn/config.yaml to a folder that can be written")
	}
	return dir, nil
}
