// Package remote lets claims hold among clones, through a git remote that all of them have. The remote is the arbiter:
// it changes a ref only if that still points at what the pusher names, so of any number of clones one takes a task.
// Nothing of cairn runs there.
//
// # What lies where
//
//	NAMESPACE/ID                   at the remote: a commit without files, whose message is a session.RemoteClaim
//	refs/cairn/remote/claims/ID    here: a copy of them, while it is read
//	remote.json                    in the live state: what this clone knows and claims (session.Shared)
//	remote.lock                    held by whoever asks the remote, for as long as the answer takes
//
// # Who decides
//
// A claim counts once the remote has said that it has it. A push that was refused, or that got no answer, is followed
// by a fetch, which says who has the ref. If that gives no answer either, nothing is known: the claim is neither won
// nor lost, and is believed by nobody.
//
// What should be at the remote follows from the live state of the clone: "held" for a live claim, "finished" for work
// that is in review or closed, and no ref for anything else. Renew compares that with the remote
// (session.Shared.Reconcile), and so brings to its end whatever was cut short: a process that was killed, a network
// that was away.
//
// A push replaces only the claim by which its caller decided (session.Want.Judged). If this clone or the remote has
// another one by now, the caller decides again. A claim whose push got no answer stays noted until a fetch says what
// became of it. The remote is told "finished" before that is written here; if the write fails, the next Renew takes it
// back.
//
// A copy of a clone knows that it is one, by the number of its folder (live.Clone.Shared), and has none of the claims
// of the first.
//
// What is finished stays at the remote until the remote's default branch has it, and shows the task as closed. Then any
// clone that has fetched that branch removes the ref. That a checkout lacks something is no reason.
//
// # Locks
//
// The lock of the remote is taken before the write lock of the clone, and held while a write that it allowed is made.
// So nobody gives back a claim that is just being written.
package remote
