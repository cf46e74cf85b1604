// Package live reads and writes the live state: what a clone knows beside its files. That is who holds a record and the
// progress of its work, heartbeats of sessions, the entries that were written in this clone, and calls with an
// idempotency key. All worktrees of a clone share it, and none of it is committed.
//
// It is read as untrusted input, since it may have come along with a copied folder: package session parses it, and what
// cannot be read counts as absent. The files are the truth; live state is about the present.
package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/disk/filelock"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
)

// Clone is the live state of a clone, seen from one of its workspaces.
type Clone struct{ layout.Layout }

// MaxFile is the largest file of live state that is read, in bytes. A larger one counts as damaged.
const MaxFile = 4 << 20

// Read reads and parses a file of live state. It returns nil for what is no file, is too large, or cannot be parsed.
func Read[T any](path string, parse func([]byte) (T, error)) *T {
	src, err := disk.ReadRegular(path, MaxFile)
	if err != nil {
		return nil
	}
	v, err := parse(src)
	if err != nil {
		return nil
	}
	return &v
}

// InWorktree is the same workspace in another worktree of the clone. Its errors are those of layout.Layout.InWorktree.
func (d Clone) InWorktree(top string) (Clone, error) {
	there, err := d.Layout.InWorktree(top, place.All)
	return Clone{there}, err
}

// State returns the state of a record, or nil.
func (d Clone) State(of record.Ref) *session.State {
	if _, ok := kind.For(of); !ok {
		return nil
	}
	return Read(d.Live.Claim(of), func(src []byte) (session.State, error) { return session.ParseState(src, of) })
}

// States returns the states of all records, sorted by the names of the files.
func (d Clone) States() ([]session.State, error) {
	var out []session.State
	err := layout.EachName(d.Live.Claims(), ".json", func(name string) {
		if s := d.State(layout.RefOf(name)); s != nil {
			out = append(out, *s)
		}
	})
	return out, err
}

// Put writes a state, or removes its file if it is empty. The caller holds the write lock.
func (d Clone) Put(s session.State) error {
	if s.Empty() {
		return d.Live.Failed(disk.RemoveFile(d.Live.Claim(s.Ref)))
	}
	return d.Write(d.Live.Claim(s.Ref), s)
}

// Write writes a value to a file of live state.
func (d Clone) Write(path string, v any) error {
	return d.Live.Failed(atomicfile.WriteVolatile(path, Encode(v)))
}

// Encode encodes a value for a file of live state. Every value of the live state can be encoded.
func Encode(v any) []byte {
	src, _ := json.Marshal(v)
	return append(src, '\n')
}

// Heartbeat returns the newest heartbeat of a session in this clone, or nil.
func (d Clone) Heartbeat(ses string) *session.Heartbeat {
	if _, err := session.ParseID(ses); err != nil {
		return nil
	}
	return Read(d.Live.Heartbeat(ses), func(src []byte) (session.Heartbeat, error) {
		return session.ParseHeartbeat(src, ses)
	})
}

// KeysKept is how long a clone remembers an idempotency key.
const KeysKept = 30 * 24 * time.Hour

// Kept returns the records that are kept of this worktree, those that can be read. They are not more than a session
// writes.
func (d Clone) Kept() (all []session.Kept) {
	_ = layout.EachName(d.Live.Kept(), ".json", func(name string) {
		if !strings.HasPrefix(name, d.KeptPrefix()) {
			return
		}
		k := Read(filepath.Join(d.Live.Kept(), name+".json"), session.ParseKept)
		if k != nil && k.Worktree == d.Worktree {
			all = append(all, *k)
		}
	})
	return all
}

// Key returns what the clone remembers of a call with an idempotency key, or nil. The file is named after a hash of the
// call. Entries name the key too, for as long as their record lives. The file is for calls whose record a repeated call
// cannot name (create), for calls that changed nothing, and for telling that a key was used on another record.
func (d Clone) Key(call string) *session.Key {
	return Read(d.Live.Key(call), func(src []byte) (session.Key, error) { return session.ParseKey(src, call) })
}

// Inbox returns what the clone keeps of the inbox of an actor; one in which nothing is acknowledged if it keeps
// nothing.
func (d Clone) Inbox(who record.Actor) session.Inbox {
	known := Read(d.Live.Inbox(who), func(src []byte) (session.Inbox, error) { return session.ParseInbox(src, who) })
	if known == nil {
		return session.Inbox{Actor: who}
	}
	return *known
}

// Shared returns what the clone knows of the claims of all clones, as one of remote and namespace; what it knew of
// another remote, or of another URL of it, is worth nothing, and nothing is what a copy of a clone knows, since the claims are those of the
// other. It reports false if it knows nothing.
func (d Clone) Shared(remote string) (session.Shared, bool) {
	known := Read(d.Live.Shared(), session.ParseShared)
	if known == nil || known.Folder != d.folder() {
		return session.Shared{Remote: remote}, false
	}
	if known.Remote != remote || known.At != "" && known.At != d.address(remote) {
		return known.Elsewhere(remote), true
	}
	return *known, true
}

// PutShared writes what the clone knows of the claims of all clones. The caller holds the lock of who asks the remote.
func (d Clone) PutShared(s session.Shared) error {
	s.Folder, s.At = d.folder(), d.address(s.Remote)
	return d.Write(d.Live.Shared(), s)
}

// address is what tells the URL of a remote, given with a namespace behind it, from another one.
func (d Clone) address(remote string) string {
	if d.Repo == nil {
		return ""
	}
	name, _, _ := strings.Cut(remote, " ")
	return d.Repo.Remotes().Address(name)
}

// folder is what tells the folder of the live state from a copy, and stays if it is moved within a disk. Where the
// system numbers no files it is the path.
func (d Clone) folder() string {
	if n := disk.Inode(string(d.Live)); n != 0 {
		return strconv.FormatUint(n, 10)
	}
	return string(d.Live)
}

// IsInbox reports whether a file is what Inbox reads for some actor.
func (d Clone) IsInbox(path string) bool {
	return Read(path, func(src []byte) (in session.Inbox, err error) {
		if err := json.Unmarshal(src, &in); err != nil || d.Live.Inbox(in.Actor) != path {
			return in, cmp.Or(err, fs.ErrNotExist)
		}
		return session.ParseInbox(src, in.Actor)
	}) != nil
}

// ForgetKeys removes the calls that are too old, once a day. It goes by the times of files; that of the file
// "forgotten" says when this was done last.
func (d Clone) ForgetKeys() error {
	done := filepath.Join(d.Live.Keys(), "forgotten")
	if info, err := os.Lstat(done); err == nil && time.Since(info.ModTime()) < 24*time.Hour {
		return nil
	}
	entries, err := os.ReadDir(d.Live.Keys())
	if err != nil {
		return d.Live.Failed(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > KeysKept {
			_ = disk.RemoveFile(filepath.Join(d.Live.Keys(), e.Name())) // if it fails, the next time will do
		}
	}
	return d.Live.Failed(disk.WriteFile(done, nil))
}

// View returns what the clone knows of records, for the question who holds them: the state of one, the state that a
// write under way will leave, and the heartbeat of its session. Worktrees that are gone are left out; for many records
// at one moment each is looked for once.
func (d Clone) View() func(state, next *session.State) session.Live {
	type place struct{ worktree, gitDir string }
	type found struct {
		path  string
		there bool
	}
	places, folders := map[place]found{}, map[string]bool{}
	return func(state, next *session.State) session.Live {
		live := session.Live{State: state, Next: next}
		if state == nil {
			return live
		}
		if lease := state.Lease; lease != nil {
			live.Beat = d.Heartbeat(lease.Session)
			at := place{lease.Worktree, lease.GitDir}
			known, ok := places[at]
			if !ok {
				known.path, known.there = d.WorktreeOf(*lease)
				places[at] = known
			}
			if lease.Made.Worktree == lease.Worktree {
				lease.Made.Worktree = known.path
			}
			lease.Worktree, live.Gone = known.path, !known.there
		}
		for i, p := range state.Progress {
			there, ok := folders[p.Worktree]
			if !ok {
				there = p.Worktree == d.Worktree || layout.IsFolder(p.Worktree)
				folders[p.Worktree] = there
			}
			if !there {
				state.Progress[i].Worktree = "" // do not send anybody there
			}
		}
		return live
	}
}

// Lock makes the folders of the live state and takes one of its locks. It returns BUSY if others, who are named with
// what they do, do not release it in time.
func (d Clone) Lock(
	ctx context.Context, path string, patience time.Duration, others, hint string,
) (*filelock.Lock, error) {
	if err := d.MakeLive(); err != nil {
		return nil, err
	}
	lock, err := filelock.AcquireWithin(ctx, path, patience)
	switch {
	case err == nil:
		return lock, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, record.Errorf(record.Busy, "waited %v for %s", patience, others).WithHint("%s", hint)
	default:
		return nil, d.Live.Failed(err)
	}
}

// WorktreeOf is the present path of the worktree of a claim. It returns the path in the claim, and false, if the
// worktree is gone, or was moved without git's knowledge.
func (d Clone) WorktreeOf(lease session.Lease) (string, bool) {
	if lease.Worktree == "" {
		return "", true // the claim names no worktree
	}
	paths := []string{lease.Worktree}
	if d.Repo != nil && lease.GitDir != "" {
		paths = append(paths, d.Worktree, git.WorktreeAt(filepath.Join(d.Repo.CommonDir, filepath.FromSlash(lease.GitDir))))
	}
	for _, path := range paths {
		if d.holds(path, lease) {
			return path, true
		}
	}
	return lease.Worktree, false
}

// holds reports whether a folder is the worktree of a claim. By now it may be gone, or belong to another worktree or
// clone.
func (d Clone) holds(path string, lease session.Lease) bool {
	if d.Repo == nil || !layout.IsFolder(path) {
		return layout.IsFolder(path)
	}
	repo, ok, err := git.Find(path)
	if record.CodeOf(err) == record.IO {
		return path == lease.Worktree // that it cannot be read from here does not make the record free
	}
	return ok && repo.Top == path && repo.CommonDir == d.Repo.CommonDir && (lease.GitDir == "" || layout.GitDirOf(repo) == lease.GitDir)
}

// NextLease is the lease of a record after its newest entry was written. Every write of the holder refreshes the lease.
// If the worktree of the lease is gone, it moves to the one in which the holder writes.
func (d Clone) NextLease(now *session.Lease, last record.Entry, branch string) *session.Lease {
	if now == nil || last.Who != now.Actor {
		return now
	}
	refreshed := *now
	refreshed.Seen = last.At
	path, there := d.WorktreeOf(*now)
	if refreshed.Worktree = path; !there {
		refreshed.Worktree, refreshed.GitDir, refreshed.Branch = d.Worktree, d.GitDir(), branch
	}
	return &refreshed
}
