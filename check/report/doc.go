// Package report writes the findings of cairn check: as text for people, and in the formats that programs of CI read.
//
// A Report is a value, and writing it depends on nothing else: no clock, no environment, no file. The same findings
// give the same bytes. Messages quote files that anybody may have written, so each format escapes them in its own way:
// nothing in a message can end a line, a cell or an element, become a command of the CI, or reach a terminal as a
// control character.
//
// Each format has its file:
//
//	text.go     findings by file, one a line, for people and editors
//	json.go     a stable format for programs, schema 1
//	github.go   workflow commands that GitHub shows as annotations, and the summary of the job
//	sarif.go    SARIF 2.1.0, for code scanning
//	junit.go    JUnit XML, for programs that show test results
//	gitlab.go   GitLab's Code Quality
//	log.go      commands as they end, folded where the CI can do that
package report
