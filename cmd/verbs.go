package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/proposals"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work/verb/pairs"
	"github.com/urfave/cli/v3"
)

// verbCommand is the command of a verb. Its arguments, flags and help follow from the verb's declaration.
type verbCommand struct {
	*program
	verb verb.Verb
	as   string                // the command that stands for the verb, which errors name; "" for the verb's own
	may  func(id string) error // what a command that stands for the verb asks of each record first; nil for nothing

	refused func(id string, err error) error // what such a command says of a refusal; nil for what the verb says
}

func (p verbCommand) command() *cli.Command {
	v := p.verb
	out := &cli.Command{
		Name:        p.name(),
		Aliases:     p.aliases(),
		Usage:       v.Summary,
		ArgsUsage:   argsUsage(v),
		Description: description(v),
		Category:    v.Group,
		Hidden:      v.Noun != "", // it is shown under its noun
		Flags:       append(flags(v), furtherFlags(v)...),
		Action:      p.run,
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
	for _, c := range p.further(p.noun) {
		out.Commands = append(out.Commands, c)
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	out.Usage, out.ArgsUsage = "Has the commands "+strings.Join(names, ", ")+".", "COMMAND"
	if about := aboutNoun(p.noun); about != "" { // a program that embeds cairn has nouns of its own
		out.Usage = about + " (" + strings.Join(names, ", ") + ")."
	}
	if p.noun == pairs.Noun {
		pairCommand{p.program}.complete(out)
	}
	return out
}

// aboutNoun says what the commands below a noun are about.
func aboutNoun(noun string) string {
	return map[string]string{
		"decision":  "Record what was decided and why, and find it again",
		"feedback":  "Say where cairn itself gets in the way, and see what became of it",
		"handoff":   "Ask things of people and of other agents, and answer them",
		"job":       "Run programs on tasks, each in a work tree of its own, and follow them",
		"knowledge": "Keep notes of what was learned, and find them by words or by meaning",
		pairs.Noun:  "Work on a task together with an agent, in a work tree of its own",
		"project":   "Find and make the workspaces of this machine",
		"ref":       "Keep references of a record: commits, pull requests, links and files",
		"remote":    "Let claims hold among all clones of a git remote, and see who holds what",
		"repo":      "Keep the list of the repositories that tasks are about",
		"review":    "Look at the work on a task, send it back, or merge it and close the task",
		"skill":     "Keep procedures that agents follow",
		"worktree":  "See the git work trees of tasks, and remove those that are done with",
	}[noun]
}

// further are the commands below a noun that are no verbs.
func (p *program) further(noun string) []*cli.Command {
	switch noun {
	case "skill":
		return []*cli.Command{skillSyncCommand{p}.command()}
	case "job":
		return append(p.jobCommands(), superviseCommand{p}.command())
	case "remote":
		return []*cli.Command{keepCommand{p}.command()}
	case "review":
		return p.reviewCommands()
	default:
		return nil
	}
}

// run runs if no command follows the noun.
func (p nounCommand) run(_ context.Context, c *cli.Command) error {
	if c.Args().Len() == 0 {
		if p.noun == pairs.Noun {
			return usage("needs the id of a task, or a command").WithHint("cairn pair ID opens a pair on a task; cairn help %s lists the commands", p.noun)
		}
		return usage("needs a command behind it").WithHint("cairn help %s lists them", p.noun)
	}
	var names []string
	for _, sub := range c.Commands {
		names = append(names, sub.Name)
	}
	e := usage("there is no command %q", p.noun+" "+c.Args().First())
	if ours := guessedBelow(p.noun, c.Args().First()); ours != "" {
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

// guessedBelow is the command that does what people mean by a word behind a noun; "" for a word of which nothing is
// known.
func guessedBelow(noun, word string) string {
	if ours, ok := guessedOfJobs(word)[noun]; ok {
		return ours
	}
	if slices.Contains([]string{"job", "project", "repo", "review", "worktree", pairs.Noun}, noun) {
		return "" // what follows is about records
	}
	return map[string]string{
		"get": "cairn get ID reads a record of any kind", "show": "cairn get ID reads a record of any kind", "view": "cairn get ID reads a record of any kind",
		"accept": "cairn decision set-status ID accepted", "reject": "cairn decision set-status ID rejected",
		"edit":    "cairn update ID changes labels or state of any record, cairn knowledge write --id ID a note",
		"comment": "cairn note ID TEXT comments on a record of any kind", "note": "cairn note ID TEXT comments on a record of any kind",
		"history": "cairn history ID lists who did what to a record of any kind", "answer": "cairn handoff respond ID answers a handoff",
	}[word]
}

// guessedOfJobs is, by noun, the command about jobs, reviews, work trees, projects and repositories that does what
// people mean by a word.
func guessedOfJobs(word string) map[string]string {
	const (
		remove  = "cairn worktree remove ID removes one; cairn worktree list says why the others stay"
		diff    = "cairn review show ID --diff"
		begin   = "cairn job start ID --executor NAME"
		end     = "cairn job cancel JOB"
		follow  = "cairn job logs JOB -f"
		made    = "cairn job start and cairn pair make the work tree of a task"
		listing = "cairn list --status in_review lists the tasks in review, cairn review show ID shows one"
		endPair = "cairn pair close ID"
	)
	return map[string]map[string]string{
		"run": {"job": begin}, "new": {"job": begin, "worktree": made}, "create": {"job": begin, "worktree": made, "review": "cairn job start ID does the work that is reviewed", "repo": "cairn repo register --path FOLDER"},
		"stop": {"job": end, "pair": endPair}, "kill": {"job": end, "pair": endPair}, "end": {"job": end, "pair": endPair}, "delete": {"job": end + " ends one, its folder stays", "worktree": remove},
		"watch": {"job": follow}, "follow": {"job": follow}, "tail": {"job": follow}, "log": {"job": follow}, "wait": {"job": "cairn job poll JOB --wait"},
		"get": {"job": "cairn job show JOB"}, "view": {"job": "cairn job show JOB", "review": "cairn review show ID"}, "status": {"job": "cairn job show JOB", "review": "cairn review show ID", "pair": "cairn pair read ID"},
		"restart": {"job": "cairn job retry JOB"}, "resume": {"job": "cairn job retry JOB"}, "diff": {"job": "cairn job show JOB patch.diff", "review": diff},
		"accept": {"review": "cairn review approve ID"}, "close": {"review": "cairn review merge ID closes the task with its merge"}, "list": {"review": listing},
		"show":  {"pair": "cairn pair read ID", "worktree": "cairn worktree list ID", "project": "cairn project list", "repo": "cairn repo list"},
		"start": {"pair": "cairn pair ID"}, "add": {"worktree": made, "repo": "cairn repo register --path FOLDER"}, "prune": {"worktree": remove}, "rm": {"worktree": remove},
		"switch": {"project": "cairn project open PROJECT"}, "init": {"project": "cairn project create FOLDER"},
	}[word]
}

// furtherFlags are the flags of a verb's command that are nothing of the verb: how this program carries it out.
func furtherFlags(v verb.Verb) []cli.Flag {
	switch v.Name {
	case "job_start":
		return startFlags()
	case "create":
		return addFlags()
	default:
		return nil
	}
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

// argsUsage names the positional arguments, as in "ID [TEXT]".
func argsUsage(v verb.Verb) string {
	var words []string
	for _, f := range v.Fields() {
		if !f.Arg {
			continue
		}
		word := argName(f)
		if f.Many {
			word += "..."
		}
		if !f.Required {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// argName is what help calls a positional argument.
func argName(f verb.Field) string {
	if f.File {
		return "FILE"
	}
	if f.Names == "session" && f.Type == verb.Text {
		return "SESSION|TASK"
	}
	return strings.ToUpper(f.Name)
}

// description says when to use a verb, and what the file that it takes contains.
func description(v verb.Verb) string {
	for _, f := range v.Fields() {
		if !f.File {
			continue
		}
		var names []string
		for _, sub := range f.Fields {
			names = append(names, sub.Name)
		}
		text := fmt.Sprintf("%s\n%s is a list of %s in YAML or JSON, and - is standard input. One has %s.",
			v.When, argName(f), f.Name, strings.Join(names, ", "))
		if f.Type == verb.Objects && f.Name == "tasks" {
			text += "\n\nFor example:\n\n" + proposals.Example
		}
		return text
	}
	return v.When
}

// run calls the verb with the input that the line describes, and prints the result.
func (p verbCommand) run(ctx context.Context, c *cli.Command) error {
	w, err := p.workspace(ctx, c)
	if err != nil {
		return err
	}
	if p.verb.Signs {
		if err := p.giveSigner(ctx, c, w); err != nil {
			return err
		}
	}
	in := newInput(p.program, c, p.verb)
	if err := in.read(ctx); err != nil {
		return err
	}
	if err := p.checkForm(ctx, p.verb); err != nil {
		return err
	}
	if p.verb.Name == "create" && (c.Bool("edit") || c.Bool("continue")) {
		return p.inEditor(ctx, w, in)
	}
	if p.verb.Kind != verb.Read && p.verb.Noun != "remote" {
		defer p.keepClaims(w)
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
	if err := in.missing(); err != nil {
		return err
	}
	out, err := p.callOnce(ctx, w, in)
	if preview, ok := out.(tasks.Undone); err == nil && ok && !preview.Done && p.asksHere() {
		p.renderer(p.verb).Show(out)
		if err := p.agree(ctx, "cairn undo "+string(preview.ID)+" --yes"); err != nil {
			return err
		}
		in.values["id"], in.values["confirm"] = string(preview.ID), true
		out, err = p.callOnce(ctx, w, in)
	}
	if err != nil {
		return in.from.located(err)
	}
	if p.verb.Exit != nil {
		p.exit = p.soften(p.verb.Exit(out))
	}
	return p.result(ctx, p.verb, w, out)
}

// asksHere reports whether a person can be asked on standard input.
func (p *program) asksHere() bool {
	_, ok := isTerminal(p.Stdin)
	return ok && !p.json && p.form == nil
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

// called gives an error of the verb the name of the command that stands for it.
func (p verbCommand) called(err error) error {
	var e *record.Error
	if p.as == "" || !errors.As(err, &e) || e.Op != p.verb.Name {
		return err
	}
	said := *e
	said.Op = p.as
	return &said
}

// readyCommand is the verb that lists tasks, with the filters for what can be started now.
type readyCommand struct{ *program }

func (p readyCommand) command() *cli.Command {
	c := &cli.Command{
		Name:     "ready",
		Usage:    "List the tasks that next would hand out, the most urgent first.",
		Category: "tasks",
		Action:   p.run,
	}
	for _, f := range p.fields() {
		c.Flags = append(c.Flags, flagsOf(f)...)
	}
	c.Flags = append(c.Flags, formFlags()...)
	return c
}

// fields are the further filters that ready takes.
func (p readyCommand) fields() []verb.Field {
	list, _ := catalogue.ListerOf("task")
	return slices.DeleteFunc(slices.Clone(list.Fields()), func(f verb.Field) bool {
		return !slices.Contains([]string{"label", "parent", "limit", "cursor"}, f.Name)
	})
}

func (p readyCommand) run(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	w, _, err := p.open(ctx, c)
	if err != nil {
		return err
	}
	list, _ := catalogue.ListerOf("task")
	in := newInput(p.program, c, list)
	in.values["ready"] = true
	for _, f := range p.fields() {
		if err := in.flag(ctx, f); err != nil {
			return err
		}
	}
	return verbCommand{program: p.program, verb: list}.call(ctx, w, in)
}

// noArguments returns an error if a command that takes no arguments was given one.
func noArguments(c *cli.Command) error {
	if c.Args().Len() > 0 {
		return usage("does not take the argument %q", c.Args().First()).WithHint("cairn help %s", strings.TrimPrefix(c.FullName(), "cairn "))
	}
	return nil
}
