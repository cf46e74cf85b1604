// Package disk is every system call by which the store changes the disk: it makes, fills, flushes, renames, links, removes
// and locks. Nothing else under store calls the os package for that.
//
// The calls stand in one place so that a test can stand between them and the system. With Intercept it counts the calls of
// a write, fails one of them, or dies at it; no step of a write can be forgotten, because steps are what comes by. Reading
// changes nothing and is no concern of this package.
//
// Errors are those of the os package, and name the path.
package disk
