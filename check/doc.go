// Package check runs one declared check: a command, a folder to run it in and a time limit.
//
// A check is handed to the POSIX shell as it stands ("sh -c cmd"), on Windows too. It passes when the shell exits
// with 0 and fails otherwise. A check that fails, is stopped at its time limit or is canceled is an Outcome; an error
// means that it could not be run at all.
//
// What a command gets:
//   - The folder it declared, which lies inside the workspace whatever links it passes through (see Dir).
//   - The caller's environment without the variables that begin with GIT_, so that a check started from a git hook
//     works on the repository it stands in and not on the one that started the hook.
//   - No input: standard input is at its end.
//   - One stream for both outputs, of which a beginning and an end are kept. Memory stays bounded whatever is printed.
//
// What is promised about processes: on Unix the command runs in a process group of its own, on Windows in a job. The
// whole group is killed, without a warning, when the time is up, when the context ends, and also after the command has
// exited, so that what it left in the background does not outlive it. A leftover does not make a check fail, but one
// that keeps the output open delays the outcome by up to two seconds.
//
// What is not promised: on Unix a process that moves to a group or session of its own (setsid, a daemon, a job of an
// interactive shell) escapes, as it does when this program itself is killed with SIGKILL. On Windows a process started
// in the first instant, before the job is joined, may escape. A check is no sandbox: it may do what the user may do.
package check
