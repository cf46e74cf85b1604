package cmd

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/job/executor"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/record"
	"github.com/cairn-tasks/cairn/store/templates"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/catalogue"
	"github.com/cairn-tasks/cairn/verb/guide"
	"github.com/cairn-tasks/cairn/verb/skills"
	"github.com/urfave/cli/v3"
)

// candidate is a word that can stand at the end of a line, and a few words about it.
type candidate struct{ value, about string }

// completer finds candidates. It only reads the workspace: it runs no command, not even git, and writes nothing. What cannot be
// read has no candidates, since a shell shows no messages while it completes.
type completer struct {
	*program
	ctx     context.Context //nolint:containedctx // of the one line that is completed
	root    *cli.Command
	command *cli.Command      // that is being typed, once it is known
	noun    string            // that it stands below, or ""
	args    []string          // its arguments before the word that is being typed
	given   map[string]string // flags on the line, with their values
	store   *store.Store      // nil where there is no workspace
}

// candidates are the words that can follow those before.
func (c *completer) candidates(before []string, word string) []candidate {
	var flag string // whose value comes next
	onlyArgs := false
	for _, w := range before {
		switch {
		case flag != "":
			c.given[flag], flag = w, ""
		case onlyArgs || !strings.HasPrefix(w, "-") || w == "-":
			if c.command == nil {
				if c.command = c.root.Command(w); c.command == nil {
					return nil
				}
				continue
			}
			if sub := c.command.Command(w); sub != nil && c.noun == "" && len(c.args) == 0 && slices.Contains(catalogue.Nouns(), c.command.Name) {
				c.noun, c.command = c.command.Name, sub
				continue
			}
			c.args = append(c.args, w)
		case w == "--":
			onlyArgs = true
		default:
			name, value, hasValue := strings.Cut(strings.TrimLeft(w, "-"), "=")
			if c.takesValue(name) && !hasValue {
				flag = name
			} else {
				c.given[name] = value
			}
		}
	}
	switch {
	case flag != "":
		return c.values(flag)
	case !onlyArgs && strings.HasPrefix(word, "-"):
		name, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if hasValue {
			return prefixed(word[:strings.Index(word, "=")+1], c.values(name))
		}
		return c.flagNames()
	case c.command == nil:
		return c.commandNames()
	default:
		return c.argument()
	}
}

func prefixed(prefix string, all []candidate) []candidate {
	for i := range all {
		all[i].value = prefix + all[i].value
	}
	return all
}

func (c *completer) flags() []cli.Flag {
	if c.command == nil {
		return c.root.Flags
	}
	return slices.Concat(c.command.Flags, c.root.Flags)
}

func (c *completer) takesValue(name string) bool {
	for _, f := range c.flags() {
		if _, isBool := f.(*cli.BoolFlag); slices.Contains(f.Names(), name) {
			return !isBool
		}
	}
	return false
}

func (c *completer) flagNames() []candidate {
	var out []candidate
	for _, f := range c.flags() {
		about := ""
		if docs, ok := f.(cli.DocGenerationFlag); ok {
			about = strings.ReplaceAll(docs.GetUsage(), "`", "")
		}
		out = append(out, candidate{dashed(f.Names()[0]), about})
	}
	return append(out, candidate{"--help", "explain the command"})
}

func (c *completer) commandNames() []candidate { return namesOf(c.root.Commands) }

func namesOf(commands []*cli.Command) []candidate {
	var out []candidate
	for _, sub := range commands {
		if !sub.Hidden {
			out = append(out, candidate{sub.Name, sub.Usage})
		}
	}
	return out
}

// verbOf is the verb whose command is being typed.
func (c *completer) verbOf() (verb.Verb, bool) {
	if c.command == nil {
		return verb.Verb{}, false
	}
	name := strings.TrimSpace(c.noun + " " + c.command.Name)
	for _, v := range catalogue.All {
		if name == v.Command() || c.noun == "" && name == verb.CommandName(v.Name) {
			return v, true
		}
	}
	return verb.Verb{}, false
}

// values are what a flag can be set to.
func (c *completer) values(flag string) []candidate {
	if flag == "actor" && c.command == nil {
		return c.actors()
	}
	if v, ok := c.verbOf(); ok {
		for _, f := range v.Fields() {
			if f.Flag == flag {
				return c.field(f)
			}
		}
	}
	switch flag {
	case "actor":
		return c.actors()
	case "profile":
		return words("viewer", "planner", "pair_worker", "operator", "maintainer")
	case "scope":
		return prefixed("task:", c.records(record.Tasks.Kind))
	case "fail-on":
		var out []candidate
		for _, s := range proof.Severities {
			out = append(out, candidate{value: string(s)})
		}
		return out
	}
	return nil
}

// argument is what can stand as the next argument of the command.
func (c *completer) argument() []candidate {
	if v, ok := c.verbOf(); ok {
		var args []verb.Field
		for _, f := range v.Fields() {
			if f.Arg {
				args = append(args, f)
			}
		}
		if len(c.args) < len(args) {
			return c.field(args[len(c.args)])
		}
		return nil
	}
	switch {
	case len(c.args) > 0:
	case c.noun == "" && slices.Contains(catalogue.Nouns(), c.command.Name):
		return namesOf(c.command.Commands)
	case c.command.Name == "help":
		return append(c.commandNames(), candidate{"exit-codes", "what the exit numbers mean"})
	case c.command.Name == "completion":
		return words(slices.Sorted(maps.Keys(shells))...)
	case c.command.Name == "setup":
		return words("merge-driver")
	}
	return nil
}

func words(values ...string) []candidate {
	out := make([]candidate, len(values))
	for i, value := range values {
		out[i].value = value
	}
	return out
}

// records are the newest records of a kind.
func (c *completer) records(k *record.Kind) []candidate {
	switch k {
	case record.Sessions.Kind:
		return c.recordsWith(k, func(v any) string {
			ses := v.(session.Session)
			return string(ses.Status) + " " + string(ses.Actor) + " " + string(ses.Task)
		})
	default:
		return c.recordsWith(k, func(v any) string { return k.Header(v).Title })
	}
}

// sources are the ways to find the values of a field.
var sources = map[verb.Source]func(*completer) []candidate{
	verb.FromStates:        (*completer).states,
	verb.FromActors:        func(c *completer) []candidate { return append(c.actors(), words("me", "unassigned")...) },
	verb.FromLabels:        (*completer).labels,
	verb.FromCommandChecks: func(c *completer) []candidate { return c.checks(false) },
	verb.FromManualChecks:  func(c *completer) []candidate { return c.checks(true) },
	verb.FromSettings:      func(*completer) []candidate { return settings() },
	verb.FromProposals:     (*completer).proposals,
	verb.FromTopics:        func(*completer) []candidate { return words(guide.Topics...) },
	verb.FromSkills:        (*completer).skills,
	verb.FromTemplates:     (*completer).templates,
	verb.FromJobs:          (*completer).jobs,
	verb.FromExecutors:     (*completer).executors,
}

// field is what a field of a verb can be.
func (c *completer) field(f verb.Field) []candidate {
	if k, ok := record.Named(f.Names); ok {
		return c.records(k)
	}
	if find := sources[f.From]; find != nil {
		return find(c)
	}
	var out []candidate
	for _, v := range f.Values {
		out = append(out, candidate{v.Text, v.About})
	}
	return out
}

func settings() []candidate {
	var out []candidate
	for _, s := range record.Settings {
		out = append(out, candidate{s.Key, s.Doc})
	}
	return out
}

// openStore opens the workspace that the line names, once. It returns nil if it cannot be opened.
func (c *completer) openStore() *store.Store {
	if c.store != nil {
		return c.store
	}
	dir := cmp.Or(c.given["C"], c.given["repo"], c.Getenv("CAIRN_REPO"), c.Dir)
	s, err := store.Open(c.abs(dir), c.stateDir())
	if err != nil {
		return nil
	}
	c.store = s
	return s
}

// recordsWith are the newest records of a kind, each with a few words about it.
func (c *completer) recordsWith(k *record.Kind, about func(any) string) []candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	ids, err := s.Candidates(k, "")
	if err != nil {
		return nil
	}
	return c.described(ids, func(id string) string {
		v, err := s.Read(k, id)
		if err != nil {
			return ""
		}
		return about(v)
	})
}

// described are ids, the newest first. The words about an id are read only for those that are shown, and while there is time.
func (c *completer) described(ids []string, about func(id string) string) []candidate {
	out := make([]candidate, 0, len(ids))
	for i, id := range slices.Backward(ids) {
		one := candidate{value: id}
		if len(ids)-i <= maxCandidates && c.ctx.Err() == nil {
			one.about = about(id)
		}
		out = append(out, one)
	}
	return out
}

func (c *completer) proposals() []candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	all, _, err := record.Proposals.List(context.Background(), s)
	if err != nil {
		return nil
	}
	var out []candidate
	for _, p := range all {
		if len(p.Made) == 0 {
			out = append(out, candidate{p.ID, p.Summary})
		}
	}
	return out
}

func (c *completer) states() []candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	var out []candidate
	for _, state := range s.Config.Flow.States {
		out = append(out, candidate{value: string(state)})
	}
	return out
}

// checks are the manual checks of the task that the line names, or its command checks, by index.
func (c *completer) checks(manual bool) []candidate {
	s := c.openStore()
	if s == nil || len(c.args) == 0 {
		return nil
	}
	id, err := s.Resolve(record.Tasks.Kind, c.args[0])
	if err != nil {
		return nil
	}
	t, err := record.Tasks.Get(s, task.ID(id))
	if err != nil {
		return nil
	}
	var out []candidate
	for i, check := range t.Checks {
		if check.Manual() == manual {
			out = append(out, candidate{strconv.Itoa(i), check.Desc})
		}
	}
	return out
}

// newest calls fn with the newest tasks, while there is time.
func (c *completer) newest(fn func(task.Task)) {
	s := c.openStore()
	if s == nil {
		return
	}
	ids, err := s.Candidates(record.Tasks.Kind, "")
	if err != nil {
		return
	}
	for _, id := range ids[max(0, len(ids)-2*maxCandidates):] {
		if c.ctx.Err() != nil {
			return
		}
		if t, err := record.Tasks.Get(s, task.ID(id)); err == nil {
			fn(t)
		}
	}
}

func (c *completer) labels() []candidate {
	seen := map[string]bool{}
	c.newest(func(t task.Task) {
		for _, label := range t.Labels {
			seen[label] = true
		}
	})
	return words(slices.Sorted(maps.Keys(seen))...)
}

// actors are the actors that the newest tasks name.
func (c *completer) actors() []candidate {
	seen := map[string]bool{}
	c.newest(func(t task.Task) {
		seen[string(t.Assignee)] = true
		for _, e := range t.Provenance {
			seen[string(e.Who)] = true
		}
	})
	delete(seen, "")
	return words(slices.Sorted(maps.Keys(seen))...)
}

// jobs are the newest jobs of the clone.
func (c *completer) jobs() []candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	all, err := s.Jobs().Peek()
	if err != nil {
		return nil
	}
	var out []candidate
	for _, one := range all[:min(len(all), maxCandidates)] {
		out = append(out, candidate{one.Spec.Job, fmt.Sprintf("%s %s by %s", one.Status.State, one.Spec.Task, one.Spec.Executor)})
	}
	return out
}

// executors are the executors of the user.
func (c *completer) executors() []candidate {
	table, err := executor.Load(c.configDir())
	if err != nil {
		return nil
	}
	return words(table.Names()...)
}

// skills are the skills of the workspace and of the user's shelf.
func (c *completer) templates() []candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	return words(templates.Names(s.Layout)...)
}

func (c *completer) skills() []candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	own, _, err := record.Skills.List(context.Background(), s)
	if err != nil {
		return nil
	}
	all, _, _ := skills.All(&verb.Workspace{ConfigDir: c.configDir()}, own)
	var out []candidate
	for _, k := range all {
		out = append(out, candidate{k.Ref.ID, k.Description})
	}
	return out
}
