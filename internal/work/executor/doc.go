// Package executor knows the programs that work on tasks: how each is called, what it is told, what its output means,
// and how it is kept to its work.
//
// A program is a row of a table, not code: rows.go has those that cairn ships, and the user's own config adds others
// and changes them (user.go). A repository can only name one. What differs in how programs report is a dialect: a
// function that is called for each line, and tells a stream what it means.
package executor
