package jobs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// remarks are what others than whoever worked there wrote to a task in its work tree: notes, rejections, and fields that they
// set. They are about the task, and not about the attempt.
type remarks struct {
	words  []string // each with who said it
	fields task.Values
}

// remarksIn reads what others said of a task in its work tree, and the file here lacks. What cannot be read there stays on
// the branch that keeps the attempt.
func remarksIn(w *verb.Workspace, s *store.Store, tree worktree.Tree) (out remarks) {
	if tree.Repo != "" { // its record is here
		return out
	}
	at, err := w.At(tree.Root).Open()
	if err != nil {
		return out
	}
	there, err := kind.Tasks.Get(at, tree.Task)
	if err != nil {
		return out
	}
	here, err := kind.Tasks.Get(s, tree.Task)
	if err != nil {
		return out
	}
	had := here.Provenance.Hashes()
	worked := map[record.Actor]bool{}
	for _, e := range there.Provenance {
		worked[e.Who] = worked[e.Who] || e.Did == record.Began
	}
	var set []string
	for _, e := range there.Provenance {
		if had[e.Hash()] || worked[e.Who] && !e.Who.Human() {
			continue
		}
		if e.Did == record.Noted {
			out.words = append(out.words, fmt.Sprintf("%s: %s", e.Who, e.Text))
		}
		if e.Did == record.Rejected {
			out.words = append(out.words, fmt.Sprintf("%s sent it back: %s", e.Who, e.Text))
		}
		set = append(set, e.Fields...)
	}
	out.fields = task.Values{}
	for _, f := range task.Settable() {
		if slices.Contains(set, f.Name) && f.Differs(here, there) {
			out.fields[f.Name] = f.Of(there)
		}
	}
	return out
}

// bring writes them to the file of the task here: what fields became, and the words as a note.
func (a remarks) bring(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID) error {
	write := func(edit task.Edit, text string) error {
		_, err := w.WithoutKey().ChangeIn(ctx, s, id, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
			flow := wc.Store.Config.Flow
			return flow.Update(wc.Task, edit, task.Proof{}, kind.Deps(wc.Tx, flow), w.Stamp(text))
		})
		return err
	}
	if len(a.fields) > 0 {
		if err := write(task.Edit{Set: a.fields}, "as said of the attempt that was given up"); err != nil {
			return err
		}
	}
	if len(a.words) == 0 {
		return nil
	}
	text := "Of the attempt that was given up:\n" + strings.Join(a.words, "\n")
	return write(task.Edit{}, record.Clip(text, record.MaxText-len("…")))
}
