// Package verb is the catalogue of what cairn can do to a workspace.
//
// A verb is declared once, in verbs.go: its name, what it is for, who may call it, and the method that does it. Its input
// is a struct; everything else is read off that: the MCP tool and its schema, the command line's arguments and flags, and
// the reference page. A method orchestrates: it reads through package store, asks package task and package session what
// may happen, and writes what they answer. It holds no rule and knows no format.
//
// # Adding a verb
//
//  1. Write verb/NAME.go: an In struct, and a method on Workspace that takes it and returns something encoding/json can
//     print. The tags of the struct's fields declare the schema and the command line; type Field lists them.
//  2. Declare it in verbs.go.
//  3. Tell its story in cmd/testdata/script, add a call of it to the table in mcpserver/server_test.go, and run
//     `make update`. Tests fail until it has a story, a schema, a call and a page.
package verb
