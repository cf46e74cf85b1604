package job

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// Priority is the place of a job in the queue: P0 goes before P1, and P1 before P2.
type Priority string

// The priorities.
const (
	P0 Priority = "P0"
	P1 Priority = "P1"
	P2 Priority = "P2"
)

// Output is what an executor hands over.
type Output string

// The outputs.
const (
	Edits Output = "edits" // it changes files in the work tree
	Patch Output = "patch" // it may change nothing and answers with a diff, a test plan and notes
)

// Spec is what a caller asked for: the content of spec.json, written once.
type Spec struct {
	Job        string       `json:"job"`
	Task       record.ID    `json:"task"`
	By         record.Actor `json:"by"` // who asked
	Executor   string       `json:"executor"`
	Model      string       `json:"model,omitempty"`
	Output     Output       `json:"output"`
	Base       string       `json:"base,omitempty"`        // branch to start from and to merge into
	BaseCommit string       `json:"base_commit,omitempty"` // full hash; "" for the newest of base when the job starts
	Scope      Scope        `json:"scope,omitzero"`
	Priority   Priority     `json:"priority"`
	TTL        Seconds      `json:"ttl_s"`                   // from its creation, in the queue and running
	Timeout    Seconds      `json:"timeout_s"`               // of its running
	Stall      Seconds      `json:"stall_s,omitempty"`       // ends a job that was silent for so long; 0 only shows it
	Budget     float64      `json:"budget,omitempty"`        // US dollars; 0 is no limit
	Tokens     int64        `json:"budget_tokens,omitempty"` // as Usage.Spent counts; 0 is no limit
	Attempts   int          `json:"attempts"`                // further rounds after the first, for checks that fail
	Restarts   int          `json:"retries,omitempty"`       // how often the executor is started again after crashes and errors that pass
	Settles    string       `json:"settles,omitempty"`       // a branch with which the work conflicted, and may not when it is handed over
	Context    string       `json:"context,omitempty"`       // what the executor is told beside the task
	Retries    string       `json:"retry_of,omitempty"`      // the ended job that this one repeats
	Notify     Notify       `json:"notify,omitzero"`
	Key        string       `json:"idempotency_key,omitempty"`
	Asked      string       `json:"asked,omitempty"` // hash of the arguments, which the key stands for
	Root       string       `json:"root"`            // the workspace in which it was asked for
	CreatedAt  time.Time    `json:"created_at"`
}

// Scope is which files the work is about: prefixes of paths, or globs as in the scope of a decision. None is no limit.
type Scope struct {
	ReadPaths []string `json:"read_paths,omitempty" doc:"paths or globs that it should read first" cli:"flag=read-path"`
	Paths     []string `json:"paths,omitempty" doc:"paths or globs that alone it may change; the scope of the task by default, ** for all" cli:"flag=path"`
}

// Notify is who hears of the end beside those who wait.
type Notify struct {
	PR      bool   `json:"pr,omitempty" doc:"open a pull request once it has succeeded"`
	Webhook string `json:"webhook,omitempty" doc:"URL that gets the final state; your own config names the hosts"`
}

// Seconds is a duration that is written as a number of seconds.
type Seconds int

// Duration is the duration.
func (s Seconds) Duration() time.Duration { return time.Duration(s) * time.Second }

// Limits of a spec.
const (
	MaxAttempts  = 10
	MaxRestarts  = 20
	MaxTTL       = Seconds(7 * 24 * 3600)
	MaxTimeout   = Seconds(24 * 3600)
	MaxContext   = 64 << 10 // bytes
	MaxPaths     = 200
	MaxWaiting   = 100 // queued jobs of a clone; one more is RATE_LIMIT
	WindowOfKeys = 24 * time.Hour
)

// Valid returns INVALID_SPEC for a value that is out of range, and for values that contradict one another.
func (s Spec) Valid() error {
	switch {
	case s.Priority != P0 && s.Priority != P1 && s.Priority != P2:
		return invalid("priority", "is %q", s.Priority).WithHint("P0, P1 or P2")
	case s.Output != Edits && s.Output != Patch:
		return invalid("output", "is %q", s.Output).WithHint("edits or patch")
	case s.TTL < 1 || s.TTL > MaxTTL:
		return invalid("ttl_seconds", "is %d", s.TTL).WithHint("1 to %d", MaxTTL)
	case s.Timeout < 1 || s.Timeout > MaxTimeout:
		return invalid("timeout_seconds", "is %d", s.Timeout).WithHint("1 to %d", MaxTimeout)
	case s.Stall < 0 || s.Stall > MaxTimeout:
		return invalid("stall_seconds", "is %d", s.Stall).WithHint("0 to %d; 0 ends no job for being silent", MaxTimeout)
	case s.Budget < 0:
		return invalid("budget", "is %g", s.Budget).WithHint("US dollars; 0 is no limit")
	case s.Tokens < 0:
		return invalid("budget_tokens", "is %d", s.Tokens).WithHint("0 is no limit")
	case s.Attempts < 0 || s.Attempts > MaxAttempts:
		return invalid("attempts", "is %d", s.Attempts).WithHint("0 to %d further rounds after the first", MaxAttempts)
	case s.Restarts < 0 || s.Restarts > MaxRestarts:
		return invalid("retries", "is %d", s.Restarts).WithHint("0 to %d, after crashes and errors that pass", MaxRestarts)
	case len(s.Context) > MaxContext:
		return invalid("context", "has %d bytes, more than %d", len(s.Context), MaxContext).WithHint("attach files to the task with %s", record.CallTo("ref_add"))
	}
	return s.Scope.valid()
}

// Over says which budget of the spec is used up, in words; "" for none.
func (s Spec) Over(used Usage) string {
	switch {
	case s.Budget > 0 && used.Cost >= s.Budget:
		return fmt.Sprintf("it cost $%.2f, and its budget is $%.2f", used.Cost, s.Budget)
	case s.Tokens > 0 && used.Spent() >= s.Tokens:
		return fmt.Sprintf("it used %d tokens, and its budget is %d", used.Spent(), s.Tokens)
	default:
		return ""
	}
}

func (s Scope) valid() error {
	for _, list := range []struct {
		name  string
		paths []string
	}{{"scope.read_paths", s.ReadPaths}, {"scope.paths", s.Paths}} {
		if len(list.paths) > MaxPaths {
			return invalid(list.name, "has %d paths, more than %d", len(list.paths), MaxPaths).WithHint("name folders")
		}
		if err := task.ValidScope(list.paths); err != nil {
			return invalid(list.name, "%s", strings.TrimPrefix(err.Error(), "scope ")).WithHint("paths or globs from the top of the repository, such as src/ or **/*.go")
		}
	}
	return nil
}

func invalid(field, format string, args ...any) *record.Error {
	return record.Errorf(record.InvalidSpec, "%s %s", field, fmt.Sprintf(format, args...))
}
