package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// Fold says how a log can hide what belongs together.
type Fold string

// The logs that can, and the one that cannot.
const (
	NoFold     Fold = ""
	GitHubFold Fold = "github"
	GitLabFold Fold = "gitlab"
)

// Entry is a command in the log of commands as they end.
type Entry struct {
	Ran
	Number int       // of the commands that have ended
	Ended  time.Time // which GitLab wants to know
	Token  string    // that no command can have guessed: with it GitHub listens to us again
}

// Log is the entry as a log shows it. Where it folds it has everything that was printed, and what failed is open on GitLab;
// where it does not, only the output of what failed. Nothing that was printed is taken for an order to the CI.
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
		return e.title() + "\n" + indented(e.output())
	}
}

// title is the one line that says what became of the command.
func (e Entry) title() string {
	verdict := "pass"
	if !e.Passed {
		verdict = "FAIL"
	}
	return fmt.Sprintf("%s  %s: %s (%s, %.1f s)", verdict, names(e.Ran), harmless.Line(e.Desc), harmless.Line(e.Summary), e.Duration.Seconds())
}

// output is what was printed, with its last line ended.
func (e Entry) output() string {
	text := harmless.Text(e.Output)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("      " + line)
	}
	return b.String()
}
