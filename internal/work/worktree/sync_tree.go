package worktree

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// operations are those of git that stop in the middle, by the file that says so.
var operations = []struct{ file, what, command string }{
	{"MERGE_HEAD", "a merge", "git merge"},
	{"rebase-merge", "a rebase", "git rebase"},
	{"rebase-apply", "a rebase", "git rebase"},
	{"CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick"},
	{"REVERT_HEAD", "a revert", "git revert"},
}

// ready finds the branch that is checked out, and returns an error if it cannot be committed to, or if git would
// start a program that is not approved. The hooks are those that are to run.
func (y *syncing) ready(ctx context.Context, hooks ...string) error {
	if err := y.repo.Usable(ctx); err != nil {
		return err
	}
	for _, op := range operations {
		if layout.Exists(filepath.Join(y.repo.GitDir, op.file)) {
			return record.Errorf(record.Git, "%s is under way in this work tree, and has to end first", op.what).
				WithHint("%s --continue once all is settled, or %s --abort", op.command, op.command)
		}
	}
	head, err := y.repo.Head(ctx)
	if err != nil {
		return err
	}
	if y.Branch = head.Branch; y.Branch == "" {
		return record.Errorf(record.Git, "no branch is checked out, so there is none to commit to or to share").
			WithHint("git switch BRANCH, or git switch -c NEW-BRANCH to keep what was committed here")
	}
	return y.startsNothing(ctx, "", hooks)
}

// startsNothing returns UNTRUSTED if git would start programs that this clone brings along, in its config, its hooks or
// a remote that lies in it, and that the user has not approved.
func (y *syncing) startsNothing(ctx context.Context, remote string, hooks []string) error {
	if y.trusted() {
		return nil
	}
	found, err := y.repo.Config().Programs(ctx, "cairn"+driverArgs)
	if err != nil {
		return err
	}
	for _, hook := range hooks {
		if layout.Exists(filepath.Join(y.repo.CommonDir, "hooks", hook)) {
			found = append(found, "its hook "+hook)
		}
	}
	if remote != "" {
		bundled, err := y.repo.Remotes().Bundled(ctx, remote)
		if err != nil {
			return err
		}
		if bundled {
			found = append(found, "the hooks of the repository that the URL of "+remote+" leads to")
		}
	}
	if len(found) == 0 {
		return nil
	}
	return record.Errorf(record.Untrusted,
		"this clone would have git start programs that were not approved on this machine: %s",
		strings.Join(found, ", ")).
		WithHint("a person looks at them, and then approves this clone: %s", record.CallTo("trust").ByPerson())
}

// commit commits what has changed under the .cairn of the workspace. The caller holds the lock of writes.
func (y *syncing) commit(ctx context.Context) error {
	paths, err := y.changed(ctx, git.Looks{Shallow: true})
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return y.ignored(ctx)
	}
	return y.commitRecords(ctx, paths)
}

// changed lists what has changed under the .cairn of the workspace and is to be committed, sorted.
func (y *syncing) changed(ctx context.Context, looks git.Looks) (paths []string, err error) {
	(&holder{y.repo, y.Branch}).awaitGit(ctx)
	if _, err := y.tip(ctx); err != nil {
		return nil, err
	}
	changes, err := y.repo.Changes(ctx, looks)
	if err != nil {
		return nil, err
	}
	var unmerged []string
	for _, c := range changes {
		info, err := os.Lstat(filepath.Join(y.repo.Top, filepath.FromSlash(c.Path)))
		switch plain := err != nil || info.Mode().IsRegular(); {
		case c.Unmerged:
			unmerged = append(unmerged, c.Path)
		case plain && y.under(c.Path) && !y.localOnly(c):
			paths = append(paths, c.Path)
		}
	}
	if len(unmerged) > 0 {
		return nil, record.Errorf(record.MergeConflict, "an earlier merge was not finished here: %s", someOf(unmerged)).
			WithHint("settle them, and git add them; %s settles a record", record.CallTo("resolve"))
	}
	slices.Sort(paths)
	return paths, nil
}

// localOnly reports whether a change belongs to this machine: it is left out everywhere, or it is a new file that is
// hidden, as editors and people keep their drafts and secrets, or a backup.
func (y *syncing) localOnly(c git.Change) bool {
	name := path.Base(c.Path)
	return c.Untracked && (strings.HasSuffix(c.Path, "/") || y.repo.LeavesLocal(c.Path) ||
		name[0] == '.' && !strings.HasPrefix(name, ".git") || strings.HasSuffix(name, "~") ||
		slices.Contains([]string{".bak", ".orig", ".rej"}, path.Ext(name)))
}

// ignored returns an error if git ignores the workspace.
func (y *syncing) ignored(ctx context.Context) error {
	config := path.Join(y.layout.InRepo(""), layout.Folder, layout.ConfigName)
	if names, err := y.repo.Ignored(ctx, config); err != nil || len(names) == 0 {
		return err
	}
	return record.Errorf(record.InvalidInput, "git ignores %s, so nothing of it can be shared", config).
		WithHint("git check-ignore --verbose %s names the line that says so", config)
}

// commitRecords commits some files, all records among which can be read.
func (y *syncing) commitRecords(ctx context.Context, paths []string) error {
	var ids []string
	for _, at := range paths {
		name := strings.TrimPrefix(at, y.layout.InRepo(""))
		if of, ok := y.recordAt(at); ok {
			ids = append(ids, of.ID)
		} else {
			ids = append(ids, path.Base(name))
		}
		if err := y.readable(name); err != nil {
			return err
		}
	}
	if err := y.repo.Identity(ctx); err != nil {
		return err
	}
	before, err := y.tip(ctx)
	if err == nil {
		err = y.commitBeside(ctx, subject(record.Unique(ids)), paths)
	}
	if err != nil {
		return err
	}
	after, err := y.tip(ctx)
	if err != nil || after == before {
		return err
	}
	y.Commit = after
	y.committed = append(y.committed, paths...)
	return nil
}

// readable returns an error for a record that cannot be read, or that has conflict markers.
func (y *syncing) readable(name string) error {
	k, _, ok := kind.At(name)
	if !ok {
		return nil
	}
	src, err := layout.ReadFile(y.layout.Abs(name))
	if problem.Missing(err) {
		return nil
	}
	if err != nil {
		return problem.IO(err)
	}
	doc, err := format.Parse(src, k.Form)
	if err == nil {
		_, err = k.Decode(doc)
	}
	if err != nil {
		return problem.BadFile(name, err)
	}
	if line := doc.Unmerged(); line > 0 {
		return record.Errorf(record.BadFile, "%s:%d: conflict markers: a merge was not finished", name, line).
			WithHint("settle it in the file, and keep the entries of both sides")
	}
	return nil
}

// join brings the branch and the files here to what the upstream has, merged with what is here. What is recorded
// meanwhile is committed and merged as well.
func (y *syncing) join(ctx context.Context) error {
	for range maxMerges {
		ours, err := y.tip(ctx)
		if err != nil {
			return err
		}
		theirs, err := y.repo.Refs().Commit(ctx, y.at.copy())
		if err != nil {
			return err
		}
		if has, err := y.repo.History().Contains(ctx, ours, theirs); has || err != nil {
			return err
		}
		next, err := y.merged(ctx, ours, theirs)
		if err != nil {
			return err
		}
		moved := false
		err = y.Exclusively(ctx, func() error {
			if err := y.commit(ctx); err != nil {
				return err
			}
			now, err := y.tip(ctx)
			if err == nil && now == ours {
				moved, err = y.forward(ctx, now, next)
			}
			return err
		})
		if err != nil {
			return err
		}
		if moved {
			return cmp.Or(y.addGot(ctx, ours, theirs), y.forgetConflicts())
		}
	}
	return record.Errorf(record.Conflict,
		"records kept changing while they were merged").WithHint("try again when it is quiet")
}

// addGot notes the files that the upstream has changed since it and this branch parted.
func (y *syncing) addGot(ctx context.Context, ours, theirs string) (err error) {
	base := ""
	if ours != "" {
		base, err = y.mergeBase(ctx, ours, theirs)
	}
	if err != nil {
		return err
	}
	paths, err := y.differing(ctx, base, theirs)
	y.got = append(y.got, paths...)
	return err
}

// forward moves the branch that is checked out to a commit that contains it, and the files with it. It reports false if
// a record was changed meanwhile by a program that does not wait for the lock. The caller holds the lock of writes.
func (y *syncing) forward(ctx context.Context, from, to string) (moved bool, err error) {
	// The network is for filters that fetch the content of a file, as of Git LFS.
	_, failed := git.Writing{Network: true}.Run(ctx, y.repo.Top, fastForward(to)...)
	if failed == nil {
		return true, nil
	}
	if now, err := y.tip(context.WithoutCancel(ctx)); err != nil || now == to {
		return now == to, err
	}
	in, err := y.inTheWay(ctx, from, to)
	if err != nil || len(in) == 0 {
		return false, failed
	}
	in = slices.DeleteFunc(in, y.under)
	if len(in) == 0 {
		return false, nil
	}
	return false, record.Errorf(record.BaseDirty,
		"%s changes files that are not committed here: %s", y.at.name(), someOf(in)).
		WithHint("commit or stash them, and try again; what was recorded is committed here, and was not sent")
}

// inTheWay lists the uncommitted files that keep the branch from moving from one commit to another.
func (y *syncing) inTheWay(ctx context.Context, from, to string) (paths []string, err error) {
	uncommitted, err := y.repo.Changes(ctx, git.Looks{Ignored: true, Shallow: true})
	if err != nil {
		return nil, err
	}
	changes, err := y.differing(ctx, from, to)
	if err != nil {
		return nil, err
	}
	for _, at := range changes {
		if slices.ContainsFunc(uncommitted, func(c git.Change) bool {
			folder := strings.TrimSuffix(c.Path, "/") + "/"
			return at+"/" == folder || strings.HasPrefix(at, folder) || strings.HasPrefix(c.Path, at+"/")
		}) {
			paths = append(paths, at)
		}
	}
	return paths, nil
}

// setUp has what is missing for merges by hand set up, once, and commits the files of that.
func (y *syncing) setUp(ctx context.Context) error {
	if y.isSet || y.SetUp == nil {
		return nil
	}
	y.isSet = true
	names, err := y.SetUp(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	if err := y.repo.Identity(ctx); err != nil {
		return err
	}
	for i, name := range names {
		names[i] = y.layout.InRepo(name)
	}
	return y.Exclusively(ctx, func() error {
		if err := y.commitBeside(ctx, "cairn: have git merge records by the merge driver", names); err != nil {
			return err
		}
		y.Commit, err = y.tip(ctx)
		return err
	})
}

// commitBeside is commitPaths, and keeps the message that git merge --squash or cherry-pick -n has prepared for the next
// commit of the person. Any commit takes it away. More are further flags of git commit.
func (y *syncing) commitBeside(ctx context.Context, message string, paths []string, more ...string) error {
	prepared := map[string][]byte{}
	for _, name := range []string{"SQUASH_MSG", "MERGE_MSG"} {
		file := filepath.Join(y.repo.GitDir, name)
		if text, err := disk.ReadFile(file); err == nil {
			prepared[file] = text
		}
	}
	err := commitPaths(ctx, y.repo.Top, message, paths, more...)
	for file, text := range prepared {
		if _, gone := os.Lstat(file); gone != nil {
			err = errors.Join(err, atomicfile.Write(file, text, 0o644))
		}
	}
	return err
}
