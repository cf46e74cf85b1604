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
// less than ten seconds ago for the same actor, and that nobody can have seen, is replaced by one that has both. In the
// work tree of a task nothing is committed: its work is committed as a whole. Exclusively runs a function while no
// record is written.
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
type autocommit struct {
	*syncing
	amended string // the commit that is replaced; "" for none
}

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
	paths, err := y.changed(ctx, git.Looks{Shallow: true, Below: path.Join(y.layout.InRepo(""), layout.Folder)})
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
		if happened, err = y.together(ctx, head, paths); err != nil {
			return err
		}
	}
	flags := y.author(ctx, happened.who)
	if y.amended != "" {
		flags = append(flags, "--amend")
	}
	if err := y.commitBeside(ctx, happened.message(), paths, flags...); err != nil {
		return y.locked(err)
	}
	if y.Commit, err = y.tip(ctx); err != nil || y.Commit == head {
		return err
	}
	return y.note(last{y.Commit, happened.who, y.o.Now().UTC()})
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
// that nothing else names: no other ref, and none of the records that are to be committed. Then it is to be replaced.
func (y *autocommit) follows(ctx context.Context, head string, who record.Actor, paths []string) bool {
	var was last
	src, err := disk.ReadRegular(y.layout.AutocommitFile(), 1<<10)
	if err != nil || json.Unmarshal(src, &was) != nil || was.Commit != head || was.Who != who || head == "" ||
		y.o.Now().Sub(was.At).Abs() >= burst {
		return false
	}
	refs, err := y.repo.Refs().At(ctx, head)
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
	if err == nil && parent != "" {
		y.amended = head
	}
	return y.amended != ""
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
