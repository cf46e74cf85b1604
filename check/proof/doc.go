// Package proof holds the rules that a record under .cairn is judged by: whether its files can be read, its graph is sound,
// and its closed tasks are borne out by the evidence they carry.
//
// It is pure. Whoever calls Judge has read a Tree, from the working tree, the index or a commit, and the same tree always
// gives the same findings. What may happen to a task, what accounts for a result and what a list of checks hashes to is
// decided by package task; here the record is held against those answers.
//
// Beside a base, the tree that it was made from, a tree is a Change, and there is more to ask: whether whoever made it went
// round the gates. Only tasks whose files the change touches are looked at.
//
// A rule is declared once, in Rules. Its group has a file:
//
//	file.go             a file is the task, session or config that it should be
//	graph.go            dependencies and parents lead somewhere, and in no circle
//	gate.go             a closed task has passed its checks, and the record says how
//	approval.go         what was signed holds, and what had to be signed was (some of it needs a base)
//	history.go          what stood in the record stands there still (needs a base, as do the four below)
//	history_moved.go    an entry accounts for each new state, holder and result
//	history_started.go  nothing was started before its time
//	history_checks.go   a closed task passed all that it had to
//	trust.go            what whoever reads the change should look at
//	hygiene.go          what is harmless and most likely a mistake
package proof
