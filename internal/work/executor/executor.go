package executor

import (
	"cmp"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sandbox"
	"github.com/cairn-tasks/cairn/internal/user/userconfig"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// Table is the executors of a user: those that cairn ships, and those of the user's config. Its zero value has none.
type Table struct {
	rows []row
	path string // of the user's config, for messages
}

// Executor is a program that can work on a task.
type Executor struct {
	row
	path   string // of the user's config
	linger time.Duration
	grace  time.Duration
}

// How long a program has.
const (
	linger = 10 * time.Second // to end by itself after it said that it is done
	grace  = 3 * time.Second  // to end after SIGTERM, before its processes are killed
)

// Run is what an executor is to do, and where what it says goes.
type Run struct {
	Dir        string     // the folder in which the program starts: the work tree, or a folder in it; an absolute path
	Git        []string   // the git folders of Dir, which lie outside of it: that of the repository, and that of the work tree
	Prompt     string     // what it is told
	PromptFile string     // a file with the same text, outside of Dir; "" for one in Private
	Model      string     // "" for the program's own choice
	Output     job.Output // Patch lets it change nothing
	Resume     string     // the id of the session to go on with; "" for a new one
	Counted    job.Usage  // Result.Counted of the last run of that session
	MCP        MCP        // cairn, as a server that the program starts
	Env        []string   // NAME=value each, on top of what it inherits; the last of a name counts
	Private    string     // a folder of ours outside of Dir, for files that the program is to read; it must be there
	Stdout     io.Writer  // gets what it writes, byte for byte; nil discards it
	Stderr     io.Writer
	Event      func(job.Event) // is called for each event, one at a time, in their order; nil is none
	Budget     float64         // US dollars after which it is ended; 0 is no limit
	Tokens     int64           // likewise, as job.Usage.Spent counts them
	Box        *sandbox.Box    // in which the program runs, with what its Needs say; nil for none

	// Words is called now and then with a function that tells the program something while it works, and reports whether
	// the program could be told. It is not called if the executor does not Hear. It may be nil.
	Words func(tell func(text string) bool)

	socket string // at which MCP is served outside of Box
}

// Result is how a run ended. It is a success if it is Done and not Failed, whatever the exit status is. If it is Done
// and Failed the program said that it failed: another try would likely fail alike. If it is not Done the program broke
// off: by a signal, with an exit status other than 0 (Failed), with 0 as if nothing were wrong (not Failed), or because
// it was stopped.
type Result struct {
	Done       bool   // the program said that it is done, or that it failed
	Failed     bool   // it said that it failed, or broke off and did not end with 0
	Final      string // its final message, whole; of dialect command its output, or of a long one the end, see MaxFinal
	Exit       int    // -1 if a signal ended it
	Signal     string // the signal that ended it, unless cairn sent that
	Canceled   bool   // the context ended before it was done
	TimedOut   bool   // so it did by its deadline
	Passing    bool   // it failed by what passes, such as an overloaded provider: another try may end otherwise
	OverBudget bool   // it was ended because it used more than Budget or Tokens
	ResumeID   string // of the session that can be gone on with; "" for none
	Usage      job.Usage
	Missed     int       // of what Words told last, how much the program did not take
	Counted    job.Usage // of the session with its earlier runs, where the program counts so; zero elsewhere
}

// Load returns the executors that cairn ships, with those of the user's config, which is in a folder of settings; "" is
// no folder. It returns BAD_FILE, which names the key, for a config that is wrong.
func Load(configDir string) (Table, error) {
	c, err := userconfig.Read(configDir)
	if err != nil {
		return Table{}, err
	}
	rows, err := withUsers(shipped(), c.Executors)
	if err != nil {
		return Table{}, err
	}
	return Table{rows, cmp.Or(c.Path, userconfig.Name+" in your folder of settings")}, nil
}

// Get returns an executor by its name. It returns INVALID_SPEC for a name that is not in the table.
func (t Table) Get(name string) (Executor, error) {
	for _, r := range t.rows {
		if r.name == name {
			return Executor{r, t.path, linger, grace}, nil
		}
	}
	return Executor{}, record.Errorf(record.InvalidSpec, "there is no executor %q", name).
		WithHint("one of %s; more are set up in %s, under executors", strings.Join(t.Names(), ", "), t.path)
}

// Names returns the names of all executors, in the order of the table: the shipped ones first.
func (t Table) Names() []string {
	out := make([]string, 0, len(t.rows))
	for _, r := range t.rows {
		out = append(out, r.name)
	}
	return out
}

// Name is how jobs name the executor.
func (e Executor) Name() string { return e.name }

// Max is how many jobs of a clone it does at once; 0 is no limit of its own.
func (e Executor) Max() int { return e.max }

// Output is what it hands over if a job does not say.
func (e Executor) Output() job.Output {
	return cmp.Or(e.output, job.Edits)
}

// HandsOver reports whether it can call the tools of cairn, so that it finishes its session itself. The final message
// of one that cannot is its summary.
func (e Executor) HandsOver() bool { return e.mcp != noMCP }

// ReadOnly reports whether it can be kept from changing files, so that a run for a patch leaves the work tree alone. Of
// one that cannot, whoever starts it sees to that.
func (e Executor) ReadOnly() bool { return e.patch != nil }

// Resumes reports whether it can go on with an earlier session of its own.
func (e Executor) Resumes() bool { return e.resume != nil }

// Hears reports whether it can be told something while it works.
func (e Executor) Hears() bool { return e.prompt == asMessage }

// Holds returns INVALID_SPEC for a budget that cannot be held, since the program never tells what it costs, or how many
// tokens it uses.
func (e Executor) Holds(dollars float64, tokens int64) error {
	switch {
	case dollars > 0 && e.tells < toldCost:
		other := "name another executor"
		if e.tells >= toldTokens {
			other = "give it in tokens, budget_tokens (--budget-tokens), or " + other
		}
		return record.Errorf(record.InvalidSpec, "budget is in money, and executor %s never tells what it costs", e.name).WithHint("%s", other)
	case tokens > 0 && e.tells < toldTokens:
		return record.Errorf(record.InvalidSpec, "budget_tokens is given, and executor %s never tells how many tokens it uses", e.name).
			WithHint("limit its time, timeout_seconds (--timeout-seconds), or name another executor")
	default:
		return nil
	}
}

// Present returns EXECUTOR_MISSING, which says how it is installed, if its program is not on this machine, and if it
// has none since the user is to name it.
func (e Executor) Present() error {
	if e.binary == "" {
		return record.Errorf(record.ExecutorMissing, "executor %s has no program yet", e.name).
			WithHint("name one in %s: executors: {%s: {dialect: %s, cmd: [program, argument]}}", e.path, e.name, e.dialect)
	}
	if _, err := e.find(); err != nil {
		how := "install it, or correct its cmd in " + e.path
		if e.install != "" && !strings.ContainsAny(e.binary, `/\`) {
			how = e.install
		}
		return record.Errorf(record.ExecutorMissing, "executor %s needs the program %s, which is not on this machine", e.name, e.binary).WithHint("%s", how)
	}
	return nil
}

// find returns the absolute path of the program. A relative path, and a PATH with relative folders, name files of
// whatever folder is the current one, so they do not count.
func (e Executor) find() (string, error) {
	path, err := exec.LookPath(e.binary)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(path) {
		return "", exec.ErrDot
	}
	return path, nil
}
