package kind

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// Setting is a key of config.yaml. Those with a Doc a verb may change: time limits and who attests, never the states
// and their meaning.
type Setting struct {
	Key     string
	Doc     string
	Value   func(Config) string
	Choices []string // the words that it can be; nil for one that takes a number, a span of time or a name

	read func(r *configReader, n *format.Node) // nil for a key that configReader.flow reads
}

// Settings lists the keys that a verb may change, in the order of the config file.
func Settings() []Setting {
	return slices.DeleteFunc(slices.Clone(configKeys()), func(s Setting) bool { return s.Doc == "" })
}

// maxJobs is the most that jobs_max can be, and maxExecutor the most bytes of the name of an executor.
const (
	maxJobs     = 64
	maxRetries  = 20
	maxExecutor = 40
)

// configKeys are the keys of a config file but for its provenance, in their order.
var configKeys = sync.OnceValue(func() []Setting {
	return []Setting{
		{Key: "format", read: func(r *configReader, n *format.Node) {
			if r.c.Format = r.number("format", n); r.c.Format < 1 {
				r.fail(n, "format must be 1 or more")
			}
		}},
		{Key: "prefix", read: func(r *configReader, n *format.Node) {
			prefix, err := record.ParsePrefix(r.text("prefix", n))
			if err != nil {
				r.fail(n, "%v", err)
			}
			r.c.Prefix = prefix
		}},
		{Key: "states"}, {Key: "initial"}, {Key: "working"}, {Key: "review"}, {Key: "closed"}, {Key: "abandoned"},
		{
			Key: "gate_review", Doc: "whether the review state needs every command check passed: true or false", Choices: []string{"true", "false"},
			Value: func(c Config) string { return strconv.FormatBool(c.Flow.GateReview) },
			read:  func(r *configReader, n *format.Node) { r.c.Flow.GateReview = r.boolean("gate_review", n) },
		},
		limit("check_timeout_default", "time limit of a check that names none", func(c *Config) *time.Duration { return &c.CheckTimeout }),
		limit("session_stale_after", "a session without a sign of life for longer is stalled", func(c *Config) *time.Duration { return &c.StaleAfter }),
		limit("claim_ttl", "an agent's claim without a session expires after it", func(c *Config) *time.Duration { return &c.ClaimTTL }),
		limit("wait_timeout_default", "how long wait waits by default", func(c *Config) *time.Duration { return &c.WaitDefault }),
		limit("wait_timeout_max", "the longest that wait may be asked to wait", func(c *Config) *time.Duration { return &c.WaitMax }),
		{Key: "default_checks", read: (*configReader).checks},
		{Key: "guards", read: func(r *configReader, n *format.Node) {
			if r.c.Guards = r.texts("guards", n); len(r.c.Guards) == 0 {
				r.c.Guards = nil
			}
			if err := task.ValidScope(r.c.Guards); err != nil {
				r.fail(n, "guards: %v", err)
			}
		}},
		{Key: "require", read: (*configReader).require},
		{Key: "repos", read: (*configReader).repos},
		{Key: "fields", read: (*configReader).fields},
		{Key: "views", read: (*configReader).views},
		word("executor", "which executor runs jobs that name none; its command line is the user's", func(c *Config) *string { return &c.Executor },
			func(name string) bool { return len(name) <= maxExecutor && record.IsWord(name, "._-") },
			"name an executor, such as claude, not %q: its command line is in the user's own config"),
		{
			Key: "jobs_max", Doc: "how many jobs of a clone run at once", Value: func(c Config) string { return strconv.Itoa(c.JobsMax) },
			read: func(r *configReader, n *format.Node) {
				if r.c.JobsMax = r.number("jobs_max", n); r.c.JobsMax < 1 || r.c.JobsMax > maxJobs {
					r.fail(n, "jobs_max must be 1 to %d, not %s", maxJobs, r.text("jobs_max", n))
				}
			},
		},
		limit("job_timeout", "how long a job may run, unless it was started with another time", func(c *Config) *time.Duration { return &c.JobTimeout }),
		orNever("job_silence", "after how long without a word the program of a job is ended, unless it was started with another time; 0 is never",
			func(c *Config) *time.Duration { return &c.JobSilence }),
		{
			Key: "job_retries", Doc: "how often the program of a job is started again after crashes and errors that pass",
			Value: func(c Config) string { return strconv.Itoa(c.JobRetries) },
			read: func(r *configReader, n *format.Node) {
				if r.c.JobRetries = r.number("job_retries", n); r.c.JobRetries < 0 || r.c.JobRetries > maxRetries {
					r.fail(n, "job_retries must be 0 to %d, not %s", maxRetries, r.text("job_retries", n))
				}
			},
		},
		word("worktrees", "", func(c *Config) *string { return &c.Worktrees }, nil, ""),
		word("worktree_setup", "", func(c *Config) *string { return &c.WorktreeSetup }, nil, ""),
		orNever("worktree_setup_timeout", "", func(c *Config) *time.Duration { return &c.SetupTimeout }),
		either("close_by", "whether a task that has a branch is closed by its merge alone: any or merge",
			func(c *Config) *bool { return &c.CloseByMerge }, "any", "merge"),
		either("autocommit", "whether each write is committed by itself: off or on",
			func(c *Config) *bool { return &c.Autocommit }, "off", "on"),
		{
			Key: "archive_after", Doc: "archive moves closed tasks to which nothing was written for so long, unless it is told another time",
			Value: func(c Config) string { return Days(c.ArchiveAfter) },
			read: func(r *configReader, n *format.Node) {
				text := r.text("archive_after", n)
				d, err := record.ParseSpan(text)
				if err != nil {
					r.fail(n, "archive_after must be a time such as 30d or 12w, not %q", text)
				}
				r.c.ArchiveAfter = d
			},
		},
		oneOf("attest", "who settles manual checks that name nobody: signed, human or anyone", func(c *Config) *string { return &c.Flow.Settles },
			task.BySigned, task.ByHuman, task.ByAnyone),
		oneOf("red", "what a command means at the close that was never seen to fail without the work: note, require or off",
			func(c *Config) *string { return &c.Flow.WantsRed }, task.RedNote, task.RedRequire, task.RedOff),
		oneOf("check_sandbox", "in what the commands of checks run, unless a user's own config asks for more: none or system",
			func(c *Config) *string { return &c.CheckSandbox }, Sandboxes()...),
		oneOf("job_sandbox", "in what the programs of jobs run, unless a user's own config asks for more: none, system or container",
			func(c *Config) *string { return &c.JobSandbox }, JobSandboxes()...),
		oneOf("ratify", "who accepts decisions: human or anyone", func(c *Config) *string { return &c.Flow.Ratify }, task.ByHuman, task.ByAnyone),
		{
			Key: "claims_remote", Doc: "the git remote through which claims hold among clones: its name, or none",
			Value: func(c Config) string { return cmp.Or(c.Claims.Remote, "none") },
			read: func(r *configReader, n *format.Node) {
				name := r.text("claims_remote", n)
				if name == "none" {
					name = ""
				}
				if r.c.Claims.Remote = name; name != "" && (!record.IsWord(name, "._-/") || name[0] == '-' || strings.Contains(name, "..") || len(name) > 100) {
					r.fail(n, "claims_remote must be the name of a git remote, such as origin, or none, not %q", name)
				}
			},
		},
		word("claims_namespace", "below which refs of that remote the claims are", func(c *Config) *string { return &c.Claims.Namespace },
			IsNamespace, "be refs/cairn/NAME, or refs/heads/cairn/NAME or refs/tags/cairn/NAME for hosts that take no others, not %q"),
		oneOf("claims_offline", "whether a task is claimed while the remote gives no answer: refuse, allow, or auto (agents refuse, people allow)",
			func(c *Config) *string { return &c.Claims.Offline }, OfflineAuto, OfflineRefuse, OfflineAllow),
		oneOf("collide", "a task whose scope meets that of a task at work: avoid, warn, off, or auto (agents avoid it, people are warned)",
			func(c *Config) *string { return &c.Collide }, CollideAuto, CollideAvoid, CollideWarn, CollideOff),
		{Key: "rules", read: func(r *configReader, n *format.Node) { r.rules(format.Deref(n)) }},
	}
})

// limit is a key that holds a length of time.
func limit(key, doc string, at func(*Config) *time.Duration) Setting {
	return Setting{
		Key: key, Doc: doc, Value: func(c Config) string { return span(*at(&c)) },
		read: func(r *configReader, n *format.Node) { *at(&r.c) = r.seconds(key, n) },
	}
}

// orNever is limit for a time that may be 0, which is none.
func orNever(key, doc string, at func(*Config) *time.Duration) Setting {
	s := limit(key, doc, at)
	read := s.read
	s.read = func(r *configReader, n *format.Node) {
		if *at(&r.c) = 0; r.text(key, n) != "0" {
			read(r, n)
		}
	}
	return s
}

// word is a key that holds a text. What it must do, if it is one that valid refuses, is said with the text.
func word(key, doc string, at func(*Config) *string, valid func(string) bool, must string) Setting {
	return Setting{
		Key: key, Doc: doc, Value: func(c Config) string { return *at(&c) },
		read: func(r *configReader, n *format.Node) {
			text := r.text(key, n)
			if *at(&r.c) = text; valid != nil && !valid(text) {
				r.fail(n, key+" must "+must, text)
			}
		},
	}
}

// oneOf is a key that holds one of some words.
func oneOf(key, doc string, at func(*Config) *string, words ...string) Setting {
	return Setting{
		Key: key, Doc: doc, Choices: words, Value: func(c Config) string { return *at(&c) },
		read: func(r *configReader, n *format.Node) { *at(&r.c) = r.choice(key, n, words...) },
	}
}

// either is a key that holds one of two words, of which the second is yes.
func either(key, doc string, at func(*Config) *bool, words ...string) Setting {
	return Setting{
		Key: key, Doc: doc, Choices: words,
		Value: func(c Config) string { return map[bool]string{false: words[0], true: words[1]}[*at(&c)] },
		read:  func(r *configReader, n *format.Node) { *at(&r.c) = r.choice(key, n, words...) == words[1] },
	}
}

// choice reads one of some words.
func (r *configReader) choice(key string, n *format.Node, words ...string) string {
	text, last := r.text(key, n), len(words)-1
	if !slices.Contains(words, text) {
		r.fail(n, "%s must be %s or %s, not %q", key, strings.Join(words[:last], ", "), words[last], text)
	}
	return text
}

func (r *configReader) rules(n *format.Node) {
	if n.Kind != format.MappingNode {
		r.fail(n, "rules must be a mapping of rule to severity")
		return
	}
	r.noMerge(n)
	r.c.Rules = map[proof.RuleID]proof.Severity{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		severity := proof.Severity(r.text("severity", n.Content[i+1]))
		if !slices.Contains(proof.Severities, severity) {
			r.fail(n.Content[i+1], "severity must be off, notice, warning or error, not %q", severity)
		}
		r.c.Rules[proof.RuleID(n.Content[i].Value)] = severity
	}
}

func (r *configReader) checks(n *format.Node) {
	for _, m := range r.maps("default_checks", n) {
		c := r.check(m)
		if at := field(m, "timeout"); !format.IsNull(at) && c.Timeout < 1 {
			r.fail(at, "timeout must be 1 or more seconds")
		}
		r.c.Flow.Defaults = append(r.c.Flow.Defaults, c)
	}
	if err := task.ValidChecks(r.c.Flow.Defaults); err != nil {
		r.fail(n, "default_%v", err)
	}
}

// fields reads the keys of the user's own.
func (r *configReader) fields(n *format.Node) {
	fieldKeys := []Key{
		KeyOf("name", func(f *task.Field) *string { return &f.Name }),
		KeyOf("type", func(f *task.Field) *task.FieldType { return &f.Type }),
		KeyOf("doc", func(f *task.Field) *string { return &f.Doc }),
		KeyOf("choices", func(f *task.Field) *[]string { return &f.Choices }),
		KeyOf("required", func(f *task.Field) *bool { return &f.Required }),
	}
	for _, m := range r.maps("fields", n) {
		r.only("a field", m, fieldKeys)
		one := readObject[task.Field](&r.reader, m, fieldKeys)
		if one.Type == "" {
			one.Type = task.FieldText
			if len(one.Choices) > 0 {
				one.Type = task.FieldChoice
			}
		}
		if err := one.Valid(); err != nil {
			r.fail(m, "%v", err)
		}
		if _, twice := r.c.Flow.Fields.Find(one.Name); twice {
			r.fail(m, "another field is called %q", one.Name)
		}
		r.c.Flow.Fields = append(r.c.Flow.Fields, one)
	}
	if len(r.c.Flow.Fields) > task.MaxFields {
		r.fail(n, "fields has %d, more than %d", len(r.c.Flow.Fields), task.MaxFields)
	}
}

// configOrder is the order in which the keys stand in a config file.
func configOrder() []string {
	return record.Each(configKeys(), func(key Setting) string { return key.Key })
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

// Set changes one setting, in its own line of config.yaml, and appends an entry about it to the config's provenance. If
// the setting has the value already, nothing changes. It returns INVALID_INPUT for a key that is no setting, and for a
// value that it cannot have.
func Set(doc *format.Doc, key, value string, stamp record.Stamp) (*format.Doc, error) {
	at := slices.IndexFunc(Settings(), func(s Setting) bool { return s.Key == key })
	if at < 0 {
		return nil, record.Errorf(record.InvalidInput, "%q is not a setting that can be changed", key).
			WithHint("%s lists them; everything else is for an editor and a review", record.CallTo("settings_get"))
	}
	was, err := ParseConfig(doc.Bytes())
	if err != nil {
		return nil, err
	}
	next, err := doc.Edit(configOrder(), format.Set(format.Path{key}, settingValue(value)))
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
	return noted(doc, next, key+": "+Settings()[at].Value(was)+", now "+Settings()[at].Value(now), stamp)
}

// noted appends an entry to the provenance of a config that was edited.
func noted(doc, next *format.Doc, text string, stamp record.Stamp) (*format.Doc, error) {
	stamp.Text = text
	entries, err := Entries(doc)
	if err != nil {
		return nil, err
	}
	return next.Edit(nil, editLog(next, entries, entries.Add(stamp.Entry(record.Updated)))...)
}

// settingValue writes a value as a person would: words and durations without quotes.
func settingValue(value string) format.Value {
	value = strings.TrimSpace(value)
	if b, err := strconv.ParseBool(value); err == nil && (value == "true" || value == "false") {
		return format.Bool(b)
	}
	return format.Plain(value)
}
