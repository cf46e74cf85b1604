package worktree

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// look is one look at a recorded work tree, for reasons why it is not removed.
type look struct {
	*clone
	made
	at    string    // where it lies: at its path, or aside, where a removal has moved it
	aside bool      // its submodules name the old path then, so they cannot be examined
	there *git.Repo // nil until it is identified
	found []Reason
}

// look lists the reasons why a work tree stays, if need be one that was moved aside to be removed.
func (c *clone) look(ctx context.Context, m made, aside bool) []Reason {
	l := &look{clone: c, made: m, at: m.Path, aside: aside}
	if aside {
		l.at = m.Removing
	}
	l.identify(ctx)
	if l.there == nil {
		return l.found
	}
	if why := l.o.Busy(l.Task); why != "" {
		l.add(Busy, "%s", why)
	}
	if live, err := proc.Inside(l.at); err != nil {
		l.add(Uncertain, "%s", liveness(nil, err))
	} else if len(live) > 0 {
		l.add(Live, "%s", liveness(live, nil))
	}
	for _, sign := range signs {
		for _, name := range sign.names {
			if file := filepath.Join(l.there.GitDir, name); layout.Exists(file) {
				l.add(sign.why, "%s", strings.NewReplacer("FILE", file, "NAME", name).Replace(sign.message))
			}
		}
	}
	l.unsaved(ctx)
	if safe, err := l.safe(ctx); err != nil {
		l.add(Uncertain, "whether its commits are anywhere else is not known: %s", err)
	} else if !safe {
		l.add(Unmerged, "commits of %s are neither in %s nor pushed", l.Branch, l.Base)
	}
	return l.found
}

func (l *look) add(why Why, format string, args ...any) {
	l.found = append(l.found, reason(why, fmt.Sprintf(format, args...)))
}

// identify finds the work tree, or adds the reason why it is not there as it was made.
func (l *look) identify(ctx context.Context) {
	if now := git.WorktreeAt(l.adminDir(l.made)); now != "" && now != l.at {
		l.add(Moved, "a person moved it to %s, and it is theirs now", now)
		return
	}
	if !layout.Exists(l.at) {
		l.add(Gone, "its folder is gone%s", l.whyGone())
		return
	}
	there, err := l.opened(l.at)
	if err != nil {
		l.add(Uncertain, "it cannot be opened: %s", err)
		return
	}
	if !l.isOurs(there) || layout.GitDirOf(there) != l.GitDir {
		l.add(Moved, "what lies there now is not the work tree that was made")
		return
	}
	head, err := there.Head(ctx)
	switch {
	case err != nil:
		l.add(Uncertain, "what is checked out is not known: %s", err)
	case head.Branch != l.Branch:
		l.add(Switched, "%s is checked out there, and not %s: it is a person's now", checkedOut(head), l.Branch)
	default:
		l.there = there
	}
}

// whyGone says what else is known of a work tree whose folder is gone.
func (l *look) whyGone() string {
	switch {
	case !layout.Exists(filepath.Dir(l.at)):
		return ", and so is the one around it: its disk may be missing"
	case layout.Exists(l.adminDir(l.made)):
		return ", and git still knows it: if it was moved, git worktree repair NEW-PATH tells git where it is"
	default:
		return ""
	}
}

// signs are the files in the git folder of a work tree that say that it is locked, or that an operation was begun in it
// and not finished.
var signs = []struct {
	why     Why
	message string // with NAME and FILE for the file
	names   []string
}{
	{Locked, "it is locked with git worktree lock", []string{"locked"}},
	{Locked, "a git command works in it, or was killed there: FILE exists", []string{"index.lock", "HEAD.lock"}},
	{UnderWay, "git is in the middle of something there: NAME", []string{
		"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply",
	}},
}

// liveness says that processes work in a folder, or that this is not known.
func liveness(live []proc.Process, err error) string {
	if err != nil {
		return "whether a process works there is uncertain: " + err.Error()
	}
	names := make([]string, len(live))
	for i, p := range live {
		names[i] = p.String()
	}
	return strings.Join(names, ", ") + " works in it"
}

// Why is the kind of a reason why a work tree stays.
type Why string

// The kinds of reasons.
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
	Parked      Why = "parked"      // a branch alone: an attempt was given up
	Uncertain   Why = "uncertain"   // some of this could not be examined
)

// Reason is a reason why a work tree is not removed.
type Reason struct {
	Why     Why    `json:"reason"`
	Message string `json:"message"`
	Force   bool   `json:"force,omitempty"` // force removes it nevertheless: what is in no commit is deleted then
}

func reason(why Why, message string) Reason {
	return Reason{why, message, slices.Contains([]Why{Uncommitted, Untracked, Ignored, Stashed}, why)}
}

// Standing is what is known of a recorded work tree.
type Standing struct {
	Task       record.ID `json:"id"`
	Path       string    `json:"path"` // "" for parked work, which is a branch alone
	Branch     string    `json:"branch"`
	Base       string    `json:"base,omitempty"`
	BaseCommit string    `json:"base_commit,omitempty"`
	Repo       string    `json:"repo,omitempty"` // the other repository that it is in
	MadeAt     time.Time `json:"made_at,omitzero"`
	Removable  bool      `json:"removable"`        // Remove removes it
	Reasons    []Reason  `json:"stays,omitempty"`  // why it is not removed
	Theirs     bool      `json:"theirs,omitempty"` // a person has moved it or uses it for something else: cairn leaves it alone
}

// Has reports whether the work tree stays for a reason of a kind.
func (s Standing) Has(why Why) bool {
	return slices.ContainsFunc(s.Reasons, func(r Reason) bool { return r.Why == why })
}

// List lists the recorded work trees by their tasks, each with all reasons why it stays. What cannot be examined is a
// reason too. It changes nothing.
func (w *Worktrees) List(ctx context.Context) ([]Standing, error) {
	names, err := w.records().names()
	if err != nil {
		return nil, err
	}
	var all []Standing
	for _, name := range names {
		id, err := record.ParseID(name)
		if err != nil { // of a throw-away work tree
			continue
		}
		m, ok, err := w.records().read(id)
		switch {
		case err != nil:
			all = append(all, Standing{Task: id, Branch: Branch(id), Reasons: []Reason{reason(Uncertain, err.Error())}})
		case ok:
			all = append(all, w.standingOf(ctx, m))
		}
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
	}
	parked, err := w.Parked(ctx, "")
	for _, name := range parked {
		all = append(all, parkedStanding(name))
	}
	return all, err
}

// parkedStanding is what is known of parked work.
func parkedStanding(branch string) Standing {
	id, _ := ParkedFor(branch)
	return Standing{Task: id, Branch: branch, Reasons: []Reason{reason(Parked, "what an attempt left that was given up; git branch -D "+branch+" deletes it")}}
}

// Look returns what is known of the work tree of a task; false if none is recorded.
func (w *Worktrees) Look(ctx context.Context, id record.ID) (Standing, bool, error) {
	m, ok, err := w.records().read(id)
	if err != nil || !ok {
		return Standing{}, false, err
	}
	return w.standingOf(ctx, m), true, nil
}

// standingOf is what is known of a work tree, which may be in another repository.
func (w *Worktrees) standingOf(ctx context.Context, m made) Standing {
	at, err := w.of(m)
	if err != nil {
		return Standing{
			Task: m.Task, Path: m.Path, Branch: m.Branch, Base: m.Base, BaseCommit: m.BaseCommit, MadeAt: m.MadeAt, Repo: m.Repo,
			Reasons: []Reason{reason(Uncertain, "the repository "+m.Repo+" cannot be looked at: "+record.MessageOf(err))},
		}
	}
	return at.standing(ctx, m)
}

func (c *clone) standing(ctx context.Context, m made) Standing {
	s := Standing{Task: m.Task, Path: m.Path, Branch: m.Branch, Base: m.Base, BaseCommit: m.BaseCommit, MadeAt: m.MadeAt, Repo: m.Repo}
	if m.Ready && m.Removing == "" {
		s.Reasons = c.look(ctx, m, false)
	} else {
		s.Reasons = []Reason{reason(Uncertain, "making or removing it was interrupted; the next call that makes or removes it settles that")}
	}
	s.Removable, s.Theirs = len(s.Reasons) == 0, s.Has(Moved) || s.Has(Switched)
	return s
}

// unsaved adds what would be lost with the work tree because it is in no commit.
func (l *look) unsaved(ctx context.Context) {
	changes, err := l.there.Changes(ctx, git.Looks{Ignored: true, Shallow: l.aside || !l.trusted()})
	if err != nil {
		l.add(Uncertain, "its changes cannot be listed: %s", err)
		return
	}
	l.changes(changes)
	stashes, err := l.repo.History().Stashes(ctx, l.Branch)
	if err != nil {
		l.add(Uncertain, "the stashes cannot be listed: %s", err)
	} else if stashes > 0 {
		l.add(Stashed, "%d stashed on %s", stashes, l.Branch)
	}
	switch {
	case l.aside:
	case l.trusted():
		nested, err := l.there.Nested(ctx)
		if err != nil {
			l.add(Uncertain, "its nested repositories cannot be looked at: %s", err)
		} else if len(nested) > 0 {
			l.add(Submodule, "commits that are in no remote of theirs, in %s", someOf(nested))
		}
	default: // git would start what the submodules' own configs name
		files, err := l.there.Index("").Files(ctx, "")
		if err != nil {
			l.add(Uncertain, "its submodules cannot be listed: %s", err)
		} else if slices.ContainsFunc(files, git.File.Repository) {
			l.add(Uncertain, "its submodules are not looked into, since the clone is not trusted")
		}
	}
}

// changes adds what has changed in the work tree, but for ignored files that nobody would miss.
func (l *look) changes(all []git.Change) {
	found := map[Why][]string{}
	for _, c := range all {
		switch {
		case c.Ignored && l.replaceable(c.Path):
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
			l.add(why, "%s: %s", why, someOf(paths))
		}
	}
}

// replaceable reports whether an ignored path holds nothing but copies that .worktreeinclude asked for and that have
// not changed, or what cairn keeps for itself.
func (l *look) replaceable(path string) bool {
	file, folder := filepath.Join(l.there.Top, filepath.FromSlash(path)), strings.HasSuffix(path, "/")
	inWorkspace := layout.SlashRel(l.rootIn(l.there.Top), file)
	if folder {
		inWorkspace += "/"
	}
	if layout.LocalOnly(inWorkspace) {
		return true
	}
	if !folder {
		return l.isCopy(path)
	}
	same := true
	err := filepath.WalkDir(file, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !e.IsDir() && !l.isCopy(layout.SlashRel(l.there.Top, at)) {
			same = false
			return filepath.SkipAll
		}
		return nil
	})
	return err == nil && same
}

// isCopy reports whether a file is a copy that was made together with the work tree, and has not changed since.
func (l *look) isCopy(name string) bool {
	was, ok := l.Copied[name]
	at := disk.StampOf(filepath.Join(l.there.Top, filepath.FromSlash(name)))
	return ok && was == copied{at.Size, at.Modified}
}

// safe reports whether all that was committed on the branch is in its base, or in a branch of a remote.
func (l *look) safe(ctx context.Context) (bool, error) {
	tip, err := l.on(l.treeOf(l.made)).tip(ctx)
	if err != nil {
		return false, err
	}
	if slices.Contains(slices.Collect(maps.Values(l.Pushed)), tip) {
		return true, nil
	}
	if pushed, err := l.repo.History().InRemote(ctx, tip); err != nil || pushed {
		return pushed, err
	}
	base, err := l.branchTip(ctx, l.Base)
	if err != nil {
		return false, err
	}
	if base == "" {
		return false, record.Errorf(record.Git, "the branch %s, which it was to be merged into, is not there any more", l.Base)
	}
	return l.cameHome(ctx, tip, base)
}

// containment is the question whether a base contains all that a branch changed, though not its commits, as after a
// squash.
type containment struct {
	*clone
	tip, base string // commits
	fork      string // where the branch left the base
}

// holds reports whether the base, as it is now, contains all that the branch changed: it has each file as the branch
// left it, or merging the branch once more would change nothing. A change that the base has taken back is not
// contained.
func (c containment) holds(ctx context.Context) (bool, error) {
	bases, err := c.repo.History().MergeBases(ctx, c.tip, c.base)
	if err != nil || len(bases) != 1 {
		return false, err
	}
	c.fork = bases[0]
	files, records, err := c.repo.History().NumStat(ctx, c.fork, c.tip)
	if err != nil {
		return false, err
	}
	for _, one := range append(files, records...) {
		has, err := c.hasFile(ctx, one.Path)
		if err != nil {
			return false, err
		}
		if !has {
			return c.mergesToNothing(ctx)
		}
	}
	return true, nil
}

// hasFile reports whether the base has a file as the branch left it, or a record with all that the branch added to it.
func (c containment) hasFile(ctx context.Context, path string) (bool, error) {
	theirs, err := c.fileAt(ctx, c.tip, path)
	if err != nil {
		return false, err
	}
	ours, err := c.fileAt(ctx, c.base, path)
	if err != nil || ours.Mode == theirs.Mode && ours.ID == theirs.ID {
		return err == nil, err
	}
	if !c.repo.SetsAside(path) || ours.ID == "" || theirs.ID == "" {
		return false, nil
	}
	versions, err := c.blobs(ctx, c.fork+":"+path, ours.ID, theirs.ID)
	if err != nil || versions[1] == nil || versions[2] == nil {
		return false, err
	}
	return c.takesIn(path, versions[0], versions[1], versions[2]), nil
}

// takesIn reports whether a text of a record says all that another one says, beyond what both began with.
func (c *clone) takesIn(path string, began, ours, theirs []byte) bool {
	if c.hasEntries(path, ours, theirs) {
		return true
	}
	markers := format.Markers{Size: 7, Ours: "ours", Theirs: "theirs"}
	both, clean := kind.Merge(path, began, ours, theirs, kind.DefaultConfig().Flow, markers)
	return clean && string(both) == string(ours)
}

// hasEntries reports whether a text of a record has all entries of another one, and says the same but for what entries
// say: its state and who has it. Where entries are of one second, a merge cannot tell which was last.
func (c *clone) hasEntries(path string, ours, theirs []byte) bool {
	k, _, ok := kind.At(strings.TrimPrefix(path, c.layout.InRepo("")))
	if !ok {
		return false
	}
	parts := func(src []byte) (rest string, log record.Log) {
		doc, err := format.Parse(src, k.Form)
		if err != nil {
			return "", nil
		}
		log, _ = kind.Entries(doc)
		for _, key := range []string{"provenance", "status", "assignee"} {
			if doc.Get(key) == nil {
				continue
			}
			if doc, err = doc.Edit(k.Keys(), format.Remove(format.Path{key})); err != nil {
				return "", nil
			}
		}
		return string(doc.Bytes()), log
	}
	rest, have := parts(ours)
	restThere, wanted := parts(theirs)
	known := have.Hashes()
	return rest != "" && rest == restThere && len(wanted) > 0 && !slices.ContainsFunc(wanted, func(e record.Entry) bool { return !known[e.Hash()] })
}

func (c containment) fileAt(ctx context.Context, commit, path string) (f git.File, err error) {
	files, err := c.repo.Objects().Files(ctx, commit, path)
	if len(files) == 1 && files[0].Path == path {
		f = files[0]
	}
	return f, err
}

// mergesToNothing reports whether merging the branch into the base would leave the base as it is. It reports false
// where that is not known: with a git that is too old to tell, and in a clone that is not trusted, since a merge starts
// the drivers that its config names.
func (c containment) mergesToNothing(ctx context.Context) (bool, error) {
	if !c.trusted() {
		return false, nil
	}
	with, err := c.withDriver(ctx)
	if err != nil {
		return false, err
	}
	out, err := with.Run(ctx, c.repo.Top, "merge-tree", "--write-tree", "--no-messages", c.base, c.tip)
	if git.Exited(err) != 0 {
		return false, nil // they conflict, or there is no such command
	}
	if err != nil {
		return false, err
	}
	return c.hasTree(ctx, c.base, strings.TrimSpace(string(out)))
}

// Absent reports whether the base has each file that the branch of a task changed up to a commit as it was before: the
// work was never there, or was taken back, as by a revert. It reports false for a commit that is not there any more.
func (w *Worktrees) Absent(ctx context.Context, t Tree, tip string) (bool, error) {
	base, err := w.branchTip(ctx, t.Base)
	if err != nil || base == "" {
		return false, err
	}
	if has, err := w.repo.Commit(ctx, tip); err != nil || has == "" {
		return false, err
	}
	return w.absent(ctx, t, base, tip)
}

func (c *clone) absent(ctx context.Context, t Tree, base, tip string) (bool, error) {
	files, _, err := c.repo.History().NumStat(ctx, t.BaseCommit, tip)
	before := containment{clone: c, base: base, tip: t.BaseCommit}
	for _, one := range files {
		if has, err := before.hasFile(ctx, one.Path); err != nil || !has {
			return false, err
		}
	}
	return len(files) > 0, err
}
