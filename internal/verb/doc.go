// Package verb declares and calls verbs: what cairn can do to a workspace.
//
// A verb is declared once: its name, what it is for, who may call it, and the function that does it. Its input is a
// struct; everything else is read off that: the MCP tool and its schema, the command line's arguments and flags, and
// the reference page. A function orchestrates: it reads through package store, asks package task and package session
// what may happen, and writes what they answer. It holds no rule and knows no format.
//
// The verbs themselves are in folders, one for each noun, such as tasks, sessions, proposals (plans) or activity
// (history and wait). Each has verbs.go, which declares its verbs, and a file for each verb with its input, its output
// and its function. Package catalogue lists all of them. Package gates runs the checks that a transition needs, for the
// verbs that make one. Imports point one way: catalogue, then the nouns, then gates, then this package. This package
// holds what verbs share:
//
//   - verb.go, field.go, decode.go: a verb, the fields of its input, and how JSON becomes that input
//   - workspace.go, rights.go: who acts, where, with what rights, and what a person has confirmed
//   - ids.go, imported.go: ids that are given, and what tasks were called where they were imported from
//   - write.go: the context of a write, and making one
//   - idempotency.go: calls that are repeated under a key
//   - view.go, view_session.go, record.go: records as callers see them, and writes of records of any kind; page.go: how much of
//     them
//   - shared_reads.go: what the calls of a process share when they read
//
// # Adding a flag
//
// Add a field to the In struct of the verb, such as ListIn in tasks/list.go. Its tags declare the argument, the flag,
// what completion offers and the schema; type Field lists them.
//
// # Adding a verb
//
//  1. Write NOUN/NAME.go: an In struct, and a function of a context, a *Workspace and the struct that returns something
//     encoding/json can print. If the verb writes, embed Once in the struct, and give the result a method Replay.
//  2. Declare it in NOUN/verbs.go, and name it in the order of catalogue/catalogue.go.
//  3. Tell its story in cmd/testdata/script, add a call of it to the table in mcpserver/server_test.go, and run
//     `make update`. Tests fail until it has a story, a schema, a call and a page.
//
// # Adding a noun
//
// Make a folder with its verbs, and add its Verbs to All in catalogue/catalogue.go. A program around cairn calls
// catalogue.Add instead.
//
// # Adding a kind of record
//
// Add a row to the table of package kind, then a noun. CreateRecord and ListRecords in record.go, and Change in
// write.go, make its verbs short. get, note, wait and history take its ids without further work. examples/kind is a whole kind.
package verb
