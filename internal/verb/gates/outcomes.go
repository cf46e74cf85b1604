package gates

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/check"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// Outcomes are how commands ended, by the files that they ran on, so that of several tasks whose checks are run on the
// same files none runs a command twice. They are of one caller, who runs them all, and count as they would have if it had
// run them again.
type Outcomes struct {
	mu   sync.Mutex
	of   map[ranOn]check.Outcome
	runs int
}

// ranOn is a command and what it ran on.
type ranOn struct {
	tree, cmd, dir string
	limit          time.Duration
}

type outcomesKey struct{}

// Sharing is a context in which commands are not run on files for which their outcome is known.
func Sharing(ctx context.Context, o *Outcomes) context.Context {
	return context.WithValue(ctx, outcomesKey{}, o)
}

// Runs is how many commands were run.
func (o *Outcomes) Runs() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.runs
}

func outcomesOf(ctx context.Context) *Outcomes {
	o, _ := ctx.Value(outcomesKey{}).(*Outcomes)
	return o
}

// attempt runs a command on the files of a fingerprint, unless its outcome on them is known.
func (o *Outcomes) attempt(ctx context.Context, tree string, spec check.Spec) (check.Outcome, error) {
	if o == nil {
		return check.Attempt(ctx, spec)
	}
	of := ranOn{tree, spec.Cmd, spec.Cwd, spec.Timeout}
	o.mu.Lock()
	known, ok := o.of[of]
	o.mu.Unlock()
	if ok && tree != "" {
		return known, nil
	}
	got, err := check.Attempt(ctx, spec)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.runs++
	if err == nil && tree != "" && !got.Canceled && !got.TimedOut {
		if o.of == nil {
			o.of = map[ranOn]check.Outcome{}
		}
		o.of[of] = got
	}
	return got, err
}

// forget takes back what is known of the files of a fingerprint: a command has changed them while it ran.
func (o *Outcomes) forget(tree string) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for of := range o.of {
		if of.tree == tree {
			delete(o.of, of)
		}
	}
}

// Failing runs commands of a task in the files of a store, and returns the end of what those print that fail; "" if all
// pass. Nothing is recorded, and files that are guarded are as they are.
func Failing(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, todo []int) (string, error) {
	if err := ConsentFor(ctx, w, s, t, ChecksOf(s, t, todo)); err != nil {
		return "", err
	}
	_, report, err := run(ctx, w, s, t, todo, WorkTree(ctx, s), nil)
	if err != nil {
		return "", err
	}
	return FailedOutput(report), nil
}

// FailedOutput is the end of what the commands of a run print that failed, each behind its description; "" if all passed.
func FailedOutput(report *verb.RunReport) string {
	var b strings.Builder
	for _, c := range report.Checks {
		if c.Result == record.Fail {
			b.WriteString(c.Desc + " (" + c.Summary + ")\n" + c.Output + "\n")
		}
	}
	return b.String()
}
