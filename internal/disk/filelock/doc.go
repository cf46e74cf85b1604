// Package filelock is a lock between processes: its holder excludes everybody else from the same path, in this process
// and in all others of the machine.
//
// It is the operating system's lock on an open file (flock on Unix, LockFileEx on Windows), so it ends with its holder:
// a process that is killed leaves the file, but not the lock. A waiting process sleeps in the kernel and does not poll,
// which keeps waiting fair.
//
// Lock a file of its own that is never renamed or removed: an atomic save replaces the old file by another one, and a
// lock on the old one would then exclude nobody.
package filelock
