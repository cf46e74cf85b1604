// Package risk is a kind of record of its own: something that may go wrong. It shows what a kind costs:
//
//   - risk.go: what a risk is, and its rules, which are functions of values
//   - kind.go: its row in the table of kinds
//   - verbs.go: the verbs that only risks have
//   - ../testdata/script/risk.txtar: its story
//
// Everything else comes with the row: get, note, wait and history, deps of tasks on risks, merging, the crash safety of writes, putting
// back what an editor saved over, cairn check, the command line, MCP, completion and the reference page.
package risk
