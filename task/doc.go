// Package task holds the rules of cairn: what a task is, and what may happen to it.
//
// It is pure. Nothing here reads a file, a clock or the network; time and the look-up of other tasks are arguments. Whoever
// wants to know whether something is allowed asks here, and nobody else decides.
//
// # The life of a task
//
// A task is created in the flow's initial state. From there it may move to any state and back, reopening included, but for
// two gates:
//
//   - The deps gate: a task may not leave the initial state until every task it depends on is closed.
//   - The checks gate: a task may not enter a closed state until every one of its checks has passed.
//
// A move into an abandoned state (closed without claiming that the work is done) passes both.
//
// # Words
//
//   - Flow: the configured states and what each means to the gates. No state is known by name.
//   - Check: a command, or a question to a person, that must be answered before the task may be closed.
//   - Entry: one line of provenance. Every write that changes a task appends exactly one, and none is ever changed.
//   - Evidence: the entry that says how a check came by its result. A pass without evidence counts as pending.
//   - Proof: what is known at the moment of a move: the state of the working tree, and the results of a run just made.
//   - Ready: every dependency is closed. Derived whenever it is asked for, never stored.
//
// Every function that changes a task takes a value and returns a new one with its entry, or the value itself and no entry
// if nothing would change. Slices of the old value are never written to.
package task
