package worktree

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// Why is the kind of a reason why a work tree stays.
type Why string

// The kinds of reasons. Those that say Theirs, Live, Busy, Locked, Unmerged or Uncertain hold against force too.
const (
	Moved       Why = "moved"       // a person moved the folder: it is theirs
	Switched    Why = "switched"    // a person checked out something else there: it is theirs
	Gone        Why = "gone"        // its folder is not there
	Uncommitted Why = "uncommitted" // tracked files are changed
	Untracked   Why = "untracked"   // files are in no commit
	Ignored     Why = "ignored"     // files that git ignores are there, and are no unchanged copies
	Stashed     Why = "stashed"     // a stash was made on its branch
	UnderWay    Why = "under_way"   // a merge, a rebase or the like was not brought to its end
	Submodule   Why = "submodule"   // a nested repository has commits that are in none of its remotes
	Unmerged    Why = "unmerged"    // commits are neither in the base nor pushed
	Locked      Why = "locked"      // git worktree lock, or a lock of a git command
	Live        Why = "live"        // a process works in it
	Busy        Why = "busy"        // a job works on it
	Uncertain   Why = "uncertain"   // something of this could not be looked at
)

// Reason is a reason why a work tree is not removed.
type Reason struct {
	Why     Why    `json:"why"`
	Message string `json:"message"`
}

// Forced reports whether a removal with force goes on in spite of the reason: what is in no commit is then deleted because a person said
// so.
func (r Reason) Forced() bool {
	switch r.Why {
	case Uncommitted, Untracked, Ignored, Stashed:
		return true
	default:
		return false
	}
}

// Standing is what is known of a recorded work tree.
type Standing struct {
	Tree
	MadeAt  time.Time `json:"made_at"`
	Reasons []Reason  `json:"reasons,omitempty"` // why it stays; none if it can be removed
}

// Theirs reports whether a person has taken the work tree over.
func (s Standing) Theirs() bool { return s.has(Moved) || s.has(Switched) }

// Gone reports whether there is nothing but the record.
func (s Standing) Gone() bool { return s.has(Gone) }

func (s Standing) has(why Why) bool {
	for _, r := range s.Reasons {
		if r.Why == why {
			return true
		}
	}
	return false
}

// List lists the recorded work trees by their tasks, each with all reasons why it stays. What cannot be looked at is a reason too. It changes
// nothing.
func (w *Worktrees) List(ctx context.Context) ([]Standing, error) {
	ids, err := w.recorded()
	if err != nil {
		return nil, err
	}
	var all []Standing
	for _, id := range ids {
		m, ok, err := w.read(id)
		switch {
		case err != nil:
			all = append(all, Standing{Tree: Tree{Task: id, Branch: Branch(id)}, Reasons: []Reason{{Uncertain, err.Error()}}})
		case ok:
			all = append(all, w.stand(ctx, m))
		}
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
	}
	return all, nil
}

// Look is what is known of the work tree of a task; false if none is recorded.
func (w *Worktrees) Look(ctx context.Context, id task.ID) (Standing, bool, error) {
	m, ok, err := w.read(id)
	if err != nil || !ok {
		return Standing{}, false, err
	}
	return w.stand(ctx, m), true, nil
}

func (w *Worktrees) stand(ctx context.Context, m made) Standing {
	s := Standing{Tree: w.tree(m), MadeAt: m.MadeAt}
	if !m.Ready || m.Removing != "" {
		s.Reasons = []Reason{{Uncertain, "making or removing it was interrupted; the next call of either settles that"}}
		return s
	}
	s.Reasons = w.look(ctx, m, m.Path, git.Looks{Ignored: true})
	return s
}

// look lists the reasons why a work tree stays that lies at a path: its own, or the one to which it was moved to be removed. There its
// submodules cannot be looked into, since they name the old path.
func (w *Worktrees) look(ctx context.Context, m made, at string, l git.Looks) []Reason {
	there, reason := w.identify(ctx, m, at)
	if reason != nil {
		return []Reason{*reason}
	}
	var all []Reason
	add := func(why Why, format string, args ...any) {
		all = append(all, Reason{why, fmt.Sprintf(format, args...)})
	}
	if why := w.o.Busy(m.Task); why != "" {
		add(Busy, "%s", why)
	}
	if live, err := inside(at); err != nil {
		add(Uncertain, "%s", liveness(nil, err))
	} else if len(live) > 0 {
		add(Live, "%s", liveness(live, nil))
	}
	all = append(all, locks(there)...)
	all = append(all, unfinished(there)...)
	all = append(all, w.unsaved(ctx, m, there, l)...)
	return append(all, w.uncommonCommits(ctx, m)...)
}

// identify finds the work tree that a record is of, or says why it is not there as it was made.
func (w *Worktrees) identify(ctx context.Context, m made, at string) (*git.Repo, *Reason) {
	admin := filepath.Join(w.repo.CommonDir, filepath.FromSlash(m.GitDir))
	if now := git.WorktreeAt(admin); now != "" && now != at {
		return nil, &Reason{Moved, "it was moved to " + now + ", and is whoever's moved it"}
	}
	if !layout.Exists(at) {
		what := "its folder is gone"
		switch {
		case !layout.Exists(filepath.Dir(at)):
			what += ", and so is the one around it: its disk may be missing"
		case layout.Exists(admin):
			what += ", and git still knows it: if it was moved, git worktree repair NEW-PATH tells git where it is"
		}
		return nil, &Reason{Gone, what}
	}
	there, err := w.opened(at)
	if err != nil {
		return nil, &Reason{Uncertain, "it cannot be opened: " + err.Error()}
	}
	if !there.Linked() || there.CommonDir != w.repo.CommonDir || layout.GitDirOf(there) != m.GitDir {
		return nil, &Reason{Moved, "something else than what was made lies there now"}
	}
	head, err := there.Head(ctx)
	if err != nil {
		return nil, &Reason{Uncertain, "what is checked out is not known: " + err.Error()}
	}
	if head.Branch != m.Branch {
		return nil, &Reason{Switched, checkedOut(head) + " is checked out there, and not " + m.Branch + ": it is a person's now"}
	}
	return there, nil
}

// locks are the locks on a work tree: that of "git worktree lock", and those of git commands.
func locks(there *git.Repo) (all []Reason) {
	if layout.Exists(filepath.Join(there.GitDir, "locked")) {
		all = append(all, Reason{Locked, "it is locked with git worktree lock"})
	}
	for _, name := range []string{"index.lock", "HEAD.lock"} {
		if layout.Exists(filepath.Join(there.GitDir, name)) {
			all = append(all, Reason{Locked, "a git command works in it, or was killed there: " + filepath.Join(there.GitDir, name) + " exists"})
		}
	}
	return all
}

// unfinished is what git is in the middle of in a work tree.
func unfinished(there *git.Repo) (all []Reason) {
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply"} {
		if layout.Exists(filepath.Join(there.GitDir, name)) {
			all = append(all, Reason{UnderWay, "git is in the middle of something there: " + name})
		}
	}
	return all
}

// unsaved lists what of a work tree is in no commit.
func (w *Worktrees) unsaved(ctx context.Context, m made, there *git.Repo, l git.Looks) (all []Reason) {
	changes, err := there.Changes(ctx, git.Looks{Ignored: l.Ignored, Shallow: l.Shallow || !w.trusted()})
	if err != nil {
		return []Reason{{Uncertain, "its changes cannot be listed: " + err.Error()}}
	}
	found := map[Why][]string{}
	for _, c := range changes {
		switch {
		case c.Ignored && w.worthless(m, there, c.Path):
		case c.Ignored:
			found[Ignored] = append(found[Ignored], c.Path)
		case c.Untracked:
			found[Untracked] = append(found[Untracked], c.Path)
		default:
			found[Uncommitted] = append(found[Uncommitted], c.Path)
		}
	}
	for _, why := range []Why{Uncommitted, Untracked, Ignored} {
		if paths := found[why]; len(paths) > 0 {
			all = append(all, Reason{why, string(why) + ": " + someOf(paths)})
		}
	}
	stashes, err := w.repo.Stashes(ctx, m.Branch)
	if err != nil {
		all = append(all, Reason{Uncertain, "the stashes cannot be listed: " + err.Error()})
	} else if stashes > 0 {
		all = append(all, Reason{Stashed, fmt.Sprintf("%d stashed on %s", stashes, m.Branch)})
	}
	if l.Shallow {
		return all
	}
	if !w.trusted() {
		return append(all, untrustedNested(ctx, there)...)
	}
	nested, err := there.Nested(ctx)
	if err != nil {
		return append(all, Reason{Uncertain, "its nested repositories cannot be looked at: " + err.Error()})
	}
	if len(nested) > 0 {
		all = append(all, Reason{Submodule, "commits that are in no remote of theirs, in " + someOf(nested)})
	}
	return all
}

// untrustedNested says that submodules are not looked into: git would start what their own configs name.
func untrustedNested(ctx context.Context, there *git.Repo) []Reason {
	files, err := there.Index("").Files(ctx, "")
	if err != nil {
		return []Reason{{Uncertain, "its submodules cannot be listed: " + err.Error()}}
	}
	for _, f := range files {
		if f.Repository() {
			return []Reason{{Uncertain, "its submodules are not looked into, since the clone is not trusted"}}
		}
	}
	return nil
}

// worthless reports whether an ignored path holds nothing but what is copied from elsewhere and has not changed, or what cairn keeps for
// itself.
func (w *Worktrees) worthless(m made, there *git.Repo, path string) bool {
	file := filepath.Join(there.Top, filepath.FromSlash(path))
	if layout.LocalOnly(layout.SlashRel(w.rootIn(there.Top), file) + trailing(path)) {
		return true
	}
	if !strings.HasSuffix(path, "/") {
		return m.sameCopy(there.Top, path)
	}
	same := true
	err := filepath.WalkDir(file, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !e.IsDir() && !m.sameCopy(there.Top, layout.SlashRel(there.Top, at)) {
			same = false
			return filepath.SkipAll
		}
		return nil
	})
	return err == nil && same
}

func trailing(path string) string {
	if strings.HasSuffix(path, "/") {
		return "/"
	}
	return ""
}

// sameCopy reports whether a file of a work tree is a copy that was made when the work tree was, and has not changed since.
func (m made) sameCopy(top, name string) bool {
	was, ok := m.Copied[name]
	at := disk.StampOf(filepath.Join(top, filepath.FromSlash(name)))
	return ok && was == copied{at.Size, at.Modified}
}

// uncommonCommits says whether the branch of a work tree has commits that are nowhere else.
func (w *Worktrees) uncommonCommits(ctx context.Context, m made) []Reason {
	safe, err := w.safe(ctx, m)
	switch {
	case err != nil:
		return []Reason{{Uncertain, "whether its commits are anywhere else is not known: " + err.Error()}}
	case !safe:
		return []Reason{{Unmerged, "commits of " + m.Branch + " are neither in " + m.Base + " nor pushed"}}
	default:
		return nil
	}
}

// safe reports whether all that was committed on the branch of a work tree is in its base, or in a branch of a remote.
func (w *Worktrees) safe(ctx context.Context, m made) (bool, error) {
	tip, err := w.tip(ctx, w.tree(m))
	if err != nil {
		return false, err
	}
	for _, pushed := range m.Pushed {
		if pushed == tip {
			return true, nil
		}
	}
	if pushed, err := w.repo.InRemote(ctx, tip); err != nil || pushed {
		return pushed, err
	}
	base, err := w.repo.Refs().Commit(ctx, "refs/heads/"+m.Base)
	if err != nil {
		return false, err
	}
	if base == "" {
		return false, task.Errorf(task.Git, "the branch %s, which it was to be merged into, is not there any more", m.Base)
	}
	if in, err := w.ancestor(ctx, tip, base); err != nil || in {
		return in, err
	}
	return w.contained(ctx, tip, base)
}
