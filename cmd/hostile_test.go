package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/check/report"
	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/urfave/cli/v3"
)

// hostile is text that a file, git or a caller may contain: commands to CIs at the beginning of a line, commands to
// terminals, text that changes its direction, and invisible characters.
var hostile = strings.Join([]string{
	"::set-env name=A::b", "\n::set-output name=x::y", "\n \t\u00a0::error file=a::z", "##vso[task.complete result=Failed]x",
	"##teamcity[buildStop]", "##[add-mask]x", "\nsection_start:1:x\r\x1b[0K", "\n%%x", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\",
	"\u009b2J", "\u202e\u2066\u200e\u061c", "\u200b\u200d\u2060\ufeff\u00ad", "\U000e0049\U000e0067\U000e007f", "\u2028::error::x",
	"\u2029", "\u0085", "\u3164\u034f\ufe01\U000e0101", "\x7f\b\v", "\r::warning::over", "\r\n::debug::x",
}, "")

// hidden is every character that is invisible or that a terminal obeys. The list does not use the one of package
// harmless.
var hidden = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e" +
	"\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]")

// ciCommands are the lines that a CI would obey.
var ciCommands = regexp.MustCompile(`(?mi)^[\s\pZ]*(::|%%|section_start:|section_end:).*|.*##(vso|teamcity)?\[.*`)

// annotation is a command to GitHub that cairn check itself prints.
var annotation = regexp.MustCompile(`(?m)^::(error|warning|notice) file=[^:\s]*(,line=\d+)?,title=cairn [a-z-]+::.*\n`)

// whyUnfit says why an output is not fit to be shown, or "".
func whyUnfit(out string) string {
	switch {
	case !utf8.ValidString(out):
		return "bytes that are not UTF-8"
	case hidden.MatchString(out):
		return fmt.Sprintf("a hidden character: %q", hidden.FindString(out))
	case ciCommands.MatchString(out):
		return fmt.Sprintf("a command to a CI: %q", ciCommands.FindString(out))
	}
	return ""
}

const (
	hostileTask    = "T-1"
	hostileSession = "ses-00vhnczb00388y"
)

// hostileFiles are the files of a workspace in which every text is hostile. A text that makes a file unreadable has a
// file of its own, so that the others can be read.
func hostileFiles() map[string]string {
	at := "2026-06-21T10:00:00Z"
	fill := func(text string) string {
		return strings.NewReplacer("EVIL", strconv.QuoteToASCII(hostile), "AT", at, "SES", hostileSession).Replace(text)
	}
	entry := `  - {who: EVIL, at: AT, did: EVIL, from: EVIL, to: EVIL, commit: EVIL, tree: EVIL, checks: EVIL, session: EVIL, text: EVIL, assignee: EVIL, results: [{check: EVIL, result: pass}]}
`
	files := map[string]string{
		".cairn/config.yaml": "prefix: T\n",
		".cairn/tasks/T-1.md": fill(`---
id: T-1
title: EVIL
status: backlog
labels: [EVIL, b]
parent: EVIL
checks:
  - {desc: EVIL, cmd: EVIL, cwd: EVIL, by: EVIL, result: pending}
  - {desc: EVIL, type: manual, by: EVIL, result: pending}
  - {desc: says a lot, cmd: 'printf "\033]0;x\007\n::error::x\n  ::error::y\n##vso[y]\n\342\200\256\r::z\377"; exit 1', result: pending}
provenance:
  - {who: 'human:shah', at: AT, did: created, to: backlog}
  - {who: 'human:shah', at: AT, did: noted, text: EVIL}
  - {who: 'agent:a', at: AT, did: began, session: SES}
x-other: EVIL
---
`) + strings.NewReplacer("\x1b", "", "\x7f", "", "\b", "", "\v", "", "\x07", "").Replace(hostile) + "\n",
		".cairn/tasks/T-2.md": fill("---\nid: T-2\ntitle: EVIL\nstatus: done\nassignee: EVIL\nprovenance:\n" + entry + "---\n"),
		".cairn/tasks/T-3.md": fill("---\nid: T-3\ntitle: EVIL\nstatus: EVIL\ndeps: [EVIL, T-1]\n---\n"),
		".cairn/tasks/T-4.md": fill("---\nid: T-4\ntitle: EVIL\nstatus: backlog\nparent: T-1\ndeps: [T-1]\nchecks:\n  - {desc: EVIL, result: EVIL}\n---\n"),
		".cairn/tasks/T-5.md": fill("---\nid: T-5\ntitle: x\nstatus: backlog\nEVIL: EVIL\n---\n"),
		".cairn/tasks/T-6.md": "---\nid: T-6\ntitle: \u202e[x] ##vso[y] y: z\nstatus: [\n---\n",
		".cairn/tasks/T-7.md": fill("---\nid: T-7\ntitle: x\nstatus: backlog\npriority: EVIL\n---\n"),
		".cairn/tasks/T-8.md": fill("---\nid: EVIL\ntitle: x\nstatus: backlog\n---\n"),
		".cairn/tasks/T-9.md": fill("---\nid: T-9\ntitle: x\nstatus: backlog\nprovenance:\n" + entry + "  - {who: EVIL, at: EVIL, did: created}\n---\n"),
		".cairn/sessions/" + hostileSession + ".yaml": fill(`id: SES
task: T-1
actor: 'agent:a'
client: EVIL
model: EVIL
status: active
started_at: AT
branch: EVIL
worktree: EVIL
head: EVIL
summary: EVIL
reason: EVIL
`),
		".cairn/sessions/ses-00vhnczb00388z.yaml": fill("id: ses-00vhnczb00388z\ntask: EVIL\nactor: EVIL\nstatus: EVIL\n"),
		".cairn/plans/plan-00vhnczb00388y.yaml":   fill("id: plan-00vhnczb00388y\nsummary: EVIL\nactor: EVIL\nat: AT\ntasks: [{title: EVIL, deps: [EVIL], checks: [{desc: EVIL, cmd: EVIL}]}]\n"),
		".cairn/tasks/\u202ex\u200b\U000e0041.md": "x",
	}
	if runtime.GOOS != "windows" {
		files[".cairn/tasks/a\n::error::\x1b[2J.md"] = "x"
	}
	return files
}

// hostileRepo is a repository with such a workspace. The names of its branch and its folder have hidden characters too,
// and a session with hostile texts is active.
func hostileRepo(t *testing.T) *gitRepo {
	g := newGitRepo(t)
	g.dir = filepath.Join(g.dir, "w\u202e\u200b ##vso[x]")
	for name, text := range hostileFiles() {
		g.write(filepath.Join(g.dir, filepath.FromSlash(name)), []byte(text))
	}
	g.run("init", "-q", "-b", "base")
	g.run("commit", "-q", "--allow-empty", "-m", "nothing")
	g.run("checkout", "-q", "-b", "b\u202e\u200b\U000e0041")
	g.run("add", "-A")
	g.run("commit", "-q", "-m", hostile)
	in := hostileShell{t: t, dir: g.dir, home: g.home}
	in.must("--actor", "agent:a", "begin", "T-1", "--expected-actor", "agent:a", "--idempotency-key", "k")
	in.makeLiveStateHostile()
	in.must("--actor", "human:shah", "trust", "--yes")
	_, _, _ = in.run("run-checks", "T-1", "--only", "2")
	return g
}

// hostileShell runs the program on a copy of the workspace.
type hostileShell struct {
	t         *testing.T
	dir, home string
}

func (in hostileShell) run(args ...string) (stdout, stderr string, exit int) {
	in.t.Helper()
	vars := map[string]string{
		"CAIRN_ACTOR": "human:shah", "HOME": in.home, "XDG_STATE_HOME": filepath.Join(in.home, "state"),
		"GIT_CONFIG_GLOBAL": filepath.Join(in.home, ".gitconfig"),
	}
	limit, serves := 20*time.Second, slices.Contains(args, "web") || slices.Contains(args, "--web")
	if serves { // until it is ended
		limit = 300 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(in.t.Context(), limit)
	defer cancel()
	var out, errs bytes.Buffer
	exit = Main(ctx, Env{
		Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: in.dir,
		Getenv: func(name string) string { return vars[name] }, Now: func() time.Time { return cmdtest.StartTime.Add(time.Hour) }, Rand: cmdtest.Zeros{},
	})
	if ctx.Err() != nil && !serves {
		in.t.Errorf("cairn %q does not end", args)
	}
	return out.String(), errs.String(), exit
}

func (in hostileShell) must(args ...string) {
	in.t.Helper()
	if out, errs, exit := in.run(args...); exit != 0 {
		in.t.Fatalf("cairn %s exits with %d: %s%s", args, exit, out, errs)
	}
}

// makeLiveStateHostile puts hostile text into the live state.
func (in hostileShell) makeLiveStateHostile() {
	in.t.Helper()
	l, err := layout.Find(in.dir)
	if err != nil {
		in.t.Fatal(err)
	}
	changed := 0
	err = filepath.WalkDir(string(l.Live), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		src, err := os.ReadFile(path)
		var v any
		if err != nil || json.Unmarshal(src, &v) != nil {
			return err
		}
		makeHostile(v)
		if src, err = json.Marshal(v); err != nil {
			return err
		}
		changed++
		return os.WriteFile(path, src, 0o644)
	})
	if err != nil || changed == 0 {
		in.t.Fatalf("%d files of live state were changed: %v", changed, err)
	}
}

func makeHostile(v any) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			makeHostile(one)
		}
	case map[string]any:
		for key, one := range v {
			if _, text := one.(string); text && slices.Contains([]string{"branch", "progress", "client", "model"}, key) {
				v[key] = hostile
				continue
			}
			makeHostile(one)
		}
	}
}

// Nothing that a command prints can command a terminal or a CI, or be invisible, whatever the files, git, live state
// and the caller contain. The same holds with --json. The commands come from the catalogue, so a new one is tested too.
func TestSlowWhatIsPrintedIsFitToShow(t *testing.T) {
	slowtest.Skip(t)
	if why := whyUnfit("  ::error::x"); why == "" {
		t.Fatal("the test finds nothing")
	}
	g := hostileRepo(t)
	commands := map[string][][]string{}
	for _, v := range catalogue.All {
		commands[verb.CommandName(v.Name)] = verbCalls(v)
	}
	for _, c := range otherCommands() {
		commands[c.Name] = otherCalls(c)
	}
	commands["nothing"] = [][]string{{hostile}, {"--" + hostile}, {"-C", hostile, "list"}, {"--actor", hostile, "list"}, {}}
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		t.Run(name, func(t *testing.T) {
			in := hostileShell{t: t, dir: filepath.Join(t.TempDir(), filepath.Base(g.dir)), home: g.home}
			if err := os.CopyFS(in.dir, os.DirFS(g.dir)); err != nil {
				t.Fatal(err)
			}
			if name != "trust" {
				in.must("trust", "--yes")
			}
			for _, call := range commands[name] {
				in.printsFit(call)
			}
		})
	}
}

// printsFit runs a command with and without --json, and fails the test if its output is not fit to be shown.
func (in hostileShell) printsFit(call []string) {
	in.t.Helper()
	out, errs, _ := in.run(call...)
	if slices.Contains(call, string(report.GitHub)) {
		out = annotation.ReplaceAllString(out, "")
	}
	for stream, text := range map[string]string{"standard output": out, "standard error": errs} {
		if why := whyUnfit(text); why != "" {
			in.t.Errorf("cairn %q writes %s to %s:\n%.400q", call, why, stream, text)
		}
	}
	out, errs, _ = in.run(append([]string{"--json"}, call...)...)
	if why := whyUnfit(out + "\n" + errs); why != "" && !slices.Contains(call, string(report.GitHub)) {
		in.t.Errorf("cairn --json %q writes %s:\n%.400q", call, why, out+errs)
	}
}

// verbCalls are calls of a verb: with its required arguments, with each of the others, and with wrong ones.
func verbCalls(v verb.Verb) [][]string {
	name, whole := verb.CommandName(v.Name), func(in map[string]any) string {
		text, _ := json.Marshal(in)
		return string(text)
	}
	least, all := map[string]any{}, map[string]any{}
	for _, f := range v.Fields() {
		switch {
		case f.Name == "timeout_seconds":
			least[f.Name] = 0
		case f.Required:
			least[f.Name] = sample(f, false)
		}
		all[f.Name] = sample(f, true)
	}
	calls := [][]string{
		{name, "--help"}, {name, hostile}, {name, "--" + hostile}, {name, "--input", hostile},
		{name, "--input", whole(map[string]any{hostile: hostile})}, {name, "--input", whole(least), hostile, hostile, hostile},
		{name, "--input", whole(least)}, {name, "--input", whole(all)},
	}
	for _, f := range v.Fields() {
		for _, value := range []any{sample(f, false), sample(f, true)} {
			in := maps.Clone(least)
			in[f.Name] = value
			calls = append(calls, []string{name, "--input", whole(in)})
		}
	}
	if _, ok := least["id"]; ok || v.Name == "history" || v.Name == "wait" {
		for _, id := range []string{"T-1", "T-2", "T-3", "T-4", "T-5", "T-6", "T-7", "T-8", "T-9"} {
			in := maps.Clone(least)
			in["id"] = id
			calls = append(calls, []string{name, "--input", whole(in)})
		}
	}
	if v.Name == "get" {
		for _, mode := range []string{"summary", "full", "context"} {
			calls = append(calls, []string{"show", hostileTask, "--mode", mode})
		}
	}
	return calls
}

// sample is a value for a field: a plausible one, or a hostile one.
func sample(f verb.Field, useHostile bool) any {
	text := hostile
	switch {
	case useHostile:
	case f.Names == "task":
		text = hostileTask
	case f.Names == "session":
		text = hostileSession
	case strings.Contains(f.Name, "actor"):
		text = "human:shah"
	case f.Name == "to" || f.Name == "status":
		text = "canceled"
	case f.Name == "check":
		text = "1"
	}
	switch f.Type {
	case verb.Number, verb.Decimal:
		return 1
	case verb.Boolean:
		return true
	case verb.Texts:
		return []string{text}
	case verb.Numbers:
		return []int{2}
	case verb.Objects:
		one := map[string]any{}
		for _, sub := range f.Fields {
			if sub.Required || sub.Name == "cmd" || useHostile {
				one[sub.Name] = sample(sub, sub.Names == "" && useHostile || sub.Type == verb.Text)
			}
		}
		return []any{one}
	default:
		return text
	}
}

// otherCalls are calls of a command that is no verb: with each of its flags, with wrong arguments, and some that print
// much.
func otherCalls(c *cli.Command) [][]string {
	calls := [][]string{{c.Name}, {c.Name, "--help"}, {c.Name, hostile}, {c.Name, hostile, hostile}, {c.Name, "--" + hostile}}
	if c.Name == "serve" {
		calls[0] = []string{c.Name, "--actor", "agent:a"}
	}
	for _, f := range c.Flags {
		flag := "--" + f.Names()[0]
		if c.Name == "work" && flag == "--watch" { // it goes on until it is stopped, and prints what cairn work prints
			continue
		}
		if _, boolean := f.(*cli.BoolFlag); boolean {
			calls = append(calls, []string{c.Name, flag})
			continue
		}
		calls = append(calls, []string{c.Name, flag, hostile})
	}
	for _, f := range report.Formats() {
		if c.Name == "check" {
			calls = append(calls, []string{c.Name, "--base", "HEAD~1", "--format", string(f)}, []string{c.Name, "--no-base", "--format", string(f)},
				[]string{c.Name, "--no-base", "--run", "--all", "--i-trust-this-code", "--format", string(f)})
		}
	}
	return append(calls, map[string][][]string{
		"check":        {{"check", "--fix", "--dry-run"}, {"check", "--fix", "--yes"}, {"check", "--staged"}},
		"doctor":       {{"doctor", "--fix", "--yes"}, {"doctor"}},
		"trust":        {{"trust", "--revoke"}, {"trust"}, {"trust", "--yes"}, {"trust", "--list"}, {"trust", "--revoke", hostile}},
		"setup":        {{"setup", "merge-driver"}, {"setup", "merge-driver", "--yes"}},
		"merge-driver": {{"merge-driver", hostile, "x", "x", "7", "y"}, {"merge-driver", "x", "x", "x", hostile, "y"}},
		"help":         {{"help", "list"}, {"help", "exit-codes"}},
		"man":          {{"man"}},
		"completion":   {{"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}, {"completion", "pwsh"}},
	}[c.Name]...)
}

// --json prints texts exactly as the file has them, and names those with hidden characters.
func TestJSONOfHostileTextIsExact(t *testing.T) {
	g := hostileRepo(t)
	in := hostileShell{t: t, dir: g.dir, home: g.home}
	out, errs, exit := in.run("show", hostileTask, "--json")
	if exit != 0 {
		t.Fatal(errs)
	}
	var got struct {
		Title  string
		Labels []string
		Checks []struct{ Desc, Cmd string }
		Extra  map[string]string
		Hidden []string `json:"hidden_characters"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"title": got.Title, "labels[0]": got.Labels[0], "checks[0].desc": got.Checks[0].Desc, "checks[0].cmd": got.Checks[0].Cmd,
		"extra.x-other": got.Extra["x-other"],
	} {
		if text != hostile {
			t.Errorf("%s is %q", name, text)
		}
		if !slices.Contains(got.Hidden, name) {
			t.Errorf("%s is not among the fields that are named: %q", name, got.Hidden)
		}
	}
}
