// Package git reads the git repository around a workspace: where it is, what is checked out, what the work tree holds,
// and who commits here. What reads changes nothing: no object, index or ref is written. Two things write, and only
// where a person or an agent has asked for it: SetConfig, into the clone's own config, and Writing, which is for
// package worktree alone.
//
// A Repo is a repository with its work tree. What it holds is read through types made from it: History (commits and how
// they follow each other), Refs (branches and other names), Objects (the files of commits) and Index (what is staged).
//
// There are three ways to read:
//   - Find reads .git and commondir itself. It starts no process and works without git, so "outside git" always means that there is
//     no .git in this folder or above, and never that git failed.
//   - Head reads through a library, in a fraction of a millisecond, and falls back to the git binary for repositories that the
//     library does not open (SHA-256 objects, reftable, sparse checkouts and other extensions).
//   - All else is read with the git binary, version 2.31 or newer. command.go is the only place where it is started.
//
// A Tree is the content of a work tree or of a commit, file by file, without anything under a folder named .cairn. Its
// fingerprint is one hash over all of it, and is the same for a work tree and a commit with the same files, so that a
// result recorded for a work tree can later be found to be the result for a commit. Committing, staging and switching
// branches do not change a fingerprint by themselves. Changing a file does, and changing it back restores it.
//
// Errors of git have the code GIT, with a hint where one helps.
package git
