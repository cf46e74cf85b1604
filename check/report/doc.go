// Package report writes what cairn check found: as text for people, and in the forms that programs of CI read.
//
// A Report is a value, and writing it is a function of it: no clock, no environment, no file. The same findings give the
// same bytes. Messages quote what stands in files that anybody may have written, so each form makes them harmless in its
// own way: nothing in a message can end a line, a cell or an element, become a command of the CI, or reach a terminal as a
// control character.
//
// Each form has its file:
//
//	text.go     findings by file, one a line, for people and editors
//	json.go     the promise to programs, schema 1
//	github.go   workflow commands that GitHub shows as annotations, and the summary of the job
//	sarif.go    SARIF 2.1.0, for code scanning
//	junit.go    JUnit XML, for whatever shows test results
//	gitlab.go   GitLab's Code Quality
//	log.go      commands as they end, folded where a CI can
package report
