package worktree

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Autocommit commits what has changed under the .cairn of the workspace, once something was written there, and nothing
// else. The message says what happened, and the author is the actor of the newest entry. A commit that Autocommit made
// less than ten seconds ago for the same actor, and that nobody can have seen, is replaced by one that has both; where
// there is a remote, each is a commit of its own. In the work tree of a task nothing is committed: its work is committed
// as a whole. Exclusively runs a function while no record is written.
//
// Its errors are those of Sync up to the commit, and GIT if it runs inside a hook of a commit. Then everything is as it
// was, and the next call commits what this one did not.
func (w *Worktrees) Autocommit(ctx context.Context, exclusively func(context.Context, func() error) error) error {
	if own, err := w.records().at(w.repo.Top); own || err != nil {
		return err
	}
	if git.InHook() {
		return record.Errorf(record.Git, "a hook of git made the write, in the middle of a commit")
	}
	y := &autocommit{syncing: &syncing{clone: w.clone}}
	if err := y.ready(ctx); err != nil {
		return err
	}
	return exclusively(ctx, func() error { return y.commit(ctx) })
}

// at reports whether a recorded work tree lies at a path.
func (r records) at(path string) (bool, error) {
	names, err := r.names()
	return slices.ContainsFunc(names, func(name string) bool {
		m, ok, err := r.read(record.ID(name))
		return err == nil && ok && m.Path == path
	}), err
}

// autocommit is one run of Autocommit.
type autocommit struct{ *syncing }

// last is what is kept of the newest commit that Autocommit made in a work tree.
type last struct {
	Commit string       `json:"commit"`
	Who    record.Actor `json:"who"`
	At     time.Time    `json:"at"`
}

// burst is how soon a write follows another with which it is one commit.
const burst = 10 * time.Second

// commit makes the commit. The caller holds the lock of writes.
func (y *autocommit) commit(ctx context.Context) error {
	paths, err := y.changed(ctx, y.looks())
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return y.ignored(ctx)
	}
	for _, at := range paths {
		if err := y.readable(strings.TrimPrefix(at, y.layout.InRepo(""))); err != nil {
			return err
		}
	}
	if err := y.repo.Identity(ctx); err != nil {
		return err
	}
	head, err := y.tip(ctx)
	if err != nil {
		return err
	}
	happened, err := y.happened(ctx, head, paths)
	if err != nil {
		return err
	}
	if y.follows(ctx, head, happened.who, paths) {
		replaced, err := y.replace(ctx, head, paths)
		if err != nil {
			return y.locked(err)
		}
		if replaced != "" {
			return y.note(last{replaced, happened.who, y.o.Now().UTC()})
		}
	}
	flags := y.author(ctx, happened.who)
	if err := y.commitBeside(ctx, happened.message(), paths, flags...); err != nil {
		if left, unknown := y.changed(ctx, y.looks()); unknown == nil && len(left) == 0 {
			return nil // a commit that somebody made meanwhile has it
		}
		return y.locked(err)
	}
	if y.Commit, err = y.tip(ctx); err != nil || y.Commit == head {
		return err
	}
	return y.note(last{y.Commit, happened.who, y.o.Now().UTC()})
}

// looks are at the .cairn of the workspace alone: a work tree may have many files.
func (y *autocommit) looks() git.Looks {
	return git.Looks{Shallow: true, Below: path.Join(y.layout.InRepo(""), layout.Folder)}
}

// locked names the lock of the index, where git failed because of it.
func (y *autocommit) locked(err error) error {
	lock := filepath.Join(y.repo.GitDir, "index.lock")
	if !layout.Exists(lock) {
		return err
	}
	return record.Errorf(record.Git, "another git holds the index, or a killed one has left %s", lock)
}

// follows reports whether the commit that is checked out is one that Autocommit has just made for the same actor, and
// that nothing else can have: no other ref reaches it, no record that is to be committed names it, and there is no remote
// to which it may have gone. Then it is to be replaced.
func (y *autocommit) follows(ctx context.Context, head string, who record.Actor, paths []string) bool {
	var was last
	src, err := disk.ReadRegular(y.layout.AutocommitFile(), 1<<10)
	if err != nil || json.Unmarshal(src, &was) != nil || was.Commit != head || was.Who != who || head == "" ||
		y.o.Now().Sub(was.At).Abs() >= burst {
		return false
	}
	if remotes, err := y.repo.Remotes().Names(ctx); err != nil || len(remotes) > 0 {
		return false // a push may be under way
	}
	refs, err := y.repo.Refs().Holding(ctx, head)
	if err != nil || !slices.Equal(refs, []string{"refs/heads/" + y.Branch}) {
		return false
	}
	for _, at := range paths {
		src, err := disk.ReadFile(filepath.Join(y.repo.Top, filepath.FromSlash(at)))
		if err == nil && strings.Contains(string(src), head[:7]) {
			return false
		}
	}
	parent, err := y.repo.Commit(ctx, head+"^")
	return err == nil && parent != ""
}

// replace makes a commit of the paths, and of what the one that is checked out has, in its place. It returns "" if the
// branch has moved meanwhile: git commit --amend would then replace what somebody else has just committed.
func (y *autocommit) replace(ctx context.Context, head string, paths []string) (commit string, err error) {
	happened, err := y.together(ctx, head, paths)
	if err != nil {
		return "", err
	}
	index := filepath.Join(y.repo.GitDir, "cairn-autocommit.index")
	defer func() { _ = disk.RemoveFile(index) }()
	beside := git.Writing{Index: index}
	if _, err = beside.Run(ctx, y.repo.Top, "read-tree", head); err == nil {
		err = stage(ctx, y.repo.Top, index, paths)
	}
	if err != nil {
		return "", err
	}
	tree, err := answer(beside.Run(ctx, y.repo.Top, "write-tree"))
	if err != nil {
		return "", err
	}
	text, err := y.instead(ctx, head, tree, happened.message())
	if err == nil {
		commit, err = answer(git.Writing{Input: strings.NewReader(text)}.Run(ctx, y.repo.Top, "hash-object", "-t", "commit", "-w", "--stdin"))
	}
	if err == nil {
		err = stage(ctx, y.repo.Top, "", paths)
	}
	if err != nil {
		return "", err
	}
	_, moved := git.Writing{}.Run(ctx, y.repo.Top, "update-ref", "-m", "commit (amend): "+firstLine(happened.message()),
		"refs/heads/"+y.Branch, commit, head)
	if moved != nil {
		return "", nil //nolint:nilerr // then it is a commit of its own
	}
	return commit, nil
}

// instead is a commit with another tree and another message than one that is there, and its parent and author.
func (y *autocommit) instead(ctx context.Context, head, tree, message string) (string, error) {
	was, err := answer(git.Run(ctx, y.repo.Top, "cat-file", "commit", head))
	if err != nil {
		return "", err
	}
	who, err := answer(git.Writing{}.Run(ctx, y.repo.Top, "var", "GIT_COMMITTER_IDENT"))
	if err != nil {
		return "", err
	}
	kept := ""
	front, _, _ := strings.Cut(was, "\n\n")
	for line := range strings.Lines(front + "\n") {
		if strings.HasPrefix(line, "parent ") || strings.HasPrefix(line, "author ") {
			kept += line
		}
	}
	return "tree " + tree + "\n" + kept + "committer " + who + "\n\n" + message + "\n", nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// together is what happened since the parent of the commit that is replaced.
func (y *autocommit) together(ctx context.Context, head string, paths []string) (happened, error) {
	before, err := y.differing(ctx, head+"^", head)
	if err != nil {
		return happened{}, err
	}
	return y.happened(ctx, head+"^", record.Unique(slices.Concat(before, paths)))
}

func (y *autocommit) note(made last) error {
	src, err := json.Marshal(made)
	if err == nil {
		err = y.layout.MakeLive()
	}
	if err == nil {
		err = atomicfile.Write(y.layout.AutocommitFile(), append(src, '\n'), 0o644)
	}
	return y.layout.Live.Failed(err)
}

// author are the flags that name the actor as the author: none for the person whom git names, or if nobody is known.
// The address is that of the person, since hosts refuse others.
func (y *autocommit) author(ctx context.Context, who record.Actor) []string {
	get := func(key string) string { value, _ := y.repo.Config().Get(ctx, key); return value }
	if who == "" || who == record.Actor("human:"+record.NameOf(get("user.name"))) {
		return nil
	}
	return []string{fmt.Sprintf("--author=%s <%s>", who, get("user.email"))}
}
