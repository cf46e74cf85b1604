package kind

import (
	"cmp"
	"slices"
	"strings"
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
	Guards       []string      // globs of the files on which the commands of all checks stand that name none; none takes the table's
	Require      []task.Need   // what cairn check requires of closes
	CheckTimeout time.Duration // of a check that names none
	CheckSandbox string        // in which commands of checks run at least: one of Sandboxes
	JobSandbox   string        // in which programs of jobs run at least: one of JobSandboxes
	StaleAfter   time.Duration // a session without a heartbeat for longer is stalled
	ClaimTTL     time.Duration // an agent's claim without a session expires after it
	WaitDefault  time.Duration
	WaitMax      time.Duration

	ArchiveAfter time.Duration // archive moves closed tasks to which nothing was written for longer; it is never done unasked

	JobsMax       int           // jobs of a clone that run at once
	JobTimeout    time.Duration // of a job that names none: while it runs
	JobSilence    time.Duration // of a job that names none: after it the executor is ended; 0 for never
	JobRetries    int           // of a job that names none: how often its executor is started again
	Executor      string        // of a job that names none; "" for none
	Worktrees     string        // the folder of the work trees of tasks, as it is written; "" for one beside the repository
	WorktreeSetup string        // a command that is run in each new work tree; "" for none
	SetupTimeout  time.Duration // of that command; 0 for none
	CloseByMerge  bool          // a task that has a branch is closed by merging it
	Autocommit    bool          // each write is committed, on the branch that is checked out

	Views []View // lists of tasks that have a name
	Repos []Repo // the repositories that its tasks are about, beside or instead of the one in which it lies

	Claims  Claims // among clones
	Collide string // what happens with a task whose scope meets that of a task at work; see Collisions

	Rules map[proof.RuleID]proof.Severity // the severities of rules of cairn check
}

// In what commands of checks run.
const (
	SandboxNone   = "none"
	SandboxSystem = "system" // in a box that a program of the system makes

	SandboxContainer = "container" // in a container
)

// Sandboxes are these, each stricter than the one before.
func Sandboxes() []string { return []string{SandboxNone, SandboxSystem} }

// JobSandboxes are those of programs of jobs. A container can be asked for, and nobody can make one yet.
func JobSandboxes() []string { return []string{SandboxNone, SandboxSystem, SandboxContainer} }

// Stricter is the stricter of two words of JobSandboxes; "" is none.
func Stricter(a, b string) string {
	if slices.Index(JobSandboxes(), b) > slices.Index(JobSandboxes(), a) {
		return b
	}
	return cmp.Or(a, SandboxNone)
}

// MaxAttachment is the most bytes of a copied file that are read: a reader holds them to hash them. A write takes
// fewer.
const MaxAttachment = 64 << 20

// What happens with a task whose scope meets that of a task at work.
const (
	CollideAuto  = "auto"  // agents avoid it, and people are warned
	CollideAvoid = "avoid" // it is handed out to nobody, and refused
	CollideWarn  = "warn"
	CollideOff   = "off"
)

// Collisions is what happens with such a task for an agent, or for a person: CollideAvoid, CollideWarn or CollideOff.
func (c Config) Collisions(person bool) string {
	switch {
	case c.Collide != CollideAuto:
		return c.Collide
	case person:
		return CollideWarn
	default:
		return CollideAvoid
	}
}

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
			Lifecycle: task.Lifecycle{
				States:  []record.Status{"backlog", "in_progress", "in_review", "done", "canceled"},
				Initial: "backlog", Closed: []record.Status{"done", "canceled"},
			},
			WantsRed:  task.RedNote,
			Attesters: task.Attesters{Settles: task.ByHuman, Ratify: task.ByHuman, Prefix: "TASK"},
		},
		CheckTimeout: 120 * time.Second,
		StaleAfter:   5 * time.Minute,
		ClaimTTL:     4 * time.Hour,
		WaitDefault:  1800 * time.Second,
		WaitMax:      3600 * time.Second,
		ArchiveAfter: 30 * 24 * time.Hour,
		CheckSandbox: SandboxNone, JobSandbox: SandboxNone,
		JobsMax:      3,
		JobTimeout:   30 * time.Minute,
		JobSilence:   15 * time.Minute,
		JobRetries:   3,
		SetupTimeout: 5 * time.Minute,
		Claims:       Claims{Namespace: defaultNamespace, Offline: OfflineAuto},
		Collide:      CollideAuto,
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
	r.flow()
	for _, key := range configKeys() {
		if n := r.get(key.Key); n != nil && key.read != nil {
			key.read(r, n)
		}
	}
	r.c.Flow.Prefix = r.c.Prefix
	if r.c.WaitMax < r.c.WaitDefault {
		r.fail(r.get("wait_timeout_max", "wait_timeout_default"), "wait_timeout_max is %s, below wait_timeout_default, which is %s",
			span(r.c.WaitMax), span(r.c.WaitDefault))
	}
	r.get("provenance") // is known, and not part of a Config
	if r.err != nil {
		return r.c, nil, r.err
	}
	var unknown []string
	root := doc.Root()
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i].Value; !r.known[key] {
			unknown = append(unknown, key)
		}
	}
	return r.c, unknown, nil
}

type configReader struct {
	reader
	c     Config
	known map[string]bool // the keys that were read
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

// flow reads the states. It fails for a flow in which new tasks would be closed, tasks could never be closed, or a
// state means two things that contradict each other.
func (r *configReader) flow() {
	f := &r.c.Flow
	if n := r.get("states"); n != nil {
		if f.States = record.As[record.Status](r.texts("states", n)); len(f.States) == 0 {
			r.fail(n, "states must name at least one state")
			return
		}
		for i, s := range f.States {
			if err := task.ValidState(s, f.States[:i]); err != nil {
				r.fail(n, "%s", record.MessageOf(err))
			}
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
	at := r.get("closed", "states")
	if at == nil {
		at = r.doc.Root()
	}
	if len(f.Closed) == 0 {
		r.fail(at, "closed must name at least one of states")
	}
	r.roles(at)
}

// openRoles are the roles of a state in which a task is open, so that none of them may be a closed one. Other pairs of
// roles may fall on one state: begin and finish may leave a task where it is.
var openRoles = []struct {
	key  string
	role func(task.Flow) record.Status
}{
	{"initial", func(f task.Flow) record.Status { return f.Initial }},
	{"working", func(f task.Flow) record.Status { return f.Working }},
	{"review", func(f task.Flow) record.Status { return f.Review }},
}

// roles fails where a state of tasks that are open is one of closed. at is what is to blame where no key is.
func (r *configReader) roles(at *format.Node) {
	for _, one := range openRoles {
		s := one.role(r.c.Flow)
		if s == "" || !r.c.Flow.IsClosed(s) {
			continue
		}
		if n := r.get(one.key, one.key+"_state"); n != nil {
			at = n
		}
		r.fail(at, "%s is %q, which is one of closed", one.key, s)
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

func (r *configReader) statesOf(name string, n *format.Node) []record.Status {
	out := record.As[record.Status](r.texts(name, n))
	for _, s := range out {
		if r.c.Flow.Known(s) != nil {
			r.fail(n, "%s names %q, which is not one of states", name, s)
		}
	}
	return out
}

// Claims is how claims hold among clones, through a git remote.
type Claims struct {
	Remote    string // name of the remote; "" if claims hold in each clone alone
	Namespace string // below which the refs of the claims are
	Offline   string // what is done if the remote gives no answer
}

// What Offline can be.
const (
	OfflineAuto   = "auto"   // agents refuse, and people go on
	OfflineRefuse = "refuse" // nobody takes a task
	OfflineAllow  = "allow"  // everybody takes tasks, which are shown as not synced
)

// On reports whether claims hold among clones.
func (c Claims) On() bool { return c.Remote != "" }

// Key names the remote and the namespace.
func (c Claims) Key() string { return c.Remote + " " + c.Namespace }

// Alone reports whether an actor makes a claim that the remote does not know of, if that gives no answer.
func (c Claims) Alone(who record.Actor) bool {
	return c.Offline == OfflineAllow || c.Offline == OfflineAuto && who.Human()
}

const defaultNamespace = "refs/cairn/claims"

// IsNamespace accepts a name of refs below which cairn may write.
func IsNamespace(name string) bool {
	if len(name) > 200 || !record.IsWord(name, "/_-") || strings.HasSuffix(name, "/") || strings.Contains(name, "//") {
		return false
	}
	for _, own := range []string{"refs/cairn/", "refs/heads/cairn/", "refs/tags/cairn/"} {
		if rest, ok := strings.CutPrefix(name, own); ok {
			return rest != "" && rest != "remote" && !strings.HasPrefix(name, "refs/cairn/remote/")
		}
	}
	return false
}

// RemoteClaims is where each clone keeps its copy of the claims of the remote, and RemoteProbe that of a probe of
// another namespace.
const (
	RemoteClaims = "refs/cairn/remote/claims"
	RemoteProbe  = "refs/cairn/remote/probe"

	Evidence       = "refs/cairn/evidence"        // what was signed about closed tasks, as this clone has it
	RemoteEvidence = "refs/cairn/remote/evidence" // as the remote had it last
)
