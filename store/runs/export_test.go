package runs

// LogsKept is how many logs of a task there are at most.
const LogsKept = logsKept
