// Package transfer brings tasks into a workspace from other systems, and writes them out for others to read.
//
//	item.go     a task as any system can say it: the neutral form
//	import.go   the verb import: items become tasks, in one write
//	draft.go    one item becomes one task, with the entries that tell where it came from
//	edges.go    what items say of one another becomes deps, parents and links
//	report.go   what was made, how words were mapped, and what had no place
//	write.go    tasks as JSON lines, CSV and Markdown
//
// Its folder source reads the files of each system into items.
package transfer
