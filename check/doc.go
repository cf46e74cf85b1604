// Package check runs the command of one declared check, in the folder and with the time limit that it declares, and
// says how it ended. Package proc runs the command; its page says what is guaranteed about the processes that a command
// starts.
//
// A check passes when the shell exits with 0 and fails otherwise. A check that fails, reaches its time limit or is
// canceled is an Outcome; an error means that it could not be run at all.
//
// A command gets:
//   - The folder that the check declares, which lies inside the workspace even through links (see Dir).
//   - The caller's environment without the variables that begin with GIT_. A check that is started from a git hook thus works
//     on the repository of its folder, not on the one whose hook it is.
//   - An empty standard input.
//   - One stream for both outputs, of which the beginning and the end are kept (see proc.Output).
package check
