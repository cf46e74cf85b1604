// Package source reads the tasks of other systems from their files. Each system has a file of its own, with a function
// of bytes that returns items in the neutral form of package transfer; nothing here writes, starts a program or asks a
// network.
//
//	source.go    which systems there are, and where each keeps its files
//	load.go      reads the files: bounded, and without leaving the folder
//	object.go    an object of JSON or YAML whose keys are counted off, so that what was not understood is reported
//	table.go     systems whose files have columns: a row of a table says which is which field; csv.go, mapping.go
//	trackers.go  the tables
//	text.go      sections and lists within Markdown
package source
