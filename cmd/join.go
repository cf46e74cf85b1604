package cmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/setup"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/statements"
)

// joinResult is what a clone needs of its user, and what became of it.
type joinResult struct {
	Workspace string     `json:"workspace"`
	Steps     []joinStep `json:"steps" result:"rows"`
}

type joinStep struct {
	Name    string `json:"name"`
	State   string `json:"state"`             // there, done or missing
	Command string `json:"command,omitempty"` // that does it by itself, if it is missing

	do func(context.Context) error // asks, and does it; nil for what a person does by hand
}

// What a step of join can be.
const (
	stepThere   = "there"
	stepDone    = "done"
	stepMissing = "missing"
)

type joinIn struct {
	Yes bool `json:"yes,omitempty" doc:"do not ask, and do all but what needs a person: consent to the commands"`
}

func joinCommands() []command {
	return []command{declare(command{
		name:  "join",
		usage: "Set up a fresh clone: the merge driver, consent to the commands, shell completion, agents; asks about each.",
		group: "workspace",
		about: "What git clones has none of these: they are of one clone, or of one user. It does what cairn setup merge-driver, cairn trust,\n" +
			"cairn completion and cairn setup CLIENT do, for the agents that seem to be used here. Without a terminal it says what is\n" +
			"missing, unless --yes is given. The first command at a terminal in a clone says so too, once.",
	}, func(ctx context.Context, c *call, in joinIn) error { return joinCommand{c, in}.run(ctx) })}
}

type joinCommand struct {
	*call
	joinIn
}

func (p joinCommand) run(ctx context.Context) error {
	_, s, err := p.open(ctx)
	if err != nil {
		return err
	}
	if s.Repo == nil {
		return record.Errorf(record.InvalidInput, "%s is not in a git repository, so it is no clone", s.Root).
			WithHint("git init makes it one")
	}
	steps, err := p.steps(ctx, s)
	if err != nil {
		return err
	}
	_ = noteJoined(s.Layout) // the hint is shown once more, if at all
	for i := range steps {
		if err := p.step(ctx, &steps[i]); err != nil {
			return err
		}
	}
	p.show(joinResult{s.Root, steps})
	return nil
}

// step does a step that is missing, if the person agrees.
func (p joinCommand) step(ctx context.Context, step *joinStep) error {
	if step.State != stepMissing || step.do == nil || !p.Yes && !p.asksHere() {
		return nil
	}
	if !p.json {
		p.printf("\n%s\n", step.Name)
	}
	err := step.do(ctx)
	switch code := record.CodeOf(err); {
	case err == nil:
		step.State, step.Command = stepDone, ""
	case code == record.InvalidInput || code == record.Forbidden || code == record.Untrusted: // they would rather not, or cannot
		if !p.json {
			p.printf("%s\n", record.MessageOf(err))
		}
		return nil
	}
	return err
}

// steps are what a clone needs, as it is now.
func (p joinCommand) steps(ctx context.Context, s *store.Store) ([]joinStep, error) {
	d, err := store.MergeDriverOf(ctx, s.Layout)
	if err != nil {
		return nil, err
	}
	as := setupCommand{p.call, setupIn{Yes: p.Yes}}
	all := []joinStep{
		{
			Name: "merge driver", State: stateOf(d.Attributes && d.Command != ""), Command: "cairn setup " + mergeDriver,
			do: func(ctx context.Context) error { return as.mergeDriver(ctx, []string{mergeDriver}) },
		},
		{Name: "consent to the commands", State: stateOf(s.Trusted()), Command: "cairn trust"},
	}
	if !p.Yes { // consent is a person's
		all[1].do = func(ctx context.Context) error { return trustCommand{call: p.call}.run(ctx) }
	}
	if step, known := p.completionStep(); known {
		all = append(all, step)
	}
	look, err := as.setup()
	if err != nil {
		return nil, err
	}
	for _, client := range setup.Clients {
		if !look.Detected(client) {
			continue
		}
		all = append(all, joinStep{
			Name: client.Title, State: stateOf(look.StateOf(client) != setup.IsNot), Command: "cairn setup " + client.Name,
			do: func(ctx context.Context) error { return as.clients(ctx, look, []setup.Client{client}) },
		})
	}
	for i := range all {
		if all[i].State == stepThere {
			all[i].Command = ""
		}
	}
	return all, nil
}

func stateOf(there bool) string { return map[bool]string{true: stepThere, false: stepMissing}[there] }

// completionStep is that of the user's shell; false for a shell that has none, or that nobody knows.
func (p joinCommand) completionStep() (joinStep, bool) {
	shell := strings.TrimSuffix(filepath.Base(p.Getenv("SHELL")), ".exe")
	step := joinStep{Name: "completion of " + shell, State: stepMissing, Command: "cairn completion " + shell}
	switch shell {
	case "bash":
		line, file := "source <(cairn completion bash)", filepath.Join(p.home(), ".bashrc")
		step.Command = "echo '" + line + "' >> ~/.bashrc"
		step.State = stateOf(says(file, line) || layout.Exists("/usr/share/bash-completion/completions/cairn"))
		step.do = func(ctx context.Context) error {
			return p.write(ctx, file, func(was []byte) []byte { return append(was, "\n"+line+"\n"...) }, line)
		}
	case "fish":
		file := filepath.Join(p.settingsDir(), "fish", "completions", "cairn.fish")
		step.Command = "cairn completion fish > " + file
		step.State = stateOf(layout.Exists(file) || layout.Exists("/usr/share/fish/vendor_completions.d/cairn.fish"))
		step.do = func(ctx context.Context) error {
			script, err := shellScripts.ReadFile("shells/cairn.fish")
			if err != nil {
				return err
			}
			return p.write(ctx, file, func([]byte) []byte { return script }, "the script of cairn completion fish")
		}
	case "zsh": // where its functions lie only zsh itself knows
		step.Command = `cairn completion zsh > "${fpath[1]}/_cairn"`
		step.State = stateOf(layout.Exists("/usr/share/zsh/site-functions/_cairn") || layout.Exists("/usr/share/zsh/vendor-completions/_cairn"))
	default:
		return joinStep{}, false
	}
	return step, true
}

// says reports whether a file has a line.
func says(file, line string) bool {
	src, err := disk.ReadFile(file)
	return err == nil && slices.Contains(strings.Split(string(src), "\n"), line)
}

// write changes a file of the user's, once they agree. What says what is written.
func (p joinCommand) write(ctx context.Context, file string, change func([]byte) []byte, what string) error {
	if !filepath.IsAbs(file) {
		return record.Errorf(record.InvalidInput, "there is no home folder")
	}
	if !p.json {
		p.printf("%s: %s\n", file, what)
	}
	if err := p.agree(ctx, p.Yes, ""); err != nil {
		return err
	}
	if at, err := filepath.EvalSymlinks(file); err == nil { // it may be kept elsewhere, as dotfiles are
		file = at
	}
	was, err := disk.ReadFile(file)
	if err != nil && !problem.Missing(err) {
		return problem.IO(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return problem.IO(err)
	}
	return problem.IO(atomicfile.Write(file, change(was), 0o644))
}

// noteJoined notes that the user of a clone was told what it lacks, or set it up themselves.
func noteJoined(l layout.Layout) error {
	if err := l.MakeLive(); err != nil {
		return err
	}
	f, err := os.OpenFile(l.Live.Joined(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// suggestJoin tells a person at a terminal in one line what a clone lacks, after their first command there.
func (p *call) suggestJoin(ctx context.Context) {
	_, typed := terminal.Is(p.Stdin)
	_, seen := terminal.Is(p.Stderr)
	agent, _ := shellAgent(p.Getenv)
	if !typed || !seen || p.json || agent != "" || slices.Contains([]string{"join", "init", "trust", "setup"}, p.line.Name) {
		return
	}
	l, err := p.layout()
	if err != nil || l.Repo == nil || l.Repo.Linked() || layout.Exists(l.Live.Joined()) {
		return
	}
	s, err := store.Open(l.Root, p.stateDir())
	if err != nil {
		return
	}
	steps, err := joinCommand{call: p}.steps(ctx, s)
	if err != nil || errors.Is(noteJoined(l), os.ErrExist) || !layout.Exists(l.Live.Joined()) {
		return
	}
	var lacks []string
	for _, step := range steps {
		if step.State == stepMissing {
			lacks = append(lacks, step.Name)
		}
	}
	if len(lacks) > 0 {
		screen.Fprintf(p.Stderr, "cairn: this clone lacks %s; cairn join sets that up\n", strings.Join(lacks, ", "))
	}
}

// syncResult is what a sync has done.
type syncResult struct {
	Branch      string     `json:"branch"`
	Upstream    string     `json:"upstream,omitempty"` // such as origin/main; absent if nobody else has the branch
	Remote      string     `json:"remote,omitempty"`
	Commit      string     `json:"commit"`
	Committed   filesMoved `json:"committed"`
	Sent        filesMoved `json:"sent"`
	Got         filesMoved `json:"got"`
	TakenOut    []string   `json:"taken_out,omitempty"`    // records that lack entries which a commit has
	MergeDriver []string   `json:"merge_driver,omitempty"` // what installing it changed
	Evidence    string     `json:"evidence,omitempty"`     // why evidence was not exchanged

	EvidenceSent int `json:"evidence_sent,omitempty"` // statements
	EvidenceGot  int `json:"evidence_got,omitempty"`

	Notices []verb.Notice `json:"notices,omitempty"` // what cairn check finds in the records
}

// filesMoved are files that were committed, sent or got.
type filesMoved struct {
	Tasks   []string `json:"tasks"`   // ids
	Records []string `json:"records"` // ids of records of other kinds
	Files   int      `json:"files"`   // how many files there are of anything else
}

// Total is the number of all of them.
func (f filesMoved) Total() int { return len(f.Tasks) + len(f.Records) + f.Files }

func moved(f worktree.Files) filesMoved {
	out := filesMoved{Tasks: []string{}, Records: []string{}, Files: f.Others}
	for _, of := range f.Records {
		if of.Kind == record.TaskKind {
			out.Tasks = append(out.Tasks, of.ID)
		} else {
			out.Records = append(out.Records, of.ID)
		}
	}
	return out
}

type syncIn struct {
	Publish bool `json:"publish,omitempty" doc:"push the branch too if the git remote does not have it yet"`
}

func syncCommands() []command {
	return []command{declare(command{
		name:  "sync",
		usage: "Share the record by git: commit what changed under .cairn, merge what others have pushed, and push.",
		group: "workspace",
		about: "It works on the branch that is checked out and the one at the git remote that it follows. It commits nothing beside .cairn, and\n" +
			"what else is staged stays so. What comes is merged key by key, with the commits of code, as git pull does; what goes is the branch, as\n" +
			"git push does. If something conflicts, or uncommitted changes are in the way, the files stay as they were, and it says what to do.\n" +
			"It sets the merge driver up if that is missing. Hooks run for the push and for nothing else.",
	}, runSync)}
}

func runSync(ctx context.Context, c *call, in syncIn) error {
	w, s, err := c.open(ctx)
	if err != nil {
		return err
	}
	if s.Repo == nil {
		return record.Errorf(record.InvalidInput, "%s is not in a git repository, by which it would be shared", s.Root).
			WithHint("git init makes it one")
	}
	_, person := terminal.Is(c.Stdin)
	if agent, _ := shellAgent(c.Getenv); agent != "" || c.json {
		person = false
	}
	done, driver, err := work.Sync{Publish: in.Publish, Ask: person, Now: c.Now}.Run(ctx, s)
	moves := slices.Concat(done.Committed.Records, done.Sent.Records, done.Got.Records)
	var finds []verb.Notice
	if len(moves) > 0 {
		finds = verb.Findings(ctx, w, s, record.Each(moves, func(of record.Ref) record.ID { return record.ID(of.ID) })...)
	}
	if err != nil {
		return c.stoppedAfter(finds, err)
	}
	out := syncResult{
		Branch: done.Branch, Upstream: done.Upstream, Remote: done.Remote, Commit: done.Commit,
		Committed: moved(done.Committed), Sent: moved(done.Sent), Got: moved(done.Got), MergeDriver: driver, Notices: finds,
	}
	if out.Committed.Total()+out.Sent.Total()+out.Got.Total() > 0 {
		back, _ := store.Fixes(ctx, s.Layout, nil, record.Stamp{Who: w.Actor(), At: c.Now()}) // the sync is done all the same
		for _, f := range back {
			_, id, _ := kind.At(f.Path)
			out.TakenOut = append(out.TakenOut, id)
		}
	}
	if done.Remote != "" {
		evidence := syncEvidence(ctx, s, c.Now)
		out.Evidence, out.EvidenceSent, out.EvidenceGot = evidence.Said, evidence.Sent, evidence.Got
	}
	jobs.Wake(ctx, w, s)
	c.show(out)
	return nil
}

// syncEvidence exchanges evidence with the remote. Where that fails it says why; the sync is done all the same.
func syncEvidence(ctx context.Context, s *store.Store, now func() time.Time) statements.Exchanged {
	shelf := statements.Of(s, now)
	done, err := shelf.Exchange(ctx)
	if _, failed := shelf.Take(ctx, s); err == nil {
		err = failed
	}
	if err != nil {
		done.Said = record.MessageOf(err)
	}
	return done
}

// syncFinds is what is shown of a sync that stopped half-way.
type syncFinds struct{ Notices []verb.Notice }

// stoppedAfter is the error of a sync that stopped half-way, with what cairn check finds in what it has committed and
// brought.
func (p *call) stoppedAfter(finds []verb.Notice, err error) error {
	if e, ok := errors.AsType[*record.Error](err); ok && p.json && len(finds) > 0 {
		if e.Details == nil {
			e.Details = map[string]any{}
		}
		e.Details["notices"] = finds
	} else if !p.json && len(finds) > 0 {
		p.show(syncFinds{finds})
	}
	return err
}
