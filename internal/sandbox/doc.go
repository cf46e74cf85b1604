// Package sandbox makes the command line by which a command runs with less than its user's rights: it writes into one
// folder and into temporary ones, sees nothing of home folders, reaches no network, no socket of the user and no process
// but its own, and ends with all that it started. What does that is a program of the system: bubblewrap on Linux,
// sandbox-exec on macOS, a row each of the table in means.go.
//
// It starts no command but the one that tries whether the system can. What cannot be had is refused, never silently less.
package sandbox
