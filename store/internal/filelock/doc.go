// Package filelock is a lock between processes: whoever holds it on a path excludes everyone else on that path, in
// this process and in all others of the machine.
//
// It is the operating system's own lock on an open file (flock on Unix, LockFileEx on Windows), so it ends with its
// holder: a process that is killed leaves the file behind, but not the lock. A waiter sleeps in the kernel instead of
// asking again and again, which keeps waiting fair; pollers starve each other.
//
// What to lock is a file of its own that nobody renames or deletes: an atomic save puts another file in place of the
// old one, and a lock on the old one would then exclude nobody.
package filelock
