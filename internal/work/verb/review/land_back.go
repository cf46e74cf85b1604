package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/task"
)

// sentBackBy begins the reason with which a landing sends a task back.
const sentBackBy = "landing: "

// conflicts sends a task back whose branch conflicts with its base; files are those in conflict, or nil to find them.
func (l *landing) conflicts(ctx context.Context, m *merging, files []string) error {
	if files == nil {
		files, _ = m.Trees.TryMerge(ctx, m.Tree, m.base)
	}
	all, err := l.since(ctx, m)
	if err != nil {
		return err
	}
	with := slices.DeleteFunc(all, func(c change) bool {
		return !slices.ContainsFunc(files, func(path string) bool { return slices.Contains(c.files, path) })
	})
	why := fmt.Sprintf("it conflicts with %s in %s", m.base, record.Clip(strings.Join(files, ", "), 300))
	back := Landing{Became: SentBack, Into: m.base, Code: record.MergeConflict, Why: why, Files: files, With: counterparts(with)}
	todo := fmt.Sprintf("Settle it: git rebase %s, here, and what both sides wanted holds afterwards. Take nothing of the other side away.", m.base)
	return l.back(ctx, m, back, with, "", todo)
}

// breaks sends a task back whose checks fail where it is merged, unless the base fails them without it.
func (l *landing) breaks(ctx context.Context, m *merging, e *record.Error) error {
	report, _ := e.Details["run"].(*verb.RunReport)
	with, verdict, err := l.culprit(ctx, m, report, failed(e))
	if err != nil {
		return err
	}
	why, todo := "", fmt.Sprintf("Mend it: git rebase %s, here, see the checks fail, and have them pass with what both sides wanted.", m.base)
	switch verdict {
	case brokenBase:
		return record.Errorf(record.ChecksFailed, "%s fails the checks of %s without it, so nothing is landed", m.base, m.Task.ID).
			WithHint("mend %s first: %s has the checks that fail", m.base, record.CallTo("get", "id", m.Task.ID).OnlyShown())
	case brokenAlone:
		why, todo = "its checks fail on its own branch too", "Mend it, and see the checks pass."
	case brokenTogether:
		why = fmt.Sprintf("its checks fail together with what %s has got", m.base)
	}
	back := Landing{Became: SentBack, Into: m.base, Code: record.ChecksFailed, Why: why, With: counterparts(with)}
	return l.back(ctx, m, back, with, failed(e), todo)
}

// back sends a task back to work, with what both sides wanted, and starts its job again. The reason in the record says all
// of it, so that whoever goes on with the task knows it, also after a kill right behind the write.
func (l *landing) back(ctx context.Context, m *merging, back Landing, with []change, output, todo string) error {
	text := sentBackBy + back.Why + "\n"
	for _, c := range with {
		text += "\n" + c.intent(m)
	}
	if ruling := l.rulings(ctx, m); ruling != "" {
		text += "\nDecisions that govern these files:\n" + ruling
	}
	if output != "" {
		text += "\nWhat fails:\n" + indented(verb.Tail(output, 900))
	}
	text = record.Clip(text, record.MaxText-len(todo)-10) + "\n\n" + todo
	_, err := m.W.ChangeIn(ctx, m.S, m.Task.ID, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		if !slices.EqualFunc(wc.Task.Provenance, m.Task.Provenance, record.Entry.Equal) {
			return wc.Task, nil, record.Errorf(record.Conflict, "its record was written to while it was being landed")
		}
		return wc.Store.Config.Flow.Reject(wc.Task, m.W.Stamp(text))
	})
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		l.leave(m, err)
		return nil
	}
	if back.Job, err = l.start(ctx, m, back.Code == record.MergeConflict); err != nil {
		back.Why += "; no job was started: " + record.MessageOf(err)
	}
	l.settle(m, back)
	return ctx.Err()
}

// start starts the next job of a task that was sent back, like its last one, and returns it; "" if it had none.
func (l *landing) start(ctx context.Context, m *merging, conflict bool) (string, error) {
	last, had := work.Jobs(m.Home).LastOf(m.Task.ID)
	if !had || l.in.NoJobs {
		return "", nil
	}
	in := jobs.StartIn{
		ID: m.Task.ID, Executor: last.Spec.Executor, Model: last.Spec.Model, Scope: last.Spec.Scope, Base: m.Tree.Base,
		Context: "The work was approved, and sent back when it was landed. The reason, above, says what the other side wanted; cairn show ID has its task, and git show COMMIT what it did.",
	}
	if conflict && m.Tree.Repo == "" {
		in.Settles = m.base
	}
	next, err := verb.Do(ctx, m.Caller, jobs.Start, in)
	return next.Job, err
}

// restart starts the job of a task that a landing sent back, and was killed before it started one.
func (l *landing) restart(ctx context.Context, m *merging) error {
	e, sent := m.Task.SentBack()
	last, had := work.Jobs(m.Home).LastOf(m.Task.ID)
	if !sent || !had || m.dry || l.in.NoJobs || !strings.HasPrefix(e.Text, sentBackBy) || !last.Spec.CreatedAt.Before(e.At) {
		return nil
	}
	next, err := l.start(ctx, m, strings.HasPrefix(e.Text, sentBackBy+"it conflicts"))
	if err != nil {
		return ctx.Err() // it was said before, or the task is somebody's by now
	}
	l.settle(m, Landing{Became: SentBack, Into: m.base, Code: record.Conflict, Why: strings.TrimPrefix(firstLine(e.Text), sentBackBy), Job: next})
	return nil
}

// Counterpart is what a task conflicts with, or breaks with.
type Counterpart struct {
	Task   record.ID `json:"task,omitempty"`
	Title  string    `json:"title"` // of the task, or of a commit that is of none
	Commit string    `json:"commit"`
}

func counterparts(with []change) []Counterpart {
	return record.Each(with, func(c change) Counterpart { return Counterpart{c.task.ID, cmp.Or(c.task.Title, c.subject), c.commit} })
}

// Bounds of what is said of a counterpart.
const (
	intentBody    = 600
	intentSummary = 500
)

// intent says what a change of the base was to do: what its task asks for, and what was said of the work when it was
// handed over.
func (c change) intent(of *merging) string {
	var b strings.Builder
	if c.task.ID == "" {
		fmt.Fprintf(&b, "The other side, %.12s of %s: %s\n", c.commit, of.base, c.subject)
		return b.String()
	}
	fmt.Fprintf(&b, "The other side, %s, which %s has by %.12s: %s\n", c.task.ID, of.base, c.commit, c.task.Title)
	if body := strings.TrimSpace(c.task.Body); body != "" {
		b.WriteString(indented(verb.Head(body, intentBody)))
	}
	for _, e := range slices.Backward(c.task.Provenance) {
		if e.Did == record.Finished && e.Text != "" {
			b.WriteString("What was done there:\n" + indented(verb.Head(e.Text, intentSummary)))
			break
		}
	}
	return b.String()
}

// rulings are the decisions that govern what the branch changes, a line each.
func (l *landing) rulings(ctx context.Context, m *merging) string {
	about := m.Task
	about.Scope = append(slices.Clip(about.Scope), m.files[:min(len(m.files), 200)]...)
	governing := m.W.Governing(ctx, m.S, about)
	if governing == nil {
		return ""
	}
	var b strings.Builder
	for _, d := range governing.Items[:min(len(governing.Items), 5)] {
		fmt.Fprintf(&b, "    %s %s\n", d.ID, record.Clip(d.Title, 200))
	}
	return b.String()
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ") + "\n"
}
