// Package statements keeps what was signed about closed tasks and checked changes, in a ref of git beside the claims: a
// tree of envelopes (package evidence) by task and by commit, to which is only added. Whatever two clones add at once,
// the union has both.
//
//	tasks/SHOP-7/HASH.json       of the close of a task
//	changes/COMMIT/HASH.json     of a change that was checked
//	at-DIGEST/tasks/…            the same of a workspace below the top of its repository
//
// HASH is the SHA-256 of the file. What a remote has is a stranger's: each envelope is judged when it is read, and what
// does not verify is listed as such and counts for nothing (judge.go). The outcome is kept in the live state (known.go), so that a
// list of tasks starts no git.
package statements
