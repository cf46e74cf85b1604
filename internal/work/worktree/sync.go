package worktree

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// Sync says how the branch that is checked out is brought together with its upstream.
type Sync struct {
	Publish bool // a branch that the remote does not have is pushed too
	Ask     bool // git may ask for a password on the terminal

	// Exclusively runs a function while no record is written. No network is asked meanwhile.
	Exclusively func(context.Context, func() error) error

	// SetUp is called once the work tree has what the upstream has. It returns the files beside .cairn that it has
	// changed and that are to be committed, by their paths from the workspace root. It may be nil.
	SetUp func(context.Context) ([]string, error)
}

// Synced is what a sync has done.
type Synced struct {
	Branch    string // that is checked out
	Upstream  string // the branch of a remote that is the same now, such as origin/main; "" if there is none
	Remote    string // "" if the clone has none, or several of which none is meant
	Commit    string // that both have now; where there is no upstream, that of the branch here
	Committed Files  // what had not been committed
	Sent, Got Files
}

// Files are files that differ between two commits.
type Files struct {
	Records []record.Ref // those of the workspace, sorted
	Others  int          // files of anything else
}

// Sync commits what has changed under the .cairn of the workspace, and nothing else; fetches; merges what the upstream
// has, with the merge driver; and pushes. Whatever else is staged stays as it was. A merge is made in a throw-away work
// tree, and then the branch and the files move forwards to it, as by git pull, or not at all.
//
// It returns, with everything as it was but that .cairn is committed: GIT if no branch is checked out, a merge or the
// like is under way, a hook or the remote refuses, or git knows no name to commit with; MERGE_CONFLICT with the
// records or files that do not merge; BASE_DIRTY if uncommitted changes are in the way of what comes; OFFLINE if the
// remote gives no answer; BASE_MOVED if it kept moving; UNTRUSTED if git would start a program that the user has not
// approved; BAD_FILE for a record that cannot be read, which nobody else is to get. A kill at any moment loses
// nothing, and the next call goes on.
func (w *Worktrees) Sync(ctx context.Context, in Sync) (Synced, error) {
	y := &syncing{clone: w.clone, Sync: in}
	if err := y.ready(ctx, pushHooks...); err != nil {
		return y.Synced, err
	}
	if err := y.Exclusively(ctx, func() error { return y.commit(ctx) }); err != nil {
		return y.Synced, err
	}
	err := y.findUpstream(ctx)
	if err == nil && y.Remote == "" {
		err = y.setUp(ctx)
	} else if err == nil {
		err = y.exchange(ctx)
	}
	return y.done(), err
}

// pushHooks are the hooks that run here for a push.
var pushHooks = []string{"pre-push", "reference-transaction"}

// syncing is one run of Sync.
type syncing struct {
	*clone
	Sync
	Synced
	follows bool    // the config says what the branch follows
	at      remoted // the branch at a remote that is being brought together with this one
	from    remoted // what the branch follows, if that is another than where it is pushed; else the zero value
	to      remoted // where it is pushed
	last    string  // the words with which the remote refused the last push
	isSet   bool    // SetUp was called

	committed, sent, got []string // paths from the top of the work tree, some of them several times
}

// remoted is a branch at a remote.
type remoted struct {
	remote string
	ref    string // in full
}

// name is how people call it.
func (r remoted) name() string { return r.remote + "/" + strings.TrimPrefix(r.ref, "refs/heads/") }

// copy is the ref here that says where it was, as it was fetched or pushed last.
func (r remoted) copy() string { return "refs/remotes/" + r.name() }

// How often a sync begins anew: if others push meanwhile, and if records are written meanwhile.
const (
	maxPushes = 6
	maxMerges = 10
)

// exchange fetches, merges and pushes, until the remote has what is here.
func (y *syncing) exchange(ctx context.Context) error {
	for try := range maxPushes {
		there, err := false, error(nil)
		for _, y.at = range []remoted{y.from, y.to} {
			if y.at.remote == "" {
				continue
			}
			if there, err = y.fetch(ctx); err == nil && there {
				err = y.join(ctx)
			}
			if err != nil {
				return err
			}
		}
		if there {
			y.Upstream = y.to.name()
		}
		if err = y.setUp(ctx); err != nil || !there && !y.Publish {
			return err
		}
		if done, err := y.push(ctx, there); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(50<<try) * time.Millisecond):
		}
	}
	return record.Errorf(record.BaseMoved, "others pushed to %s each time that this clone was about to", y.to.name()).
		WithHint("try again: what was recorded is committed here")
}

// findUpstream finds the branch at a remote that the branch here follows, and the one that it is pushed to, which are
// mostly the same. Where the config does not say, that is the branch of the same name, at the remote that git pushes
// to by default. A branch that follows one of another name is not pushed there, as by git push: it was mostly begun
// at that.
func (y *syncing) findUpstream(ctx context.Context) error {
	get := func(key string) string {
		value, err := y.repo.Config().Get(ctx, key)
		if err != nil {
			return ""
		}
		return value
	}
	remotes, err := y.repo.Remotes().Names(ctx)
	if err != nil {
		return err
	}
	y.from = remoted{get("branch." + y.Branch + ".remote"), get("branch." + y.Branch + ".merge")}
	y.follows = y.from.remote != "" && y.from.remote != "." && y.from.ref != ""
	if y.follows && (!slices.Contains(remotes, y.from.remote) || !strings.HasPrefix(y.from.ref, "refs/heads/")) {
		return record.Errorf(record.Git,
			"%s follows %s of %s, which is no branch of a remote of this clone", y.Branch, y.from.ref, y.from.remote).
			WithHint("git branch --set-upstream-to REMOTE/BRANCH")
	}
	if !y.follows {
		y.from = remoted{}
	}
	usual := cmp.Or(y.from.remote, "origin")
	if !slices.Contains(remotes, usual) && len(remotes) == 1 {
		usual = remotes[0]
	}
	y.to = remoted{cmp.Or(get("branch."+y.Branch+".pushRemote"), get("remote.pushDefault"), usual), "refs/heads/" + y.Branch}
	if y.to.remote == y.from.remote && slices.Contains([]string{"upstream", "tracking"}, get("push.default")) {
		y.to = y.from
	}
	if y.to == y.from {
		y.from = remoted{}
	}
	if !slices.Contains(remotes, y.to.remote) {
		return nil
	}
	y.Remote = y.to.remote
	for _, r := range []remoted{y.from, y.to} {
		if err := y.startsNothing(ctx, r.remote, pushHooks); err != nil {
			return err
		}
	}
	return nil
}

// networkLimit is how long a remote may take for one answer: with history, it can be long.
const networkLimit = 10 * time.Minute

// network is how git asks the remote, and until when.
func (y *syncing) network(ctx context.Context) (git.Writing, context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, networkLimit)
	how := git.Networked()
	if y.Ask {
		how.Terminal, how.Batch = true, false
	}
	return how, ctx, cancel
}

// fetch asks the remote for its branches. It reports whether that of this one is there.
func (y *syncing) fetch(ctx context.Context) (there bool, err error) {
	how, limited, cancel := y.network(ctx)
	defer cancel()
	there, err = y.repo.Remotes().FetchBranch(limited, how, y.at.remote, y.at.ref, y.at.copy())
	switch {
	case err == nil:
		return there, nil
	case there:
		return false, record.Errorf(record.Git, "what %s has was not fetched: %s", y.at.name(), said(err)).
			WithHint("what was recorded is committed here; git fetch %s by hand shows what is wrong", y.at.remote)
	default:
		return false, y.offline(ctx, err)
	}
}

// offline is OFFLINE for an error of git that asked the remote.
func (y *syncing) offline(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return record.Errorf(record.Offline, "the git remote %s gave no answer: %s", y.at.remote, said(err)).
		WithHint("what was recorded is committed here, and %s sends it later; git fetch %s by hand shows what is wrong",
			record.CallTo("sync"), y.at.remote)
}

// said is what git, a hook or a remote said, in one line.
func said(err error) string {
	lines := strings.Join(git.Complaints(err, 5), "; ")
	return record.Clip(git.WithoutCredentials(cmp.Or(lines, git.Complaint(err))), 500)
}

// push makes the branch at the remote what it is here, if that still is where it was fetched. It reports false if the
// remote has moved.
func (y *syncing) push(ctx context.Context, there bool) (done bool, err error) {
	tip, err := y.tip(ctx)
	if err != nil {
		return false, err
	}
	old := ""
	if there {
		if old, err = y.repo.Refs().Commit(ctx, y.to.copy()); err != nil {
			return false, err
		}
	}
	y.Commit = tip
	if old == tip || tip == "" {
		return true, nil
	}
	if old != "" { // another git may have fetched, or taken the branch back, since it was merged
		if has, err := y.repo.History().Contains(ctx, tip, old); !has || err != nil {
			return false, err
		}
	}
	if y.sent, err = y.toSend(ctx, old, tip); err != nil {
		return false, err
	}
	how, limited, cancel := y.network(ctx)
	defer cancel()
	how.Hooks = true
	result, words, err := y.repo.Remotes().PushBranch(limited, how, y.to.remote, git.RefUpdate{Ref: y.to.ref, Old: old, New: tip})
	switch {
	case err == nil && result == git.Taken:
		return true, y.follow(ctx)
	case result == git.Refused && y.last != old+words:
		y.last = old + words // once more, if nobody has moved it: it may have been about to
		return false, nil
	case result == git.Refused:
		return false, y.refused(words)
	case git.Exited(err) == 1:
		return false, y.refused(said(err))
	default:
		return false, y.offline(ctx, cmp.Or(err, limited.Err()))
	}
}

func (y *syncing) refused(words string) error {
	return record.Errorf(record.Git,
		"%s was not pushed to %s: %s", y.Branch, y.to.name(), record.Clip(git.WithoutCredentials(words), 500)).
		WithHint("what was recorded is committed here; git push by hand shows what is wrong")
}

// follow has the branch follow the one that it was pushed to, if it followed none.
func (y *syncing) follow(ctx context.Context) error {
	y.Upstream = y.to.name()
	if y.follows {
		return nil
	}
	err := y.repo.Config().Set(ctx, "branch."+y.Branch+".remote", y.to.remote)
	if err == nil {
		err = y.repo.Config().Set(ctx, "branch."+y.Branch+".merge", y.to.ref)
	}
	return err
}

// toSend lists the files that a push sends. Of a branch that is new at the remote, those are what its default branch
// lacks.
func (y *syncing) toSend(ctx context.Context, old, tip string) (paths []string, err error) {
	if old == "" {
		if usual, ok := y.repo.Tracked(y.to.remote).Default(); ok {
			if old, err = y.mergeBase(ctx, usual.Commit, tip); err != nil {
				return nil, err
			}
		}
	}
	return y.differing(ctx, old, tip)
}

// mergeBase is the best merge base of two commits; "" if they have none.
func (y *syncing) mergeBase(ctx context.Context, a, b string) (string, error) {
	bases, err := y.repo.History().MergeBases(ctx, a, b)
	if err != nil || len(bases) == 0 {
		return "", err
	}
	return bases[0], nil
}

// differing lists the files in which two commits differ; "" is one without files.
func (y *syncing) differing(ctx context.Context, was, now string) (paths []string, err error) {
	pair := []string{was, now}
	for i, commit := range pair {
		if commit != "" {
			if pair[i], err = answer(git.Run(ctx, y.repo.Top, "rev-parse", "--verify", commit+"^{tree}")); err != nil {
				return nil, err
			}
		}
	}
	return paths, y.repo.History().Differences(ctx, []git.Pair{{Was: pair[0], Now: pair[1]}}, nil,
		func(_ int, c git.FileChange) { paths = append(paths, c.Path) })
}

// recordAt is the record of the workspace whose file has a path from the top of the work tree.
func (y *syncing) recordAt(at string) (record.Ref, bool) {
	name, below := strings.CutPrefix(at, y.layout.InRepo(""))
	k, id, ok := kind.At(name)
	if !below || !ok {
		return record.Ref{}, false
	}
	return k.Ref(id), true
}

// done is what was done.
func (y *syncing) done() Synced {
	y.Committed, y.Sent, y.Got = y.files(y.committed), y.files(y.sent), y.files(y.got)
	return y.Synced
}

// files sorts paths into those of records and others.
func (y *syncing) files(paths []string) (f Files) {
	for _, at := range record.Unique(paths) {
		if of, ok := y.recordAt(at); ok {
			f.Records = append(f.Records, of)
		} else {
			f.Others++
		}
	}
	f.Records = record.Unique(f.Records)
	sorted.By(f.Records, func(a, b record.Ref) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
	return f
}

// under reports whether a path from the top of the work tree is that of a file in the .cairn of the workspace.
func (y *syncing) under(at string) bool {
	return strings.HasPrefix(at, path.Join(y.layout.InRepo(""), layout.Folder)+"/")
}

// tip is the commit of the branch, which must still be the one that is checked out.
func (y *syncing) tip(ctx context.Context) (string, error) {
	head, err := y.repo.Head(ctx)
	if err == nil && head.Branch != y.Branch {
		err = record.Errorf(record.Conflict,
			"%s was checked out meanwhile, and not %s", checkedOut(head), y.Branch).WithHint("try again")
	}
	return head.Commit, err
}

// subject says in the subject of a commit which records it is about.
func subject(records []string) string {
	const most = 3
	if len(records) > most {
		return fmt.Sprintf("cairn: %s and %d more", strings.Join(records[:most], ", "), len(records)-most)
	}
	return "cairn: " + strings.Join(records, ", ")
}
