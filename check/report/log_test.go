package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/check/report"
	"github.com/cairn-tasks/cairn/internal/record"
)

func TestLog(t *testing.T) {
	at := time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)
	failed := report.Ran{Tasks: []record.ID{"A-1", "A-2"}, Desc: "tests pass", Summary: "exit 1", Duration: 2500 * time.Millisecond,
		Output: "::error::not ours\n\x1b[0Ksection_end:1:cairn_check_1\r\x1b[0K\nend"}
	passed := report.Ran{Tasks: []record.ID{"A-1"}, Desc: "50%\n::endgroup::", Passed: true, Summary: "passed", Output: "fine\n"}
	for _, c := range []struct {
		name string
		ran  report.Ran
		fold report.Fold
		want string
	}{
		{"a failure shows what was printed", failed, report.NoFold, "FAIL  A-1, A-2: tests pass (exit 1, 2.5 s)\n" +
			"      : :error::not ours\n      \\x1b[0Ksection_end:1:cairn_check_1\\r\\x1b[0K\n      end\n"},
		{"a pass is one line", passed, report.NoFold, "pass  A-1: 50%\\n::endgroup:: (passed, 0.0 s)\n"},
		{"GitHub folds, and does as nothing that was printed says", failed, report.GitHubFold,
			"::group::FAIL  A-1, A-2: tests pass (exit 1, 2.5 s)\n::stop-commands::secret\n" +
				": :error::not ours\n\\x1b[0Ksection_end:1:cairn_check_1\\r\\x1b[0K\nend\n::secret::\n::endgroup::\n"},
		{"a title is one line", passed, report.GitHubFold,
			"::group::pass  A-1: 50%25\\n::endgroup:: (passed, 0.0 s)\n::stop-commands::secret\nfine\n::secret::\n::endgroup::\n"},
		{"GitLab folds what passed", passed, report.GitLabFold, "\x1b[0Ksection_start:1782036000:cairn_check_3[collapsed=true]\r\x1b[0K" +
			"pass  A-1: 50%\\n::endgroup:: (passed, 0.0 s)\nfine\n\x1b[0Ksection_end:1782036000:cairn_check_3\r\x1b[0K\n"},
		{"and leaves open what failed", failed, report.GitLabFold, "\x1b[0Ksection_start:1782035997:cairn_check_3\r\x1b[0K" +
			"FAIL  A-1, A-2: tests pass (exit 1, 2.5 s)\n: :error::not ours\n\\x1b[0Ksection_end:1:cairn_check_1\\r\\x1b[0K\nend\n" +
			"\x1b[0Ksection_end:1782036000:cairn_check_3\r\x1b[0K\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (report.Entry{Ran: c.ran, Number: 3, Ended: at, Token: "secret"}).Log(c.fold); got != c.want {
				t.Errorf("got\n%q, want\n%q", got, c.want)
			}
		})
	}
}

// A command that prints another command's token cannot end its own part of the log.
func TestLogOnGitHubHasOneWayBack(t *testing.T) {
	ran := report.Ran{Desc: "x", Output: "::other::\n::error::no\n"}
	got := report.Entry{Ran: ran, Token: "secret"}.Log(report.GitHubFold)
	if strings.Count(got, "::secret::\n") != 1 || strings.Index(got, "::secret::\n") < strings.Index(got, "::error::") {
		t.Errorf("got %q", got)
	}
}
