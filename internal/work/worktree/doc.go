// Package worktree keeps a git work tree for each task that an agent works on, and merges its commits into their base.
// Beside the config of the merge driver, all that cairn writes to git is written here, and only when a person or an
// agent has asked for it: for a job, for a pair, for a review, or for a removal.
//
// The work tree of a task lies outside the repository, in <worktrees>/<repository>-<hash>/<task>, and has the branch
// cairn/<task>. A record in live state says what was made: only what that record names is ever changed or removed.
//
// What is promised:
//
//   - A work tree is removed only if it is recorded, clean, merged or pushed, and not locked, and if nothing works in it. Whatever of this
//     is not known is a reason to keep it. Nothing is removed because of its age, and "git worktree prune" is never run.
//   - A work tree that a person moved, or in which a person checked out another branch, is that person's. It is reported and left alone.
//   - A merge is made and tested in a throw-away work tree. The base moves only afterwards, and only forwards: by a fast-forward where it
//     is checked out, or by update-ref with the value that was tested.
//   - A rebase, a patch or a merge that conflicts changes nothing.
//   - Sync, which works where the person is, commits nothing but records there, and moves the branch and the files forward by a
//     fast-forward or not at all.
//
// Errors of git have the code GIT. The user's hooks run for the commits of Commit and for pushes, and for nothing else.
package worktree
