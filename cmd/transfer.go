package cmd

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/transfer/source"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/urfave/cli/v3"
)

// export writes tasks as JSON lines, CSV or Markdown. It takes the filters of list.
type export struct {
	*call
	exportIn
	w *verb.Workspace
	s *store.Store
}

type exportIn struct {
	Format string `json:"format,omitempty" doc:"FORMAT: {values}" cli:"value=FORMAT" values:"jsonl,csv,markdown"`
	Output string `json:"output,omitempty" doc:"write to FILE, whole or not at all; without it to standard output" cli:"also=o,value=FILE"`
}

func exportCommands() []command {
	return []command{declare(command{
		name:  "export",
		usage: "Write tasks as JSON lines, CSV or Markdown.",
		group: "tasks",
		about: "All tasks, closed ones too, or those that fit the filters. JSON lines hold everything, and cairn import cairn reads them in another workspace. " +
			"CSV has a row for each task, by RFC 4180; what would be a formula in a spreadsheet has a quote before it. Markdown is a checklist for people, and cairn import markdown reads it.",
		takes: verbFields("list", "limit", "cursor", "explain", "all"),
	}, runExport)}
}

func runExport(ctx context.Context, c *call, in exportIn) error {
	w, s, err := c.open(ctx)
	if err != nil {
		return err
	}
	p := export{c, in, w, s}
	p.Format = cmp.Or(in.Format, "jsonl")
	if in.Output != "" {
		return p.toFile(ctx)
	}
	var out io.Writer = p.out
	if _, terminal := terminal.Is(p.Stdout); terminal {
		out = &terminalLines{to: p.out}
	}
	to := bufio.NewWriter(out)
	if err := errors.Join(p.write(ctx, to), to.Flush()); err != nil {
		return err
	}
	if last, ok := out.(*terminalLines); ok {
		last.end()
	}
	return nil
}

// terminalLines prints lines on a terminal, harmless. A file or another program gets them as they are.
type terminalLines struct {
	to   io.Writer
	part []byte // the beginning of a line
}

func (s *terminalLines) Write(b []byte) (int, error) {
	s.part = append(s.part, b...)
	if at := bytes.LastIndexByte(s.part, '\n'); at >= 0 {
		screen.Fprintf(s.to, "%s", screen.Lines(s.part[:at+1]))
		s.part = append([]byte{}, s.part[at+1:]...)
	}
	return len(b), nil
}

func (s *terminalLines) end() { screen.Fprintf(s.to, "%s", screen.Lines(s.part)) }

// write writes the tasks that the input of list selects. Each is read when its turn comes, so that memory does not grow
// with their number, except for Markdown.
func (p export) write(ctx context.Context, to io.Writer) error {
	out, err := transfer.NewWriter(p.Format, to, p.s.Config.Flow)
	if err != nil {
		return err
	}
	ids, err := p.selected(ctx)
	if err != nil {
		return err
	}
	view := p.w.View(p.s).OfMany(ctx)
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := kind.Tasks.Get(p.s, id)
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

func (p export) selected(ctx context.Context) ([]record.ID, error) {
	in := map[string]any{"limit": 500, "sort": "id"}
	if p.in.values["status"] == nil && p.in.values["closed"] == nil {
		in["all"] = true
	}
	maps.Copy(in, p.in.values)
	delete(in, "format")
	delete(in, "output")
	var ids []record.ID
	for {
		out, err := callVerb[tasks.ListOut](ctx, p.w, "list", in)
		if err != nil {
			return nil, err
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
		in["cursor"] = out.NextCursor
	}
}

// notInside refuses to write files for people into the folder of a workspace or of git. given is what was typed.
func notInside(name, given string) error {
	parts := strings.Split(filepath.ToSlash(name), "/")
	for _, own := range []string{layout.Folder, ".git"} {
		if slices.Contains(parts, own) {
			return usage("%s lies in %s", given, own).WithHint("that folder is for its own files; name a place elsewhere")
		}
	}
	return nil
}

// toFile writes to a file, which holds all of it or what it held before. It refuses one within .cairn, and what is no
// regular file.
func (p export) toFile(ctx context.Context) error {
	name := p.abs(p.Output)
	folder, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return usage("the folder of --output: %v", err).WithHint("make the folder first")
	}
	name = filepath.Join(folder, filepath.Base(name))
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return usage("%s is there, and is no file", p.Output).WithHint("name another file")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return record.Errorf(record.IO, "%w", err)
	}
	if err := notInside(name, p.Output); err != nil {
		return err
	}
	temp, err := os.CreateTemp(folder, ".cairn-export-*")
	if err != nil {
		return record.Errorf(record.IO, "%w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }() // gone once it was renamed
	to := bufio.NewWriter(temp)
	err = p.write(ctx, to)
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

// importCommand is cairn import: it reads the files of another system, and calls the verb with what is in them. Without
// --yes it only shows what would be made, and asks where there is a terminal.
type importCommand struct{ verbCommand }

type importIn struct {
	Source string `json:"source,omitempty" doc:"the system that the tasks come from" cli:"arg" from:"import-sources"`
	Path   string `json:"path,omitempty" doc:"a file or a folder of it" cli:"arg"`
	Yes    bool   `json:"yes,omitempty" doc:"make the tasks, and do not ask" cli:"also=apply"`

	As  string   `json:"as,omitempty" doc:"a name for what it comes from, such as team-b, where another file of the same kind has the same ids" cli:"value=NAME"`
	Map []string `json:"map,omitempty" doc:"which column is what, FIELD=COLUMN, or what a state is, state:WORD=STATE; @FILE has such lines; can be repeated" cli:"value=PAIRS" from:"import-fields"`
}

// complete makes the command of the verb the one that reads files.
func (p importCommand) complete(c *cli.Command) {
	c.ArgsUsage = argsUsage(verb.FieldsOf[importIn]())
	names := record.Each(source.All(), func(s source.Source) string { return s.Name })
	c.Description = "The sources are " + strings.Join(names, ", ") + "; without one it lists what there is to import here. PATH is a file or a folder of the source, and - standard input; " +
		"without it the usual place is taken, and for github the program gh is asked.\n" +
		"It shows first what it would make, how states and priorities are mapped, and what has no place; --yes makes it. " +
		"What was imported before is left as it is; it shows what changed there since, and --update takes that over where nothing changed here."
	for _, f := range flagsOf(verb.FieldsOf[importIn]()) {
		if !slices.ContainsFunc(c.Flags, func(had cli.Flag) bool { return had.Names()[0] == f.Names()[0] }) { // the source is the verb's
			c.Flags = append(c.Flags, f)
		}
	}
	c.Action = p.run
}

func (p importCommand) run(ctx context.Context, c *cli.Command) error {
	if c.IsSet("input") || c.IsSet("item") {
		return p.verbCommand.run(ctx, c)
	}
	l := &call{program: p.program, line: c}
	w, err := l.workspace(ctx)
	if err != nil {
		return err
	}
	args := append(l.words(), "", "", "")
	if args[0] == "" {
		return p.found(w.Dir)
	}
	if args[2] != "" {
		return usage("does not take the argument %q", args[2]).WithHint("cairn import %s", c.ArgsUsage)
	}
	src, err := source.Named(args[0])
	if err != nil {
		return err
	}
	as, err := sourceName(c, src)
	if err != nil {
		return err
	}
	m, err := p.mapping(w, c.StringSlice("map"))
	if err != nil {
		return err
	}
	batch, err := p.read(ctx, w.Dir, src, args[1], m)
	if err != nil {
		return err
	}
	in := transfer.ImportIn{
		Source: as, Items: batch.Items, Aside: batch.Aside, Update: c.Bool("update"),
		Once: verb.Once{IdempotencyKey: c.String("idempotency-key")},
	}
	return p.transfer(ctx, c, w, in)
}

// sourceName is the name under which the ids of a file are kept: that of its source, or the one that is given. The names
// of the sources are for files of these alone.
func sourceName(c *cli.Command, src source.Source) (string, error) {
	as := c.String("as")
	_, notOne := source.Named(as)
	switch {
	case !c.IsSet("as"):
		return src.Name, nil
	case strings.TrimSpace(as) == "":
		return "", usage("--as is empty").WithHint("give a name of your own, such as team-b, or leave it out")
	case notOne == nil:
		return "", usage("--as %s is the name of a source", as).WithHint("give a name of your own, such as team-b; without --as the ids are those of %s", src.Name)
	}
	return as, nil
}

// mapping is what the flags, and the files that they name, say of columns and states.
func (p importCommand) mapping(w *verb.Workspace, texts []string) (source.Mapping, error) {
	s, err := w.Open()
	if err != nil {
		return source.Mapping{}, err
	}
	for i, text := range texts {
		name, isFile := strings.CutPrefix(text, "@")
		if !isFile {
			continue
		}
		file, err := os.Open(p.abs(name))
		if err != nil {
			return source.Mapping{}, usage("--map: %v", err).WithHint("@FILE is a file with a pair on each line, such as title=Summary")
		}
		f, err := source.Bytes(name, file, 1<<20)
		_ = file.Close()
		if err != nil {
			return source.Mapping{}, err
		}
		texts[i] = string(f.Data)
	}
	var fields []string
	for _, f := range s.Config.Flow.Fields.All() {
		fields = append(fields, f.Name)
	}
	return source.NewMapping(texts, fields, verb.AsTexts(s.Config.Flow.States))
}

// transfer shows what an import would make, and makes it if that is agreed to.
func (p importCommand) transfer(ctx context.Context, c *cli.Command, w *verb.Workspace, in transfer.ImportIn) error {
	v := verbNamed(transfer.ImportName)
	if err := p.checkForm(ctx, v); err != nil {
		return err
	}
	do := func(in transfer.ImportIn) (transfer.ImportOut, error) {
		out, err := verb.CallTyped[transfer.ImportOut](ctx, w, v, in)
		if err == nil {
			err = p.result(ctx, v, nil, out)
		}
		return out, err
	}
	if onlyShown := c.Bool("dry-run"); onlyShown || !c.Bool("yes") {
		dry := in
		dry.DryRun, dry.IdempotencyKey = true, ""
		out, err := do(dry)
		if err != nil || onlyShown || !p.asksHere() || out.Made+out.Updated == 0 {
			return err
		}
		if err := p.agree(ctx, false, "--yes makes them"); err != nil {
			return err
		}
	}
	_, err := do(in)
	return err
}

// finds are what there is to import in a folder, and what could be.
type finds struct {
	Found   []find          `json:"found"`
	Sources []source.Source `json:"-"`
}

type find struct {
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
	out := finds{[]find{}, source.All()}
	for _, s := range out.Sources {
		if at := s.Find(root.FS()); at != "" {
			out.Found = append(out.Found, find{s.Name, at, s.About})
		}
	}
	p.show(out)
	return nil
}

// read reads what is at a path, in the usual place of a source, or, of GitHub, what gh answers.
func (p importCommand) read(ctx context.Context, dir string, src source.Source, path string, m source.Mapping) (source.Batch, error) {
	var files []source.File
	var err error
	switch {
	case path == "-":
		files, err = terminal.Interruptible(ctx, func() ([]source.File, error) {
			f, err := source.Bytes("standard input", p.Stdin, 0)
			return []source.File{f}, err
		})
	case path == "" && src.Name == "github":
		files, err = askGitHub(ctx, dir)
	default:
		files, err = p.load(dir, src, path)
	}
	if err != nil {
		return source.Batch{}, err
	}
	out, err := src.ReadAs(files, m)
	if err == nil && len(out.Items) == 0 && len(out.Aside) == 0 {
		err = usage("%s has no tasks of %s", files[0].Name, src.Name).WithHint("%s reads %s", src.Name, src.About)
	}
	return out, err
}

func (p importCommand) load(dir string, src source.Source, path string) ([]source.File, error) {
	name := ""
	if path != "" {
		path = p.abs(path)
		dir, name = filepath.Dir(path), filepath.Base(path)
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) && path != "" {
		return nil, record.Errorf(record.NotFound, "%s is not there", path).WithHint("%s reads %s", src.Name, src.About)
	}
	if err != nil {
		return nil, record.Errorf(record.IO, "%w", err)
	}
	defer func() { _ = root.Close() }()
	if path == "" {
		if name = src.Find(root.FS()); name == "" {
			return nil, usage("there is nothing of %s in the usual place here", src.Name).
				WithHint("cairn import %s PATH; it reads %s", src.Name, src.About)
		}
	}
	return src.Load(root.FS(), name)
}

// askGitHub asks gh, with its own log-in, for all issues of the repository around a folder. The person who typed the
// command chose to.
func askGitHub(ctx context.Context, dir string) ([]source.File, error) {
	program, err := exec.LookPath("gh")
	if err != nil {
		return nil, usage("the program gh is not there to ask").
			WithHint("install it, or name a file: gh issue list --state all --limit 20000 --json %s > issues.json elsewhere, then cairn import github issues.json", source.GitHubFields)
	}
	c := exec.CommandContext(ctx, program, "issue", "list", "--state", "all", "--limit", "20000", "--json", source.GitHubFields)
	c.Dir = dir
	out, err := c.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, record.Errorf(record.IO, "gh: %s", strings.TrimSpace(string(e.Stderr))).
			WithHint("gh auth status says whether it is logged in; or name a file with the issues")
	}
	if err != nil {
		return nil, record.Errorf(record.IO, "gh: %w", err)
	}
	f, err := source.Bytes("gh", bytes.NewReader(out), 0)
	return []source.File{f}, err
}
