package store

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/trust"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/templates"
	"github.com/cairn-tasks/cairn/task"
)

// Command is a command that cairn starts because a file of the workspace has it: that of a check, or of the set-up of a
// work tree. Two are equal if they would run the same line in the same folder. What a script does that a command calls is
// no part of it.
type Command struct {
	Cmd   string   `json:"cmd"`
	Cwd   string   `json:"cwd,omitempty"`  // from the workspace root; absent for the root itself
	Repo  string   `json:"repo,omitempty"` // repository of the config in which it runs; absent for the workspace's own
	Where []string `json:"where"`          // the tasks that have it, proposals and templates such as templates/bug.md, or config.yaml

	hash string // of all that is compared, by which the user's consent knows it
}

// commandReader makes commands of the checks of a workspace whose config names repositories, each with its place.
type commandReader map[string]string

func commandsBy(c kind.Config) commandReader {
	places := commandReader{}
	for _, r := range c.Repos {
		places[r.Name] = cmp.Or(r.Path, r.URL)
	}
	return places
}

func (r commandReader) of(where string, checks ...task.Check) []Command {
	var out []Command
	for _, c := range checks {
		if c.Manual() {
			continue
		}
		one := Command{Cmd: c.Cmd, Cwd: c.Folder(), Repo: c.Repo, Where: []string{where}}
		if one.hash = record.FullHash("command", c.Cmd, one.Cwd, c.Repo, r[c.Repo]); one.Cwd == "." {
			one.Cwd = ""
		}
		out = append(out, one)
	}
	return out
}

// all are the commands of a config and of tasks, equal ones once.
func (r commandReader) all(c kind.Config, tasks []task.Task) []Command {
	out := append(r.of(layout.ConfigName, c.Flow.Defaults...), r.of(layout.ConfigName, task.Check{Cmd: c.WorktreeSetup})...)
	for _, t := range tasks {
		out = append(out, r.of(string(t.ID), t.Checks...)...)
	}
	return united(out)
}

// Commands lists every command in the workspace's files, equal ones once: what its user lets run by trusting it. The
// tasks come from a lister, which may be the store.
func (s *Store) Commands(ctx context.Context, from kind.Lister) ([]Command, error) {
	tasks, _, err := kind.Tasks.List(ctx, from)
	return commandsBy(s.Config).all(s.Config, tasks), err
}

// CommandsToCome lists what Commands does, and the commands that tasks would have which are made of a template or of a
// proposal that waits. Of what cannot be read there are none: no task is made of it.
func (s *Store) CommandsToCome(ctx context.Context, from kind.Lister) ([]Command, error) {
	out, err := s.Commands(ctx, from)
	if err != nil {
		return nil, err
	}
	for _, name := range templates.Names(s.Layout) {
		src, _ := templates.Read(s.Layout, name)
		out = append(out, s.plannedIn(templates.File(name), src)...)
	}
	waiting, _, err := kind.Proposals.List(ctx, from)
	for _, p := range waiting {
		if len(p.Made) == 0 {
			out = append(out, s.plannedIn(p.ID, p.Tasks)...)
		}
	}
	return united(out), err
}

// plannedIn are the commands of a task, or of a list of tasks, as JSON that create and plan take.
func (s *Store) plannedIn(where string, src []byte) (out []Command) {
	type planned struct {
		Repo   string `json:"repo"`
		Checks []struct {
			Cmd string `json:"cmd"`
			Cwd string `json:"cwd"`
		} `json:"checks"`
	}
	var all []planned
	if one := (planned{}); json.Unmarshal(src, &all) != nil && json.Unmarshal(src, &one) == nil {
		all = []planned{one}
	}
	for _, t := range all {
		for _, c := range t.Checks {
			out = append(out, s.CommandsOf(where, task.Check{Cmd: c.Cmd, Cwd: c.Cwd, Repo: t.Repo})...)
		}
	}
	return out
}

// CommandsOf are the commands of checks that stand somewhere: in a task, or in config.yaml.
func (s *Store) CommandsOf(where string, checks ...task.Check) []Command {
	return commandsBy(s.Config).of(where, checks...)
}

// SetUpCommand is the command that makes a work tree ready, as the config has it; none where it has none.
func (s *Store) SetUpCommand() []Command {
	return s.CommandsOf(layout.ConfigName, task.Check{Cmd: s.Config.WorktreeSetup})
}

func (s *Store) given() trust.Given { return trust.Of(s.Layout, s.stateDir) }

// Trusted reports whether the user trusts this clone: git may start the programs of its own config, and those commands
// may run to which the user has consented; see Unapproved.
func (s *Store) Trusted() bool { return s.pipeline || s.given().Trusted() }

// InPipeline is the store for a command that the pipeline of a CI has in its own text: that is the consent to what the
// command runs here. Nothing of it is kept.
func (s *Store) InPipeline() *Store {
	trusted := *s
	trusted.pipeline = true
	return &trusted
}

// Seen is what this clone saw of closes beside their records, and what the evidence says that was taken in. In one that is
// not trusted no check has run: there it is nothing, since the file came along with a copy.
func (s *Store) Seen() live.Seen { return s.Clone.Seen(s.seal()) }

// Saw is what this clone saw itself.
func (s *Store) Saw() live.Seen { return s.Clone.Saw(s.seal()) }

// PutStated keeps what the evidence says, as it was judged last.
func (s *Store) PutStated(facts []task.Fact) error { return s.Clone.PutStated(facts, s.seal()) }

// sawLines are the lines that say what a write saw; "" for none.
func (s *Store) sawLines(saw []task.Fact) string {
	if len(saw) == 0 {
		return ""
	}
	return live.Lines(saw, s.seal())
}

// seal is "" in a clone that is not trusted.
func (s *Store) seal() live.Seal { return live.Seal(s.given().Seal) }

// SetTrust records that the user trusts this clone, as trust.Set does. It consents to no command.
func (s *Store) SetTrust(who record.Actor, at time.Time) error {
	return trust.Set(s.Layout, s.stateDir, who, at)
}

// Unapproved returns which of some commands may not run here, equal ones once: those to which the user has not
// consented, and which the branch does not have whose commands they let run. In a clone that is not trusted that is each
// of them.
func (s *Store) Unapproved(ctx context.Context, commands []Command) []Command {
	if len(commands) == 0 || s.pipeline {
		return nil
	}
	given := s.given()
	known := given.Commands()
	left := slices.DeleteFunc(united(commands), func(c Command) bool { return known[c.hash] })
	if len(left) == 0 || given.From == "" {
		return left
	}
	at, found := s.commandsAt(ctx, given.From), []string{}
	left = slices.DeleteFunc(left, func(c Command) bool {
		if at[c.hash] {
			found = append(found, c.hash)
		}
		return at[c.hash]
	})
	_ = given.Add(found...) // so that it is not looked up again; if that fails it is
	return left
}

// united are commands with equal ones once.
func united(commands []Command) []Command {
	out, at := []Command{}, map[string]int{}
	for _, c := range commands {
		i, known := at[c.hash]
		if !known {
			i, at[c.hash] = len(out), len(out)
			out = append(out, c)
			out[i].Where = nil
		}
		for _, where := range c.Where {
			if n := len(out[i].Where); n == 0 || out[i].Where[n-1] != where {
				out[i].Where = append(out[i].Where, where)
			}
		}
	}
	return out
}

// commandsAt are the hashes of the commands in the files of a ref; none if they cannot be read.
func (s *Store) commandsAt(ctx context.Context, ref string) map[string]bool {
	if s.Repo == nil {
		return nil
	}
	commit, err := s.Repo.Refs().Commit(ctx, ref)
	if err != nil || commit == "" {
		return nil
	}
	config, tasks, err := snapshot.TasksAt(ctx, s.Layout, commit)
	if err != nil {
		return nil
	}
	return record.SetOf(hashesOf(commandsBy(config).all(config, tasks)))
}

// Approve records the user's consent that commands run in this clone, without a question where they or an agent of
// theirs have just written them here. In a clone that is not trusted it does nothing: whoever trusts it is shown all.
func (s *Store) Approve(commands []Command) error { return s.given().Add(hashesOf(commands)...) }

// Written are the commands of a task that who makes a write of it has written: those among the checks that they declare
// themselves which it did not have before, in the repository of the task. With the task, a command to which the user has
// consented may move to another repository.
func (s *Store) Written(ctx context.Context, before, after task.Task, declared []task.Check) []Command {
	alike := func(in []task.Check, c task.Check) bool {
		return slices.ContainsFunc(in, func(d task.Check) bool { return d.Cmd == c.Cmd && d.Folder() == c.Folder() })
	}
	moved := before.Repo != after.Repo
	var own []task.Check
	for _, c := range after.InRepo(after.Repo).Checks {
		was := c
		was.Repo = before.Repo
		switch had := alike(before.Checks, c); {
		case c.Manual() || had && !moved || !had && !alike(declared, c):
		case had && len(s.Unapproved(ctx, s.CommandsOf("", was))) > 0:
		default:
			own = append(own, c)
		}
	}
	return s.CommandsOf(string(after.ID), own...)
}

func hashesOf(commands []Command) []string {
	return record.Each(commands, func(c Command) string { return c.hash })
}

const remoteBranches = "refs/remotes/"

// TrustedFrom is the remote-tracking branch whose commands the user lets run in this clone, such as origin/main; "" for
// none.
func (s *Store) TrustedFrom() string { return strings.TrimPrefix(s.given().From, remoteBranches) }

// TrustFrom lets the commands run, in a trusted clone, that stand in the files of a branch which RemoteBranch returned,
// as it was last fetched; of none for "".
func (s *Store) TrustFrom(branch string) error {
	if branch != "" {
		branch = remoteBranches + branch
	}
	return s.given().SetFrom(branch)
}

// RemoteBranch returns the remote-tracking branch that a name such as origin/main stands for; that of a remote, such as
// origin, stands for the branch that the remote names as its default. It returns INVALID_INPUT if there is none: no other
// ref is moved by fetching alone.
func (s *Store) RemoteBranch(ctx context.Context, name string) (string, error) {
	if s.Repo == nil {
		return "", record.Errorf(record.Git, "%s is not in a git repository", s.Root).WithHint("git init makes it one")
	}
	for _, branch := range []string{name, name + "/HEAD"} {
		if !s.Repo.Refs().HasRemoteBranch(ctx, branch) {
			continue
		}
		target, err := s.Repo.Refs().Target(ctx, remoteBranches+branch)
		if of, is := strings.CutPrefix(target, remoteBranches); is {
			branch = of
		}
		return branch, err
	}
	return "", record.Errorf(record.InvalidInput, "%q is no remote-tracking branch of this clone", record.Clip(name, 100)).
		WithHint("git branch --remotes lists them, and git fetch brings new ones")
}
