package cmd

import (
	"context"
	"io"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/trust"
	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
	"github.com/urfave/cli/v3"
)

// trustResult is whether a workspace is trusted, and the commands that may run then.
type trustResult struct {
	Workspace string          `json:"workspace"`
	Trusted   bool            `json:"trusted"`
	Commands  []store.Command `json:"commands"`
}

// trustList is the clones that this user has trusted on this machine.
type trustList struct {
	Clones []trust.Consent `json:"clones"`
}

// trustCommand is cairn trust.
type trustCommand struct{ *program }

func (p trustCommand) command() *cli.Command {
	return &cli.Command{
		Name:      "trust",
		Usage:     "Let the commands of this clone's checks run on this machine; lists them and asks first.",
		ArgsUsage: "[DIR]",
		Category:  "workspace",
		Description: "DIR goes with --revoke: the workspace that is not to be trusted any more, if it is not this one. It may be gone.\n" +
			"--list shows every clone that was trusted: trusted, gone, replaced by another clone at the same path, or unknown if\n" +
			"its folder cannot be read. Only the first may run commands.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "yes", Local: true, Usage: "do not ask; for a person who has read them"},
			&cli.BoolFlag{Name: "revoke", Local: true, Usage: "take the consent back"},
			&cli.StringFlag{Name: "in-repo", Local: true, Usage: "let them run in the repository `NAME` of the config too, which lies outside of this one"},
			&cli.BoolFlag{Name: "list", Local: true, Usage: "list the clones that you trusted on this machine"},
		},
		Commands: []*cli.Command{signerCommand(p).command()},
		Action:   p.run,
	}
}

func (p trustCommand) run(ctx context.Context, c *cli.Command) error {
	if c.Bool("list") && c.Bool("revoke") || c.IsSet("in-repo") && (c.Bool("list") || c.Bool("revoke")) {
		return usage("--list, --revoke and --in-repo do not go together").WithHint("cairn help trust; --revoke takes the folder of a repository")
	}
	if c.Bool("revoke") && c.Args().Len() == 1 {
		return p.revokeAt(c.Args().First())
	}
	if err := noArguments(c); err != nil {
		return err
	}
	switch {
	case c.Bool("list"):
		return p.list()
	case c.Bool("revoke"):
		return p.revokeHere(c)
	default:
		return p.give(ctx, c)
	}
}

func (p trustCommand) give(ctx context.Context, c *cli.Command) error {
	w, s, err := p.open(ctx, c)
	if err != nil {
		return err
	}
	commands, err := s.Commands(ctx, s)
	if err != nil {
		return err
	}
	if c.IsSet("in-repo") {
		return p.giveRepo(ctx, c, w.Actor(), s, commands)
	}
	if !s.Trusted() {
		if err := p.consent(ctx, w.Actor(), s.Root, commands, c.Bool("yes")); err != nil {
			return err
		}
		err = s.SetTrust(w.Actor(), p.Now())
	}
	projects.Note(ctx, w, s)
	return p.show(trustResult{s.Root, true, commands}, err)
}

// giveRepo lets the commands run in another repository that the config names. They come from this workspace, which is
// trusted first.
func (p trustCommand) giveRepo(ctx context.Context, c *cli.Command, who record.Actor, s *store.Store, commands []store.Command) error {
	files, err := s.Files(task.Task{Repo: c.String("in-repo")})
	switch {
	case err != nil:
		return err
	case !s.Trusted():
		return record.Errorf(record.Untrusted, "the commands of this workspace may not run here either").WithHint("first %s", record.CallTo("trust"))
	case !files.Trusted():
		if err := p.consent(ctx, who, files.Root, commands, c.Bool("yes")); err != nil {
			return err
		}
		err = files.Trust(who, p.Now())
	}
	return p.show(trustResult{files.Root, true, commands}, err)
}

// revokeHere revokes the consent for this workspace. It succeeds if there is none, and if the config cannot be read.
func (p trustCommand) revokeHere(c *cli.Command) error {
	layout, err := p.layout(c)
	if err != nil {
		return err
	}
	_, err = trust.Revoke(p.stateDir(), layout.Root)
	return p.show(trustResult{Workspace: layout.Root, Commands: []store.Command{}}, err)
}

// revokeAt revokes the consent for a folder, which may be gone. It returns NOT_FOUND if there is none.
func (p trustCommand) revokeAt(dir string) error {
	revoked, err := trust.Revoke(p.stateDir(), p.abs(dir))
	if err == nil && len(revoked) == 0 {
		err = record.Errorf(record.NotFound, "no consent was given at %s", p.abs(dir)).
			WithHint("cairn trust --list shows where")
	}
	if err != nil {
		return err
	}
	return p.show(trustResult{Workspace: revoked[0].Workspace, Commands: []store.Command{}}, nil)
}

func (p trustCommand) list() error {
	clones, err := trust.Consents(p.stateDir())
	switch {
	case err != nil:
		return err
	case p.json:
		p.printJSON(trustList{clones})
		return nil
	case len(clones) == 0:
		p.printf("no clone is trusted on this machine\n")
	}
	t := screen.Table{Head: []string{"WORKSPACE", "BY", "SINCE", "STATE"}}
	for _, c := range clones {
		t.Add(c.Workspace, string(c.Actor), c.At.Format(time.RFC3339), string(c.State))
	}
	t.Print(p.out, p.width(), p.style())
	return nil
}

// consent shows the commands, and has the person at the terminal approve them unless yes is set. Only a person can
// consent.
func (p trustCommand) consent(ctx context.Context, actor record.Actor, workspace string, commands []store.Command, yes bool) error {
	if !actor.Human() {
		return record.Errorf(record.Forbidden, "%s cannot approve commands", actor).WithHint("a person runs cairn trust")
	}
	if err := p.personHere("approve commands"); err != nil {
		return err
	}
	if !p.json {
		p.showCommands(commands)
	}
	if yes {
		return nil
	}
	var terminal io.ReadWriteCloser
	err := errNoTerminal // with JSON the commands were not shown
	if !p.json {
		terminal, err = p.terminal()
	}
	if err != nil {
		e := record.Errorf(record.Untrusted, "there is no terminal to ask on, and %d commands to approve", len(commands)).
			WithHint("a person reads them and runs cairn trust in a terminal")
		e.Details = map[string]any{"commands": commands}
		return e
	}
	ok, err := wordTyped([]task.Ask{task.TrustAsk(actor, workspace)}).on(ctx, terminal)
	if err == nil && !ok {
		return record.Errorf(record.Untrusted, "not approved").WithHint("nothing was changed")
	}
	return err
}

// showCommands lists commands. Each is quoted, so that its text can neither look like another command nor be invisible.
func (p trustCommand) showCommands(commands []store.Command) {
	if len(commands) == 0 {
		p.printf("No file here holds a command now.\n")
		return
	}
	p.printf("These commands would run on this machine when tasks are checked:\n")
	for _, cmd := range commands {
		p.printf("  %s: %s\n", cmd.Where, screen.Painted(harmless.Quote(cmd.Cmd)))
	}
}

func (p trustCommand) show(r trustResult, err error) error {
	switch {
	case err != nil:
		return err
	case p.json:
		p.printJSON(r)
	case r.Trusted:
		p.printf("%s may run the commands of its checks on this machine\n", r.Workspace)
	default:
		p.printf("%s may no longer run commands on this machine\n", r.Workspace)
	}
	return nil
}
