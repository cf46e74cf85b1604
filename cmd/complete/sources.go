package complete

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/report"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	trackers "github.com/cairn-tasks/cairn/internal/transfer/source"
	"github.com/cairn-tasks/cairn/internal/user/projects"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/cairn-tasks/cairn/internal/verb/skills"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/executor"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/branches"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/templates"
	"github.com/cairn-tasks/cairn/task"
)

// source finds the values of a field.
type source func(*completer) []Candidate

// inStore is a source of what a workspace has: each thing that list returns, as show has it.
func inStore[T any](list func(*completer, *store.Store) []T, show func(T) Candidate) source {
	return func(c *completer) []Candidate {
		s := c.openStore()
		if s == nil {
			return nil
		}
		return each(list(c, s), show)
	}
}

// all are the records of a kind.
func all[T, P any](list func(context.Context, kind.Lister) ([]T, P, error)) func(*completer) []T {
	return func(c *completer) (all []T) {
		if s := c.openStore(); s != nil {
			all, _, _ = list(c.ctx, s)
		}
		return all
	}
}

// inRecord is a source of what the record has that the line names.
func inRecord[T any](list func(record.Header) []T, show func(T) Candidate) source {
	return func(c *completer) []Candidate {
		h, ok := c.namedHeader()
		if !ok {
			return nil
		}
		return each(list(h), show)
	}
}

// fixed is a source of what is the same everywhere.
func fixed[T any](list []T, show func(T) Candidate) source {
	return func(*completer) []Candidate { return each(list, show) }
}

// each shows each thing of a list. Those without a value are left out.
func each[T any](list []T, show func(T) Candidate) []Candidate {
	var out []Candidate
	for _, one := range list {
		if shown := show(one); shown.Value != "" {
			out = append(out, shown)
		}
	}
	return out
}

func plain[T ~string](word T) Candidate { return Candidate{Value: string(word)} }

// distinct are texts, each once and sorted, but for an empty one.
func distinct(texts []string) []Candidate {
	slices.Sort(texts)
	return each(slices.Compact(texts), plain)
}

// textsOf is a source of the texts that some things have.
func textsOf[T any](list func(*completer) []T, texts func(T) []string) source {
	return func(c *completer) []Candidate {
		var out []string
		for _, one := range list(c) {
			out = append(out, texts(one)...)
		}
		return distinct(out)
	}
}

// and is what two sources find, one after the other.
func and(first, second source) source {
	return func(c *completer) []Candidate { return append(first(c), second(c)...) }
}

func ofWords(all ...string) source { return func(*completer) []Candidate { return words(all...) } }

var (
	actors source = (*completer).actors
	states        = inStore(func(_ *completer, s *store.Store) []record.Status { return s.Config.Flow.States }, plain)
	kinds  source = func(*completer) []Candidate {
		return each(kind.Kinds(), func(k *kind.Kind) Candidate { return Candidate{Value: k.Name} })
	}
	executors source = func(c *completer) []Candidate {
		table, err := executor.Load(c.ConfigDir)
		if err != nil {
			return nil
		}
		return words(table.Names()...)
	}
	repos = inStore(func(_ *completer, s *store.Store) []kind.Repo { return s.Config.Repos }, func(r kind.Repo) Candidate {
		return Candidate{r.Name, cmp.Or(r.Path, r.URL)}
	})
	remoteBranches = and(inStore(func(c *completer, s *store.Store) []string {
		if s.Repo == nil {
			return nil
		}
		branches, _ := s.Repo.Refs().RemoteBranches(c.ctx)
		return branches
	}, plain), ofWords("none"))
	trash = inStore(func(_ *completer, s *store.Store) []any {
		all, _ := s.Trash().Deleted(kind.Tasks.Kind)
		slices.Reverse(all)
		return all
	}, func(v any) Candidate {
		h := kind.Tasks.Header(v)
		return Candidate{h.Ref.ID, h.Title}
	})
	others = inStore(func(_ *completer, s *store.Store) []branches.Other { return s.Others().All() },
		func(o branches.Other) Candidate { return Candidate{o.ID, o.Row.Title + " (" + o.Branch + ")"} })
	groups = textsOf(all(kind.Actors.List), func(a ledger.Actor) []string { return []string{a.Group} })
)

// sources are the ways to find the values of a field, by what the tag from of the field says. They are made when a line
// is completed, and not each time that cairn starts.
func sources() map[verb.Source]source {
	return map[verb.Source]source{
		"states": states,
		"open-states": and(states, func(*completer) []Candidate {
			return []Candidate{{"open", "every state that is not closed"}, {"closed", "every closed state"}}
		}),
		"actors":       and(actors, ofWords("me", "unassigned")),
		"recipients":   and(and(actors, ofWords("me")), func(c *completer) []Candidate { return prefixed("group:", groups(c)) }),
		"groups":       groups,
		"capabilities": textsOf(all(kind.Actors.List), func(a ledger.Actor) []string { return a.Abilities }),
		"labels":       (*completer).labels,
		"skill-labels": textsOf((*completer).allSkills, func(k ledger.Skill) []string { return k.Labels }),
		"filters":      (*completer).filters,
		"orders":       (*completer).orders,
		"fields":       (*completer).ownFields,
		"repos":        repos,
		"views": inStore(func(_ *completer, s *store.Store) []kind.View { return s.Config.Views }, func(v kind.View) Candidate {
			return Candidate{v.Name, v.Where}
		}),
		"tasks":           func(c *completer) []Candidate { return c.tasks(false) },
		"trash":           trash,
		"remote-branches": remoteBranches,
		"others":          others,
		"branches": inStore(func(_ *completer, s *store.Store) []string {
			names := record.Each(s.Others().All(), func(o branches.Other) string { return o.Branch })
			return record.Unique(names)
		}, plain),
		"disputes": and(inStore(func(c *completer, s *store.Store) []work.Dispute {
			if s.Repo == nil {
				return nil
			}
			disputes, _ := work.Disputes(c.ctx, s, time.Now)
			return disputes
		}, func(d work.Dispute) Candidate { return Candidate{d.Ref.ID, "in dispute with " + d.With} }), func(c *completer) []Candidate { return c.tasks(false) }),
		"written":  and((*completer).lastWritten, trash),
		"sessions": func(c *completer) []Candidate { return c.records(kind.Sessions.Kind, false) },
		"series":   textsOf((*completer).newestSessions, func(s session.Session) []string { return []string{s.Series} }),
		"handoffs": func(c *completer) []Candidate {
			open := slices.DeleteFunc(all(kind.Handoffs.List)(c), ledger.Handoff.Closed)
			slices.Reverse(open)
			return each(open, func(h ledger.Handoff) Candidate { return Candidate{h.Ref.ID, h.Title} })
		},
		"milestones": func(c *completer) []Candidate { return c.records(kind.Milestones.Kind, false) },
		"options":    inStore((*completer).options, plain),
		"entries": inRecord(func(h record.Header) []record.Entry {
			all := slices.DeleteFunc(slices.Clone(h.Log), func(e record.Entry) bool { return e.Text == "" })
			slices.Reverse(all)
			return all
		}, func(e record.Entry) Candidate { return Candidate{e.ShortHash(), string(e.Who) + ": " + e.Text} }),
		"references": inRecord(func(h record.Header) []record.Reference { return h.Refs }, func(r record.Reference) Candidate {
			return Candidate{r.Ref, strings.TrimSpace(string(r.Type) + " " + cmp.Or(r.Title, r.URL, r.Branch, r.Sha, r.Path, r.Target))}
		}),
		"kinds":            kinds,
		"kinds-and-config": and(kinds, ofWords("config")),
		"command-checks":   func(c *completer) []Candidate { return c.checks(false) },
		"manual-checks":    func(c *completer) []Candidate { return c.checks(true) },
		"settings":         fixed(kind.Settings(), func(s kind.Setting) Candidate { return Candidate{s.Key, s.Doc} }),
		"setting-values":   (*completer).settingValues,
		"proposals": func(c *completer) []Candidate {
			return each(all(kind.Proposals.List)(c), func(p task.Proposal) Candidate {
				if len(p.Made) > 0 {
					return Candidate{}
				}
				return Candidate{p.ID, p.Summary}
			})
		},
		"topics": func(*completer) []Candidate { return GuideTopics() },
		"skills": func(c *completer) []Candidate {
			return each(c.allSkills(), func(k ledger.Skill) Candidate { return Candidate{k.Ref.ID, k.Description} })
		},
		"templates": inStore(func(_ *completer, s *store.Store) []string { return templates.Names(s.Layout) }, plain),
		"jobs": inStore(func(_ *completer, s *store.Store) []job.Job {
			all, _ := work.Jobs(s).Peek()
			return all[:min(len(all), Most)]
		}, func(j job.Job) Candidate {
			return Candidate{j.Spec.Job, fmt.Sprintf("%s %s by %s", j.Status.State, j.Spec.Task, j.Spec.Executor)}
		}),
		"executors": executors,
		"projects": func(c *completer) []Candidate {
			return each(projects.List(c.StateDir), func(p projects.Project) Candidate {
				if p.Gone {
					return Candidate{}
				}
				return Candidate{p.ID, p.Name + " in " + p.Root}
			})
		},
		"verbs": func(c *completer) []Candidate {
			out := each(catalogue.All, func(v verb.Verb) Candidate { return Candidate{v.Name, v.Summary} })
			return append(out, namesOf(c.Commands)...)
		},
		"codes":          fixed(record.Codes, func(c record.CodeInfo) Candidate { return Candidate{string(c.Code), c.Meaning} }),
		"import-fields":  fixed(trackers.Fields(), func(name string) Candidate { return Candidate{name + "=", ""} }),
		"import-sources": fixed(trackers.All(), func(s trackers.Source) Candidate { return Candidate{s.Name, s.About} }),

		"open-tasks":   func(c *completer) []Candidate { return c.tasks(false) },
		"closed-tasks": func(c *completer) []Candidate { return c.tasks(true) },
		"closed-states": inStore(func(_ *completer, s *store.Store) []record.Status {
			return slices.DeleteFunc(slices.Clone(s.Config.Flow.States), func(one record.Status) bool { return !s.Config.Flow.IsClosed(one) })
		}, plain),
		"actors-alone": actors,
		"clients":      func(c *completer) []Candidate { return words(c.Clients...) },
		"shells":       func(c *completer) []Candidate { return words(c.Shells...) },
		"help":         (*completer).helpWords,
		"toolsets": func(c *completer) []Candidate {
			names := verb.AsTexts(verb.AllToolsets())
			if !strings.Contains(c.word, ",") {
				names = append(names, "all")
			}
			return c.oneMore(names)
		},
		"scopes": func(c *completer) []Candidate {
			c.word = strings.TrimPrefix(c.word, "task:")
			return prefixed("task:", c.tasks(false))
		},
		"report-files": fixed(report.Formats(), func(f report.Format) Candidate { return Candidate{string(f) + "=", "and the name of a file"} }),
	}
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
	_, results := c.fields()
	for _, result := range results {
		row, _ := verb.RowType(result)
		for _, key := range verb.KeysOf(row) {
			if !slices.Contains(names, key.Name) {
				names = append(names, key.Name)
			}
		}
	}
	return c.oneMore(names)
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

// GuideTopics are the pages of the manual for agents.
func GuideTopics() []Candidate {
	return each(guide.Headings(), func(t guide.Heading) Candidate { return Candidate{t.Topic, t.Title} })
}

// options are the answers that the handoff on the line offers.
func (c *completer) options(s *store.Store) []string {
	if len(c.args) == 0 {
		return nil
	}
	id, err := s.Resolve(kind.Handoffs.Kind, c.args[0])
	if err != nil {
		return nil
	}
	h, _ := kind.Handoffs.Get(s, ledger.HandoffID(id))
	return h.Options
}

// settingValues are what the setting on the line can be, its present value first.
func (c *completer) settingValues() []Candidate {
	s := c.openStore()
	if s == nil || len(c.args) == 0 {
		return nil
	}
	at := slices.IndexFunc(kind.Settings(), func(one kind.Setting) bool { return one.Key == c.args[0] })
	if at < 0 {
		return nil
	}
	one := kind.Settings()[at]
	now := one.Value(s.Config)
	out := each([]string{now}, func(now string) Candidate { return Candidate{now, "as it is now"} })
	for _, word := range one.Choices {
		if word != now {
			out = append(out, Candidate{Value: word})
		}
	}
	if one.Key == "executor" {
		out = append(out, executors(c)...)
	}
	return out
}

func (c *completer) orders() []Candidate {
	out := words(tasks.OrderNames()...)
	if s := c.openStore(); s != nil {
		for _, f := range s.Config.Flow.Fields {
			out = append(out, Candidate{f.Name, f.Doc})
		}
	}
	return out
}

// ownFields are the fields of the user's own, each with an equals sign behind it, and behind that what it can be.
func (c *completer) ownFields() []Candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	if name, value, named := strings.Cut(c.word, "="); named {
		f, ok := s.Config.Flow.Fields.Find(name)
		if !ok {
			return nil
		}
		c.word = value
		return prefixed(name+"=", c.ofOwnField(f))
	}
	var out []Candidate
	for _, f := range s.Config.Flow.Fields {
		out = append(out, Candidate{f.Name + "=", cmp.Or(f.Doc, string(f.Type))})
	}
	return out
}

func (c *completer) ofOwnField(f task.Field) []Candidate {
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
func (c *completer) checks(manual bool) []Candidate {
	t, ok := c.namedTask()
	if !ok {
		return nil
	}
	var out []Candidate
	for i, check := range t.Checks {
		if check.Manual() == manual {
			out = append(out, Candidate{strconv.Itoa(i), check.Desc})
		}
	}
	return out
}

// namedTask is the task that the line names first, by a part of its id.
func (r *reader) namedTask() (task.Task, bool) {
	s := r.openStore()
	if s == nil || len(r.args) == 0 {
		return task.Task{}, false
	}
	id, err := s.Resolve(kind.Tasks.Kind, r.args[0])
	if err != nil {
		return task.Task{}, false
	}
	t, err := kind.Tasks.Get(s, record.ID(id))
	return t, err == nil
}

// namedHeader is that of the record that the line names first: a task by a part of its id, any other by its id.
func (r *reader) namedHeader() (record.Header, bool) {
	if t, ok := r.namedTask(); ok {
		return kind.Tasks.Header(t), true
	}
	if r.store == nil || len(r.args) == 0 {
		return record.Header{}, false
	}
	k, v, err := kind.Find(r.store, r.args[0])
	if err != nil {
		return record.Header{}, false
	}
	return k.Header(v), true
}

func (c *completer) allSkills() []ledger.Skill {
	if c.openStore() == nil {
		return nil
	}
	found, _, _ := skills.All(&verb.Workspace{ConfigDir: c.ConfigDir}, all(kind.Skills.List)(c))
	return found
}
