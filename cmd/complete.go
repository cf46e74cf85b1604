package cmd

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/catalogue"
	"github.com/urfave/cli/v3"
)

const (
	completionTime  = time.Second // a shell waits for it
	completionsMost = 100         // candidates that are offered at once
	aboutMost       = 60          // characters about one of them
)

// candidate is something that can stand at the end of a line, and a few words about it.
type candidate struct{ value, about string }

// completer finds candidates. It reads the workspace and does nothing else: it runs no command, asks git nothing, and writes
// nothing. What cannot be read has no candidates, since a shell that is completing has no place for messages.
type completer struct {
	p       *program
	ctx     context.Context //nolint:containedctx // of the one line that is completed
	root    *cli.Command
	command *cli.Command      // that is being typed, once it is known
	args    []string          // its arguments before the word that is being typed
	said    map[string]string // flags with the values that they have
	store   *store.Store      // nil where there is no workspace
}

// completeLine prints what can stand at the end of a line, one candidate a line.
func (p *program) completeLine(ctx context.Context, shell, line, breaks string) {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	escape := '\\'
	if shells[shell] == "ps1" {
		escape = '`'
	}
	typed := readLine(line, escape)
	words, ours := typed.afterProgram()
	if !ours || typed.file {
		return
	}
	c := &completer{p: p, ctx: ctx, root: p.root(), said: map[string]string{}}
	word := words[len(words)-1]
	for _, found := range fitting(c.candidates(words[:len(words)-1], word), word) {
		about := clipWords(harmless.Line(found.about), aboutMost)
		switch {
		case shell == "bash":
			kept := brokenAt(word, breaks)
			if kept > 0 && !strings.HasPrefix(found.value, word) {
				continue
			}
			if value, ok := forBash(found.value[kept:], typed.open); ok {
				p.printf("%s\n", value)
			}
		case about == "":
			p.printf("%s\n", found.value)
		default:
			p.printf("%s\t%s\n", found.value, about)
		}
	}
}

// fitting are the candidates that begin as the word does; if there are none, the only one that the word is part of. A value
// that could not be shown is never offered.
func fitting(all []candidate, word string) []candidate {
	var begins, holds []candidate
	for _, one := range all {
		switch {
		case one.value == "" || harmless.Line(one.value) != one.value:
		case strings.HasPrefix(one.value, word):
			begins = append(begins, one)
		case strings.Contains(strings.ToLower(one.value), strings.ToLower(word)):
			holds = append(holds, one)
		}
	}
	if len(begins) == 0 && len(holds) == 1 {
		return holds
	}
	return begins[:min(len(begins), completionsMost)]
}

// brokenAt is how much of the word bash keeps: it replaces only what follows the last of the characters that break words.
func brokenAt(word, breaks string) int {
	for _, quote := range " \t\n\"'><=;|&(:" {
		if !strings.ContainsRune("=:", quote) {
			breaks = strings.ReplaceAll(breaks, string(quote), "")
		}
	}
	return strings.LastIndexAny(word, breaks) + 1
}

// forBash writes a value so that bash takes it for what it says. Inside quotes only plain text is offered.
func forBash(value string, open bool) (string, bool) {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=+,@%"
	if open {
		return value, strings.Trim(value, plain+" ") == ""
	}
	var b strings.Builder
	for _, r := range value {
		if r < 0x80 && !strings.ContainsRune(plain, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

func clipWords(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// candidates are what can stand behind the words.
func (c *completer) candidates(before []string, word string) []candidate {
	var flag string // whose value comes next
	onlyArgs := false
	for _, w := range before {
		switch {
		case flag != "":
			c.said[flag], flag = w, ""
		case onlyArgs || !strings.HasPrefix(w, "-") || w == "-":
			if c.command == nil {
				if c.command = c.root.Command(w); c.command == nil {
					return nil
				}
				continue
			}
			c.args = append(c.args, w)
		case w == "--":
			onlyArgs = true
		default:
			name, value, given := strings.Cut(strings.TrimLeft(w, "-"), "=")
			if c.takesValue(name) && !given {
				flag = name
			} else {
				c.said[name] = value
			}
		}
	}
	switch {
	case flag != "":
		return c.values(flag)
	case !onlyArgs && strings.HasPrefix(word, "-"):
		name, _, given := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if given {
			return prefixed(word[:strings.Index(word, "=")+1], c.values(name))
		}
		return c.flagNames()
	case c.command == nil:
		return c.commands()
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

func (c *completer) commands() []candidate {
	var out []candidate
	for _, sub := range c.root.Commands {
		if !sub.Hidden {
			out = append(out, candidate{sub.Name, sub.Usage})
		}
	}
	return out
}

// verbOf is the verb whose command is being typed.
func (c *completer) verbOf() (verb.Verb, bool) {
	for _, v := range catalogue.All {
		if c.command != nil && c.command.Name == commandName(v.Name) {
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
		for _, f := range v.Fields {
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
		return prefixed("task:", c.tasks())
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
		for _, f := range v.Fields {
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
	case c.command.Name == "help":
		return append(c.commands(), candidate{"exit-codes", "what the exit numbers mean"})
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

// records are the ways to find the ids that a field names, by their kind.
var records = map[string]func(*completer) []candidate{
	"task":    (*completer).tasks,
	"session": (*completer).sessions,
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
}

// field is what a field of a verb can be.
func (c *completer) field(f verb.Field) []candidate {
	if find := records[f.Names]; find != nil {
		return find(c)
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
	for _, s := range store.Settings {
		out = append(out, candidate{s.Key, s.Doc})
	}
	return out
}

// open opens the workspace that the line names, once.
func (c *completer) open() *store.Store {
	if c.store != nil {
		return c.store
	}
	dir := cmp.Or(c.said["C"], c.said["repo"], c.p.Getenv("CAIRN_REPO"), c.p.Dir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(c.p.Dir, dir)
	}
	s, err := store.Open(dir, c.p.stateDir())
	if err != nil {
		return nil
	}
	c.store = s
	return s
}

// tasks are the newest tasks, with their titles.
func (c *completer) tasks() []candidate {
	s := c.open()
	if s == nil {
		return nil
	}
	ids, err := s.Candidates("")
	if err != nil {
		return nil
	}
	return c.described(ids, func(id string) string {
		t, err := s.Get(task.ID(id))
		if err != nil {
			return ""
		}
		return t.Title
	})
}

// sessions are the newest sessions, with how they stand.
func (c *completer) sessions() []candidate {
	s := c.open()
	if s == nil {
		return nil
	}
	ids, err := s.SessionCandidates("")
	if err != nil {
		return nil
	}
	return c.described(ids, func(id string) string {
		ses, err := s.Session(id)
		if err != nil {
			return ""
		}
		return string(ses.Status) + " " + string(ses.Actor) + " " + string(ses.Task)
	})
}

// described offers ids, the newest first. What is said about one is read for as many as are shown, while there is time.
func (c *completer) described(ids []string, about func(id string) string) []candidate {
	out := make([]candidate, 0, len(ids))
	for i, id := range slices.Backward(ids) {
		one := candidate{value: id}
		if len(ids)-i <= completionsMost && c.ctx.Err() == nil {
			one.about = about(id)
		}
		out = append(out, one)
	}
	return out
}

func (c *completer) proposals() []candidate {
	s := c.open()
	if s == nil {
		return nil
	}
	all, err := s.Proposals()
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
	s := c.open()
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
	s := c.open()
	if s == nil || len(c.args) == 0 {
		return nil
	}
	id, err := s.Resolve(c.args[0])
	if err != nil {
		return nil
	}
	t, err := s.Get(id)
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

// newest reads the newest tasks, as far as there is time.
func (c *completer) newest(fn func(task.Task)) {
	s := c.open()
	if s == nil {
		return
	}
	ids, err := s.Candidates("")
	if err != nil {
		return
	}
	for _, id := range ids[max(0, len(ids)-2*completionsMost):] {
		if c.ctx.Err() != nil {
			return
		}
		if t, err := s.Get(task.ID(id)); err == nil {
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

// actors are those that the newest tasks name.
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
