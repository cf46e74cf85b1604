// Package disk makes every system call by which the store changes the disk: it creates, fills, flushes, renames, links,
// removes and locks files. Nothing else under store calls the os package for that.
//
// The calls are in one place so that a test can intercept them. With Intercept it counts the calls of a write, makes
// one of them fail, or kills the process at it, and no step of a write can be forgotten. Reading changes nothing, so
// Intercept does not see it.
//
// Errors are those of the os package, and name the path.
package disk
