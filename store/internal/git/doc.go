// Package git answers what cairn asks of the git repository around a workspace: where it is, what is checked out, what
// the work tree holds, and who commits here. It never changes a repository by itself: no object, index or ref is
// written. SetConfig alone writes, into the clone's own config, where somebody asked for an installation.
//
// Three ways lead to an answer:
//   - Find reads .git and commondir itself. It starts no process and works without git, so that "outside git" always
//     means that there is no .git in this folder or above, and never that git failed.
//   - Head reads through a library, in a fraction of a millisecond, and asks the git binary about repositories that the
//     library does not open (SHA-256 objects, reftable, sparse checkouts and other extensions).
//   - All else is the git binary's, version 2.31 or newer, started by Run and by nobody else.
//
// A Tree is the content of a work tree or of a commit, file by file, without anything under a folder named .cairn, and
// its fingerprint is one hash over all of it. Both kinds have the same fingerprint if they hold the same files, so that
// a result recorded for a work tree can later be found to be the result for a commit. Committing, staging and switching
// branches by themselves do not change a fingerprint; changing a file does, and changing it back restores it.
//
// Errors of git itself have the code GIT and a hint where one helps.
package git
