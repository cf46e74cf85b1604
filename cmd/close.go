package cmd

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
	"github.com/urfave/cli/v3"
)

// closeCommand moves tasks by what is meant, where transition asks for the name of a state: done, close and reopen. It
// is the verb transition, through the same gates, once for each task that the line names.
type closeCommand struct {
	*program
	name string
}

func (p closeCommand) command() *cli.Command {
	c := &cli.Command{Name: p.name, ArgsUsage: "ID...", Category: "tasks", Action: p.run}
	switch p.name {
	case "done":
		c.Usage = "Close tasks as done: their command checks run, and all checks must have passed."
		c.Description = "It is cairn transition ID with the first closed state that is not an abandoned one. At a terminal a person is asked about each manual check that they may settle; what they answer with y is attested in their name. A refusal says which check is missing and what to type."
	case "close":
		c.Usage = "Close tasks: as done, or with --as in another closed state, such as one for what is given up."
		c.Description = "Without --as it is cairn done. An abandoned state, as the config lists them, needs no check."
		c.Flags = []cli.Flag{&cli.StringFlag{Name: "as", Local: true, Usage: "the closed `STATE`, such as canceled or wontfix"}}
	case "reopen":
		c.Usage = "Open closed tasks again, in the state that tasks begin in."
		c.Description = "What passed before has to pass again before they are closed. cairn transition ID STATE opens one in another state."
	}
	for _, f := range p.fields() {
		c.Flags = append(c.Flags, flagsOf(f)...)
	}
	c.Flags = append(withShorts(c.Flags, verb.Write), formFlags()...)
	return c
}

func (p closeCommand) verb() verb.Verb {
	v, _ := catalogue.Named("transition")
	return v
}

// fields are those of the verb that have a flag.
func (p closeCommand) fields() []verb.Field {
	return slices.DeleteFunc(slices.Clone(p.verb().Fields()), func(f verb.Field) bool { return f.Arg })
}

func (p closeCommand) run(ctx context.Context, c *cli.Command) error {
	w, s, err := p.open(ctx, c)
	if err != nil {
		return err
	}
	if c.Args().Len() == 0 {
		return usage("needs the id of a task").WithHint("cairn %s ID...", p.name)
	}
	to, err := p.state(s, c)
	if err != nil {
		return err
	}
	in := newInput(p.program, c, p.verb())
	for _, f := range p.fields() {
		if err := in.flag(ctx, f); err != nil {
			return err
		}
	}
	in.values["to"] = string(to)
	in.values["id"], in.several, in.each = c.Args().First(), "id", c.Args().Slice()
	v := verbCommand{program: p.program, verb: p.verb(), as: p.name, refused: p.again(c)}
	if p.name == "reopen" {
		v.may = func(id string) error { return p.isClosed(s, record.ID(id)) }
	} else if p.asksHere() && w.Actor().Human() {
		v.may = func(id string) error { return verb.WithID(p.attest(ctx, w, s, record.ID(id), to), record.ID(id)) }
	}
	return v.call(ctx, w, in)
}

// state is the state that the command moves tasks to.
func (p closeCommand) state(s *store.Store, c *cli.Command) (record.Status, error) {
	flow := s.Config.Flow
	if p.name == "reopen" {
		return flow.Initial, nil
	}
	as := record.Status(c.String("as"))
	switch {
	case as != "":
		if err := flow.Known(as); err != nil {
			return "", err
		}
		if !flow.IsClosed(as) {
			return "", usage("--as is %s, which is not a closed state", as).
				WithHint("one of %s; %s moves a task to any state", statesText(flow.Closed), record.CallTo("transition"))
		}
		return as, nil
	case flow.Done() == "":
		return "", usage("this workspace has no closed state that says that work is done").WithHint("cairn close ID --as STATE, with one of %s", statesText(flow.Closed))
	default:
		return flow.Done(), nil
	}
}

func statesText(states []record.Status) string {
	words := make([]string, len(states))
	for i, s := range states {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

// again makes the hint of a refusal by the checks gate end with the command that was typed: once what is missing was
// mended, it is to be typed again, and it runs the checks.
func (p closeCommand) again(c *cli.Command) func(id string, err error) error {
	return func(id string, err error) error {
		said := *asError(err)
		if said.Code != record.ChecksPending && said.Code != record.ChecksFailed {
			return err
		}
		call := record.CallTo(p.name, "", id)
		if as := c.String("as"); as != "" {
			call = record.CallTo(p.name, "", id, "as", as)
		}
		hint := said.Hint
		if slices.ContainsFunc(hint.Calls(), func(c record.Call) bool { return c.Verb == "run_checks" }) {
			return said.WithHint("fix what the output shows, then %s", call)
		}
		return said.WithHint("%s; %s closes it then", hint, call)
	}
}

// isClosed returns INVALID_INPUT for a task that is open.
func (p closeCommand) isClosed(s *store.Store, id record.ID) error {
	t, err := kind.Tasks.Get(s, id)
	if err != nil || s.Config.Flow.IsClosed(t.Status) {
		return err
	}
	return verb.WithID(usage("is open (%s)", t.Status).WithHint("there is nothing to reopen; %s moves it", record.CallTo("transition", "id", id)), id)
}

// attest asks a person at the terminal about each manual check that keeps a task from being closed and that they may
// settle, and attests in their name what they say holds. It returns CHECKS_PENDING for one that does not. What it
// cannot decide, such as a task that is not there or a check that asks for a signature, the transition refuses and
// explains.
func (p closeCommand) attest(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID, to record.Status) error {
	flow := s.Config.Flow
	t, err := kind.Tasks.Get(s, id)
	if err != nil || flow.IsClosed(t.Status) || flow.IsAbandoned(to) || flow.DepsGate(t, to, kind.Deps(s, flow)) != nil {
		return nil
	}
	seen, err := w.View(s).TaskByID(id)
	if err != nil {
		return nil
	}
	for i, c := range t.Checks {
		if !c.Manual() || c.Reviewer() != "" || flow.MustSign(c) || seen.Checks[i].Result == record.Pass {
			continue
		}
		if _, e, err := flow.Attest(t, i, true, w.Stamp("")); err != nil || e == nil {
			continue
		}
		if err := p.attestOne(ctx, w, t, i); err != nil {
			return err
		}
	}
	return nil
}

// attestOne attests one check, once the person said that it holds.
func (p closeCommand) attestOne(ctx context.Context, w *verb.Workspace, t task.Task, check int) error {
	attest, _ := catalogue.Named("attest")
	raw, err := json.Marshal(map[string]any{"id": t.ID, "check": strconv.Itoa(check), "pass": true})
	if err != nil {
		return err
	}
	own := *w
	own.Confirm = func(ctx context.Context, asks []task.Ask) error {
		yes, err := p.put(ctx, yesOrNo(asks, "Does it hold?"))
		if err != nil || yes {
			return err
		}
		return record.Errorf(record.ChecksPending, "not yet passed: %s", t.Checks[check].Desc).
			WithHint("do what is missing, then %s", record.CallTo("done", "", t.ID))
	}
	_, err = attest.Call(ctx, &own, raw)
	return verbCommand{program: p.program, verb: attest, as: p.name}.called(err)
}
