// Package cmd is the command line. It turns arguments and flags into the input of a verb, calls the verb, and prints
// the result.
//
// Each verb has a command of the same name, which is made from the verb's declaration (verbs.go, flags.go, input.go)
// and whose result is shown by its type (package render). Nothing here depends on which verbs there are, but for the
// hints about words that people guess. Commands that are no verbs, such as init and serve, are declared in the same way
// (command.go): a struct of what they take, and a function. A program is one run of the command line: its environment,
// its output and its exit number. Tests call Main with an Env of their own, so they choose the clock, the folder and the
// streams.
package cmd
