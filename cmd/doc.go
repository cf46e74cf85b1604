// Package cmd is the command line: it turns words into a verb's input, calls the verb, and prints what it returns.
//
// Every verb has a command of the same name, made from its declaration (verbs.go). What is not a verb, such as init and
// serve, has a file of its own. Main is the whole program but for the process around it, so tests run it with their own
// clock, folder and streams.
package cmd
