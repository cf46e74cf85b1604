// Package task holds the rules of cairn: what a task is, and what may happen to it. No other package decides that.
//
// It is pure. Nothing here reads a file, a clock or the network; the time and other tasks are arguments. What tasks
// have in common with records of other kinds (provenance, references, errors, hints) is in package record.
//
// # The life of a task
//
// A task is created in the flow's initial state. From there it may move to any state and back, reopening included, but
// for two gates:
//
//   - The deps gate: a task may not leave the initial state until every task that it depends on is closed.
//   - The checks gate: a task may not enter a closed state until every one of its checks has passed, and, if it requires
//     evidence, until it names some (EvidenceGate).
//
// A move into an abandoned state (closed without claiming that the work is done) passes both.
//
// # Words
//
//   - Flow: the configured states and what each means to the gates. No state is known by name.
//   - Check: a command, or a question to a person, that must be answered before the task may be closed.
//   - Entry: one line of provenance, a record.Entry. Every write that changes a task appends exactly one, and none is ever changed.
//   - Evidence: the newest entry that records a result of a check. A pass without evidence counts as pending.
//   - Proof: what is known at the moment of a move: the state of the working tree, and the results of a run just made.
//
// Every function that changes a task takes a value and returns a new one with its entry, or the value itself and no
// entry if nothing would change. It never writes to slices of the old value.
//
// # The files
//
//	task.go                           what a task is; its links to others; who does it
//	check.go, evidence.go             checks as declared; how each came by its result
//	flow.go, gate.go, attest.go       the states; both gates; who settles manual checks
//	approval.go, review.go            what a signed attestation signs, and whether it holds; approvals of a review
//	replay.go and its like            whether each new entry was legal
//	edit.go, move.go                  the writes: changed fields; new tasks, status, holder, notes
//	fields.go, graph.go, weaken.go    the fields, a row each; dependencies; checks that were taken away
//	due.go                            when a task is due; how long something takes
//	own.go                            the types of fields, and fields of the user's own
//	life.go                           how the records of a kind live: what an entry makes of one
//	scope.go                          globs of paths, and which of them meet
//	person.go                         what a person must confirm
//	putback.go                        restoring entries that an editor overwrote
//	replay*.go                        judging the entries of a change afterwards, for cairn check
//	proposal.go                       a plan that was stored for others to read
package task
