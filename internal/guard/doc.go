// Package guard finds the files on which a check stands: its tests, what configures their runner, and the scripts that
// its command names. Whoever does the work may change them, but what they prove is then held against the files as they
// were before.
//
// Which files these are says the check (guards), else the config of the workspace for all checks, and where neither
// does, a table of runners: data, a row for each (see Runners). The table goes by the text of the command, and of the
// scripts that it names, as they were where the work began, so that work cannot take a file out of its own guard.
//
// The package is pure: files are read by a function that the caller gives.
package guard
