// Package worktree keeps a git work tree for each task that an agent works on, and brings its commits home. It is the only package by
// which cairn writes to git, beside the config of the merge driver, and it does so only when a person or an agent has asked for it: for
// a job, for a pair, for a review, or for a removal.
//
// The work tree of a task lies outside the repository, in <worktrees>/<repository>-<hash>/<task>, and has the branch cairn/<task>. A record
// in live state says what was made: only what that record names is ever changed or removed.
//
// What is promised:
//
//   - Nothing is removed that is not recorded, not clean, not merged or pushed, in use, locked, or that could not be looked at. Nothing
//     is removed because of its age, and "git worktree prune" is never run.
//   - A work tree that a person moved, or in which a person checked out another branch, is that person's. It is reported and left alone.
//   - A merge is made and tested in a work tree that is thrown away. The base moves only afterwards, and only forwards: by a
//     fast-forward in the checkout that holds it, or by update-ref with the value that was tested.
//   - A rebase, a patch or a merge that conflicts changes nothing.
//
// Errors of git have the code GIT. The user's hooks run for the commits of Commit and for pushes, and for nothing else.
package worktree
