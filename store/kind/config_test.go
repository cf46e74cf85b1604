package kind_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// A config that says nothing means the defaults.
func TestConfigDefaults(t *testing.T) {
	for name, src := range map[string]string{
		"empty":                 "{}\n",
		"only a comment":        "# nothing yet\n",
		"keys without a value":  "prefix:\nstates:\nworking:\nclaim_ttl: ~\ndefault_checks:\n",
		"keys nobody knows":     "theme: dark\nplugins: [a, {b: c}]\n",
		"the defaults in words": "format: 1\nprefix: TASK\nclosed: [done, canceled]\ncheck_timeout_default: 120\n",
	} {
		t.Run(name, func(t *testing.T) {
			got := parseConfig(t, src)
			want := kind.DefaultConfig()
			want.Flow.Working, want.Flow.Review = "in_progress", "in_review"
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got\n%+v\nwant\n%+v", got, want)
			}
		})
	}
}

// Every key, and what it is read as.
func TestConfigKeys(t *testing.T) {
	for _, row := range []struct {
		name, src string
		got       func(kind.Config) any
		want      any
	}{
		{"a newer format", "format: 7", func(c kind.Config) any { return c.Format }, 7},
		{"the prefix", "prefix: PROJ_2", func(c kind.Config) any { return c.Prefix }, "PROJ_2"},
		{"the states", "states: [todo, doing, done]\ninitial: todo\nclosed: [done]", func(c kind.Config) any { return c.Flow.States }, []record.Status{"todo", "doing", "done"}},
		{"states that look like other things", "states: [1, yes, no]\ninitial: 1\nclosed: [no]", func(c kind.Config) any { return c.Flow.States }, []record.Status{"1", "yes", "no"}},
		{"the initial state", "initial: in_progress", func(c kind.Config) any { return c.Flow.Initial }, record.Status("in_progress")},
		{"the working state", "working: in_review", func(c kind.Config) any { return c.Flow.Working }, record.Status("in_review")},
		{"the working state under its old name", "working_state: in_review", func(c kind.Config) any { return c.Flow.Working }, record.Status("in_review")},
		{"the working state where no state is called so", "states: [a, b]\ninitial: a\nclosed: [b]", func(c kind.Config) any { return c.Flow.Working }, record.Status("")},
		{"the review state", "review: in_progress", func(c kind.Config) any { return c.Flow.Review }, record.Status("in_progress")},
		{"the review state under its old name", "review_state: in_progress", func(c kind.Config) any { return c.Flow.Review }, record.Status("in_progress")},
		{"the review state where no state is called so", "states: [a, b]\ninitial: a\nclosed: [b]", func(c kind.Config) any { return c.Flow.Review }, record.Status("")},
		{"the closed states", "closed: [done]", func(c kind.Config) any { return c.Flow.Closed }, []record.Status{"done"}},
		{"a lone closed state", "closed: done", func(c kind.Config) any { return c.Flow.Closed }, []record.Status{"done"}},
		{"the abandoned states", "abandoned: [canceled]", func(c kind.Config) any { return c.Flow.Abandoned }, []record.Status{"canceled"}},
		{"no abandoned states", "prefix: P", func(c kind.Config) any { return len(c.Flow.Abandoned) }, 0},
		{"a gate before the review", "gate_review: true", func(c kind.Config) any { return c.Flow.GateReview }, true},
		{"seconds for a check", "check_timeout_default: 90", func(c kind.Config) any { return c.CheckTimeout }, 90 * time.Second},
		{"a duration", "session_stale_after: 90s", func(c kind.Config) any { return c.StaleAfter }, 90 * time.Second},
		{"a duration as plain seconds", "session_stale_after: 300", func(c kind.Config) any { return c.StaleAfter }, 5 * time.Minute},
		{"how old a closed task is", "archive_after: 12w", func(c kind.Config) any { return c.ArchiveAfter }, 12 * 7 * 24 * time.Hour},
		{"a duration of days", "claim_ttl: 7d", func(c kind.Config) any { return c.ClaimTTL }, 7 * 24 * time.Hour},
		{"a duration of hours", "claim_ttl: 1h30m", func(c kind.Config) any { return c.ClaimTTL }, 90 * time.Minute},
		{"the usual wait", "wait_timeout_default: 60", func(c kind.Config) any { return c.WaitDefault }, time.Minute},
		{"the longest wait", "wait_timeout_max: 2h", func(c kind.Config) any { return c.WaitMax }, 2 * time.Hour},
		{"who attests", "attest: anyone", func(c kind.Config) any { return c.Flow.Settles }, task.ByAnyone},
		{"severities of rules", "rules: {no-evidence: off, dep-cycle: warning}", func(c kind.Config) any { return c.Rules }, map[proof.RuleID]proof.Severity{"no-evidence": "off", "dep-cycle": "warning"}},
		{
			"checks for every task", "default_checks:\n  - {desc: tests pass, cmd: make test, timeout: 60}\n  - {desc: read, type: manual}",
			func(c kind.Config) any { return c.Flow.Defaults },
			[]task.Check{{Desc: "tests pass", Cmd: "make test", Timeout: 60, Result: record.Pending}, {Desc: "read", Result: record.Pending}},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := row.got(parseConfig(t, row.src+"\n")); !reflect.DeepEqual(got, row.want) {
				t.Errorf("got %v, want %v", got, row.want)
			}
		})
	}
}

// Every wrong value is refused, with the place it stands at and what would be right.
func TestConfigRefuses(t *testing.T) {
	for _, row := range []struct {
		name, src    string
		line, column int
		says         string
	}{
		{"a format that is no number", "format: new", 1, 9, `whole number, not "new"`},
		{"a format below 1", "prefix: P\nformat: 0", 2, 9, "1 or more"},
		{"a prefix with a dash", "prefix: A-B", 1, 9, "digits and underscores"},
		{"a prefix that is a list", "prefix: [A, B]", 1, 9, "one value"},
		{"states that are a mapping", "states: {a: b}", 1, 9, "must be a list"},
		{"no state at all", "states: []", 1, 9, "at least one state"},
		{"an initial state that is none", "initial: started", 1, 10, `"started", which is not one of states`},
		{"an initial state that is closed", "prefix: P\ninitial: done", 2, 10, "closed"},
		{"a working state that is none", "working: doing", 1, 10, `"doing", which is not one of states`},
		{"a review state that is none", "review_state: check", 1, 15, `"check", which is not one of states`},
		{"a closed state that is none", "closed: [done, dropped]", 1, 9, `"dropped", which is not one of states`},
		{"an abandoned state that is none", "abandoned: [dropped]", 1, 12, `"dropped", which is not one of states`},
		{"an abandoned state that is open", "abandoned: [backlog]", 1, 12, "not one of closed"},
		{"a working state that is closed", "working: canceled", 1, 10, "one of closed"},
		{"a working state that is closed, under its old name", "working_state: done", 1, 16, "one of closed"},
		{"a review state that is closed", "review: done", 1, 9, "one of closed"},
		{"a review state that is abandoned", "abandoned: [canceled]\nreview: canceled", 2, 9, "one of closed"},
		{"a closed state that is the working one", "closed: [done, in_progress]", 1, 9, "one of closed"},
		{"a closed state that is the review one", "closed: [done, in_review]", 1, 9, "one of closed"},
		{"a state with a Cyrillic letter", "states: [backlog, done, dоne]", 1, 9, "looks like"},
		{"a state of cairn's words with a Cyrillic letter", "states: [backlog, dоne]\nclosed: [dоne]", 1, 9, "has other letters"},
		{"a state in full width", "states: [backlog, done, ｄｏｎｅ]", 1, 9, "looks like"},
		{"a state in other case", "states: [backlog, done, Done]", 1, 9, "looks like"},
		{"a state with what nobody sees", "states: [backlog, done, \"done\\u200b\"]", 1, 9, "nobody sees"},
		{"a state with a blank at its end", "states: [backlog, done, 'done ']", 1, 9, "blank at an end"},
		{"a state with another dash", "states: [in_progress, done, in-progress]", 1, 9, "looks like"},
		{"a state with a Greek letter", "states: [backlog, done, dοne]", 1, 9, "looks like"},
		{"a gate that is no yes or no", "gate_review: maybe", 1, 14, `true or false, not "maybe"`},
		{"a time limit in words", "check_timeout_default: soon", 1, 24, "seconds, or a duration"},
		{"a time limit of nothing", "check_timeout_default: 0", 1, 24, "seconds, or a duration"},
		{"a negative duration", "session_stale_after: -5m", 1, 22, "seconds, or a duration"},
		{"an age without a unit", "archive_after: 30", 1, 16, "a time such as 30d or 12w"},
		{"an age of nothing", "archive_after: 0d", 1, 16, "a time such as 30d or 12w"},
		{"a duration that is a list", "claim_ttl: [4h]", 1, 12, "one value"},
		{"a wait that is no time", "wait_timeout_default: x", 1, 23, "seconds, or a duration"},
		{"a longest wait that is no time", "wait_timeout_max: x", 1, 19, "seconds, or a duration"},
		{"a longest wait below the usual one", "wait_timeout_default: 60\nwait_timeout_max: 30", 2, 19, "below wait_timeout_default, which is 1m"},
		{"a longest wait below the usual one, which is not named", "wait_timeout_max: 30", 1, 19, "below wait_timeout_default, which is 30m"},
		{"a usual wait above the longest one, which is not named", "wait_timeout_default: 2h", 1, 23, "wait_timeout_max is 1h"},
		{"an attester that is nobody", "attest: robots", 1, 9, "human or anyone"},
		{"rules that are a list", "rules: [a]", 1, 8, "mapping"},
		{"a severity that is none", "rules: {\n  dep-cycle: loud}", 2, 14, "off, notice, warning or error"},
		{"checks that are no list", "default_checks: tests", 1, 17, "must be a list"},
		{"a check without a desc", "default_checks:\n  - {cmd: make}", 2, 5, "needs a desc"},
		{"two checks of one desc", "default_checks:\n  - {desc: a}\n  - {desc: a}", 2, 3, "another check"},
		{"a check that leaves the workspace", "default_checks:\n  - {desc: a, cmd: b, cwd: ../c}", 2, 3, "leaves the workspace"},
		{"a check that is a command and manual", "default_checks:\n  - {desc: a, cmd: b, type: manual}", 2, 5, "manual"},
		{"a check without time", "default_checks:\n  - {desc: a, cmd: b, timeout: 0}", 2, 32, "1 or more seconds"},
		{"a key twice", "prefix: A\nprefix: B", 2, 1, "duplicate key"},
		{"a merge key", "x: &x {attest: anyone}\n<<: *x", 2, 1, "merge keys"},
		{"a merge key among the rules", "x: &x {no-evidence: off}\nrules: {<<: *x}", 2, 9, "merge keys"},
		{"a key with an anchor", "&prefix attest: anyone", 1, 1, "plain text"},
		{"a key that is an alias", "prefix: &attest P\n*attest : anyone", 2, 1, "alias"},
		{"a key behind a line break of Unicode", "prefix: P # c\u2028attest: anyone", 1, 14, "U+2028"},
		{"a key behind a carriage return", "prefix: P # c\rattest: anyone", 1, 14, "carriage return"},
		{"a tag that hides a value", "attest: !!binary YW55b25l", 1, 9, "tag !!binary"},
		{"a directive", "%YAML 1.1\n---\ngate_review: false", 1, 1, "directive"},
		{"broken YAML", "prefix: [A\nformat: 1", 2, 0, "not valid YAML"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := kind.ParseConfig([]byte(row.src + "\n"))
			var at *format.Error
			if !errors.As(err, &at) {
				t.Fatalf("got %v, and wanted a refusal with its place", err)
			}
			if at.Line != row.line || row.column != 0 && at.Column != row.column {
				t.Errorf("got line %d, column %d, want %d, %d: %v", at.Line, at.Column, row.line, row.column, err)
			}
			if !strings.Contains(at.Msg, row.says) {
				t.Errorf("got the message %q, want %q in it", at.Msg, row.says)
			}
		})
	}
}

func parseConfig(t *testing.T, src string) kind.Config {
	t.Helper()
	got, err := kind.ParseConfig([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return got
}
