package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Live is the folder of the live state: what a clone knows beside its files.
type Live string

func (l Live) join(names ...string) string {
	return filepath.Join(append([]string{string(l)}, names...)...)
}

// Abs is the path of a file that is named from the live folder, with forward slashes.
func (l Live) Abs(rel string) string { return l.join(filepath.FromSlash(rel)) }

// Rel is a path from the live folder, with forward slashes.
func (l Live) Rel(path string) string { return SlashRel(string(l), path) }

// Failed is the error of reading or writing live state: SANDBOXED if the folder cannot be written, else as problem.IO
// makes it.
func (l Live) Failed(err error) error { return problem.Live(string(l), err) }

// Lock is the path of the write lock.
func (l Live) Lock() string { return l.join("write.lock") }

// Redo is the path of the redo log of the write that is under way, or of a killed writer.
func (l Live) Redo() string { return l.join("write.redo") }

// Claims is the folder of the claims.
func (l Live) Claims() string { return l.join("claims") }

// Claim is the path of the state of a record (session.State): who holds it, and the progress of its work.
func (l Live) Claim(of record.Ref) string { return l.join("claims", refName(of)+".json") }

// refName is the name of the files about a record, without extension: the id of a task, and for other records the kind
// and the id.
func refName(of record.Ref) string {
	if of.Kind == record.TaskKind {
		return of.ID
	}
	return of.Kind + refMark + inName.Replace(of.ID)
}

// An id may have a colon, which not every file system takes in a name.
var (
	inName  = strings.NewReplacer("%", "%25", ":", "%3A")
	outName = strings.NewReplacer("%25", "%", "%3A", ":")
)

const refMark = "~" // stands in no id of a task

// RefOf is the record that a file of live state is about, by the name of the file without extension.
func RefOf(name string) record.Ref {
	if kind, id, ok := strings.Cut(name, refMark); ok {
		return record.Ref{Kind: kind, ID: outName.Replace(id)}
	}
	return record.ID(name).Ref()
}

// Heartbeats is the folder of the heartbeats of sessions.
func (l Live) Heartbeats() string { return l.join("live") }

// Heartbeat is the path of the newest heartbeat of a session.
func (l Live) Heartbeat(ses string) string { return l.join("live", ses+".json") }

// JournalExt is the extension of journals.
const JournalExt = ".jsonl"

// Journals is the folder of the journals.
func (l Live) Journals() string { return l.join("journal") }

// Journal is the path of the entries that this clone wrote to a record.
func (l Live) Journal(of record.Ref) string { return l.join("journal", refName(of)+JournalExt) }

// Kept is the folder of the records that were written under a session (session.Kept).
func (l Live) Kept() string { return l.join("kept") }

// KeptPrefix is what the names of the files in Kept begin with that are of one worktree.
func (l Layout) KeptPrefix() string { return Name(l.Worktree) + "." }

// KeptFile is the path of a record as one worktree had it.
func (l Layout) KeptFile(of record.Ref) string {
	return filepath.Join(l.Live.Kept(), l.KeptPrefix()+refName(of)+".json")
}

// Keys is the folder of the calls with an idempotency key.
func (l Live) Keys() string { return l.join("keys") }

// Key is the path of what is remembered of a call.
func (l Live) Key(call string) string { return l.join("keys", call+".json") }

// Seen is the path of what this clone saw of closes beside their records. Without it their levels are lower.
func (l Live) Seen() string { return l.join(SeenName) }

// SeenName is the name of that file.
const SeenName = "seen"

// Stated is the path of what the evidence that counts says of closes. It is made anew of the ref of evidence.
func (l Live) Stated() string { return l.join("stated") }

// Inboxes is the folder of what actors have acknowledged.
func (l Live) Inboxes() string { return l.join("inbox") }

// Inbox is the path of what an actor has acknowledged. An actor has a colon in it, and two of them may differ in case
// alone, so the name is a hash.
func (l Live) Inbox(who record.Actor) string {
	sum := sha256.Sum256([]byte(who))
	return l.join("inbox", hex.EncodeToString(sum[:8])+".json")
}

// Trash is the folder of deleted records.
func (l Live) Trash() string { return l.join("trash") }

// Trashed is the path of the first copy of a deleted record.
func (l Live) Trashed(of record.Ref, ext string) string { return l.join("trash", refName(of)+ext) }

// Derived is the path of what an index knows of the records in a folder under .cairn, in one worktree: its rows under
// index, and for searches words and terms. It can be deleted at any time.
func (l Layout) Derived(what, folder string) string {
	return l.Live.join(what + "-" + Name(l.Worktree) + "-" + strings.ReplaceAll(folder, "/", "-"))
}

// Jobs is the folder of the jobs of this clone, each in a folder of its own.
func (l Live) Jobs() string { return l.join("jobs") }

// Pairs is the folder of what the agents of pairs read.
func (l Live) Pairs() string { return l.join("pairs") }

// Pair is the folder of what the agent of a pair reads.
func (l Live) Pair(id record.ID) string { return l.join("pairs", string(id)) }

// Servers is the folder of the locks of servers.
func (l Live) Servers() string { return l.join("servers") }

// Server is the path of the lock of the server that acts under a name.
func (l Live) Server(who record.Actor) string { return l.join("servers", Name(string(who))+".lock") }

// MakeServers makes the folder of the locks of servers.
func (l Layout) MakeServers() error {
	if err := l.noLiveLinks(); err != nil {
		return err
	}
	return disk.MakeVolatile(l.aroundLive(), l.Live.Servers())
}

// Worktrees is the folder of what this clone knows of the work trees that cairn made.
func (l Live) Worktrees() string { return l.join("worktrees") }

// MakeWorktrees makes the folder of what is known of work trees. It returns INVALID_INPUT if it is a link.
func (l Layout) MakeWorktrees() error {
	if err := l.noLiveLinks(); err != nil {
		return err
	}
	return l.Live.Failed(disk.MakeVolatile(l.aroundLive(), l.Live.Worktrees()))
}

// Shared is the path of what is known of the claims of all clones (session.Shared).
func (l Live) Shared() string { return l.join("remote.json") }

// SharedLock is the path of the lock of whoever asks the git remote about claims.
func (l Live) SharedLock() string { return l.join("remote.lock") }

// BranchesFile is the path of what the remote-tracking branches say of tasks, as one worktree sees them
// (session.Branches). It can be deleted at any time.
func (l Layout) BranchesFile() string { return l.Live.join("branches-" + Name(l.Worktree) + ".json") }

// Joined is the path of an empty file that is there once the user of the clone was told what it lacks.
func (l Live) Joined() string { return l.join("joined") }

// ChangesFile is the path of which files branches changed, as one worktree sees them. It can be deleted at any time.
func (l Layout) ChangesFile() string { return l.Live.join("changes-" + Name(l.Worktree) + ".json") }

// Merges is the path of which branches were tried to merge with which. It can be deleted at any time.
func (l Live) Merges() string { return l.join("merges.json") }

// OthersFile is the path of what other branches have of tasks that one worktree lacks. It can be deleted at any time.
func (l Layout) OthersFile() string { return l.Live.join("others-" + Name(l.Worktree) + ".json") }

// AutocommitFile is the path of what is known of the last commit that a write made in one worktree. It can be deleted at
// any time.
func (l Layout) AutocommitFile() string {
	return l.Live.join("autocommit-" + Name(l.Worktree) + ".json")
}

// Vectors is the path of what an embedder made of the texts of this clone. It can be deleted at any time.
func (l Live) Vectors() string { return l.join("vectors") }

// Folders lists the folders of the live state, outer ones first.
func (l Live) Folders() []string {
	return []string{string(l), l.Claims(), l.Journals(), l.Keys(), l.Heartbeats(), l.Inboxes(), l.Kept(), l.Trash()}
}

// MakeLive makes the folders of the live state, but for that of the trash. The folder around them, .cairn or git's,
// must exist. Nothing is flushed, since the live state may be lost.
func (l Layout) MakeLive() error {
	if err := l.noLiveLinks(); err != nil {
		return err
	}
	for _, dir := range l.Live.Folders() {
		if dir == l.Live.Trash() {
			continue
		}
		if err := disk.MakeVolatile(l.aroundLive(), dir); err != nil {
			return l.Live.Failed(err)
		}
	}
	return nil
}

// MakeTrash makes the folder of the trash, and flushes the names of all folders down to it: a copy there is all that is
// left of a record. A process that is killed meanwhile leaves a folder whose name may not be flushed, so FlushTrash
// follows.
func (l Layout) MakeTrash() error {
	if IsFolder(l.Live.Trash()) {
		return nil
	}
	if err := disk.MakeVolatile(l.aroundLive(), l.Live.Trash()); err != nil {
		return l.Live.Failed(err)
	}
	err := l.FlushTrash()
	if err != nil {
		_ = disk.RemoveFile(l.Live.Trash()) // so that it is made and flushed the next time
	}
	return err
}

// FlushTrash flushes the names of the folders down to that of the trash, if there is one.
func (l Layout) FlushTrash() error {
	dir, around := l.Live.Trash(), l.aroundLive()
	if !IsFolder(dir) {
		return nil
	}
	for dir != around {
		dir = filepath.Dir(dir)
		if err := disk.SyncFolder(dir); err != nil {
			return l.Live.Failed(err)
		}
	}
	return nil
}

// aroundLive is the folder that the live state is made in.
func (l Layout) aroundLive() string {
	if l.Repo != nil {
		return l.Repo.CommonDir
	}
	return l.Top()
}

// NoLinks returns INVALID_INPUT if one of some paths, or another folder or file that cairn writes, is a link.
func (l Layout) NoLinks(paths ...string) error {
	if err := NoLinkAt(append(paths, l.RunsDir(), l.ConfigFile(), l.SignersFile())...); err != nil {
		return err
	}
	if l.Repo == nil {
		return filesBelow(string(l.Live))
	}
	return l.noLiveLinks()
}

// noLiveLinks returns INVALID_INPUT if a folder of the live state is a link: git's folder may have come in an archive
// too. Files are checked when they are opened.
func (l Layout) noLiveLinks() error {
	return NoLinkAt(append(l.Live.Folders(), filepath.Dir(string(l.Live)))...)
}

// NoLinkAt returns INVALID_INPUT if there is a link at one of some paths.
func NoLinkAt(paths ...string) error {
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return problem.Link(path)
		}
	}
	return nil
}

// filesBelow checks the live state of a workspace outside git, which comes along if the folder is copied. It returns
// INVALID_INPUT for a link, and for anything else that is no file, such as a pipe, from which a read would never
// return.
func filesBelow(dir string) error {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.Type()&fs.ModeSymlink != 0:
			return problem.Link(path)
		case !e.IsDir() && !e.Type().IsRegular():
			return record.Errorf(record.InvalidInput, "%s is not a regular file", path).
				WithHint("see what it is; only files and folders belong there")
		}
		return nil
	})
	if problem.Missing(err) {
		return nil
	}
	return problem.IO(err)
}
