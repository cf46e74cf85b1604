package cmd

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-tasks/cairn/cmd/background"
	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// workspace is where and as whom the flags and the environment say to act. The actor has every right: a person who can
// run the command line can edit the files as well.
func (p *call) workspace(ctx context.Context) (*verb.Workspace, error) {
	c := p.line
	dir, err := p.dir()
	if err != nil {
		return nil, err
	}
	actor, err := p.actor(ctx, dir)
	if err != nil {
		return nil, err
	}
	w := &verb.Workspace{
		Dir: dir, StateDir: p.stateDir(), ConfigDir: p.configDir(), Actor: actor, Session: p.Getenv("CAIRN_SESSION"), Version: Version(),
		Rights: verb.Rights{Profile: verb.Maintainer, Unchosen: true}, Now: p.Now, Rand: p.Rand, Confirm: p.confirm, Fresh: c.Bool("fresh"),
	}
	w.Approve = func(ctx context.Context, commands []store.Command) (bool, error) {
		return p.approve(ctx, w.Actor(), commands)
	}
	w.MayAct = p.mayAct(dir)
	w.Progress = p.meter.Reports(p.Stderr)
	w.Output = p.watched()
	w.Job, w.Executor = p.jobOf()
	if w.Boxed = p.Getenv("CAIRN_SANDBOX") == kind.SandboxSystem; w.Boxed {
		git.Confine()
	}
	if rights, inJob := p.jobRights(dir); inJob {
		w.Rights = rights
	}
	w.Supervise = background.Supervise
	if c.Bool(foregroundFlag) {
		w.Supervise = jobRunner.Run
	} else if c.Name != "poll" && c.Name != "job-poll" && c.Bool(waitFlag) {
		w.Supervise = awaiting(background.Supervise)
	}
	return w, nil
}

// watched is where commands print that are shown while they run; nil if they are not.
func (p *call) watched() io.Writer {
	if p.meter == nil || !p.line.Bool("verbose") {
		return nil
	}
	return terminal.Watching{Meter: p.meter}
}

// layout finds the workspace without reading its config, for commands that must work where the config is broken.
func (p *call) layout() (layout.Layout, error) {
	dir, err := p.dir()
	if err != nil {
		return layout.Layout{}, err
	}
	return layout.Find(dir)
}

// dir is the folder to work in: -C, --repo, CAIRN_REPO, or the working directory.
func (p *call) dir() (string, error) {
	for _, dir := range []string{p.line.String("C"), p.line.String("repo"), p.Getenv("CAIRN_REPO")} {
		if dir == "" {
			continue
		}
		dir = p.abs(dir)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return dir, usage("%s is not a folder", dir).WithHint("name the folder of a repository")
		}
		return dir, nil
	}
	return p.Dir, nil
}

func (p Env) abs(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.Dir, name)
}

func (p Env) home() string {
	if home := p.Getenv("HOME"); home != "" || runtime.GOOS != "windows" {
		return home
	}
	return p.Getenv("USERPROFILE")
}

// underHome resolves ~/ as git does for paths in its config.
func (p Env) underHome(path string) string {
	if below, ok := strings.CutPrefix(path, "~/"); ok && p.home() != "" {
		return filepath.Join(p.home(), below)
	}
	return path
}

// stateDir is cairn's own part of the user's folder for what must not lie in a repository.
func (p Env) stateDir() string {
	return within(p.userDir("XDG_STATE_HOME", ".local/state", "LOCALAPPDATA"), "cairn")
}

func (p Env) configDir() string { return within(p.settingsDir(), "cairn") }

func (p Env) settingsDir() string { return p.userDir("XDG_CONFIG_HOME", ".config", "APPDATA") }

// userDir is a folder of the user's own, by the convention of each system. It is empty if the environment names none by
// an absolute path.
func (p Env) userDir(variable, belowHome, onWindows string) string {
	usual := filepath.Join(p.Getenv("HOME"), belowHome)
	if runtime.GOOS == "windows" {
		usual = p.Getenv(onWindows)
	}
	for _, dir := range []string{p.Getenv(variable), usual} {
		if filepath.IsAbs(dir) {
			return dir
		}
	}
	return ""
}

// within is a folder below another; "" where there is no other.
func within(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// actor is who acts: --actor, CAIRN_ACTOR, the coding agent in whose shell the program runs, or who git says. Git is
// asked when a verb asks who acts, and once: most commands read, for anybody.
func (p *call) actor(ctx context.Context, dir string) (func() record.Actor, error) {
	for _, actor := range []string{p.line.Root().String("actor"), p.Getenv("CAIRN_ACTOR")} {
		if actor != "" {
			who, err := record.ParseActor(norm.NFC.String(actor))
			return verb.As(who), err
		}
	}
	if agent, _ := shellAgent(p.Getenv); agent != "" {
		return verb.As(agent), nil
	}
	return sync.OnceValue(func() record.Actor {
		return humanActor(p.Getenv, store.Setting(ctx, dir, "user.name"), func() string { return store.Setting(ctx, dir, "user.email") })
	}), nil
}

// humanActor is the person whom git names, or else the local part of their address there, or the name of their account.
// It is "" if none of these makes a name, and then nothing is written (see package verb).
func humanActor(getenv func(string) string, name string, address func() string) record.Actor {
	for _, called := range []func() string{
		func() string { return name },
		func() string { local, _, _ := strings.Cut(address(), "@"); return local },
		func() string { return getenv("USER") },
		func() string { return getenv("USERNAME") },
	} {
		if clean := record.NameOf(called()); strings.ContainsFunc(clean, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return record.Actor("human:" + clean)
		}
	}
	return ""
}

// agentShells are the variables that coding agents set in the shells that they open, with the agent of each. Variables
// that a person sets, such as keys, and variables that an editor sets in the person's own terminals are not among them.
var agentShells = []struct{ variable, agent string }{
	{"CLAUDECODE", "claude-code"},
	{"CLAUDE_CODE_ENTRYPOINT", "claude-code"},
	{"CODEX_THREAD_ID", "codex"},
	{"CODEX_SANDBOX", "codex"},
	{"CODEX_SANDBOX_NETWORK_DISABLED", "codex"},
	{"CODEX_CI", "codex"},
	{"GEMINI_CLI", "gemini-cli"},
	{"QWEN_CODE", "qwen-code"},
	{"CURSOR_AGENT", "cursor"},
	{"OPENCODE", "opencode"},
	{"COPILOT_CLI", "copilot-cli"},
	{"COPILOT_AGENT", "copilot"},
	{"AMP_CURRENT_THREAD_ID", "amp"},
	{"ANTIGRAVITY_AGENT", "antigravity"},
	{"AUGMENT_AGENT", "augment"},
	{"CLINE_ACTIVE", "cline"},
	{"CRUSH", "crush"},
	{"GOOSE_TERMINAL", "goose"},
	{"TRAE_AI_SHELL_ID", "trae"},
}

// anyAgent are variables in which any agent may put its name.
var anyAgent = []string{"AI_AGENT", "AGENT"}

// shellAgent is the agent in whose shell the program runs, and the variable that says so; "" if none does.
func shellAgent(getenv func(string) string) (who record.Actor, variable string) {
	for _, s := range agentShells {
		if isSet(getenv(s.variable)) {
			return record.Actor("agent:" + s.agent), s.variable
		}
	}
	for _, variable := range anyAgent {
		value := getenv(variable)
		if !isSet(value) {
			continue
		}
		name := record.NameOf(withoutVersion(value))
		if name == "" || slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(name)) {
			name = "unknown"
		}
		return record.Actor("agent:" + name), variable
	}
	return "", ""
}

// withoutVersion is a name of an agent without the version behind it, as in goose@1.2, my-agent/2.0 and
// claude-code_2.1.0_cli. An agent is the same actor after an update, and keeps what it holds.
func withoutVersion(name string) string {
	for i, r := range name {
		rest := strings.TrimPrefix(name[i:][1:], "v")
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if r == '@' && digits > 0 || (r == '/' || r == '_' || r == ' ') && digits > 0 && strings.HasPrefix(rest[digits:], ".") {
			return name[:i]
		}
		if r > 127 {
			return name // no agent is called so
		}
	}
	return name
}

// isSet reports whether a variable is set to something other than a word for no.
func isSet(value string) bool {
	return !slices.Contains([]string{"", "0", "false", "no", "off"}, strings.ToLower(strings.TrimSpace(value)))
}
