package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// Fold is how a CI folds a part of a log.
type Fold string

// The CIs that can, and NoFold for those that cannot.
const (
	NoFold     Fold = ""
	GitHubFold Fold = "github"
	GitLabFold Fold = "gitlab"
)

// Entry is a command in the log of commands as they end.
type Entry struct {
	Ran
	Number int       // of the commands that have ended
	Ended  time.Time // GitLab needs it
	Token  string    // that no command can have guessed: it ends the part in which GitHub obeys no command
}

// Log returns the text of the entry. With folding it has the whole output, which on GitLab is unfolded if the command
// failed; without, only the output of a command that failed. Nothing in the output can act as a command to the CI.
func (e Entry) Log(fold Fold) string {
	switch fold {
	case GitHubFold:
		return fmt.Sprintf("::group::%s\n::stop-commands::%s\n%s::%s::\n::endgroup::\n", data(e.title()), e.Token, e.output(), e.Token)
	case GitLabFold:
		begun, name := e.Ended.Add(-e.Duration).Unix(), fmt.Sprintf("cairn_check_%d", e.Number)
		collapsed := "[collapsed=true]"
		if !e.Passed {
			collapsed = ""
		}
		return fmt.Sprintf("\x1b[0Ksection_start:%d:%s%s\r\x1b[0K%s\n%s\x1b[0Ksection_end:%d:%s\r\x1b[0K\n",
			begun, name, collapsed, e.title(), e.output(), e.Ended.Unix(), name)
	default:
		if e.Passed {
			return e.title() + "\n"
		}
		text := e.title() + "\n"
		for line := range strings.Lines(e.output()) {
			text += "      " + line
		}
		return text
	}
}

// title is one line that says how the command ended.
func (e Entry) title() string {
	verdict := "pass"
	if !e.Passed {
		verdict = "FAIL"
	}
	return fmt.Sprintf("%s  %s: %s (%s, %.1f s)", verdict, names(e.Ran), harmless.Line(e.Desc), harmless.Line(e.Summary), e.Duration.Seconds())
}

// output is the output, ending with a line break.
func (e Entry) output() string {
	text := harmless.Text(e.Output)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}
