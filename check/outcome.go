package check

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/cairn-tasks/cairn/internal/proc"
)

// Outcome is how a command ended. Passed is the verdict; the rest explains it.
type Outcome struct {
	Passed     bool          // the shell exited with 0
	Exit       int           // its exit status; -1 if a signal ended it or it never started
	Signal     string        // the signal that ended the shell, e.g. "SIGSEGV", or ""
	TimedOut   bool          // it was stopped at its time limit
	Canceled   bool          // it was stopped because the caller's context ended
	Duration   time.Duration // from the start until its output ended
	Output     string        // what it printed, as proc.Output keeps it
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
	if name := proc.SignalName(o.Exit - 128); name != "" {
		return fmt.Sprintf("exit %d (%s)", o.Exit, name) // a shell reports so a child that a signal ended
	}
	return fmt.Sprintf("exit %d", o.Exit)
}

// seconds writes a duration in seconds, to a tenth at most.
func seconds(d time.Duration) string {
	tenths := math.Round(d.Seconds() * 10)
	return strconv.FormatFloat(tenths/10, 'f', -1, 64) + " s"
}

// Header is what the log of a run says besides its outcome. Empty fields are left out.
type Header struct {
	Task    string    // the task's id
	Check   string    // the check's description
	Cmd     string    // the command
	Dir     string    // the folder as declared
	Commit  string    // the commit that was checked out
	Guards  int       // how many files were put back as they were at the commit, for a run with those; 0 for a run as it is
	Started time.Time // written in UTC, to the second
}

// WriteLog writes the text of a log file: "key: value" lines, an empty line, and the part of the output that was kept.
// A value with line breaks or other control characters is quoted as in Go, so that each value is one line. It returns
// the error of w.
func WriteLog(w io.Writer, h Header, o Outcome) error {
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, oneLine(value))
		}
	}
	line("task", h.Task)
	line("check", h.Check)
	line("command", h.Cmd)
	line("folder", h.Dir)
	line("commit", h.Commit)
	if h.Guards > 0 {
		line("guards", fmt.Sprintf("%d files as they were at that commit", h.Guards))
	}
	if !h.Started.IsZero() {
		line("started", h.Started.UTC().Format(time.RFC3339))
	}
	line("duration", seconds(o.Duration))
	line("exit", strconv.Itoa(o.Exit))
	line("result", o.Summary())
	line("printed", fmt.Sprintf("%d bytes", o.TotalBytes))
	b.WriteByte('\n')
	b.WriteString(o.Output)
	if o.Output != "" && !strings.HasSuffix(o.Output, "\n") {
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// oneLine quotes a value that has control characters.
func oneLine(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
		return strconv.Quote(s)
	}
	return s
}
