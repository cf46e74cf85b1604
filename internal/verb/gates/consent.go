package gates

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// What a refusal shows of the commands that would have run.
const (
	commandsShown = 10
	commandShown  = 200 // bytes of each
	placesShown   = 5   // tasks of each
)

// Consent is the door that whatever starts a program passes which a file of the workspace, or the clone itself, names.
// It returns UNTRUSTED unless the user trusts the clone and has consented to each of the commands, of which there may be
// none. A person at a terminal is asked about those that are new in a trusted clone, and their yes is kept.
func Consent(ctx context.Context, w *verb.Workspace, s *store.Store, commands []store.Command) error {
	trusted, left := s.Trusted(), s.Unapproved(ctx, commands)
	if trusted && len(left) == 0 {
		return nil
	}
	if trusted && w.Approve != nil {
		if yes, err := w.Approve(ctx, left); err != nil {
			return err
		} else if yes {
			return s.Approve(left)
		}
	}
	if err := ctx.Err(); err != nil {
		return err // git was stopped before it said what the branches have that are trusted
	}
	return Untrusted(trusted, left)
}

// ConsentFor is Consent to commands of the work on a task. Where those of another repository would be refused next, the
// refusal names both approvals.
func ConsentFor(ctx context.Context, w *verb.Workspace, s *store.Store, t task.Task, commands []store.Command) error {
	err := Consent(ctx, w, s, commands)
	e, refused := errors.AsType[*record.Error](err)
	if !refused || e.Code != record.Untrusted || t.Repo == "" {
		return err
	}
	files, none := FilesOf(s, t)
	if none != nil || files.Trusted() {
		return err
	}
	both := *e
	return both.WithHint("read them, then a person runs %s, then %s in a terminal",
		record.CallTo("trust").ByPerson(), record.CallTo("trust", "in-repo", files.Repo).ByPerson())
}

// Untrusted is the refusal to run commands, or in a clone that is not trusted to start any program.
func Untrusted(trusted bool, commands []store.Command) error {
	message := "this clone's commands were not approved on this machine"
	if trusted {
		message = "new commands were not approved on this machine"
	}
	var quoted []string
	shown := slices.Clone(commands[:min(len(commands), commandsShown)])
	for i, c := range shown {
		shown[i].Cmd, shown[i].Where = verb.Head(c.Cmd, commandShown), c.Where[:min(len(c.Where), placesShown)]
		quoted = append(quoted, strconv.Quote(shown[i].Cmd)) // so that no command can pass for another
	}
	if len(shown) > 0 {
		message += ": " + strings.Join(quoted, ", ") + record.AndMore(len(commands)-len(shown))
	}
	e := record.Errorf(record.Untrusted, "%s", message).
		WithHint("read them, then a person runs %s in a terminal", record.CallTo("trust").ByPerson())
	e.Details = map[string]any{"commands": shown, "total": len(commands)}
	return e
}

// ChecksOf are the commands of some checks of a task, by their indices.
func ChecksOf(s *store.Store, t task.Task, which []int) []store.Command {
	checks := record.Each(which, func(i int) task.Check { return t.Checks[i] })
	return s.CommandsOf(string(t.ID), checks...)
}

// ToWork are the commands that run in the course of work on a task: the set-up of its work tree, and its checks. Who
// begins work is asked about them, since later there may be nobody to ask.
func ToWork(s *store.Store, t task.Task) []store.Command {
	return append(s.SetUpCommand(), s.CommandsOf(string(t.ID), t.Checks...)...)
}

// untrustedRepo is the refusal to run commands in another repository, in which the user has not trusted this clone's.
func untrustedRepo(files store.Files) error {
	return record.Errorf(record.Untrusted, "the commands would run in %s, which was not approved on this machine", files.Root).
		WithHint("a person runs %s in a terminal", record.CallTo("trust", "in-repo", files.Repo).ByPerson())
}
