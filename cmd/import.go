package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/transfer/source"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/urfave/cli/v3"
)

// importCommand is cairn import: it reads the files of another system, and calls the verb with what is in them. Without
// --yes it only shows what would be made, and asks where there is a terminal.
type importCommand struct{ verbCommand }

// complete makes the command of the verb the one that reads files.
func (p importCommand) complete(c *cli.Command) {
	c.ArgsUsage = "[SOURCE] [PATH]"
	var names []string
	for _, s := range source.All() {
		names = append(names, s.Name)
	}
	c.Description = "The sources are " + strings.Join(names, ", ") + "; without one it lists what there is to import here. PATH is a file or a folder of the source, and - standard input; " +
		"without it the usual place is taken, and for github the program gh is asked.\n" +
		"It shows first what it would make, how states and priorities are mapped, and what has no place; --yes makes it. What was imported before is left as it is."
	c.Flags = append(c.Flags, &cli.BoolFlag{Name: "yes", Aliases: []string{"apply"}, Local: true, Usage: "make the tasks, and do not ask"})
	c.Action = p.run
}

func (p importCommand) run(ctx context.Context, c *cli.Command) error {
	if c.IsSet("input") || c.IsSet("item") {
		return p.verbCommand.run(ctx, c)
	}
	w, err := p.workspace(ctx, c)
	if err != nil {
		return err
	}
	args := c.Args().Slice()
	if len(args) == 0 {
		return p.found(w.Dir)
	}
	if len(args) > 2 {
		return usage("does not take the argument %q", args[2]).WithHint("cairn import %s", c.ArgsUsage)
	}
	src, err := source.Named(args[0])
	if err != nil {
		return err
	}
	batch, err := p.read(ctx, w.Dir, src, append(args, "")[1])
	if err != nil {
		return err
	}
	in := transfer.ImportIn{Source: src.Name, Items: batch.Items, Aside: batch.Aside, Once: verb.Once{IdempotencyKey: c.String("idempotency-key")}}
	return p.transfer(ctx, c, w, in)
}

// transfer shows what an import would make, and makes it if that is agreed to.
func (p importCommand) transfer(ctx context.Context, c *cli.Command, w *verb.Workspace, in transfer.ImportIn) error {
	v, _ := catalogue.Named(transfer.ImportName)
	if err := p.checkForm(ctx, v); err != nil {
		return err
	}
	if !c.Bool("yes") || c.Bool("dry-run") {
		dry := in
		dry.DryRun, dry.IdempotencyKey = true, ""
		out, err := verb.CallTyped[transfer.ImportOut](ctx, w, v, dry)
		if err != nil {
			return err
		}
		if err := p.result(ctx, v, nil, out); err != nil {
			return err
		}
		if _, asks := isTerminal(p.Stdin); !asks || p.json || p.form != nil || c.Bool("dry-run") || out.Made == 0 {
			return nil
		}
		if err := p.agree(ctx, "--yes makes them"); err != nil {
			return err
		}
	}
	out, err := verb.CallTyped[transfer.ImportOut](ctx, w, v, in)
	if err != nil {
		return err
	}
	return p.result(ctx, v, nil, out)
}

// foundResult is what there is to import in a folder.
type foundResult struct {
	Found []foundSource `json:"found"`
}

type foundSource struct {
	Source string `json:"source"`
	Path   string `json:"path"`
	About  string `json:"about"`
}

// found lists what there is to import in a folder.
func (p importCommand) found(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return record.Errorf(record.IO, "%w", err)
	}
	defer func() { _ = root.Close() }()
	out := foundResult{Found: []foundSource{}}
	for _, s := range source.All() {
		if at := s.Find(root.FS()); at != "" {
			out.Found = append(out.Found, foundSource{s.Name, at, s.About})
		}
	}
	if p.json {
		p.printJSON(out)
		return nil
	}
	if len(out.Found) == 0 {
		p.printf("nothing to import was found here; name a source and a file:\n")
		for _, s := range source.All() {
			p.printf("  cairn import %-11s %s\n", s.Name, s.About)
		}
		return nil
	}
	for _, f := range out.Found {
		p.printf("found %s: cairn import %s shows what it would make\n", f.Path, f.Source)
	}
	return nil
}

// read reads what is at a path, in the usual place of a source, or, of GitHub, what gh answers.
func (p importCommand) read(ctx context.Context, dir string, src source.Source, path string) (source.Batch, error) {
	switch {
	case path == "-":
		f, err := interruptible(ctx, func() (source.File, error) { return source.Bytes("standard input", p.Stdin, 0) })
		return readSource(src, []source.File{f}, err)
	case path == "" && src.Name == "github":
		f, err := askGitHub(ctx, dir)
		return readSource(src, []source.File{f}, err)
	case path == "":
		root, err := os.OpenRoot(dir)
		if err != nil {
			return source.Batch{}, record.Errorf(record.IO, "%w", err)
		}
		defer func() { _ = root.Close() }()
		if path = src.Find(root.FS()); path == "" {
			return source.Batch{}, usage("there is nothing of %s in the usual place here", src.Name).WithHint("cairn import %s PATH; it reads %s", src.Name, src.About)
		}
		files, err := src.Load(root.FS(), path)
		return readSource(src, files, err)
	}
	path = p.abs(path)
	root, err := os.OpenRoot(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return source.Batch{}, record.Errorf(record.NotFound, "%s is not there", path).WithHint("%s reads %s", src.Name, src.About)
	}
	if err != nil {
		return source.Batch{}, record.Errorf(record.IO, "%w", err)
	}
	defer func() { _ = root.Close() }()
	files, err := src.Load(root.FS(), filepath.Base(path))
	return readSource(src, files, err)
}

func readSource(src source.Source, files []source.File, err error) (source.Batch, error) {
	if err != nil {
		return source.Batch{}, err
	}
	out, err := src.Read(files)
	if err == nil && len(out.Items) == 0 && len(out.Aside) == 0 {
		err = usage("%s has no tasks of %s", files[0].Name, src.Name).WithHint("%s reads %s", src.Name, src.About)
	}
	return out, err
}
