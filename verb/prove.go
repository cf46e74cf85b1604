package verb

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// proven is what a move knows when it comes to the lock: what was run, and of what.
type proven struct {
	proof  task.Proof
	report *RunReport
	task   task.Task // as it was then
}

func provenOf(t task.Task) proven { return proven{task: t} }

// prove runs the commands that the checks gate asks for before a task may make a move. One that the deps gate refuses runs
// nothing.
func (w *Workspace) prove(ctx context.Context, s *store.Store, id task.ID, m transit) (proven, error) {
	to := m.to
	t, err := w.read(s, id)
	if err != nil || to == "" || t.Status == to {
		return provenOf(t), err
	}
	p := provenOf(t)
	if t, err = m.preview(t); err != nil {
		return p, err
	}
	flow := s.Config.Flow
	if err := flow.Known(to); err != nil {
		return proven{}, err
	}
	if err := flow.DepsGate(t, to, s.Find); err != nil {
		return proven{}, err
	}
	if len(flow.ToRun(t, to, task.Proof{})) == 0 && !flow.AsksTree(t, to) {
		return p, nil // no commands, or none that count here
	}
	tree := w.tree(ctx, s)
	p.proof.Commit, p.proof.Tree = s.Head(ctx).Commit, fingerprint(tree)
	todo := flow.ToRun(t, to, p.proof)
	if len(todo) == 0 {
		return p, nil
	}
	p.proof.Run, p.report, err = w.run(ctx, s, t, todo, tree)
	if err == nil && p.proof.Run.Tree == "" {
		p.proof.Tree = "" // the run moved the tree, so passes earned before it are stale too
	}
	return p, err
}

// stillHolds returns CONFLICT if the task is no longer what the commands were run for.
func (p proven) stillHolds(t task.Task) error {
	if p.proof.Run == nil || t.Status == p.task.Status && t.SameChecks(p.task) {
		return nil
	}
	return task.Errorf(task.Conflict, "changed while its checks ran").
		WithHint("read it again and decide anew").WithNext("get", map[string]any{"id": string(t.ID)})
}

// records reports whether the results belong into the task as it is now.
func (p proven) records(t task.Task) bool {
	return p.proof.Run != nil && t.SameChecks(p.task)
}

// tree reads the state of the working tree. Where git cannot say, every pass is stale, and nothing else follows. The same goes
// for a clone that is not trusted: to hash a file git may start programs that the clone's own config names.
func (w *Workspace) tree(ctx context.Context, s *store.Store) store.Tree {
	if !s.Trusted() {
		return nil
	}
	tree, err := s.WorkTree(ctx)
	if err != nil {
		return nil
	}
	return tree
}

func fingerprint(tree store.Tree) string {
	if tree == nil {
		return ""
	}
	return tree.Fingerprint()
}

// What a refusal shows of the commands that would have run.
const (
	commandsShown = 10
	commandShown  = 200 // bytes of each
)

// consent returns UNTRUSTED, naming the commands, unless this user trusted the clone.
func consent(s *store.Store, t task.Task, todo []int) error {
	if s.Trusted() {
		return nil
	}
	var commands []string
	for _, n := range todo[:min(len(todo), commandsShown)] {
		commands = append(commands, head(t.Checks[n].Cmd, commandShown))
	}
	more := ""
	if n := len(todo) - len(commands); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	e := task.Errorf(task.Untrusted, "this clone's commands were not approved on this machine: %s%s", quoteAll(commands), more).
		WithHint("read them, then a person runs cairn trust in a terminal")
	e.Details = map[string]any{"commands": commands, "total": len(todo)}
	return e
}

// quoteAll makes all that is not plain text visible, so that no command can pass for another.
func quoteAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = strconv.Quote(text)
	}
	return strings.Join(quoted, ", ")
}

// head is the beginning of a text.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// runner names a run for whoever has to wait for it.
func (w *Workspace) runner(t task.Task) string {
	return fmt.Sprintf("%s by %s, process %d", t.ID, w.Actor, os.Getpid())
}
