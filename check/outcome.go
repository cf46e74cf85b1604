package check

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Outcome is how a command ended. Passed is the verdict; the rest explains it.
type Outcome struct {
	Passed     bool          // the shell exited with 0
	Exit       int           // its exit status; -1 if a signal ended it or it never started
	Signal     string        // the signal that ended the shell, e.g. "SIGSEGV", or ""
	TimedOut   bool          // it was stopped at its time limit
	Canceled   bool          // it was stopped because the caller's context ended
	Duration   time.Duration // from the start until its output ended
	Output     string        // what it printed: valid UTF-8, the middle cut out if there was too much (see output)
	TotalBytes int64         // how much it printed in all
}

// Summary says in a few words how the command ended, e.g. "passed", "exit 1", "timed out after 120 s".
func (o Outcome) Summary() string {
	switch {
	case o.Passed:
		return "passed"
	case o.TimedOut:
		return "timed out after " + seconds(o.Duration)
	case o.Canceled:
		return "canceled"
	case o.Signal != "":
		return "killed by " + o.Signal
	case o.Exit < 0:
		return "not started"
	case o.Exit == 127:
		return "command not found (exit 127)"
	}
	if name := signalName(o.Exit - 128); name != "" {
		return fmt.Sprintf("exit %d (%s)", o.Exit, name) // how a shell reports a child that a signal ended
	}
	return fmt.Sprintf("exit %d", o.Exit)
}

// seconds writes a duration in seconds, to a tenth at most.
func seconds(d time.Duration) string {
	tenths := math.Round(d.Seconds() * 10)
	return strconv.FormatFloat(tenths/10, 'f', -1, 64) + " s"
}
