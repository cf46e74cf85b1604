package check

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Header is what a log says about a run besides its outcome. Empty fields are left out.
type Header struct {
	Task    string    // the task's id
	Check   string    // the check's description
	Cmd     string    // the command
	Dir     string    // the folder as declared
	Commit  string    // the commit that was checked out
	Started time.Time // written in UTC, to the second
}

// WriteLog writes the text of a log file: "key: value" lines, an empty line, and what the command printed, as far as it
// was kept. A value with line breaks or other control characters is quoted as in Go, so that it stays on its line. The
// error is w's.
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

// oneLine quotes a value that would not stay on one line.
func oneLine(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
		return strconv.Quote(s)
	}
	return s
}
