package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/setup"
	"github.com/cairn-tasks/cairn/internal/verb/prime"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v3"
)

// setupResult is what setup changed in the setup of the merge driver.
type setupResult struct {
	Workspace string   `json:"workspace"`
	Changed   []string `json:"changed"`
}

// clientsResult is what setup found of clients, and what it changed.
type clientsResult struct {
	Workspace string       `json:"workspace,omitempty"` // absent for the user's own configuration
	Steps     []setup.Step `json:"steps"`
	Diff      string       `json:"diff,omitempty"`
	Changed   []string     `json:"changed"` // paths of the files that were written
	Removed   []string     `json:"removed"` // and of those that were removed
	Current   bool         `json:"current"` // everything was there before
}

// setupCommand is cairn setup.
type setupCommand struct{ *program }

const mergeDriver = "merge-driver"

func (p setupCommand) command() *cli.Command {
	return &cli.Command{
		Name:      "setup",
		Usage:     "Set up agents and editors for this workspace, or the merge driver; shows the changes and asks first.",
		ArgsUsage: "[NAME...]",
		Category:  "workspace",
		Description: "Without a name it lists what can be set up and what is. NAME is a client: " + strings.Join(clientNames(), ", ") + ".\n" +
			"It writes the MCP server into the client's configuration of this project, a hook that runs cairn prime where the client has one,\n" +
			"and a marked section into AGENTS.md, CLAUDE.md or GEMINI.md. Nothing else in those files changes.\n" +
			"NAME can be " + mergeDriver + ": that writes lines between two marks in the workspace's .gitattributes, to be committed, and\n" +
			"merge.cairn.name and merge.cairn.driver in the clone's own git config, which every clone needs for itself.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "remove", Local: true, Usage: "take out again what was written"},
			&cli.BoolFlag{Name: "yes", Local: true, Usage: "do not ask"},
			&cli.BoolFlag{Name: "check", Local: true, Usage: "write nothing, and exit with 1 unless everything is set up as this version does it"},
			&cli.BoolFlag{Name: "dry-run", Local: true, Usage: "show the changes, and write nothing"},
			&cli.BoolFlag{Name: "print", Local: true, Usage: "print what would be written where, to put it there by hand; reads no file"},
			&cli.BoolFlag{Name: "user", Local: true, Usage: "in your own configuration of the client, for all projects; writes no instructions"},
			&cli.BoolFlag{Name: "force", Local: true, Usage: "write anew, or take out, also what was changed since cairn wrote it"},
		},
		Action: p.run,
	}
}

func clientNames() []string {
	var out []string
	for _, c := range setup.Clients {
		out = append(out, c.Name)
	}
	return out
}

func (p setupCommand) run(ctx context.Context, c *cli.Command) error {
	if err := p.exclusive(c); err != nil {
		return err
	}
	names := c.Args().Slice()
	if slices.Contains(names, mergeDriver) {
		return p.runMergeDriver(ctx, c, names)
	}
	var clients []setup.Client
	for _, name := range names {
		client, ok := setup.ClientNamed(name)
		if !ok {
			return usage("does not know %q", name).WithHint("%s, or %s", strings.Join(clientNames(), ", "), mergeDriver)
		}
		if !slices.ContainsFunc(clients, func(c setup.Client) bool { return c.Name == name }) {
			clients = append(clients, client)
		}
	}
	s, err := p.setup(c)
	switch {
	case err != nil:
		return err
	case len(clients) == 0:
		return p.list(ctx, c, s)
	case c.Bool("print"):
		return p.print(s, clients)
	default:
		return p.clients(ctx, c, s, clients)
	}
}

// exclusive returns an error for flags that do not go together.
func (p setupCommand) exclusive(c *cli.Command) error {
	var given []string
	for _, name := range []string{"check", "dry-run", "print"} {
		if c.Bool(name) {
			given = append(given, "--"+name)
		}
	}
	if c.Bool("remove") && (c.Bool("check") || c.Bool("print")) {
		given = append(given, "--remove")
	}
	if len(given) > 1 {
		return usage("%s do not go together", strings.Join(given, " and ")).WithHint("leave out one of them")
	}
	return nil
}

// setup is where the flags say to set clients up.
func (p setupCommand) setup(c *cli.Command) (*setup.Setup, error) {
	s := &setup.Setup{
		Folders: setup.Folders{Home: p.home(), Config: p.settingsDir(), Claude: p.Getenv("CLAUDE_CONFIG_DIR"), Codex: p.Getenv("CODEX_HOME")},
		State:   p.stateDir(), Section: prime.Section(), Remove: c.Bool("remove"), Force: c.Bool("force"),
	}
	if c.Bool("user") {
		return s, nil
	}
	at, err := p.layout(c)
	s.Root, s.Within = at.Root, at.Root
	if at.Repo != nil {
		s.Within = at.Worktree
	}
	return s, err
}

// runMergeDriver sets the merge driver up.
func (p setupCommand) runMergeDriver(ctx context.Context, c *cli.Command, names []string) error {
	for _, name := range []string{"user", "print", "force"} {
		if c.Bool(name) {
			return usage("%s takes no --%s", mergeDriver, name).WithHint("cairn setup %s --dry-run shows the changes", mergeDriver)
		}
	}
	if len(names) > 1 {
		return usage("%s is set up alone", mergeDriver).WithHint("cairn setup %s", mergeDriver)
	}
	layout, err := p.layout(c)
	if err != nil {
		return err
	}
	if c.Bool("check") || c.Bool("dry-run") {
		return p.checkMergeDriver(ctx, layout, c.Bool("remove"), c.Bool("check"))
	}
	return p.mergeDriver(ctx, layout, c.Bool("remove"), c.Bool("yes"))
}

// checkMergeDriver shows what would change. With check, a change is a failure.
func (p setupCommand) checkMergeDriver(ctx context.Context, layout layout.Layout, remove, check bool) error {
	plan, err := store.PlanMergeDriver(ctx, layout, remove)
	if err != nil {
		return err
	}
	if check && len(plan.Lines) > 0 {
		p.exit = exitFailure
	}
	if p.json {
		p.printJSON(setupResult{layout.Root, append([]string{}, plan.Lines...)})
		return nil
	}
	for _, line := range plan.Lines {
		p.printf("%s\n", line)
	}
	if len(plan.Lines) == 0 {
		p.printf("nothing to change\n")
	}
	return nil
}

// mergeDriver shows what will change, and changes it once the person agrees.
func (p setupCommand) mergeDriver(ctx context.Context, layout layout.Layout, remove, yes bool) error {
	plan, err := store.PlanMergeDriver(ctx, layout, remove)
	if err != nil {
		return err
	}
	if !p.json {
		for _, line := range plan.Lines {
			p.printf("%s\n", line)
		}
	}
	if len(plan.Lines) > 0 && !yes {
		if err := p.agree(ctx, "cairn setup merge-driver --yes makes the changes"); err != nil {
			return err
		}
	}
	if err := plan.Apply(ctx); err != nil {
		return err
	}
	switch {
	case p.json:
		p.printJSON(setupResult{layout.Root, append([]string{}, plan.Lines...)})
	case len(plan.Lines) == 0:
		p.printf("nothing to change\n")
	}
	return nil
}

// clients shows what will change of some clients, and changes it once the person agrees.
func (p setupCommand) clients(ctx context.Context, c *cli.Command, s *setup.Setup, clients []setup.Client) error {
	plan, err := s.Plan(clients...)
	if err != nil {
		return err
	}
	out := clientsResult{Workspace: s.Root, Steps: plan.Steps, Changed: []string{}, Removed: []string{}, Current: plan.Good()}
	for _, d := range plan.Diffs() {
		out.Diff += diffOf(d)
	}
	if c.Bool("check") {
		if !out.Current {
			p.exit = exitFailure
		}
		out.Diff = ""
		return p.showClients(out, true)
	}
	if !p.json {
		p.printf("%s", lines(out.Diff))
	}
	if c.Bool("dry-run") || out.Diff == "" {
		return p.showClients(out, false)
	}
	if !c.Bool("yes") {
		if err := p.agree(ctx, "add --yes to make the changes; --dry-run shows them"); err != nil {
			return err
		}
	}
	out.Changed, out.Removed, err = plan.Apply()
	if err != nil {
		return err
	}
	return p.showClients(out, false)
}

// diffOf is a change of a file as a diff.
func diffOf(d setup.Diff) string {
	from, to := "a/"+d.Path, "b/"+d.Path
	if d.Before == nil {
		from = "/dev/null"
	}
	if d.After == nil {
		to = "/dev/null"
	}
	text := string(diff.Diff(from, d.Before, to, d.After))
	_, text, _ = strings.Cut(text, "\n") // the line with the command
	return text
}

// showClients prints what was done, and what was left alone and why.
func (p setupCommand) showClients(out clientsResult, all bool) error {
	if p.json {
		p.printJSON(out)
		return nil
	}
	for _, path := range out.Changed {
		p.printf("wrote %s\n", path)
	}
	for _, path := range out.Removed {
		p.printf("removed %s\n", path)
	}
	for _, s := range out.Steps {
		where := s.Path
		if s.Link != "" {
			where += " (a link to " + s.Link + ")"
		}
		switch {
		case s.Note != "" && !all:
			p.printf("%s: the %s %s\n", where, s.About, s.Note)
		case all:
			p.printf("%s: %s: %s\n", where, s.About, aboutState[s.State])
		}
	}
	if out.Diff == "" && !all {
		p.printf("nothing to do\n")
	}
	return nil
}

// aboutState says what a state means.
var aboutState = map[setup.State]string{
	setup.Missing: "missing", setup.Current: "set up", setup.Stale: "from another version of cairn; cairn setup writes it anew",
	setup.Own: "set up, with settings of your own", setup.Edited: "changed since cairn wrote it; --force writes it anew", setup.Foreign: "something else is called cairn",
}

// print prints what would be written, for who writes it by hand.
func (p setupCommand) print(s *setup.Setup, clients []setup.Client) error {
	type entry struct {
		Path  string `json:"path"`
		About string `json:"about"`
		Text  string `json:"text"`
	}
	out := []entry{}
	for _, c := range clients {
		texts, err := s.Texts(c)
		if err != nil {
			return err
		}
		for _, t := range texts {
			if e := (entry{t.Path, t.About, t.Value}); !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	if p.json {
		p.printJSON(map[string]any{"files": out})
		return nil
	}
	for i, e := range out {
		if i > 0 {
			p.printf("\n")
		}
		p.printf("# %s: %s\n%s", e.Path, e.About, lines(e.Text))
	}
	return nil
}

// listed is a client, and whether it is set up.
type listed struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Detected bool   `json:"detected"` // the project or the user's folder has traces of it
	State    string `json:"state"`    // set up, partly, not, or unreadable
}

// list says what can be set up, and what is: the clients that seem to be used here first.
func (p setupCommand) list(ctx context.Context, c *cli.Command, s *setup.Setup) error {
	for _, flag := range []string{"remove", "check", "dry-run", "print", "force", "yes"} {
		if c.Bool(flag) {
			return usage("--%s needs to know what to set up", flag).WithHint("cairn setup lists what there is")
		}
	}
	var found []listed
	for _, client := range setup.Clients {
		if s.Root == "" && !client.User() {
			continue
		}
		found = append(found, listed{client.Name, client.Title, s.Detected(client), s.StateOf(client)})
	}
	slices.SortStableFunc(found, func(a, b listed) int {
		switch {
		case a.Detected == b.Detected:
			return 0
		case a.Detected:
			return -1
		default:
			return 1
		}
	})
	driver := ""
	if s.Root != "" {
		if at, err := p.layout(c); err == nil && at.Repo != nil {
			if d, err := store.MergeDriverOf(ctx, at); err == nil {
				driver = map[bool]string{true: setup.IsSetUp, false: setup.IsNot}[d.Attributes && d.Command != ""]
			}
		}
	}
	if p.json {
		p.printJSON(struct {
			Workspace   string   `json:"workspace,omitempty"`
			Clients     []listed `json:"clients"`
			MergeDriver string   `json:"merge_driver,omitempty"`
		}{s.Root, found, driver})
		return nil
	}
	t := table{head: []string{"NAME", "STATE", "", "WHAT"}, grow: 3}
	for _, l := range found {
		used := ""
		if l.Detected {
			used = "used here"
		}
		t.add(l.Name, l.State, used, l.Title)
	}
	if driver != "" {
		t.add(mergeDriver, driver, "", "merges of tasks, key by key")
	}
	t.print(p.out, p.width(), p.style())
	p.printf("\ncairn setup NAME shows what it would write, and asks.\n")
	return nil
}
