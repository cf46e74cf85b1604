package complete

import (
	"reflect"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	files "github.com/cairn-tasks/cairn/internal/skills"
	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store/kind"
)

// What completes the arguments and flags of commands that are no verbs, beside the sources that fields of verbs name.
const (
	fromOpenTasks   verb.Source = "open tasks" // before the closed ones
	fromClosedTasks verb.Source = "closed tasks"
	fromClosed      verb.Source = "closed states"
	fromPlainActors verb.Source = "actors alone"
	fromClients     verb.Source = "clients"
	fromHelp        verb.Source = "help"
	fromToolsets    verb.Source = "toolsets"
	fromReports     verb.Source = "report=file"
	fromScopes      verb.Source = "scopes"
	fromKeys        verb.Source = "keys"
)

// scopes are what serve can be told to let be changed.
func (c *completer) scopes() []Candidate {
	c.word = strings.TrimPrefix(c.word, "task:")
	return prefixed("task:", c.tasks(false))
}

func from(s verb.Source) verb.Field { return verb.Field{From: s} }

func many(s verb.Source) verb.Field { return verb.Field{From: s, Many: true} }

// among is a field that is one of some words.
func among(values ...string) verb.Field {
	var f verb.Field
	for _, v := range values {
		f.Values = append(f.Values, verb.Value{Text: v})
	}
	return f
}

// commandArguments are the arguments of a command that is no verb.
func (c *completer) commandArguments() []verb.Field {
	switch c.path {
	case "done", "close":
		return []verb.Field{many(fromOpenTasks)}
	case "reopen":
		return []verb.Field{many(fromClosedTasks)}
	case "edit", "pair", "review approve", "review reject", "review rebase", "review merge", "review pr", "review show":
		return []verb.Field{from(fromOpenTasks)}
	case "import":
		return []verb.Field{from(verb.FromImportSources)}
	case "setup":
		return []verb.Field{many(fromClients)}
	case "help":
		return []verb.Field{from(fromHelp), from(fromHelp), from(fromHelp)}
	case "completion":
		return []verb.Field{among(c.Shells...)}
	case "job show":
		return []verb.Field{from(verb.FromJobs), among(jobFiles()...)}
	case "job logs", "job retry":
		return []verb.Field{from(verb.FromJobs)}
	case "trust signer add", "trust signer remove":
		return []verb.Field{from(fromPlainActors)}
	}
	return nil
}

// commandFlag is what a flag can be set to that belongs to no field of a verb.
func (c *completer) commandFlag(flag string) (verb.Field, bool) {
	switch c.path {
	case "ready", "export", "board":
		list, _ := catalogue.ListerOf(kind.Tasks.Name)
		for _, f := range list.Fields() {
			if f.Flag == flag {
				return f, true
			}
		}
	}
	switch strings.TrimSpace(c.path + " --" + flag) {
	case "close --as":
		return from(fromClosed), true
	case "export --format":
		return among(transfer.Formats...), true
	case "check --format":
		return among(reportFormats()...), true
	case "check --output":
		return from(fromReports), true
	case "check --fail-on":
		return among(severities()...), true
	case "serve --profile":
		return among("viewer", "planner", "pair_worker", "operator", "maintainer"), true
	case "serve --scope":
		return from(fromScopes), true
	case "serve --toolsets":
		return from(fromToolsets), true
	case "pair --in":
		return among(c.Places...), true
	case "skill sync --folder":
		return among(files.Further...), true
	case "trust --in-repo":
		return from(verb.FromRepos), true
	}
	switch flag {
	case "fields":
		return from(fromKeys), true
	case "actor":
		return from(fromPlainActors), true
	case "executor":
		return from(verb.FromExecutors), true
	case "label":
		return from(verb.FromLabels), true
	}
	for _, name := range []string{"review_apply", "transition"} { // whose flags other commands have too
		v, _ := catalogue.Named(name)
		for _, f := range v.Fields() {
			if f.Flag == flag && !f.Arg && (f.From != "" || f.Names != "" || f.Values != nil) {
				return f, true
			}
		}
	}
	return verb.Field{}, false
}

// jobFiles are the names of the files that a job can leave.
func jobFiles() []string {
	var out []string
	for _, a := range job.Artifacts {
		out = append(out, a.Name)
	}
	return out
}

func severities() []string {
	var out []string
	for _, s := range proof.Severities {
		out = append(out, string(s))
	}
	return out
}

func reportFormats() []string {
	var out []string
	for _, f := range report.Formats() {
		out = append(out, string(f))
	}
	return out
}

func withEquals(names []string) []Candidate {
	var out []Candidate
	for _, name := range names {
		out = append(out, Candidate{name + "=", "and the name of a file"})
	}
	return out
}

// toolsets are those that serve can offer.
func (c *completer) toolsets() []Candidate {
	var names []string
	for _, one := range verb.AllToolsets() {
		names = append(names, string(one))
	}
	if !strings.Contains(c.word, ",") {
		names = append(names, "all")
	}
	return c.oneMore(names)
}

// oneMore completes the last of names that stand on the line with commas between them.
func (c *completer) oneMore(names []string) []Candidate {
	at := strings.LastIndex(c.word, ",") + 1
	head := c.word[:at]
	c.word = c.word[at:]
	names = slices.DeleteFunc(names, func(one string) bool { return slices.Contains(strings.Split(head, ","), one) })
	return prefixed(head, words(names...))
}

// keys are those that the rows of the command's results have.
func (c *completer) keys() []Candidate {
	var names []string
	for _, result := range c.resultsOf() {
		row, _ := verb.RowType(result)
		for _, key := range verb.KeysOf(row) {
			if !slices.Contains(names, key.Name) {
				names = append(names, key.Name)
			}
		}
	}
	return c.oneMore(names)
}

// resultsOf are the types of results of the verb that a command calls.
func (c *completer) resultsOf() []reflect.Type {
	v, ok := c.verbOf()
	if !ok {
		word, _, _ := strings.Cut(c.path, " ")
		name := map[string]string{"ready": "list", "done": "transition", "close": "transition", "reopen": "transition", "edit": "update", "job": "job_poll", "review": "review_apply"}[word]
		if c.path == "review show" {
			name = "get"
		}
		v, _ = catalogue.Named(name)
	}
	return v.Results()
}

// helpWords are commands and topics, or the commands below those that were named.
func (c *completer) helpWords() []Candidate {
	around := c.root
	for _, word := range c.args {
		if around = around.Command(word); around == nil {
			return nil
		}
	}
	out := namesOf(around.Commands)
	if around == c.root {
		out = append(out, c.Topics...)
	}
	return out
}
