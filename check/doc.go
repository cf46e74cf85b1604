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
// What is promised about processes: when Run returns, whatever the command started has ended, killed without a warning.
// That holds when the time is up, when the context ends, and also after the command has exited, so that what it left in
// the background does not outlive it. A leftover does not make a check fail, but one that keeps the output open delays
// the outcome by up to two seconds. How far "whatever it started" reaches depends on the system:
//   - Linux: everything, wherever it went: sessions of its own, forked twice, environment cleared, files closed. Each
//     process of a check carries a mark that it inherits and cannot put off (see mark_linux.go), and other processes of
//     this program, other checks included, are not touched.
//   - Other Unix systems: the process group. What moves to a group or session of its own (setsid, a daemon, a job of an
//     interactive shell) escapes.
//   - Windows: a job. A process started in the first instant, before the job is joined, may escape.
//
// That holds as long as this program can see to it. If it is killed itself, with SIGKILL or for want of memory, a guard
// that leads the process group ends that (see proc_unix.go); the job ends on Windows.
//
// What is not promised: when this program is killed so, on Unix what moved to a session or group of its own escapes, and
// so does all of a check that killed its guard, as "kill 0" does. On Linux a process of another user (sudo) is out of
// reach, as is one that is privileged and puts its mark off on purpose, and whatever others start at the command's request
// (a container engine, a service manager, at). A process that hangs in the kernel is killed, but not waited for beyond two
// seconds. Where the system takes no mark or shows no /proc, and in checks nested more than three deep, Linux is like other
// Unix systems. A check is no sandbox: it may do what the user may do.
package check
