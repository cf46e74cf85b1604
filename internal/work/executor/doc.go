// Package executor knows the programs that work on tasks: how each is called, what it is told, what its output means,
// and how it is kept to its work.
//
// A program is a row of a table, not code: rows.go has those that cairn ships, and the user's own config adds others
// and changes them (user.go). A repository can only name one. What differs in how programs report is a dialect: a
// function that is called for each line, and tells a stream what it means.
//
//	executor.go   Table, Executor: the API
//	rows.go       the rows that are shipped
//	user.go       the rows of the user's config
//	argv.go       a row and a run make a command line
//	env.go        the environment of a program: what is dropped and what is set
//	mcp.go        how a program is given cairn as an MCP server
//	dialect.go    how lines are read
//	dialects.go   the dialects whose lines are objects of JSON
//	acp.go        the dialect that is a conversation
//	run.go        starts a program, reads what it reports, and ends it
//	stream.go     lines become events, and events become a result
package executor
