// Package session holds the rules of attempts: a session is one attempt at a task by one actor, from begin to finish or
// cancel.
//
// It is pure: files, live state and the clock are arguments. No other package decides these three questions:
//
//   - What may happen to a session? It is active until it is finished, canceled, or abandoned by a takeover; then it is over.
//   - How is it doing? Health is computed from the clock and the newest sign of life whenever it is needed.
//   - Who holds a record? Each source says what it knows as a Claim: the record's file, the live state of this clone,
//     remote-tracking branches, and the claims that clones share through the git remote. Decide says which of them counts.
//     Everything that claims, hands out or shows work uses its answer. It works for records of any kind.
//
// What becomes of a claim of this clone among other clones, an OwnClaim, is decided here too (own.go, reconcile.go):
// asked for, confirmed, relied on, let go or lost, by what the remote is found to have. Package store/remote asks the
// remote and holds the locks.
//
// # What is durable and what is live
//
// A Session is a committed file: it belongs to a branch. A State, which says who holds a record, and a Heartbeat are
// live state: they are in the clone's git directory, are shared by its worktrees, and are never committed. So a claim
// holds in all branches and worktrees at once, and nothing that is true on one machine only is committed.
package session
