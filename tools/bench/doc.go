// Command bench measures cairn as its users meet it: whole commands as processes, and calls of the MCP server. It makes
// workspaces of 1,000, 10,000 and 100,000 tasks, runs every command beside yardsticks that show what the machine itself
// takes, and prints tables.
//
//	bench --sizes 1000,10000
//	bench --check                           and exit with 1 if a ratio is beyond its limit
//	bench --write docs/performance.md       and put tables and picture there
//
// It is started in a clone of cairn, because it builds what it measures. make bench does all of this. No test does:
// what takes how long depends on what else the machine does, so that only figures of one run can be compared.
// docs/performance.md explains them.
package main
