// Package store is the disk: it reads a workspace, and it is the only code that writes one. What may happen is decided by
// package task and session; the bytes of a file are changed by package frontmatter. Here is where files lie, who waits for
// whom, and in which order they are written.
//
// # Layout
//
//	.cairn/
//	  config.yaml             read by Open; written by Init only
//	  tasks/ID.md             one task each; the name is the id, so a look-up is one open
//	  sessions/SES.yaml       one attempt each
//	  plans/plan-ID.yaml      proposals that wait to be made real
//	  runs/ID-STAMP.log       output of checks; ignored by git
//	  .gitignore
//	  local/                  the live state, outside git; ignored
//	GIT-COMMON-DIR/cairn/KEY/ the live state, in git; KEY is a hash of the workspace's path in the work tree
//	  write.lock              held by whoever writes
//	  write.dirty             there while somebody writes, or after a writer was killed
//	  claims/ID.json          who holds a task, how far it was carried, and a write that was announced (session.Record)
//	  live/SES.json           newest sign of life of a session (session.Heartbeat)
//	  journal/ID.jsonl        the entries that this clone wrote to a task, one a line (session.Written); 256 KiB at most
//	  keys/CALL.json          a call that came with an idempotency key, and what it made (session.Key); kept for 30 days
//	  trash/                  tasks that were deleted, and the sessions on them
//	  checks-KEY.lock         held while checks run in a worktree; KEY is a hash of its path
//	  checks-KEY.lock.holder  on whose behalf, for whoever has to wait
//	  clone-id                part of the name under which the user trusts the clone
//
// A record in claims/ stays until files have caught up with it: a write drops what its own file has, and DropCaughtUp the rest.
//
// All worktrees of a clone share the live state, so a claim holds in all of them. The files under .cairn belong to a branch
// and are the truth; the live state may be deleted whenever nobody writes, and costs claims, trust, and what this clone knew of
// work on other branches, of entries that were saved over, and of calls that were made before. Everything else under .cairn is
// left alone, and links are refused.
//
// Live state is read as if a stranger had written it, since it may have come along with a copied folder: package session parses
// what it says, no link in it is followed, and what is no file is not opened.
//
// # Locks
//
// Reading takes no lock and never writes. There are two locks, both of the operating system (package filelock), so they end
// with their holder:
//
//  1. checks-KEY.lock, for as long as checks run, minutes perhaps;
//  2. write.lock, for one write, milliseconds.
//
// Who needs both takes them in this order: the results of a run are written while its lock is still held. Under write.lock
// nothing else is waited for but git, which is not ours: for five seconds a write at most, and for no lock of git's that is older.
//
// # A write
//
// Update makes every write to tasks, sessions and claims:
//
//  1. take write.lock;
//  2. if write.dirty is there, clean up after whoever left it (see below);
//  3. read, and decide by the rules; a refusal ends here and has written nothing;
//  4. make write.dirty;
//  5. write all new content beside its place, under temporary names, and flush it;
//  6. look whether each file still holds what was read; if not, start over at 3;
//  7. wait until git is not at work in the worktree, for five seconds at most; announce the write in claims/: who will hold the task, and the entry that will be its last;
//  8. one file after the other: look once more, put it in its place, flush the folder. New sessions come first, then the
//     tasks that name them, then sessions that were there; if git was at work meanwhile and has replaced the task's file,
//     start over at 3;
//  9. remember the call's idempotency key, append the entry of each task to its journal, settle the announcements, write
//     heartbeats;
//  10. remove write.dirty, release the lock.
//
// Content comes before the announcement, so a full disk or a file that cannot be edited shows at a point where nobody has
// to be told of it. The announcement comes before the task, so a claim holds from before its file says so.
//
// An editor and git take no lock. What they change before the last look is kept: the write starts over on top of it, at most
// ten times. What they change between the last look and the rename, a fraction of a millisecond, is replaced. What git replaces
// within five seconds after a write, since it had looked at the file before, is known from the journal (session.Overwritten).
//
// # After an error
//
// Where the system refuses before step 8, nothing came. From then on the files say what came: if the task has the announced
// entry all of the write is brought in, and if not all of it is taken back, at once or, where the disk refuses that too, by
// the next write, for which the marker stays. An error in step 8 does not tell which of the two it is; repeating the call
// under its idempotency key does. In step 9 no error is returned if files were written: the write came, and what its
// announcement says holds until the next write settles it. A write of live state alone (a heartbeat) has only that step, and
// returns its errors.
//
// # After a kill
//
// Each task and each session holds its old content or its new one, whole. The marker says that there is something to clean
// up, and the next write does it, under the lock, before anything else, in whichever worktree it is made: it removes
// temporary files, and settles what was announced. If the task has the announced entry the write came: sessions that it was
// to end are ended, its entry goes into the journal, and its idempotency key is remembered. If not it did not: the session
// that it was to open is removed, and so are the tasks of a plan of which some did not come. A task that was deleted takes its
// sessions along. So after the next write the tasks and sessions hold all of a write or nothing of it. While a task cannot be
// read nobody knows which, and the announcement stands. Where an editor saves over a task between the kill and the next write,
// the entry that the killed writer had just written is lost unnoticed.
//
// Until the next write a part may be seen: a task that was handed over, and its session still active; a new session that no
// task names yet; some tasks of a plan, which may wait for one that did not come; sessions of a task that is in the trash.
// Whoever was announced counts as the holder. A proposal may say, for good, that it was made into tasks that were taken back;
// while none of them is there it can be made again.
//
// A write that Update returned for has come. One that it did not return for may have: repeated under its idempotency key it
// is made once.
//
// Three kinds of write take no lock of this kind and leave no marker: logs in runs/, which are written in place and may be cut
// short; the files of Init, which running it again completes; and trust and .gitattributes. Each of these but the logs is
// replaced whole, and a kill may leave a temporary file beside it. Verify tells of those in .cairn.
//
// # After a power cut
//
// Tasks and sessions, and the folders made for them, are flushed before Update returns, and what it returned for stays, as
// far as the disk keeps its promises. What it did not return for may have come in part, and where the live state is lost with
// it nobody settles that: a session that no task names or whose task was deleted, one that is still active although its task
// was handed over, a part of a plan. No file is a mixture.
//
// Live state is not flushed. It may be lost or unreadable, which counts as absent: claims are then read off the assignee in
// the file, signs of life off its entries, and so are idempotency keys, but those of calls that made no entry. If the marker
// is lost, temporary files stay, which git ignores. Verify tells of them whenever it is asked.
//
// # On a network file system
//
// Everything rests on locks that exclude other machines, and on a rename that replaces a file at once. Where the mount gives
// locks for one machine only, one machine at a time may write. Reads are as fresh as the mount's cache. Where the answer to a
// link gets lost, the file that it made is known again. Where there are no hard links a new file is reserved empty and then
// replaced, so after a kill in between it is empty, and reported as broken, until the next write removes it.
package store
