package kind

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
)

// Setting is a key of config.yaml that a verb may change: time limits and who attests, never the states and their
// meaning.
type Setting struct {
	Key   string
	Doc   string
	Value func(Config) string
}

// Settings lists all settings, in the order of the config file.
var Settings = []Setting{
	{"gate_review", "whether the review state needs every command check passed: true or false",
		func(c Config) string { return strconv.FormatBool(c.Flow.GateReview) }},
	{"check_timeout_default", "time limit of a check that names none", func(c Config) string { return span(c.CheckTimeout) }},
	{"session_stale_after", "a session without a sign of life for longer is stalled", func(c Config) string { return span(c.StaleAfter) }},
	{"claim_ttl", "an agent's claim without a session expires after it", func(c Config) string { return span(c.ClaimTTL) }},
	{"wait_timeout_default", "how long wait waits by default", func(c Config) string { return span(c.WaitDefault) }},
	{"wait_timeout_max", "the longest that wait may be asked to wait", func(c Config) string { return span(c.WaitMax) }},
	{"jobs_max", "how many jobs of a clone run at once", func(c Config) string { return strconv.Itoa(c.JobsMax) }},
	{"job_timeout", "how long a job may run, unless it was started with another time", func(c Config) string { return span(c.JobTimeout) }},
	{"executor", "which executor runs jobs that name none; its command line is the user's", func(c Config) string { return c.Executor }},
	{"close_by", "whether a task that has a branch is closed by its merge alone: any or merge",
		func(c Config) string { return map[bool]string{true: "merge", false: "any"}[c.CloseByMerge] }},
	{"archive_after", "archive moves closed tasks to which nothing was written for so long, unless it is told another time", func(c Config) string { return Days(c.ArchiveAfter) }},
	{"attest", "who settles manual checks that name nobody: signed, human or anyone", func(c Config) string { return c.Flow.Settles }},
	{"ratify", "who accepts decisions: human or anyone", func(c Config) string { return c.Flow.Ratify }},
	{"claims_remote", "the git remote through which claims hold among clones: its name, or none", func(c Config) string { return cmp.Or(c.Claims.Remote, "none") }},
	{"claims_namespace", "below which refs of that remote the claims are", func(c Config) string { return c.Claims.Namespace }},
	{"claims_offline", "whether a task is claimed while the remote gives no answer: refuse, allow, or auto (agents refuse, people allow)",
		func(c Config) string { return c.Claims.Offline }},
}

// Choices are the words that the setting can be; nil for one that takes a number, a span of time or a name.
func (s Setting) Choices() []string {
	switch s.Key {
	case "gate_review":
		return []string{"true", "false"}
	case "close_by":
		return []string{"any", "merge"}
	case "attest":
		return []string{"signed", "human", "anyone"}
	case "claims_offline":
		return []string{OfflineAuto, OfflineRefuse, OfflineAllow}
	case "ratify":
		return []string{"human", "anyone"}
	}
	return nil
}

// span is a duration as a person writes it: 4h and not 4h0m0s.
func span(d time.Duration) string {
	text := d.String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

// Days is a duration as a number of days if it is one, else as a person writes it.
func Days(d time.Duration) string {
	if day := 24 * time.Hour; d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	return span(d)
}

// configOrder is the order in which the settings stand in a config file.
var configOrder = []string{
	"format", "prefix", "states", "initial", "working", "review", "closed", "abandoned", "gate_review", "check_timeout_default",
	"session_stale_after", "claim_ttl", "wait_timeout_default", "wait_timeout_max", "default_checks", "repos", "fields", "executor", "jobs_max", "job_timeout", "worktrees", "worktree_setup",
	"worktree_setup_timeout", "close_by", "archive_after", "attest", "ratify", "claims_remote", "claims_namespace", "claims_offline", "rules",
}

// Set changes one setting, in its own line of config.yaml, and appends an entry about it to the config's provenance. If
// the setting has the value already, nothing changes. It returns INVALID_INPUT for a key that is no setting, and for a
// value that it cannot have.
func Set(doc *format.Doc, key, value string, stamp record.Stamp) (*format.Doc, error) {
	at := slices.IndexFunc(Settings, func(s Setting) bool { return s.Key == key })
	if at < 0 {
		return nil, record.Errorf(record.InvalidInput, "%q is not a setting that can be changed", key).
			WithHint("%s lists them; everything else is for an editor and a review", record.CallTo("settings_get"))
	}
	was, err := ParseConfig(doc.Bytes())
	if err != nil {
		return nil, err
	}
	next, err := doc.Edit(configOrder, format.Set(format.Path{key}, settingValue(value)))
	if err != nil {
		return nil, err
	}
	now, err := ParseConfig(next.Bytes())
	if err != nil {
		return nil, record.Errorf(record.InvalidInput, "%s cannot be %q: %w", key, value, err).WithHint("%s says what it is now", record.CallTo("settings_get"))
	}
	if string(next.Bytes()) == string(doc.Bytes()) {
		return doc, nil
	}
	stamp.Text = key + ": " + Settings[at].Value(was) + ", now " + Settings[at].Value(now)
	entries, err := Entries(doc)
	if err != nil {
		return nil, err
	}
	return next.Edit(nil, EditLog(next, entries, entries.Add(stamp.Entry(record.Updated)))...)
}

// settingValue writes a value as a person would: words and durations without quotes.
func settingValue(value string) format.Value {
	value = strings.TrimSpace(value)
	if b, err := strconv.ParseBool(value); err == nil && (value == "true" || value == "false") {
		return format.Bool(b)
	}
	return format.Plain(value)
}
