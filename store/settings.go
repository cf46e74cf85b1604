package store

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// Setting is a key of config.yaml that may be changed by a verb: what it changes is how long things take and who attests,
// never which states there are or what they mean.
type Setting struct {
	Key   string
	Doc   string
	Value func(Config) string
}

// Settings are all settings, in the order of the config file.
var Settings = []Setting{
	{"gate_review", "whether the review state needs every command check passed: true or false",
		func(c Config) string { return strconv.FormatBool(c.Flow.GateReview) }},
	{"check_timeout_default", "time limit of a check that names none", func(c Config) string { return span(c.CheckTimeout) }},
	{"session_stale_after", "a session without a sign of life for longer is stalled", func(c Config) string { return span(c.StaleAfter) }},
	{"claim_ttl", "an agent's claim without a session expires after it", func(c Config) string { return span(c.ClaimTTL) }},
	{"wait_timeout_default", "how long wait waits unless told", func(c Config) string { return span(c.WaitDefault) }},
	{"wait_timeout_max", "how long wait may be told to wait", func(c Config) string { return span(c.WaitMax) }},
	{"attest", "who settles manual checks that name nobody: signed, human or anyone", func(c Config) string { return c.Flow.Settles }},
}

// span is a duration as a person writes it into the config: 4h and not 4h0m0s.
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

// configOrder is the order in which the settings stand in a config file.
var configOrder = []string{
	"format", "prefix", "states", "initial", "working", "review", "closed", "abandoned", "gate_review", "check_timeout_default",
	"session_stale_after", "claim_ttl", "wait_timeout_default", "wait_timeout_max", "default_checks", "attest", "rules",
}

// Set stages a change of one setting, in its own line of config.yaml. It returns INVALID_INPUT for a key that is none and
// for a value that the config cannot have. A value that it has already changes nothing; another is told by an entry in the
// config's own provenance.
func (tx *Tx) Set(key, value string, stamp task.Stamp) error {
	at := slices.IndexFunc(Settings, func(s Setting) bool { return s.Key == key })
	if at < 0 {
		return task.Errorf(task.InvalidInput, "%q is not a setting that can be changed", key).
			WithHint("%s lists them; everything else is for an editor and a review", task.CallTo("settings_get"))
	}
	f, err := tx.s.readFile(tx.s.ConfigFile(), frontmatter.YAML, &patience{patient})
	if err != nil {
		return ioError(err)
	}
	doc, err := f.doc.Edit(configOrder, frontmatter.Set(frontmatter.Path{key}, settingValue(value)))
	if err != nil {
		return tx.s.badFile(f.path, err)
	}
	now, err := ParseConfig(doc.Bytes())
	if err != nil {
		return task.Errorf(task.InvalidInput, "%s cannot be %q: %w", key, value, err).WithHint("%s says what it is now", task.CallTo("settings_get"))
	}
	if string(doc.Bytes()) != string(f.doc.Bytes()) {
		stamp.Text = key + ": " + Settings[at].Value(tx.s.Config) + ", now " + Settings[at].Value(now)
		if doc, err = withEntry(doc, nil, stamp, task.Updated); err != nil {
			return tx.s.badFile(f.path, err)
		}
		tx.others = append(tx.others, change{path: f.path, old: f.doc, content: func(*frontmatter.Doc) ([]byte, error) { return doc.Bytes(), nil }})
	}
	return nil
}

// settingValue writes a value the way a person would: words and times need no quotes.
func settingValue(value string) frontmatter.Value {
	value = strings.TrimSpace(value)
	if b, err := strconv.ParseBool(value); err == nil && (value == "true" || value == "false") {
		return frontmatter.Bool(b)
	}
	return frontmatter.Plain(value)
}
