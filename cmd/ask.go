package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/complete"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/trust"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/jobs"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// Two kinds of question are put to a person. What is done in the person's name is confirmed on the controlling
// terminal, where neither standard input nor a flag can answer (confirm). Changes that were shown are agreed to on
// standard input, and a flag such as --yes can stand for the answer (agree).

var errNoTerminal = errors.New("there is no terminal")

func (p Env) terminal() (io.ReadWriteCloser, error) {
	if p.Terminal == nil {
		return nil, errNoTerminal
	}
	return p.Terminal()
}

// confirm has a person at the terminal confirm what is to be done in their name. It returns an error unless they do.
func (p *program) confirm(ctx context.Context, asks []task.Ask) error {
	ok, err := p.put(ctx, wordTyped(asks))
	if err != nil || ok {
		return err
	}
	e := record.Errorf(record.Forbidden, "not confirmed by %s", asks[0].Who).
		WithHint("nothing was changed; %s is what to type", asks[0].Word)
	return verb.WithID(e, asks[0].ID)
}

// prompt is a question that is put to a person at the controlling terminal, and the answers by which they agree.
type prompt struct {
	asks   []task.Ask
	ends   string // of the question
	agrees []string
}

func wordTyped(asks []task.Ask) prompt {
	agrees := []string{asks[0].Word}
	if asks[0].Word == "yes" {
		agrees = append(agrees, "y")
	}
	return prompt{asks, "Type " + asks[0].Word + " to confirm: ", agrees}
}

// personHere returns FORBIDDEN in a job, in a command that cairn runs and in the shell of a coding agent, whoever the
// caller says that they are: a program can open a terminal of its own, so that one who types there need not be a
// person. It asks the processes above this one too, since a program can take a variable out of its own environment.
// does says what only a person may do.
func (p *program) personHere(does string) error {
	var up proc.Above
	if p.Above != nil {
		up = p.Above()
	}
	agent, variable := shellAgent(p.Getenv)
	inJob := p.Getenv(proc.JobVariable) != "" || p.partOfJob(up)
	for _, getenv := range up.Variables() {
		inJob = inJob || getenv(proc.JobVariable) != ""
		if agent == "" {
			agent, variable = shellAgent(getenv)
		}
	}
	switch {
	case inJob:
		return record.Errorf(record.Forbidden, "a job cannot %s", does).WithHint("a person does it, outside of the job")
	case up.Marked:
		return record.Errorf(record.Forbidden, "a command that cairn runs cannot %s", does).WithHint("a person does it, in a terminal of their own")
	case agent != "":
		return record.Errorf(record.Forbidden, "this is the shell of %s (%s is set), and no agent can %s", agent, variable, does).
			WithHint("a person types the command in a terminal of their own")
	}
	return nil
}

// partOfJob reports whether this process is a part of a running job: of this clone, or of one that the user trusts.
func (p *program) partOfJob(up proc.Above) bool {
	if len(up.Processes) == 0 && !up.Marked {
		return false
	}
	var clones []layout.Live
	if l, err := layout.Find(p.Dir); err == nil {
		clones = append(clones, l.Live)
	}
	all, _ := trust.Consents(p.stateDir())
	for _, c := range all {
		clones = append(clones, layout.Live(c.Path))
	}
	return slices.ContainsFunc(clones, func(l layout.Live) bool { _, part := jobs.In(l).Above(up); return part })
}

// mayAct returns the function that says why this process may not write in a folder as an actor: it is a part of a job
// of that clone, and the job acts as another.
func (p *program) mayAct(dir string) func(record.Actor) error {
	if p.Above == nil {
		return nil
	}
	return func(who record.Actor) error {
		l, err := layout.Find(dir)
		if err != nil || !layout.Exists(l.Live.Jobs()) {
			return nil //nolint:nilerr // the verb says that there is no workspace
		}
		one, part := jobs.In(l.Live).Above(p.Above())
		if !part || one.Status.Actor == who {
			return nil
		}
		return record.Errorf(record.Forbidden, "this process is a part of %s, and cannot act as %s", one.Spec.Job, who).
			WithHint("a job acts in its own name; what %s has to say they say outside of it", who)
	}
}

// put opens the controlling terminal and puts a question there. It returns FORBIDDEN where there is none, and where no
// person is.
func (p *program) put(ctx context.Context, q prompt) (bool, error) {
	p.meter.Clear()
	if err := p.personHere("confirm what a person has to"); err != nil {
		return false, verb.WithID(err, q.asks[0].ID)
	}
	terminal, err := p.terminal()
	if err != nil {
		return false, task.Unconfirmed(q.asks)
	}
	return q.on(ctx, terminal)
}

// on shows the question, and reports whether the person agreed. It closes the terminal.
func (q prompt) on(ctx context.Context, at io.ReadWriteCloser) (bool, error) {
	defer func() { _ = at.Close() }()
	if _, err := io.WriteString(at, question(q.asks)+q.ends); err != nil {
		return false, record.Errorf(record.IO, "the terminal: %w", err)
	}
	answer, err := terminal.ReadAnswer(ctx, io.LimitReader(at, 1<<10))
	return err == nil && slices.Contains(q.agrees, answer), err
}

// question is what a person reads before they type. Text that comes from files stays on its line.
func question(asks []task.Ask) string {
	var b strings.Builder
	first := asks[0]
	fmt.Fprintf(&b, "To be done in the name of %s:\n", first.Who)
	for _, a := range asks {
		fmt.Fprintf(&b, "  %s\n", harmless.Line(a.Does))
	}
	if first.ID != "" {
		fmt.Fprintf(&b, "  %s: %s  %s\n", cmp.Or(first.Kind, record.TaskKind), first.ID, harmless.Line(first.Title))
	}
	if first.Text != "" {
		fmt.Fprintf(&b, "  text: %s\n", harmless.Line(first.Text))
	}
	return b.String()
}

// agree asks whether the changes that were shown are to be made, unless it is known already, and returns an error unless
// they are. The hint says how the changes are made without a terminal.
func (p *program) agree(ctx context.Context, known bool, hint string) error {
	if known {
		return nil
	}
	if _, ok := terminal.Is(p.Stdin); !ok || p.json {
		return usage("there is no terminal to ask on").WithHint("%s", hint)
	}
	p.printf("Make these changes? [y/N] ")
	answer, err := terminal.ReadAnswer(ctx, p.Stdin)
	if err == nil && answer != "y" && answer != "yes" {
		return usage("not agreed to").WithHint("nothing was changed")
	}
	return err
}

// mostPicked is how many records a person chooses from at once.
const mostPicked = 20

// pick lets a person at a terminal choose the records that the line must name and does not, one after the other, from
// those that completion would offer. Elsewhere, and where nothing can be offered, it chooses nothing.
func (in *input) pick(ctx context.Context) error {
	if !in.asksHere() {
		return nil
	}
	words := strings.Fields(in.line.FullName())[1:]
	for _, f := range in.fields {
		named := in.values[f.Name] != nil || f.Else == "session" && in.Getenv("CAIRN_SESSION") != ""
		if named || !f.Arg || !f.Required && f.Else == "" || f.Names == "" && f.From == "" {
			continue
		}
		offered := complete.Candidates(ctx, completion(in.program), words, "")
		if len(offered) == 0 || !in.personReads() {
			return nil
		}
		picked, err := in.pickOne(ctx, f, offered)
		if err != nil {
			return err
		}
		in.values[f.Name], words = picked, append(words, picked)
	}
	return nil
}

// pickOne asks until one is chosen, by its number, or by words that only it has. No answer chooses none.
func (in *input) pickOne(ctx context.Context, f verb.Field, offered []complete.Candidate) (string, error) {
	shown := offered
	for {
		in.offer(shown)
		screen.Fprintf(in.Stderr, "Which one, by its number or by words of it? ")
		answer, err := terminal.ReadAnswer(ctx, in.Stdin)
		if err != nil {
			return "", err
		}
		if answer == "" {
			return "", usage("nothing was chosen").WithHint("%s: %s", in.form(), f.Doc)
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= min(len(shown), mostPicked) {
			return shown[n-1].Value, nil
		}
		fit := having(offered, strings.Fields(answer))
		switch len(fit) {
		case 0:
			screen.Fprintf(in.Stderr, "None of them has %s.\n", answer)
			shown = offered
		case 1:
			return fit[0].Value, nil
		default:
			shown = fit
		}
	}
}

func (in *input) offer(shown []complete.Candidate) {
	t := screen.Table{Head: []string{"", "", ""}, Grow: 2}
	for i, c := range shown[:min(len(shown), mostPicked)] {
		t.Add(strconv.Itoa(i+1), c.Value, c.About)
	}
	width, _ := terminal.Is(in.Stderr)
	t.Print(in.Stderr, width, in.style())
	if more := len(shown) - mostPicked; more > 0 {
		screen.Fprintf(in.Stderr, "and %d more: words of the one that is meant narrow them down\n", more)
	}
}

// having are the candidates that have all of the words, in any case.
func having(all []complete.Candidate, words []string) (out []complete.Candidate) {
	for _, c := range all {
		text, has := strings.ToLower(c.Value+" "+c.About), true
		for _, word := range words {
			has = has && strings.Contains(text, word)
		}
		if has {
			out = append(out, c)
		}
	}
	return out
}
