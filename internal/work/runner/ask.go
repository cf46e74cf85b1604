package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/sessions"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// What a program that has no tools of cairn ends its last message with to ask something, a line each.
const (
	askMark     = "QUESTION:"
	optionMark  = "OPTION:"
	defaultMark = "DEFAULT:"
	untilMark   = "UNTIL:"
)

const howToAsk = "If you cannot go on without an answer of a person, end with a last line that begins with " + askMark + " in place of that, and if you like with lines behind it that begin with " +
	optionMark + ": then you are told the answer, and go on."

// mayAsk says how an executor asks that has the tools of cairn.
func (r *run) mayAsk() string {
	if r.spec.Output == job.Patch || !r.agent.HandsOver() {
		return ""
	}
	return ". Only if you cannot go on without the answer of a person call `ask`, and end your turn: you are told the answer, and go on"
}

// questionIn is what the last message of a program asks: its last line with the mark, and the lines with marks behind it.
func questionIn(message string) (in sessions.AskIn, found bool) {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	for i := len(lines) - 1; i >= 0 && !found; i-- {
		line := strings.TrimSpace(strings.Trim(strings.TrimSpace(lines[i]), "*"))
		said := func(mark string) string { return strings.TrimSpace(strings.TrimPrefix(line, mark)) }
		switch {
		case line == "":
		case strings.HasPrefix(line, askMark):
			in.Question, found = said(askMark), true
		case strings.HasPrefix(line, optionMark):
			in.Options = append([]string{said(optionMark)}, in.Options...)
		case strings.HasPrefix(line, defaultMark):
			in.Default = said(defaultMark)
		case strings.HasPrefix(line, untilMark):
			in.Until = said(untilMark)
		default:
			return in, false // it says something else at its end
		}
	}
	return in, found && in.Question != ""
}

// asks puts the question with which a program ended that hands over by its last message. It returns what the program is
// told if that was answered before.
func (r *run) asks(ctx context.Context) (answered string, err error) {
	if r.spec.Output != job.Patch && r.agent.HandsOver() || r.session.now().Status != session.Active {
		return "", nil
	}
	in, found := questionIn(r.final)
	if !found {
		return "", nil
	}
	out, err := verb.Do(ctx, r.session.Acts, sessions.Ask, in)
	if record.CodeOf(err) == record.InvalidInput { // what it says of a default, say
		out, err = verb.Do(ctx, r.session.Acts, sessions.Ask, sessions.AskIn{Question: in.Question})
	}
	if err != nil || out.Answer == "" {
		return "", err
	}
	b := &page{}
	b.add("## The answer to your question\n\nYou asked before: %s\n\n%s answered: %s\n\nGo on with the task.", out.Question, out.By, out.Answer)
	return b.String(), nil
}

// park ends the work of a job that waits for an answer: its work is committed, its slot is free, and nothing of it runs.
func (r *run) park() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	r.note(r.tree.rejoin(ctx, r.session.Acts.Actor(), true))
	soon, late := context.WithTimeout(ctx, hooksAtEnd)
	r.note(r.tree.commit(soon, r.session.Acts.Actor(), "The job waits for an answer."))
	late()
	r.account(ctx)
	r.note(r.artifacts(ctx))
	asked := strings.Join(r.session.now().Provenance.Last().Said().About, " ")
	message := "waits for an answer to " + asked
	if h, err := kind.Handoffs.Get(r.tree.at, ledger.HandoffID(asked)); err == nil {
		message = fmt.Sprintf("waits for an answer of %s to %s: %s", strings.Join(record.Texts(h.To), " or "), asked, oneLine(h.Title))
	}
	head := r.tree.head(ctx)
	r.note(r.tree.commitRecords(ctx))
	err := r.owned.Change(func(s *job.Status) {
		s.State, s.Phase, s.Reason, s.Message, s.Stalled, s.Process = job.Waiting, "", "", message, false, 0
		s.Question, s.Questions, s.Head = asked, s.Questions+1, head
	})
	if err == nil {
		r.tellUser(ctx, "question", "cairn answer "+asked+" TEXT", message)
	}
	return err
}

// answer is what the executor is told of its question, before anything else; "" if it asked none.
func (r *run) answer(ctx context.Context) string {
	id := r.owned.Job().Status.Question
	if id == "" {
		return ""
	}
	b := &page{}
	h, err := kind.Handoffs.Get(r.tree.at, ledger.HandoffID(id))
	if err != nil {
		b.add("## Your question\n\nIt cannot be read any more (%s). Decide yourself, and say so when you hand over.", id)
		return b.String()
	}
	b.add("## The answer to your question\n\nYou asked: %s", strings.TrimSpace(h.Title+"\n\n"+h.Body))
	came, settled := work.Outcome(r.s, r.owned.Job(), r.w.Now())
	switch {
	case !settled:
		b.add("Nobody has answered, and you were told to go on without. Decide yourself, and say so when you hand over.")
	case came.By == "":
		b.add("Nobody answered by %s, so your default counts: %s\nSay so when you hand over.", h.Due, came.Text)
		asker := *r.session.Acts
		asker.Scope = ""
		_, err := verb.Do(ctx, &asker, handoffs.Resolve, handoffs.ResolveIn{
			ID: ledger.HandoffID(id), Note: "nobody answered by " + string(h.Due) + "; the work went on with the default: " + came.Text,
		})
		r.note(err)
	default:
		b.add("%s answered: %s", came.By, came.Text)
	}
	b.add("Go on with the task. What you did until you asked lies in this work tree, and is committed on its branch.")
	return b.String()
}

// answered records that the executor was given the answer in a run that came to its end.
func (r *run) answered() error {
	if r.owned.Job().Status.Question == "" {
		return nil
	}
	return r.owned.Change(func(s *job.Status) { s.Question = "" })
}

// asleepFor is how long a job that waits for an answer sleeps before it looks again.
const asleepFor = time.Second

// sleep keeps this process while a job waits for the answer to a question that has a default, since nobody else may be
// there when its time is up. It holds no slot. It reports whether the job goes on; for a job that waits without a default
// that is at once false, and whoever writes or learns the answer has it go on.
func sleep(ctx context.Context, w *verb.Workspace, s *store.Store, owned *jobs.Owned) (goesOn bool, err error) {
	one := owned.Job()
	hasDefault := func(h ledger.Handoff) bool { return h.Default != "" }
	if !slices.ContainsFunc(work.Question(s, one), hasDefault) {
		return false, nil
	}
	tick := time.NewTicker(asleepFor)
	defer tick.Stop()
	for {
		if who, reason, yes := owned.Canceled(); yes {
			return false, owned.Change(func(s *job.Status) { s.State, s.Message = job.Canceled, job.CanceledBy(who, reason) })
		}
		if _, settled := work.Outcome(s, one, w.Now()); settled {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return false, nil
		case <-tick.C:
		}
		if err := owned.Held(); err != nil {
			return false, err
		}
	}
}
