// Package proof holds the rules of cairn check: whether the files under .cairn can be read, their references lead
// somewhere, and closed tasks have the evidence for it.
//
// It is pure. The caller reads a Tree from the working tree, the index or a commit, and the same tree always gives the
// same findings. Package task decides what may happen to a task, which entry explains a result and what a list of
// checks hashes to; the rules compare what the files say with that.
//
// A Change is a tree with its base, the tree that it was made from. It has more rules: whether the change was made
// around the gates. They look only at tasks and records whose files the change touches.
//
// A rule is declared once, in Rules. Each group of rules is a type, in a file of its own:
//
//	file.go      a file is the task or config that it should be
//	graph.go     dependencies and parents lead somewhere, and in no circle
//	fields.go    links, and fields of the user's own
//	gate.go      a closed task has passed its checks, by its entries
//	approval.go  signatures are valid, and required ones are there (some of it needs a base)
//	history.go   no task is deleted or renamed unnoticed (needs a base, as do the five below)
//	log.go       entries are only appended
//	erased.go    no commit of the change had an entry that is gone
//	moved.go     an entry explains each new state, holder and result
//	replay.go    package task would have allowed each new entry
//	reviewed.go  a review merged what was approved
//	earned.go    a closed task passed every check that it ever had to
//	trust.go     what a reviewer of the change should read
//	hygiene.go   what is harmless and most likely a mistake
//	record.go    records of other kinds: the rules that all share
//	life.go      their entries, states and holders, by the life of the kind
//	session.go   sessions, and
//	kinds.go     decisions, proposals, handoffs: the rules of each kind
//
// A kind of record needs no line here: its life is in its row, in package kind, and comes with the tree, in Tree.Kinds.
// Rules of its own are a Kind in a file of its own, named as Judge in the row. The rules of the kinds that cairn has
// are in Rules too.
package proof
