package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/urfave/cli/v3"
)

// exportCommand is cairn export: tasks as JSON lines, CSV or Markdown. It takes the filters of list.
type exportCommand struct{ *program }

func (p exportCommand) command() *cli.Command {
	c := &cli.Command{
		Name:     "export",
		Usage:    "Write tasks as JSON lines, CSV or Markdown.",
		Category: "tasks",
		Description: "All tasks, closed ones too, or those that fit the filters. JSON lines hold everything, and cairn import cairn reads them in another workspace. " +
			"CSV has a row for each task, by RFC 4180; what would be a formula in a spreadsheet has a quote before it. Markdown is a checklist for people, and cairn import markdown reads it.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Local: true, Value: "jsonl", Usage: "`FORMAT`: " + strings.Join(transfer.Formats, ", ")},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Local: true, Usage: "write to `FILE`, whole or not at all; without it to standard output"},
		},
		Action: p.run,
	}
	for _, f := range exportFilters() {
		c.Flags = append(c.Flags, flagsOf(f)...)
	}
	return c
}

// exportFilters are the fields of list that say which tasks, and in which order.
func exportFilters() []verb.Field {
	list, _ := catalogue.ListerOf("task")
	return slices.DeleteFunc(slices.Clone(list.Fields()), func(f verb.Field) bool {
		return slices.Contains([]string{"limit", "cursor", "explain", "all"}, f.Name)
	})
}

func (p exportCommand) run(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	w, s, err := p.open(ctx, c)
	if err != nil {
		return err
	}
	list, _ := catalogue.ListerOf("task")
	in := newInput(p.program, c, list)
	for _, f := range exportFilters() {
		if err := in.flag(ctx, f); err != nil {
			return err
		}
	}
	if err := in.completeIDs(ctx, w); err != nil {
		return err
	}
	if in.values["status"] == nil && in.values["closed"] == nil {
		in.values["all"] = true
	}
	if in.values["sort"] == nil {
		in.values["sort"] = "id"
	}
	if c.String("output") != "" {
		return p.toFile(ctx, c, w, s, in)
	}
	var out io.Writer = p.out
	if _, terminal := isTerminal(p.Stdout); terminal {
		out = &shown{to: p.out}
	}
	to := bufio.NewWriter(out)
	if err := p.write(ctx, c, w, s, in, to); err != nil {
		return err
	}
	if err := to.Flush(); err != nil {
		return err
	}
	if last, ok := out.(*shown); ok {
		last.end()
	}
	return nil
}

// shown prints lines on a terminal, harmless. A file or another program gets them as they are.
type shown struct {
	to   io.Writer
	part []byte // the beginning of a line
}

func (s *shown) Write(b []byte) (int, error) {
	s.part = append(s.part, b...)
	if at := bytes.LastIndexByte(s.part, '\n'); at >= 0 {
		screen.Fprintf(s.to, "%s", screen.Lines(s.part[:at+1]))
		s.part = append([]byte{}, s.part[at+1:]...)
	}
	return len(b), nil
}

func (s *shown) end() { screen.Fprintf(s.to, "%s", screen.Lines(s.part)) }

// write writes the tasks that the input of list selects. Each is read when its turn comes, so that memory does not grow
// with their number, except for Markdown.
func (p exportCommand) write(ctx context.Context, c *cli.Command, w *verb.Workspace, s *store.Store, in *input, to io.Writer) error {
	out, err := transfer.NewWriter(c.String("format"), to, s.Config.Flow)
	if err != nil {
		return err
	}
	ids, err := p.selected(ctx, w, in)
	if err != nil {
		return err
	}
	view := w.View(s).OfMany(ctx)
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := kind.Tasks.Get(s, id)
		if record.CodeOf(err) == record.NotFound {
			continue // deleted meanwhile
		}
		if err == nil {
			err = out.Write(view.WholeTask(t))
		}
		if err != nil {
			return err
		}
	}
	return out.Close()
}

// selected lists the tasks, page by page, and says which files could not be read.
func (p exportCommand) selected(ctx context.Context, w *verb.Workspace, in *input) ([]record.ID, error) {
	var ids []record.ID
	in.values["limit"] = 500
	for {
		raw, err := json.Marshal(in.values)
		if err != nil {
			return nil, usage("the filters do not make JSON: %v", err)
		}
		page, err := in.verb.Call(ctx, w, raw)
		if err != nil {
			return nil, err
		}
		out, ok := page.(tasks.ListOut)
		if !ok {
			return nil, errors.New("the list of tasks has another form")
		}
		for _, t := range out.Tasks {
			ids = append(ids, t.ID)
		}
		for _, broken := range out.Problems.Problems {
			screen.Fprintf(p.Stderr, "cairn: export: left out %s: %s\n", broken.Path, broken.Message)
			p.exit = exitFailure
		}
		if out.NextCursor == "" {
			return ids, nil
		}
		in.values["cursor"] = out.NextCursor
	}
}

// toFile writes to a file, which holds all of it or what it held before. It refuses one within .cairn, and what is no
// regular file.
func (p exportCommand) toFile(ctx context.Context, c *cli.Command, w *verb.Workspace, s *store.Store, in *input) error {
	name := p.abs(c.String("output"))
	folder, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return usage("the folder of --output: %v", err).WithHint("make the folder first")
	}
	name = filepath.Join(folder, filepath.Base(name))
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return usage("%s is there, and is no file", c.String("output")).WithHint("name another file")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return record.Errorf(record.IO, "%w", err)
	}
	if slices.Contains(strings.Split(filepath.ToSlash(name), "/"), layout.Folder) {
		return usage("%s lies in %s", c.String("output"), layout.Folder).WithHint("that folder has the tasks themselves; name a file elsewhere")
	}
	temp, err := os.CreateTemp(folder, ".cairn-export-*")
	if err != nil {
		return record.Errorf(record.IO, "%w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }() // gone once it was renamed
	to := bufio.NewWriter(temp)
	err = p.write(ctx, c, w, s, in, to)
	if err == nil {
		err = errors.Join(to.Flush(), temp.Chmod(0o644), temp.Sync())
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), name); err != nil {
		return record.Errorf(record.IO, "%w", err)
	}
	return nil
}
