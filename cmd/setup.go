package cmd

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/setup"
	files "github.com/cairn-tasks/cairn/internal/skills"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/config"
	"github.com/cairn-tasks/cairn/internal/verb/prime"
	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/internal/verb/skills"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/rogpeppe/go-internal/diff"
)

type initResult struct {
	Workspace string   `json:"workspace"`
	Prefix    string   `json:"prefix"`
	Made      []string `json:"made"`
	Trusted   bool     `json:"trusted"`
	Outer     string   `json:"outer,omitempty"` // the workspace that a new one was made in

	MergeDriver []string `json:"merge_driver,omitempty"` // what installing it changed
	Harmless    bool     `json:"-"`                      // nothing in it came from elsewhere
}

type initIn struct {
	Prefix      string `json:"prefix,omitempty" doc:"what ids begin with, as PREFIX-...; by default, made of the folder's name" cli:"value=PREFIX"`
	MergeDriver bool   `json:"merge_driver,omitempty" doc:"install the merge driver too, as cairn setup merge-driver --yes does"`
}

func initCommands() []command {
	return []command{declare(command{
		name:  "init",
		usage: "Make this folder a workspace, or finish one that is half made; nothing is overwritten.",
		group: "workspace",
	}, runInit)}
}

func runInit(ctx context.Context, c *call, in initIn) error {
	w, err := c.workspace(ctx)
	if err != nil {
		return err
	}
	var driver *store.MergeSetup
	if in.MergeDriver { // it is planned first, so that nothing is made if the plan is impossible
		at, err := layout.At(w.Dir)
		if err == nil {
			driver, err = store.PlanMergeDriver(ctx, at, false)
		}
		if err != nil {
			return err
		}
	}
	outer := "" // the workspace above a folder that is none itself
	if at, err := layout.Find(w.Dir); err == nil && at.Root != filepath.Clean(w.Dir) {
		outer = at.Root
	}
	made, err := projects.Init(ctx, w, w.Dir, in.Prefix)
	if err != nil {
		return err
	}
	s, err := made.Store, made.Consent
	r := initResult{Workspace: s.Root, Prefix: s.Config.Prefix, Made: append([]string{}, made.Files...), Trusted: s.Trusted(), Harmless: made.Harmless}
	if len(made.Files) > 0 {
		r.Outer = outer
	}
	if driver != nil {
		r.MergeDriver = driver.Lines
	}
	c.show(r)
	if driver != nil {
		err = errors.Join(err, driver.Apply(ctx))
	}
	if len(made.Files) > 0 && err == nil {
		_ = noteJoined(s.Layout) // who makes a workspace knows it
		err = c.proposeAutocommit(ctx, w, s)
	}
	return err // the workspace is made, even if the consent could not be stored
}

// proposeAutocommit asks a person at a terminal whether each write is to be committed by itself.
func (c *call) proposeAutocommit(ctx context.Context, w *verb.Workspace, s *store.Store) error {
	agent, _ := shellAgent(c.Getenv)
	if s.Repo == nil || agent != "" || !c.asksHere() || !w.Actor().Human() || s.Config.Autocommit {
		return nil
	}
	c.printf("Commit each change of the record by itself, on the branch that is checked out? [Y/n] ")
	answer, err := terminal.ReadAnswer(ctx, c.Stdin)
	if err != nil || strings.HasPrefix(answer, "n") {
		return err
	}
	_, err = callVerb[config.Settings](ctx, w, "settings_set", map[string]any{"key": "autocommit", "value": "on"})
	if err == nil {
		c.printf("It does. cairn settings-set autocommit off ends that.\n")
	}
	return err
}

// clientsResult is what setup found of clients, and what it changed.
type clientsResult struct {
	Workspace string       `json:"workspace,omitempty"` // absent for the user's own configuration
	Steps     []setup.Step `json:"steps"`
	Diff      string       `json:"diff,omitempty"`
	Changed   []string     `json:"changed"` // paths of the files that were written
	Removed   []string     `json:"removed"` // and of those that were removed
	Current   bool         `json:"current"` // everything was there before
	All       bool         `json:"-"`       // show each step, and not only what was left alone
}

type setupCommand struct {
	*call
	setupIn
}

type setupIn struct {
	Name   string `json:"name,omitempty" doc:"what to set up" cli:"arg,several" from:"clients"`
	Remove bool   `json:"remove,omitempty" doc:"take out again what was written"`
	Yes    bool   `json:"yes,omitempty" doc:"do not ask"`
	Check  bool   `json:"check,omitempty" doc:"write nothing, and exit with 1 unless everything is set up as this version does it"`
	DryRun bool   `json:"dry_run,omitempty" doc:"show the changes, and write nothing"`
	Print  bool   `json:"print,omitempty" doc:"print what would be written where, to put it there by hand; reads no file"`
	User   bool   `json:"user,omitempty" doc:"in your own configuration of the client, for all projects; writes no instructions"`
	Force  bool   `json:"force,omitempty" doc:"write anew, or take out, also what was changed since cairn wrote it"`
}

const mergeDriver = "merge-driver"

func setupCommands() []command {
	return []command{declare(command{
		name:  "setup",
		usage: "Set up agents and editors for this workspace, or the merge driver; shows the changes and asks first.",
		group: "workspace",
		about: "Without a name it lists what can be set up and what is. NAME is a client: " + strings.Join(clientNames(), ", ") + ".\n" +
			"It writes the MCP server into the client's configuration of this project, a hook that runs cairn prime where the client has one,\n" +
			"and a marked section into AGENTS.md, CLAUDE.md or GEMINI.md. Nothing else in those files changes.\n" +
			"NAME can be " + mergeDriver + ": that writes lines between two marks in the workspace's .gitattributes, to be committed, and\n" +
			"merge.cairn.name and merge.cairn.driver in the clone's own git config, which every clone needs for itself.",
	}, func(ctx context.Context, c *call, in setupIn) error { return setupCommand{c, in}.run(ctx) })}
}

func clientNames() []string {
	var out []string
	for _, c := range setup.Clients {
		out = append(out, c.Name)
	}
	return out
}

func (p setupCommand) run(ctx context.Context) error {
	given := p.set("check", "dry-run", "print")
	if p.Remove && (p.Check || p.Print) {
		given = append(given, "--remove")
	}
	if len(given) > 1 {
		return usage("%s do not go together", strings.Join(given, " and ")).WithHint("leave out one of them")
	}
	names := p.words()
	if slices.Contains(names, mergeDriver) {
		return p.mergeDriver(ctx, names)
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
	s, err := p.setup()
	switch {
	case err != nil:
		return err
	case len(clients) == 0:
		return p.list(ctx, s)
	case p.Print:
		return p.print(s, clients)
	default:
		return p.clients(ctx, s, clients)
	}
}

// set are those of some flags that are set, as they are typed.
func (p setupCommand) set(flags ...string) []string {
	var out []string
	for _, name := range flags {
		if p.line.Bool(name) {
			out = append(out, "--"+name)
		}
	}
	return out
}

// setup is where the flags say to set clients up.
func (p setupCommand) setup() (*setup.Setup, error) {
	s := &setup.Setup{
		Folders: setup.Folders{Home: p.home(), Config: p.settingsDir(), Claude: p.Getenv("CLAUDE_CONFIG_DIR"), Codex: p.Getenv("CODEX_HOME")},
		State:   p.stateDir(), Section: prime.Section(), Remove: p.Remove, Force: p.Force,
	}
	if p.User {
		return s, nil
	}
	at, err := p.layout()
	s.Root, s.Within = at.Root, at.Root
	if at.Repo != nil {
		s.Within = at.Worktree
	}
	return s, err
}

// mergeDriver shows what will change in the setup of the merge driver, and changes it once the person agrees. With
// --check, a change is a failure.
func (p setupCommand) mergeDriver(ctx context.Context, names []string) error {
	if given := p.set("user", "print", "force"); len(given) > 0 {
		return usage("%s takes no %s", mergeDriver, given[0]).WithHint("cairn setup %s --dry-run shows the changes", mergeDriver)
	}
	if len(names) > 1 {
		return usage("%s is set up alone", mergeDriver).WithHint("cairn setup %s", mergeDriver)
	}
	at, err := p.layout()
	if err != nil {
		return err
	}
	plan, err := store.PlanMergeDriver(ctx, at, p.Remove)
	if err != nil {
		return err
	}
	changes := len(plan.Lines) > 0
	if !p.json {
		for _, line := range plan.Lines {
			p.printf("%s\n", line)
		}
	}
	if p.Check && changes {
		p.exit = exitFailure
	}
	if !p.Check && !p.DryRun {
		if err := p.agree(ctx, p.Yes || !changes, "cairn setup merge-driver --yes makes the changes"); err != nil {
			return err
		}
		if err := plan.Apply(ctx); err != nil {
			return err
		}
	}
	if p.json {
		p.printJSON(map[string]any{"workspace": at.Root, "changed": append([]string{}, plan.Lines...)})
	} else if !changes {
		p.printf("nothing to change\n")
	}
	return nil
}

// clients shows what will change of some clients, and changes it once the person agrees.
func (p setupCommand) clients(ctx context.Context, s *setup.Setup, clients []setup.Client) error {
	plan, err := s.Plan(clients...)
	if err != nil {
		return err
	}
	out := clientsResult{Workspace: s.Root, Steps: plan.Steps, Changed: []string{}, Removed: []string{}, Current: plan.Good()}
	for _, d := range plan.Diffs() {
		from, to := "a/"+d.Path, "b/"+d.Path
		if d.Before == nil {
			from = "/dev/null"
		}
		if d.After == nil {
			to = "/dev/null"
		}
		_, text, _ := strings.Cut(string(diff.Diff(from, d.Before, to, d.After)), "\n") // without the line of the command
		out.Diff += text
	}
	if p.Check {
		if !out.Current {
			p.exit = exitFailure
		}
		out.Diff, out.All = "", true
		p.show(out)
		return nil
	}
	if !p.json {
		p.printf("%s", screen.Lines(out.Diff))
	}
	if !p.DryRun && out.Diff != "" {
		if err := p.agree(ctx, p.Yes, "add --yes to make the changes; --dry-run shows them"); err != nil {
			return err
		}
		if out.Changed, out.Removed, err = plan.Apply(); err != nil {
			return err
		}
	}
	p.show(out)
	return nil
}

// texts are what would be written, for whoever writes it by hand.
type texts struct {
	Files []text `json:"files"`
}

type text struct {
	Path  string `json:"path"`
	About string `json:"about"`
	Value string `json:"text"`
}

func (p setupCommand) print(s *setup.Setup, clients []setup.Client) error {
	out := texts{[]text{}}
	for _, c := range clients {
		all, err := s.Texts(c)
		if err != nil {
			return err
		}
		for _, t := range all {
			if !slices.Contains(out.Files, text(t)) {
				out.Files = append(out.Files, text(t))
			}
		}
	}
	p.show(out)
	return nil
}

type client struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Detected bool   `json:"detected"` // the project or the user's folder has traces of it
	State    string `json:"state"`    // set up, partly, not, or unreadable
}

type setupList struct {
	Workspace   string   `json:"workspace,omitempty"`
	Clients     []client `json:"clients"` // those that seem to be used here first
	MergeDriver string   `json:"merge_driver,omitempty"`
}

func (l setupList) Rows() []client {
	if l.MergeDriver == "" {
		return l.Clients
	}
	return append(l.Clients, client{Name: mergeDriver, Title: "merges of tasks, key by key", State: l.MergeDriver})
}

func (p setupCommand) list(ctx context.Context, s *setup.Setup) error {
	if given := p.set("remove", "check", "dry-run", "print", "force", "yes"); len(given) > 0 {
		return usage("%s needs to know what to set up", given[0]).WithHint("cairn setup lists what there is")
	}
	out := setupList{Workspace: s.Root, Clients: []client{}}
	for _, c := range setup.Clients {
		if s.Root != "" || c.User() {
			out.Clients = append(out.Clients, client{c.Name, c.Title, s.Detected(c), s.StateOf(c)})
		}
	}
	sorted.By(out.Clients, func(a, b client) int { return sorted.First(a.Detected, b.Detected) })
	if s.Root != "" {
		if at, err := p.layout(); err == nil && at.Repo != nil {
			if d, err := store.MergeDriverOf(ctx, at); err == nil {
				out.MergeDriver = map[bool]string{true: setup.IsSetUp, false: setup.IsNot}[d.Attributes && d.Command != ""]
			}
		}
	}
	p.show(out)
	return nil
}

type skillSyncIn struct {
	Check  bool     `json:"check,omitempty" doc:"write nothing, and exit with 4 if something would be written, or was changed since"`
	Remove bool     `json:"remove,omitempty" doc:"remove what was written"`
	Folder []string `json:"folder,omitempty" doc:"write into this FOLDER of one client too: {values}" cli:"value=FOLDER" values:".codex/skills,.cursor/skills,.gemini/skills,.github/skills,.opencode/skills"`
}

func skillCommands() []command {
	return []command{declare(command{
		name:  "skill sync",
		usage: "Write the skills where agents look for them, or remove them from there.",
		about: "It writes .claude/skills/ID/SKILL.md and .agents/skills/ID/SKILL.md in the Agent Skills format, for each active skill of\n" +
			"the workspace and of the user's shelf. It changes and removes only what it wrote and nobody has changed since.\n" +
			"It exits with 4 if a file is then not as its skill says.",
	}, skillSync)}
}

type skillSyncResult struct {
	Workspace string       `json:"workspace"`
	Files     []files.File `json:"files"` // as they are now
	Changed   []string     `json:"changed"`
	InSync    bool         `json:"in_sync"` // whether each file that agents read is as its skill says
	verb.Problems
}

// skillSync plans, does what is planned unless it is only to be checked, and prints it.
func skillSync(ctx context.Context, c *call, in skillSyncIn) error {
	if in.Check && in.Remove {
		return usage("--check and --remove exclude one another").WithHint("leave out one of them")
	}
	for _, folder := range in.Folder {
		if !slices.Contains(files.Further, folder) {
			return usage("no client is known that reads %q", folder).WithHint("one of %s", strings.Join(files.Further, ", "))
		}
	}
	w, s, err := c.open(ctx)
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
	if in.Remove {
		all = nil
	}
	plan, err := files.Plan(s.Root, all, in.Folder...)
	if err != nil {
		return err
	}
	out := skillSyncResult{Workspace: s.Root, Files: plan}
	out.Problems = verb.Problems{Problems: append(problems, shelf.Problems...)}
	unread := len(out.Problems.Problems) > 0
	if !in.Check {
		if out.Files, out.Changed, err = files.Apply(s.Root, plan, unread && !in.Remove); err != nil {
			return err
		}
	}
	out.Files, out.Changed = verb.NoNil(out.Files), verb.NoNil(out.Changed)
	out.InSync = !unread && files.InSync(out.Files)
	if !out.InSync {
		c.exit = verb.ExitCheckFailed
	}
	c.show(out)
	return nil
}

// Wrote reports whether a sync wrote the file at a path that it changed, and did not remove it.
func (r skillSyncResult) Wrote(path string) bool {
	return slices.ContainsFunc(r.Files, func(f files.File) bool { return f.Path == path })
}
