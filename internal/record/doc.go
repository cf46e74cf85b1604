// Package record holds what every record of cairn is, whatever its kind. The rules of tasks, of sessions and of all
// other kinds stand on it.
//
// It is pure. Nothing here reads a file, a clock or the network; the time is an argument. It imports nothing of ours,
// and of the kinds of record it knows one by its name: what it takes as the id of a task is an ID, and every other id
// is a text.
//
// # Words
//
//   - Record: a file under .cairn/: a task, a session, a proposal. A Ref names it, and a Header is what it shares with records of all kinds.
//   - Entry: one line of provenance. Every write that changes a record appends exactly one to its Log, and none is ever changed.
//   - Stamp: what a write says of itself, whatever it does: who, when, why, and under which session.
//   - Reference: something outside a record that belongs to it: code, a link, a file, another record.
//   - Actor: whoever does something, by what they say of themselves.
//   - Error: a refusal, as a value. Its Code never changes its meaning. Its Hint says what to do next, and can hold a Call, which each
//     front-end spells in its own way.
//
// Every function that changes a record takes a value and returns a new one with its entry, or the value itself and no
// entry if nothing would change. It never writes to slices of the old value.
//
// # The files
//
//	record.go, id.go, actor.go      what all records share; ids; actors
//	log.go, entry.go, stamp.go      provenance; one line of it; what a write says of itself
//	detail.go, result.go            what only few kinds of entry say; results of checks
//	putback.go                      restoring entries that an editor overwrote
//	reference.go, address.go        references of a record; addresses of repositories and links, without credentials
//	attachment.go                   the names of files that references name
//	text.go, list.go, hash.go       what texts may hold; lists; hashes
//	error.go, hint.go               the error type, all codes, and what a refusal says to do next
package record
