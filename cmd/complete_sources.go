package cmd

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer/source"
	"github.com/cairn-tasks/cairn/internal/user/projects"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/cairn-tasks/cairn/internal/verb/skills"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/templates"
	"github.com/cairn-tasks/cairn/task"
)

// sources are the ways to find the values of a field. They are made when a line is completed, and not each time that
// cairn starts.
func sources() map[verb.Source]func(*completer) []candidate {
	return map[verb.Source]func(*completer) []candidate{
		verb.FromStates:        (*completer).states,
		verb.FromOpenStates:    func(c *completer) []candidate { return append(c.states(), openAndClosed()...) },
		verb.FromActors:        func(c *completer) []candidate { return append(c.actors(), words("me", "unassigned")...) },
		verb.FromRecipients:    (*completer).recipients,
		verb.FromGroups:        (*completer).groups,
		verb.FromCapabilities:  (*completer).capabilities,
		verb.FromLabels:        (*completer).labels,
		verb.FromSkillLabels:   (*completer).skillLabels,
		verb.FromFilters:       (*completer).filters,
		verb.FromOrders:        (*completer).orders,
		verb.FromFields:        (*completer).ownFields,
		verb.FromRepos:         (*completer).repos,
		verb.FromTasks:         func(c *completer) []candidate { return c.records(kind.Tasks.Kind) },
		verb.FromTrash:         (*completer).trash,
		verb.FromWritten:       func(c *completer) []candidate { return append(c.lastWritten(), c.trash()...) },
		verb.FromSessions:      func(c *completer) []candidate { return c.records(kind.Sessions.Kind) },
		verb.FromSeries:        (*completer).series,
		verb.FromHandoffs:      (*completer).openHandoffs,
		verb.FromOptions:       (*completer).options,
		verb.FromEntries:       (*completer).entries,
		verb.FromReferences:    (*completer).references,
		verb.FromKinds:         func(*completer) []candidate { return recordKinds() },
		verb.FromKindsConfig:   func(*completer) []candidate { return append(recordKinds(), candidate{value: "config"}) },
		verb.FromCommandChecks: func(c *completer) []candidate { return c.checks(false) },
		verb.FromManualChecks:  func(c *completer) []candidate { return c.checks(true) },
		verb.FromSettings:      func(*completer) []candidate { return settings() },
		verb.FromSettingValues: (*completer).settingValues,
		verb.FromProposals:     (*completer).proposals,
		verb.FromTopics:        func(*completer) []candidate { return guideTopics() },
		verb.FromSkills:        (*completer).skills,
		verb.FromTemplates:     (*completer).templates,
		verb.FromJobs:          (*completer).jobs,
		verb.FromExecutors:     (*completer).executors,
		verb.FromProjects:      (*completer).projects,
		verb.FromVerbs:         (*completer).verbs,
		verb.FromCodes:         func(*completer) []candidate { return codes() },
		verb.FromImportSources: func(*completer) []candidate { return importSources() },

		fromOpenTasks:   func(c *completer) []candidate { return c.tasks(false) },
		fromClosedTasks: func(c *completer) []candidate { return c.tasks(true) },
		fromClosed:      (*completer).closedStates,
		fromPlainActors: (*completer).actors,
		fromClients:     func(*completer) []candidate { return words(append(clientNames(), mergeDriver)...) },
		fromHelp:        (*completer).helpWords,
		fromToolsets:    (*completer).toolsets,
		fromReports:     func(*completer) []candidate { return withEquals(reportFormats()) },
		fromScopes:      (*completer).scopes,
		fromKeys:        (*completer).keys,
	}
}

func openAndClosed() []candidate {
	return []candidate{{"open", "every state that is not closed"}, {"closed", "every closed state"}}
}

func recordKinds() []candidate {
	var out []candidate
	for _, k := range kind.Kinds() {
		out = append(out, candidate{value: k.Name})
	}
	return out
}

func settings() []candidate {
	var out []candidate
	for _, s := range kind.Settings {
		out = append(out, candidate{s.Key, s.Doc})
	}
	return out
}

func guideTopics() []candidate {
	var out []candidate
	for _, t := range guide.Headings() {
		out = append(out, candidate{t.Topic, t.Title})
	}
	return out
}

func codes() []candidate {
	var out []candidate
	for _, one := range record.Codes {
		out = append(out, candidate{string(one.Code), one.Meaning})
	}
	return out
}

func importSources() []candidate {
	var out []candidate
	for _, s := range source.All() {
		out = append(out, candidate{s.Name, s.About})
	}
	return out
}

// settingValues are what the setting on the line can be, its present value first.
func (c *completer) settingValues() []candidate {
	s := c.openStore()
	if s == nil || len(c.args) == 0 {
		return nil
	}
	var out []candidate
	for _, one := range kind.Settings {
		if one.Key != c.args[0] {
			continue
		}
		if now := one.Value(s.Config); now != "" {
			out = append(out, candidate{now, "as it is now"})
		}
		for _, word := range one.Choices() {
			if word != one.Value(s.Config) {
				out = append(out, candidate{value: word})
			}
		}
		if one.Key == "executor" {
			out = append(out, c.executors()...)
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

// closedStates are those in which a task is closed.
func (c *completer) closedStates() []candidate {
	return slices.DeleteFunc(c.states(), func(one candidate) bool { return !c.openStore().Config.Flow.IsClosed(record.Status(one.value)) })
}

func (c *completer) repos() []candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	var out []candidate
	for _, r := range s.Config.Repos {
		out = append(out, candidate{r.Name, cmp.Or(r.Path, r.URL)})
	}
	return out
}

func (c *completer) orders() []candidate {
	out := words(tasks.OrderNames()...)
	if s := c.openStore(); s != nil {
		for _, f := range s.Config.Flow.Fields {
			out = append(out, candidate{f.Name, f.Doc})
		}
	}
	return out
}

// ownFields are the fields of the user's own, each with an equals sign behind it, and behind that what it can be.
func (c *completer) ownFields() []candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	if name, value, named := strings.Cut(c.word, "="); named {
		f, ok := s.Config.Flow.Field(name)
		if !ok {
			return nil
		}
		c.word = value
		return prefixed(name+"=", c.ofOwnField(f))
	}
	var out []candidate
	for _, f := range s.Config.Flow.Fields {
		out = append(out, candidate{f.Name + "=", cmp.Or(f.Doc, string(f.Type))})
	}
	return out
}

func (c *completer) ofOwnField(f task.Field) []candidate {
	switch f.Type { // nobody can list the values of the others
	case task.FieldChoice:
		return words(f.Choices...)
	case task.FieldBoolean:
		return words("true", "false")
	case task.FieldActor:
		return append(c.actors(), words("me")...)
	default:
		return nil
	}
}

// checks are the manual checks of the task that the line names, or its command checks, by index.
func (c *completer) checks(manual bool) []candidate {
	t, ok := c.namedTask()
	if !ok {
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

// namedTask is the task that the line names first.
func (c *completer) namedTask() (task.Task, bool) {
	s := c.openStore()
	if s == nil || len(c.args) == 0 {
		return task.Task{}, false
	}
	id, err := s.Resolve(kind.Tasks.Kind, c.args[0])
	if err != nil {
		return task.Task{}, false
	}
	t, err := kind.Tasks.Get(s, record.ID(id))
	return t, err == nil
}

// namedHeader is that of the record that the line names first: a task by a part of its id, any other by its id.
func (c *completer) namedHeader() (record.Header, bool) {
	if t, ok := c.namedTask(); ok {
		return kind.Tasks.Header(t), true
	}
	s := c.openStore()
	if s == nil || len(c.args) == 0 {
		return record.Header{}, false
	}
	k, v, err := kind.Find(s, c.args[0])
	if err != nil {
		return record.Header{}, false
	}
	return k.Header(v), true
}

// entries are those of the record that the line names, the newest first.
func (c *completer) entries() []candidate {
	h, ok := c.namedHeader()
	if !ok {
		return nil
	}
	var out []candidate
	for _, e := range slices.Backward(h.Log) {
		if e.Text != "" {
			out = append(out, candidate{e.ShortHash(), string(e.Who) + ": " + e.Text})
		}
	}
	return out
}

func (c *completer) references() []candidate {
	h, ok := c.namedHeader()
	if !ok {
		return nil
	}
	var out []candidate
	for _, r := range h.Refs {
		out = append(out, candidate{r.Ref, strings.TrimSpace(string(r.Type) + " " + cmp.Or(r.Title, r.URL, r.Branch, r.Sha, r.Path, r.Target))})
	}
	return out
}

// options are the answers that the handoff on the line offers.
func (c *completer) options() []candidate {
	s := c.openStore()
	if s == nil || len(c.args) == 0 {
		return nil
	}
	id, err := s.Resolve(kind.Handoffs.Kind, c.args[0])
	if err != nil {
		return nil
	}
	h, err := kind.Handoffs.Get(s, ledger.HandoffID(id))
	if err != nil {
		return nil
	}
	return words(h.Options...)
}

// openHandoffs are those that are not over.
func (c *completer) openHandoffs() []candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	all, _, err := kind.Handoffs.List(c.ctx, s)
	if err != nil {
		return nil
	}
	var out []candidate
	for _, h := range slices.Backward(all) {
		if !h.Closed() {
			out = append(out, candidate{h.Ref.ID, h.Title})
		}
	}
	return out
}

func (c *completer) proposals() []candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	all, _, err := kind.Proposals.List(c.ctx, s)
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

// series are those of the newest sessions.
func (c *completer) series() []candidate {
	seen := map[string]bool{}
	for _, one := range c.newestSessions() {
		seen[one.Series] = true
	}
	delete(seen, "")
	return words(slices.Sorted(maps.Keys(seen))...)
}

// jobs are the newest jobs of the clone.
func (c *completer) jobs() []candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	all, err := work.Jobs(s).Peek()
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

func (c *completer) templates() []candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	return words(templates.Names(s.Layout)...)
}

// skills are the skills of the workspace and of the user's shelf.
func (c *completer) skills() []candidate {
	var out []candidate
	for _, k := range c.allSkills() {
		out = append(out, candidate{k.Ref.ID, k.Description})
	}
	return out
}

func (c *completer) skillLabels() []candidate {
	seen := map[string]bool{}
	for _, k := range c.allSkills() {
		for _, label := range k.Labels {
			seen[label] = true
		}
	}
	return words(slices.Sorted(maps.Keys(seen))...)
}

func (c *completer) allSkills() []ledger.Skill {
	s := c.openStore()
	if s == nil {
		return nil
	}
	own, _, err := kind.Skills.List(c.ctx, s)
	if err != nil {
		return nil
	}
	all, _, _ := skills.All(&verb.Workspace{ConfigDir: c.configDir()}, own)
	return all
}

// projects are the workspaces of this machine that are still there.
func (c *completer) projects() []candidate {
	var out []candidate
	for _, p := range projects.List(c.stateDir()) {
		if !p.Gone {
			out = append(out, candidate{p.ID, p.Name + " in " + p.Root})
		}
	}
	return out
}

// verbs are those of the catalogue, and the commands that are none.
func (c *completer) verbs() []candidate {
	var out []candidate
	for _, v := range catalogue.All {
		out = append(out, candidate{v.Name, v.Summary})
	}
	for _, one := range otherCommands() {
		out = append(out, candidate{one.Name, one.Usage})
	}
	return out
}

// directory are the actors of the directory.
func (c *completer) directory() []ledger.Actor {
	s := c.openStore()
	if s == nil {
		return nil
	}
	all, _, err := kind.Actors.List(c.ctx, s)
	if err != nil {
		return nil
	}
	return all
}

func (c *completer) groups() []candidate {
	seen := map[string]bool{}
	for _, a := range c.directory() {
		seen[a.Group] = true
	}
	delete(seen, "")
	return words(slices.Sorted(maps.Keys(seen))...)
}

func (c *completer) capabilities() []candidate {
	seen := map[string]bool{}
	for _, a := range c.directory() {
		for _, one := range a.Abilities {
			seen[one] = true
		}
	}
	return words(slices.Sorted(maps.Keys(seen))...)
}

func (c *completer) recipients() []candidate {
	return slices.Concat(c.actors(), words("me"), prefixed("group:", c.groups()))
}
