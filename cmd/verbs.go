package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/proposals"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work/verb/pairs"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/remote"
	"github.com/urfave/cli/v3"
)

// verbCommand is the command of a verb. Its arguments, flags and help follow from the verb's declaration.
type verbCommand struct {
	*program
	verb verb.Verb
	as   string                // the command that stands for the verb, which errors name; "" for the verb's own
	may  func(id string) error // what a command that stands for the verb asks of each record first; nil for nothing

	sum string // what became of several that were not refused, for a line at the end; "" for none

	refused func(id string, err error) error // what such a command says of a refusal; nil for what the verb says
}

func (p verbCommand) command() *cli.Command {
	v := p.verb
	out := &cli.Command{
		Name:        p.name(),
		Aliases:     p.aliases(),
		Usage:       v.Summary,
		ArgsUsage:   argsUsage(v.Fields()),
		Description: description(v),
		Category:    v.Group,
		Hidden:      v.Noun != "", // it is shown under its noun
		Flags:       flagsOf(v.Fields()),
		Action:      p.run,
	}
	if v.Signs {
		out.Flags = append(out.Flags, signFlags()...)
	}
	out.Flags = append(append(withLetters(out.Flags, v.Kind), &cli.StringFlag{
		Name: "input", Local: true, Usage: "the whole input as JSON, from standard input, a file or this argument: `-|FILE|JSON`",
	}), formFlags()...)
	switch v.Name { // how this program carries it out is nothing of the verb
	case "job_start":
		out.Flags = append(out.Flags, flagsOf(verb.FieldsOf[startIn]())...)
	case "list":
		out.Flags = append(out.Flags, flagsOf(verb.FieldsOf[listIn]())...)
	case "create":
		out.Flags = append(out.Flags, flagsOf(verb.FieldsOf[addIn]())...)
	case "land":
		out.Flags = append(out.Flags, flagsOf(verb.FieldsOf[landIn]())...)
	}
	if v.Name == transfer.ImportName {
		importCommand{p}.complete(out)
	}
	return out
}

// nounCommand is a command that has the commands of several verbs below it: cairn decision, for cairn decision log and
// others.
type nounCommand struct {
	*program
	noun string
}

func (p nounCommand) command() *cli.Command {
	out := &cli.Command{Name: p.noun, Action: p.run}
	var names []string
	for _, v := range catalogue.All {
		if v.Noun != p.noun {
			continue
		}
		c := verbCommand{program: p.program, verb: v}.command()
		c.Name, c.Aliases, c.Category, c.Hidden = strings.TrimPrefix(v.Command(), p.noun+" "), nil, "", false
		if c.Name != "list" && (v.Lists != "" || c.Name == "query") {
			c.Aliases = []string{"list"}
		}
		out.Category, out.Commands, names = v.Group, append(out.Commands, c), append(names, c.Name)
	}
	for _, c := range below(p.noun) {
		sub := c.make(p.program)
		out.Commands = append(out.Commands, sub)
		if !sub.Hidden {
			names = append(names, sub.Name)
		}
	}
	out.Usage, out.ArgsUsage = "Has the commands "+strings.Join(names, ", ")+".", "COMMAND"
	if about := aboutNoun(p.noun); about != "" { // a program that embeds cairn has nouns of its own
		out.Usage = about + " (" + strings.Join(names, ", ") + ")."
	}
	switch p.noun {
	case pairs.Noun:
		pairCommand{p.program}.complete(out)
	case "review":
		list := verbCommand{program: p.program, verb: verbNamed("review_list")}
		out.ArgsUsage = "[COMMAND]"
		out.Action = func(ctx context.Context, c *cli.Command) error {
			if c.Args().Len() > 0 {
				return p.run(ctx, c)
			}
			return list.run(ctx, c)
		}
	}
	return out
}

// aboutNoun says what the commands below a noun are about.
func aboutNoun(noun string) string { return guess("nouns", noun) }

func (p nounCommand) run(_ context.Context, c *cli.Command) error {
	if c.Args().Len() == 0 {
		if p.noun == pairs.Noun {
			return usage("needs the id of a task, or a command").WithHint("cairn pair ID opens a pair on a task; cairn help %s lists the commands", p.noun)
		}
		return usage("needs a command behind it").WithHint("cairn help %s lists them", p.noun)
	}
	names := record.Each(c.Commands, func(sub *cli.Command) string { return sub.Name })
	e := usage("there is no command %q", p.noun+" "+c.Args().First())
	if ours := guessBehind(p.noun, c.Args().First()); ours != "" {
		return e.WithHint("%s; cairn help %s lists the others", ours, p.noun)
	}
	if show := c.Command("show"); show != nil && strings.ContainsAny(c.Args().First(), "-0123456789") {
		return e.WithHint("cairn %s show %s shows one", p.noun, c.Args().First())
	}
	if near := verb.Nearest(c.Args().First(), names); near != "" {
		return e.WithHint("did you mean cairn %s %s? cairn help %s lists them", p.noun, near, p.noun)
	}
	return e.WithHint("cairn help %s lists them", p.noun)
}

func (p verbCommand) name() string { return verb.CommandName(p.verb.Name) }

// aliases are the other names of the command: those that the verb declares, and its own if the command has dashes for
// underscores.
func (p verbCommand) aliases() []string {
	out := slices.Clone(p.verb.Aliases)
	if p.name() != p.verb.Name {
		out = append(out, p.verb.Name)
	}
	return out
}

func description(v verb.Verb) string {
	for _, f := range v.Fields() {
		if !f.File {
			continue
		}
		names := record.Each(f.Fields, func(sub verb.Field) string { return sub.Name })
		text := fmt.Sprintf("%s\n%s is a list of %s in YAML or JSON, and - is standard input. One has %s.",
			v.When, argName(f), f.Name, strings.Join(names, ", "))
		if f.Type == verb.Objects && f.Name == "tasks" {
			text += "\n\nFor example:\n\n" + proposals.Example
		}
		return text
	}
	return v.When
}

func (p verbCommand) run(ctx context.Context, c *cli.Command) error {
	l := &call{program: p.program, line: c}
	defer l.suggestJoin(ctx)
	w, err := l.workspace(ctx)
	if err == nil && p.verb.Signs {
		err = l.giveSigner(ctx, w)
	}
	if err == nil && p.verb.Kind == verb.Run {
		w.Pipeline, err = p.pipeline(p.verb.Command())
	}
	if err != nil {
		return err
	}
	in := newInput(p.program, c, p.verb.Fields())
	if err := in.read(ctx); err != nil {
		return err
	}
	source := c.String("input")
	w.Handed = in.from != nil || source != "" && !isInline(source)
	if err := p.checkForm(ctx, p.verb); err != nil {
		return err
	}
	if p.verb.Name == "create" && (c.Bool("edit") || c.Bool("discard")) {
		return p.inEditor(ctx, w, in)
	}
	if p.verb.Name == "wait" {
		defer asksBeside(ctx, p.program, w)()
	}
	if p.verb.Kind != verb.Read && p.verb.Noun != "remote" {
		defer keepClaims(p.program, w)
	}
	return p.call(ctx, w, in)
}

// call calls the verb, prints the result, and sets the exit number.
func (p verbCommand) call(ctx context.Context, w *verb.Workspace, in *input) error {
	if err := p.checkForm(ctx, p.verb); err != nil {
		return err
	}
	if len(in.each) > 1 && p.verb.Name == "update" { // it changes several itself, all or none
		delete(in.values, in.several)
		in.values["ids"], in.each = in.each, nil
	}
	if len(in.each) > 1 {
		return p.callEach(ctx, w, in)
	}
	if err := in.completeIDs(ctx, w); err != nil {
		return err
	}
	if err := in.missing(ctx); err != nil {
		return err
	}
	if p.verb.Name == "land" && in.line.Bool(watchFlag) {
		return p.watchLanding(ctx, w, in)
	}
	out, err := p.callOnce(ctx, w, in)
	if preview, ok := out.(tasks.Undone); err == nil && ok && !preview.Done && p.asksHere() {
		p.renderer(p.verb).Show(out)
		var ids []string
		for _, one := range append(preview.Before, preview) {
			ids = append(ids, string(one.ID))
		}
		if err := p.agree(ctx, false, "cairn undo --yes"); err != nil {
			return err
		}
		delete(in.values, "id")
		in.values["ids"], in.values["confirm"] = ids, true
		out, err = p.callOnce(ctx, w, in)
	}
	if closed, ok := out.(pairs.Pair); err == nil && ok && closed.Uncommitted && p.asksHere() {
		out, err = p.offerCommit(ctx, w, in, closed)
	}
	if err != nil {
		return in.from.located(err)
	}
	if p.verb.Exit != nil {
		p.exit = p.soften(p.verb.Exit(out))
	}
	return p.result(ctx, p.verb, w, out)
}

// asksHere reports whether a person can be asked on standard input. A CI that has a terminal has nobody there.
func (p *program) asksHere() bool {
	_, ok := terminal.Is(p.Stdin)
	return ok && !p.json && p.form == nil && p.Getenv("CI") == ""
}

// callOnce calls the verb with the values of an input, whose ids are complete.
func (p verbCommand) callOnce(ctx context.Context, w *verb.Workspace, in *input) (any, error) {
	if err := in.fillOwn(w); err != nil {
		return nil, err
	}
	if id, ok := in.values["id"].(string); ok && p.may != nil {
		if err := p.may(id); err != nil {
			return nil, named(err, p.as)
		}
	}
	raw, err := json.Marshal(in.values)
	if err != nil {
		return nil, usage("the input does not make JSON: %v", err)
	}
	out, err := p.verb.Call(ctx, w, raw)
	if id, ok := in.values["id"].(string); ok && err != nil && p.refused != nil {
		err = p.refused(id, err)
	}
	return out, p.called(err)
}

func (p verbCommand) called(err error) error {
	if e, ok := errors.AsType[*record.Error](err); ok && p.as != "" && e.Op == p.verb.Name {
		return amended(e, func(e *record.Error) { e.Op = p.as })
	}
	return err
}

// readyCommands are the verb that lists tasks, with the filters for what can be started now.
func readyCommands() []command {
	return []command{declare(command{
		name: "ready", usage: "List the tasks that next would hand out, the most urgent first.", group: "tasks",
		prints: "list", takes: someFields("list", "label", "parent", "limit", "cursor"),
	}, func(ctx context.Context, c *call, _ nothing) error {
		w, _, err := c.open(ctx)
		if err != nil {
			return err
		}
		return c.standFor(ctx, w, verbCommand{verb: verbNamed("list")}, map[string]any{"ready": true})
	})}
}

// severalDone is the JSON of a command that was given several ids: what became of each. A task is a row under tasks, as
// lists have it; what is none, such as a handoff or what was deleted, is under records as the verb returns it. Errors
// are those of the ones that were refused.
type severalDone struct {
	verb.Several
	Records []any                   `json:"records,omitempty"`
	Errors  []catalogue.FailureBody `json:"errors,omitempty"`
}

// outcome is what became of one call.
type outcome struct {
	out any
	err error
}

// callEach does the verb for each id of the line in turn, tells of each what became of it, in that order, and exits with
// the number of the first failure. The ids are looked up before anything is done: where a word of the line names no
// record, nothing is done. A git remote is asked for all of them at once.
func (p verbCommand) callEach(ctx context.Context, w *verb.Workspace, in *input) error {
	each, err := p.looked(ctx, w, in)
	if err != nil {
		return err
	}
	done := severalDone{Several: verb.Several{Tasks: []verb.Row{}}}
	first, told := 0, 0
	outcomes := make([]*outcome, len(each)) // nil for a call that is not over
	remote.Together(ctx, len(each), func(ctx context.Context, i int) {
		if ctx.Err() != nil {
			return
		}
		out, err := p.callOnce(ctx, w, each[i])
		outcomes[i] = &outcome{out, err}
		for ; told < len(each) && outcomes[told] != nil; told++ {
			exit := p.tell(ctx, &done, outcomes[told].out, outcomes[told].err)
			first = cmp.Or(first, exit)
		}
	})
	p.exit = first
	if p.collects() {
		return p.result(ctx, p.verb, w, done)
	}
	if p.sum != "" {
		well := slices.DeleteFunc(outcomes, func(o *outcome) bool { return o == nil || o.err != nil })
		p.printf("%d of %d %s\n", len(well), len(each), p.sum)
	}
	return nil
}

// collects reports whether what becomes of several is printed as one result: as JSON, or as what a program of jq makes
// of that.
func (p verbCommand) collects() bool { return p.json || p.form != nil && p.form.Whole() }

// looked makes an input for each of the ids of the line, once all of them were found. A record that is named twice has
// one.
func (p verbCommand) looked(ctx context.Context, w *verb.Workspace, in *input) ([]*input, error) {
	s, err := w.Open()
	if err != nil {
		return nil, err
	}
	var each []*input
	seen := map[any]bool{}
	for _, id := range in.each {
		one := newInput(p.program, in.line, in.fields)
		one.each = in.each
		maps.Copy(one.values, in.values)
		one.values[in.several] = id
		if key, ok := one.values["idempotency_key"].(string); ok && key != "" {
			one.values["idempotency_key"] = key + " " + id
		}
		err := one.completeIDs(ctx, w)
		if whole, _ := one.values[in.several].(string); err == nil && p.verb.Name != "restore" { // that is about what is not there
			_, _, err = kind.Find(s, whole)
		}
		if err != nil {
			return nil, verb.OffersTake(s, withQuoteHint(err))
		}
		if whole := one.values[in.several]; !seen[whole] {
			seen[whole], each = true, append(each, one)
		}
	}
	return each, nil
}

// tell prints what became of one of several, or keeps it for the JSON of all, and returns the exit number.
func (p verbCommand) tell(ctx context.Context, done *severalDone, out any, err error) int {
	switch {
	case err != nil && !p.json:
		return p.report(ctx, err)
	case err != nil:
		e := asError(err)
		done.Errors = append(done.Errors, catalogue.FailureOf(e, verb.Rights{Profile: verb.Maintainer}, catalogue.CommandLine).Error)
		return p.exitOf(e)
	case !p.collects():
		if err := p.result(ctx, p.verb, nil, out); err != nil {
			return p.report(ctx, err)
		}
	}
	if t, ok := out.(verb.Task); ok {
		done.Tasks = append(done.Tasks, t.Row)
	} else {
		done.Records = append(done.Records, out)
	}
	if p.verb.Exit != nil {
		return p.soften(p.verb.Exit(out))
	}
	return 0
}

// withQuoteHint adds to an error about a word that names nothing that nothing was done, and that a text is quoted.
func withQuoteHint(err error) error {
	e, ok := errors.AsType[*record.Error](err)
	if !ok || e.Code != record.NotFound {
		return err
	}
	other := *e
	return other.WithHint("nothing was done; a text that has spaces is quoted, and cairn list shows the ids")
}
