package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/ledger"
	files "github.com/cairn-tasks/cairn/internal/skills"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/skills"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/urfave/cli/v3"
)

// skillSyncCommand is cairn skill sync.
type skillSyncCommand struct{ *program }

func (p skillSyncCommand) command() *cli.Command {
	return &cli.Command{
		Name:  "sync",
		Usage: "Write the skills where agents look for them, or remove them from there.",
		Description: "It writes .claude/skills/ID/SKILL.md and .agents/skills/ID/SKILL.md in the Agent Skills format, for each active skill of\n" +
			"the workspace and of the user's shelf. It changes and removes only what it wrote and nobody has changed since.\n" +
			"It exits with 4 if a file is then not as its skill says.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Local: true, Usage: "write nothing, and exit with 4 if something would be written, or was changed since"},
			&cli.BoolFlag{Name: "remove", Local: true, Usage: "remove what was written"},
			&cli.StringSliceFlag{Name: "folder", Local: true, Usage: "write into this `FOLDER` of one client too: " + strings.Join(files.Further, ", ")},
		},
		Action: p.run,
	}
}

// skillSyncResult is what a sync did.
type skillSyncResult struct {
	Workspace string       `json:"workspace"`
	Files     []files.File `json:"files"` // as they are now
	Changed   []string     `json:"changed"`
	InSync    bool         `json:"in_sync"` // whether each file that agents read is as its skill says
	verb.Problems
}

func (p skillSyncCommand) run(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	if c.Bool("check") && c.Bool("remove") {
		return usage("--check and --remove exclude one another").WithHint("leave out one of them")
	}
	for _, folder := range c.StringSlice("folder") {
		if !slices.Contains(files.Further, folder) {
			return usage("no client is known that reads %q", folder).WithHint("one of %s", strings.Join(files.Further, ", "))
		}
	}
	w, s, err := p.open(ctx, c)
	if err != nil {
		return err
	}
	own, problems, err := kind.Skills.List(ctx, s)
	if err != nil {
		return err
	}
	all, shelf, err := skills.All(w, own)
	if err != nil {
		return err
	}
	if c.Bool("remove") {
		all = nil
	}
	return p.sync(s.Root, all, verb.Problems{Problems: append(problems, shelf.Problems...)}, c)
}

// sync plans, does what is planned unless it is only to be checked, and prints it.
func (p skillSyncCommand) sync(root string, all []ledger.Skill, problems verb.Problems, c *cli.Command) error {
	plan, err := files.Plan(root, all, c.StringSlice("folder")...)
	if err != nil {
		return err
	}
	out := skillSyncResult{Workspace: root, Files: plan, Problems: problems}
	if !c.Bool("check") {
		unread := len(problems.Problems) > 0 && !c.Bool("remove")
		if out.Files, out.Changed, err = files.Apply(root, plan, unread); err != nil {
			return err
		}
	}
	out.Changed = verb.NoNil(out.Changed)
	out.InSync = len(problems.Problems) == 0 && files.InSync(out.Files)
	if !out.InSync {
		p.exit = verb.ExitCheckFailed
	}
	p.show(out)
	return nil
}

// about says what the state of a file means, and what to do about it.
var aboutSkillFile = map[files.State]string{
	files.Missing:   "is missing; cairn skill sync writes it",
	files.Stale:     "is not the newest version; cairn skill sync writes it",
	files.Left:      "is of a skill that is gone or archived; cairn skill sync removes it",
	files.Edited:    "was changed since it was written, and is left alone; put the change into the skill with cairn skill upsert, and remove the file",
	files.Foreign:   "was written by somebody else, and is left alone",
	files.Elsewhere: "lies behind a link, and is left alone",
}

func (p skillSyncCommand) show(out skillSyncResult) {
	if p.json {
		if out.Files == nil {
			out.Files = []files.File{}
		}
		p.printJSON(out)
		return
	}
	for _, path := range out.Changed {
		verb := "removed"
		if slices.ContainsFunc(out.Files, func(f files.File) bool { return f.Path == path }) {
			verb = "wrote"
		}
		p.printf("%s %s\n", verb, path)
	}
	for _, f := range out.Files {
		if about := aboutSkillFile[f.State]; about != "" {
			p.printf("%s %s\n", f.Path, about)
		}
	}
	for _, one := range out.Problems.Problems {
		p.printf("%s: %s\n", one.Path, one.Message)
	}
	if len(out.Changed) == 0 && out.InSync {
		p.printf("all skills are in place\n")
	}
}
