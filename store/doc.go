// Package store is the disk: it reads a workspace, and it is the only code that writes one. What may happen is decided
// by package task and session; the bytes of a file are changed by package format; what kinds of record there are is the
// table of package kind. Reading and writing are the same for every kind. Only what is about sessions and their tasks
// in particular names them: heartbeats, the commands of checks, sessions without a task.
//
// # Layout
//
//	.cairn/
//	  config.yaml             read by Open; written by Init and by settings
//	  tasks/ID.md             one task each; the name is the id, so a look-up is one open
//	  closed/YYYY-MM/ID.md    tasks at rest, which are the same as before; the name is tried in each month, and in its parts, YYYY-MM_02
//	  sessions/SES.yaml       one attempt each
//	  plans/plan-ID.yaml      proposals that wait to be made real
//	  decisions/, handoffs/ … the other kinds, as their rows in package kind say
//	  files/                  attachments, named by their content
//	  runs/ID-STAMP.log       output of checks; ignored by git
//	  .gitignore
//	  local/                  the live state, outside git; ignored
//	GIT-COMMON-DIR/cairn/KEY/ the live state, in git; KEY is a hash of the workspace's path in the work tree
//	  write.lock              held by the process that writes
//	  write.redo              there while somebody writes, or after a writer was killed: the redo log
//	  claims/ID.json          who holds a task, and how far it was carried (session.State); of another kind KIND~ID.json
//	  live/SES.json           newest sign of life of a session (session.Heartbeat)
//	  journal/ID.jsonl        the entries that this clone wrote to a record, one a line (session.Written); 256 KiB at most
//	  keys/CALL.json          a call that came with an idempotency key, and what it made (session.Key); kept for 30 days
//	  trash/                  records that were deleted
//	  remote.json             what the clone knows and claims of what all clones share through the git remote (session.Shared)
//	  remote.lock             held by the process that asks that remote
//	  branches-KEY.json       how far remote-tracking branches have brought tasks; KEY is a hash of the worktree's path
//	  checks-KEY.lock         held while checks run in a worktree; KEY is a hash of its path
//	  checks-KEY.lock.holder  on whose behalf, for those that wait
//	  clone-id                part of the name under which the user trusts the clone
//
// A state in claims/ stays until files have caught up with it. A write drops what its own file has; the rest is dropped
// together with the leftovers of killed writers (Store.Sweep), by cairn doctor --fix.
//
// All worktrees of a clone share the live state, so a claim holds in all of them. The files under .cairn belong to a
// branch and are the truth; the live state may be deleted whenever nobody writes, and costs claims, trust, and what
// this clone knew of work on other branches, of entries that were saved over, and of calls that were made before.
// Everything else under .cairn is left alone, and links are refused.
//
// Live state is read as if a stranger had written it, since it may have come along with a copied folder: package
// session parses what it says, a redo log may name files of records only, no link is followed, and what is no file is
// not opened.
//
// # Locks
//
// Reading takes no lock and never writes. There are three locks, all of the operating system (package filelock), so
// they end with their holder:
//
//  1. checks-KEY.lock, for as long as checks run, minutes perhaps;
//  2. remote.lock, for one answer of the git remote, seconds, where claims hold among clones;
//  3. write.lock, for one write, milliseconds.
//
// Who needs several takes them in this order: the results of a run are written while its lock is still held, and so is
// what the remote allowed (package remote). Under write.lock nothing else is waited for but git, which is not ours: for
// five seconds a write at most, and for no lock of git's that is older.
//
// # A write
//
// Update makes every write of records and claims:
//
//  1. take write.lock;
//  2. if write.redo is there, finish or drop the write of the writer that left it (see below);
//  3. read, and decide by the rules; a refusal ends here and has written nothing;
//  4. begin write.redo, which says no more yet than that somebody is at work, and in which worktree;
//  5. write all new content beside its path, under temporary names, and flush it;
//  6. read each file once more; if one no longer holds what was read, start over at 3;
//  7. wait until git is not at work in the worktree, for five seconds at most; complete write.redo: what each file held and is to
//     hold, where that content lies, and what becomes of the live state. From here on the write is decided;
//  8. one file after the other: read it once more, give it its content. Copies for the trash come first, then new records, those
//     that were there, what is deleted, those whose change can be made again, and at last files that are moved as they are. Between these turns, and at the end, each
//     folder in which names changed is flushed, once for all of them;
//  9. if git was at work meanwhile and has replaced the file, start over at 3;
//  10. write the live state: the call's idempotency key, states and journals, heartbeats;
//  11. remove write.redo, release the lock.
//
// Content comes before the decision, so a full disk or a file that cannot be edited shows at a point where nothing has
// changed. The decision comes before the files, and readers look into write.redo, so a claim holds from before its file
// says so.
//
// An editor and git take no lock. What they change before the last read is kept: the write starts over on top of it, at
// most ten times. What they change between the last read and the rename, a fraction of a millisecond, is replaced. What
// git replaces within five seconds after a write, since it had read the file before, is known from the journal
// (session.Overwritten). Where somebody changes one of several files after the first was replaced, our change is made
// on top of theirs if the kind can do that (kind.Kind.Again), and else theirs is kept and ours stays in the journal.
//
// A store apart (Store.Apart) makes its writes in the same steps but for 10: what it would write to the live state is
// kept until Later.Apply. It is for a worktree that is thrown away unless what was tried in it comes home.
//
// # After an error
//
// Where the system refuses before step 8, nothing came. In step 8 the write is taken back as long as no file that was
// there has its new content: files that were made are removed, under a redo log of their own. Once one has, the write
// goes on to its end, at once or, where the disk refuses that too, with the next write. An error in step 8 does not
// tell which of the two it is; repeating the call under its idempotency key does. In step 10 no error is returned if
// files were written: the write came, and the next write completes what its log says. A write of live state alone (a
// heartbeat) has only that step, and returns its errors.
//
// # After a kill
//
// Each file holds its old content or its new one, whole. The redo log says that there is something to clean up, and the
// next write does it, under the lock, before anything else, in whichever worktree it is made: a complete log is rolled
// forward, one that is not complete is dropped, and temporary files are removed. All this is the same for every kind.
// So after the next write the files hold all of a write or nothing of it.
//
// The worktree of the killed writer is found by its path and its git folder, so also after it or the clone was moved.
// If it is gone, so are its files, and the log is dropped. If it may be there and cannot be read, nobody writes until
// it can: what was decided is not dropped.
//
// A file that somebody else has changed between the kill and the next write is kept as they left it. What the clone
// would have known of that record is not written, but the entry goes into the journal, so that doctor offers it back.
// New records come all or not at all: if git has cleaned a new file, or its temporary file, away, those that came are
// removed, as long as no file that was there has its new content.
//
// Until the next write a part may be seen: a new session that no task names yet, some tasks of a plan, a task that was
// handed over with its session still active. Who will hold a record by the log counts as its holder.
//
// A write that Update returned for has come. One that it did not return for may have: repeated under its idempotency
// key it is made once.
//
// Three kinds of write take no lock of this kind and leave no log: logs in runs/, which are written in place and may be
// cut short; the files of Init, which running it again completes; and trust and .gitattributes. Each of these but the
// logs is replaced whole, and a kill may leave a temporary file beside it. Leftovers lists those in .cairn.
//
// # After a power cut
//
// Records, and the folders made for them, are flushed before Update returns, and what it returned for stays, as far as
// the disk keeps its promises. What it did not return for may have come in part, and where the redo log is lost with it
// nobody completes that. No file is a mixture.
//
// A record that is moved as it is gets its new name by one rename, so that it has one name at any moment, as far as the
// file system keeps a rename whole. Where it comes back at both places, the redo log settles that; if that is lost, the
// next write to the record does, or cairn doctor, as long as both files hold the same. A record is not removed before its copy in the trash is on the disk, and nothing
// gets the name of a record before its content is. The first deletion flushes the names of the folders around the trash
// too. Which flushes a write makes is a table of package crashtest.
//
// All other live state is not flushed, nor are its folders and the logs of runs. It may be lost or unreadable, which
// counts as absent: claims are then read off the assignee in the file, signs of life off its entries, and so are
// idempotency keys, but those of calls that made no entry. If the redo log is lost, temporary files stay, which git
// ignores. Leftovers lists them whenever it is asked.
//
// # On a network file system
//
// Everything rests on locks that exclude other machines, and on a rename that replaces a file at once. Where the mount
// gives locks for one machine only, one machine at a time may write. Reads are as fresh as the mount's cache. Where the
// answer to a link gets lost, the file that it made is known again. Where there are no hard links a new file is
// reserved empty and then replaced, so after a kill in between it is empty, and reported as broken, until the next
// write gives it its content.
package store
