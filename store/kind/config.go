package kind

import (
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// Format is the file format that this version writes. A workspace with a newer one is read only.
const Format = 1

// KnownFormat returns READ_ONLY for a format that is newer than this version.
func KnownFormat(format int) error {
	if format <= Format {
		return nil
	}
	return record.Errorf(record.ReadOnly, "the workspace has format %d, and this version writes %d", format, Format).
		WithHint("install a newer cairn")
}

// Config is .cairn/config.yaml, with the defaults filled in.
type Config struct {
	Format       int
	Prefix       string
	Flow         task.Flow
	CheckTimeout time.Duration // of a check that names none
	StaleAfter   time.Duration // a session without a heartbeat for longer is stalled
	ClaimTTL     time.Duration // an agent's claim without a session expires after it
	WaitDefault  time.Duration
	WaitMax      time.Duration

	ArchiveAfter time.Duration // archive moves closed tasks to which nothing was written for longer; it is never done unasked

	JobsMax       int           // jobs of a clone that run at once
	JobTimeout    time.Duration // of a job that names none: while it runs
	Executor      string        // of a job that names none; "" for none
	Worktrees     string        // the folder of the work trees of tasks, as it is written; "" for one beside the repository
	WorktreeSetup string        // a command that is run in each new work tree; "" for none
	SetupTimeout  time.Duration // of that command; 0 for none
	CloseByMerge  bool          // a task that has a branch is closed by merging it

	Repos []Repo // the repositories that its tasks are about, beside or instead of the one in which it lies

	Claims Claims // among clones

	Rules map[proof.RuleID]proof.Severity // the severities of rules of cairn check
}

// MaxAttachment is the most bytes of a copied file that are read: a reader holds them to hash them. A write takes
// fewer.
const MaxAttachment = 64 << 20

// Over reports whether nobody works any more on a record that is in a state. Only tasks have states that say so.
func (c Config) Over(of record.Ref, at record.Status) bool {
	return of.Kind == record.TaskKind && c.Flow.Over(at)
}

// Limit is the time limit of a check.
func (c Config) Limit(of task.Check) time.Duration {
	if of.Timeout == 0 {
		return c.CheckTimeout
	}
	return time.Duration(of.Timeout) * time.Second
}

// DefaultConfig is the config of an empty config.yaml.
func DefaultConfig() Config {
	return Config{
		Format: Format,
		Prefix: "TASK",
		Flow: task.Flow{
			States:    []record.Status{"backlog", "in_progress", "in_review", "done", "canceled"},
			Initial:   "backlog",
			Closed:    []record.Status{"done", "canceled"},
			Attesters: task.Attesters{Settles: task.ByHuman, Ratify: task.ByHuman, Prefix: "TASK"},
		},
		CheckTimeout: 120 * time.Second,
		StaleAfter:   5 * time.Minute,
		ClaimTTL:     4 * time.Hour,
		WaitDefault:  1800 * time.Second,
		WaitMax:      3600 * time.Second,
		ArchiveAfter: 30 * 24 * time.Hour,
		JobsMax:      3,
		JobTimeout:   30 * time.Minute,
		SetupTimeout: 5 * time.Minute,
		Claims:       Claims{Namespace: defaultNamespace, Offline: OfflineAuto},
	}
}

// ParseConfig parses a config.yaml. A wrong value is an error with its line and column; unknown keys are ignored.
func ParseConfig(src []byte) (Config, error) {
	doc, err := format.Parse(src, format.YAML)
	if err != nil {
		return Config{}, err
	}
	c, _, err := DecodeConfig(doc)
	return c, err
}

// DecodeConfig reads a document as a config, and lists the keys that cairn does not know; none if there is an error.
func DecodeConfig(doc *format.Doc) (Config, []string, error) {
	r := &configReader{reader: reader{doc: doc}, c: DefaultConfig(), known: map[string]bool{}}
	r.noMerge(doc.Root())
	r.identity()
	r.flow()
	r.c.Flow.Prefix = r.c.Prefix
	r.times()
	r.checks()
	r.jobs()
	r.claims()
	r.repos()
	r.fields()
	r.get("provenance") // is known, and not part of a Config
	if r.err != nil {
		return r.c, nil, r.err
	}
	return r.c, r.unknown(), nil
}

type configReader struct {
	reader
	c     Config
	known map[string]bool // the keys that were read
}

// unknown lists the keys of the document that were not read.
func (r *configReader) unknown() []string {
	var keys []string
	root := r.doc.Root()
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i].Value; !r.known[key] {
			keys = append(keys, key)
		}
	}
	return keys
}

// get returns the value of the first key that is there and not null.
func (r *configReader) get(keys ...string) *format.Node {
	for _, key := range keys {
		r.known[key] = true
	}
	for _, key := range keys {
		if n := r.doc.Get(key); !format.IsNull(n) {
			return n
		}
	}
	return nil
}

func (r *configReader) identity() {
	if n := r.get("format"); n != nil {
		if r.c.Format = r.number("format", n); r.c.Format < 1 {
			r.fail(n, "format must be 1 or more")
		}
	}
	if n := r.get("prefix"); n != nil {
		prefix, err := record.ParsePrefix(r.text("prefix", n))
		if err != nil {
			r.fail(n, "%v", err)
		}
		r.c.Prefix = prefix
	}
	if n := r.get("attest"); n != nil {
		by := r.text("attest", n)
		if by != task.BySigned && by != task.ByHuman && by != task.ByAnyone {
			r.fail(n, "attest must be signed, human or anyone, not %q", by)
		}
		r.c.Flow.Settles = by
	}
	if n := r.get("ratify"); n != nil {
		by := r.text("ratify", n)
		if by != task.ByHuman && by != task.ByAnyone {
			r.fail(n, "ratify must be human or anyone, not %q", by)
		}
		r.c.Flow.Ratify = by
	}
	if n := r.get("archive_after"); n != nil {
		text := r.text("archive_after", n)
		d, err := task.ParseSpan(text)
		if err != nil {
			r.fail(n, "archive_after must be a time such as 30d or 12w, not %q", text)
		}
		r.c.ArchiveAfter = d
	}
	if n := format.Deref(r.get("rules")); n != nil {
		r.rules(n)
	}
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

func (r *configReader) flow() {
	f := &r.c.Flow
	if n := r.get("states"); n != nil {
		if f.States = r.statuses("states", n); len(f.States) == 0 {
			r.fail(n, "states must name at least one state")
			return
		}
	}
	if known(*f, f.Initial) == "" {
		f.Initial = f.States[0]
	}
	f.Initial = r.state("initial", f.Initial, r.get("initial"))
	f.Working = r.state("working", known(*f, "in_progress"), r.get("working", "working_state"))
	f.Review = r.state("review", known(*f, "in_review"), r.get("review", "review_state"))
	f.Closed = slices.DeleteFunc(f.Closed, func(s record.Status) bool { return known(*f, s) == "" })
	if n := r.get("closed"); n != nil {
		f.Closed = r.statesOf("closed", n)
	}
	if n := r.get("abandoned"); n != nil {
		f.Abandoned = r.statesOf("abandoned", n)
		for _, s := range f.Abandoned {
			if !f.IsClosed(s) {
				r.fail(n, "abandoned names %q, which is not one of closed", s)
			}
		}
	}
	f.GateReview = r.boolean("gate_review", r.get("gate_review"))
	r.openAndClosed(f)
}

// openAndClosed fails for a flow in which new tasks would be closed, or tasks could never be closed.
func (r *configReader) openAndClosed(f *task.Flow) {
	at := r.get("closed", "states")
	if at == nil {
		at = r.doc.Root()
	}
	if len(f.Closed) == 0 {
		r.fail(at, "closed must name at least one of states")
	}
	if f.IsClosed(f.Initial) {
		if n := r.get("initial"); n != nil {
			at = n
		}
		r.fail(at, "initial is %q, which is one of closed", f.Initial)
	}
}

// known is a state if the flow has it, else "".
func known(f task.Flow, s record.Status) record.Status {
	if f.Known(s) != nil {
		return ""
	}
	return s
}

func (r *configReader) state(name string, fallback record.Status, n *format.Node) record.Status {
	if n == nil {
		return fallback
	}
	s := record.Status(r.text(name, n))
	if r.c.Flow.Known(s) != nil {
		r.fail(n, "%s is %q, which is not one of states", name, s)
	}
	return s
}

func (r *configReader) statuses(name string, n *format.Node) []record.Status {
	var out []record.Status
	for _, s := range r.texts(name, n) {
		out = append(out, record.Status(s))
	}
	return out
}

func (r *configReader) statesOf(name string, n *format.Node) []record.Status {
	out := r.statuses(name, n)
	for _, s := range out {
		if r.c.Flow.Known(s) != nil {
			r.fail(n, "%s names %q, which is not one of states", name, s)
		}
	}
	return out
}

func (r *configReader) times() {
	for _, t := range []struct {
		key string
		to  *time.Duration
	}{
		{"check_timeout_default", &r.c.CheckTimeout},
		{"session_stale_after", &r.c.StaleAfter},
		{"claim_ttl", &r.c.ClaimTTL},
		{"wait_timeout_default", &r.c.WaitDefault},
		{"wait_timeout_max", &r.c.WaitMax},
	} {
		if n := r.get(t.key); n != nil {
			*t.to = r.seconds(t.key, n)
		}
	}
	if r.c.WaitMax < r.c.WaitDefault {
		r.fail(r.get("wait_timeout_max", "wait_timeout_default"), "wait_timeout_max is %s, below wait_timeout_default, which is %s",
			span(r.c.WaitMax), span(r.c.WaitDefault))
	}
}

func (r *configReader) checks() {
	n := r.get("default_checks")
	for _, m := range r.maps("default_checks", n) {
		c := r.check(m)
		if at := field(m, "timeout"); !format.IsNull(at) && c.Timeout < 1 {
			r.fail(at, "timeout must be 1 or more seconds")
		}
		r.c.Flow.Defaults = append(r.c.Flow.Defaults, c)
	}
	if err := task.ValidChecks(r.c.Flow.Defaults); err != nil && n != nil {
		r.fail(n, "default_%v", err)
	}
}
