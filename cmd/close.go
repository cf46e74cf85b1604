package cmd

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// closing moves tasks by what is meant, where transition asks for the name of a state: done, close and reopen. It is the
// verb transition, through the same gates, once for each task that the line names.
type closing struct {
	*call
	name string
	as   record.Status // the state that --as names; "" without it
}

type doneIn struct {
	ID string `json:"id" doc:"task to close" cli:"arg,several" from:"open-tasks"`
}

type closeIn struct {
	doneIn
	As record.Status `json:"as,omitempty" doc:"the closed STATE, such as canceled or wontfix" cli:"value=STATE" from:"closed-states"`
}

type reopenIn struct {
	ID string `json:"id" doc:"task to open" cli:"arg,several" from:"closed-tasks"`
}

func closeCommands() []command {
	of := func(name, usage, about string) command {
		return command{name: name, usage: usage, about: about, group: "tasks", prints: "transition", takes: verbFields("transition")}
	}
	return []command{
		declare(of("done", "Close tasks as done: their command checks run, and all checks must have passed.",
			"It is cairn transition ID with the first closed state that is not an abandoned one. At a terminal a person is asked about each manual check that they may settle; what they answer with y is attested in their name. A refusal says which check is missing and what to type."),
			func(ctx context.Context, c *call, _ doneIn) error { return closing{c, "done", ""}.run(ctx) }),
		declare(of("close", "Close tasks: as done, or with --as in another closed state, such as one for what is given up.",
			"Without --as it is cairn done. An abandoned state, as the config lists them, needs no check."),
			func(ctx context.Context, c *call, in closeIn) error { return closing{c, "close", in.As}.run(ctx) }),
		declare(of("reopen", "Open closed tasks again, in the state that tasks begin in.",
			"What passed before has to pass again before they are closed. cairn transition ID STATE opens one in another state."),
			func(ctx context.Context, c *call, _ reopenIn) error { return closing{c, "reopen", ""}.run(ctx) }),
	}
}

func (p closing) run(ctx context.Context) error {
	w, s, err := p.open(ctx)
	if err != nil {
		return err
	}
	to, err := p.state(s)
	if err != nil {
		return err
	}
	v := verbCommand{verb: verbNamed("transition"), as: p.name, refused: p.again}
	if p.name == "reopen" {
		v.may = func(id string) error { return p.isClosed(s, record.ID(id)) }
	} else if p.asksHere() && w.Actor().Human() {
		v.may = func(id string) error { return verb.WithID(p.attest(ctx, w, s, record.ID(id), to), record.ID(id)) }
	}
	return p.standFor(ctx, w, v, map[string]any{"to": string(to)})
}

func (p closing) state(s *store.Store) (record.Status, error) {
	flow := s.Config.Flow
	switch {
	case p.name == "reopen":
		return flow.Initial, nil
	case p.as != "":
		if err := flow.Known(p.as); err != nil {
			return "", err
		}
		if !flow.IsClosed(p.as) {
			return "", usage("--as is %s, which is not a closed state", p.as).
				WithHint("one of %s; %s moves a task to any state", statesText(flow.Closed), record.CallTo("transition"))
		}
		return p.as, nil
	case flow.Done() == "":
		return "", usage("this workspace has no closed state that says that work is done").
			WithHint("cairn close ID --as STATE, with one of %s", statesText(flow.Closed))
	default:
		return flow.Done(), nil
	}
}

func statesText(states []record.Status) string {
	return strings.Join(verb.AsTexts(states), ", ")
}

// again makes the hint of a refusal by the checks gate end with the command that was typed: once what is missing was
// mended, it is to be typed again, and it runs the checks.
func (p closing) again(id string, err error) error {
	said := *asError(err)
	if said.Code != record.ChecksPending && said.Code != record.ChecksFailed {
		return err
	}
	call := record.CallTo(p.name, "", id)
	if p.as != "" {
		call = record.CallTo(p.name, "", id, "as", string(p.as))
	}
	hint := said.Hint
	if slices.ContainsFunc(hint.Calls(), func(c record.Call) bool { return c.Verb == "run_checks" }) {
		return said.WithHint("fix what the output shows, then %s", call)
	}
	return said.WithHint("%s; %s closes it then", hint, call)
}

// isClosed returns INVALID_INPUT for a task that is open.
func (p closing) isClosed(s *store.Store, id record.ID) error {
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
func (p closing) attest(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID, to record.Status) error {
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

func (p closing) attestOne(ctx context.Context, w *verb.Workspace, t task.Task, check int) error {
	own := *w
	own.Confirm = func(ctx context.Context, asks []task.Ask) error {
		yes, err := p.put(ctx, prompt{asks, "Does it hold? [y/n] ", []string{"y", "yes"}})
		if err != nil || yes {
			return err
		}
		return record.Errorf(record.ChecksPending, "not yet passed: %s", t.Checks[check].Desc).
			WithHint("do what is missing, then %s", record.CallTo("done", "", t.ID))
	}
	in := map[string]any{"id": t.ID, "check": strconv.Itoa(check), "pass": true}
	_, err := callVerb[any](ctx, &own, "attest", in)
	return verbCommand{program: p.program, verb: verbNamed("attest"), as: p.name}.called(err)
}
