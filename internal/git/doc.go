// Package git reads the git repository around a workspace: where it is, what is checked out, what the work tree holds,
// and who commits here. What reads changes nothing: no object, index or ref is written. Two things write, and only
// where a person or an agent has asked for it: Config.Set, into the clone's own config, and Writing, which is for
// package worktree alone.
//
// A Repo is a repository with its work tree. What it holds is read through types made from it: History (commits and how
// they follow each other), Refs (branches and other names), Objects (the files of commits) and Index (what is staged).
//
// There are two ways to read:
//
//   - The git binary, version 2.31 or newer, reads whatever needs what git alone knows: the content of a work tree (filters, line
//     endings, ignored files), differences, ancestors, and all that is written. command.go is the only place where it is started.
//     That costs some milliseconds each time.
//   - The files of the git folder are read in this process where a start, a list or a check may not wait for that, and where git need
//     not be installed: Find reads .git and commondir, so that "outside git" always means that there is no .git in this folder or
//     above, and never that git failed; Head and Tracked read HEAD, refs and packed refs; Quick reads commits and folders. Where a
//     repository is not in the form that these know (SHA-256 objects, reftable, other extensions), Head asks git, and the others do
//     without an answer.
//
// Of the second way, the packages of go-git read configs and the objects, which are compressed and packed by rules that nobody should
// write twice. Refs are a line of text each: they are read here, in one function, with limits of size and without following a link.
//
// A Tree is the content of a work tree or of a commit, file by file, without anything under a folder named .cairn. Its
// fingerprint is one hash over all of it, and is the same for a work tree and a commit with the same files, so that a
// result recorded for a work tree can later be found to be the result for a commit. Committing, staging and switching
// branches do not change a fingerprint by themselves. Changing a file does, and changing it back restores it.
//
// Errors of git have the code GIT, with a hint where one helps.
package git
