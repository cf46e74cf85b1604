package git

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// Programs are started in few places: git in this package, a task's commands in package proc, ssh-keygen in package
// sshsign, and what tests, examples and the tools need. So every git command has the settings that command gives it.
func TestProgramsAreStartedInOnePlace(t *testing.T) {
	allowed := map[string]string{
		"internal/git/command.go":           "CommandContext",
		"internal/proc/proc.go":             "CommandContext",
		"internal/proc/guard_unix.go":       "Command",
		"cmd/background/background.go":      "Command",        // cairn itself: the supervisor of a job, and what tells the git remote of claims
		"cmd/board.go":                      "CommandContext", // cairn itself, to edit a task from the board
		"cmd/draft.go":                      "CommandContext", // the editor that the user's environment names
		"cmd/terminal/pager.go":             "Command",        // the pager that the user's environment names, or less
		"cmd/web.go":                        "CommandContext", // the system's opener of links, for the person who typed cairn web
		"cmd/transfer.go":                   "CommandContext", // gh, for who typed cairn import github without a file
		"internal/user/notify/notify.go":    "CommandContext", // what the user's own config has told of what waits for them
		"cmd/review.go":                     "Command",        // what opens a pair's work tree, as the person who typed the command chose
		"internal/sandbox/means.go":         "CommandContext", // bwrap or sandbox-exec, to see whether it works; package proc starts it with a check
		"internal/sshsign/sign.go":          "CommandContext", // ssh-keygen, or what the user's own git config names
		"cmd/cmdtest/commands.go":           "Command",        // for tests only
		"cmd/cmdtest/shop.go":               "Command",        // for tests only
		"store/storetest/git.go":            "Command",        // for tests only
		"store/storetest/process.go":        "Command",        // for tests only
		"internal/verb/verbtest/jobs.go":    "Command",        // for tests only
		"internal/slowtest/memory_linux.go": "Command",        // for tests only
	}
	found, read := map[string]int{}, 0
	top := filepath.Join("..", "..")
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, top+string(filepath.Separator)))
		if err == nil && e.IsDir() && (e.Name() == "testdata" || name == "examples" || name == "tools" || name == "internal/work/executor/executortest" || strings.HasPrefix(e.Name(), ".") && len(e.Name()) > 2) {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		read++
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		for _, imported := range file.Imports { // under another name, or by a way that is not looked at below
			if imported.Name != nil && (imported.Path.Value == `"os/exec"` || imported.Path.Value == `"syscall"`) {
				t.Errorf("%s renames %s", name, imported.Path.Value)
			}
			if strings.Contains(imported.Path.Value, "x/sys/execabs") || imported.Path.Value == `"plugin"` {
				t.Errorf("%s imports %s", name, imported.Path.Value)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			starts := map[string][]string{
				"exec": {"Command", "CommandContext"}, "os": {"StartProcess"}, "syscall": {"Exec", "ForkExec", "StartProcess", "CreateProcess"},
			}[pkg.Name]
			if !slices.Contains(starts, sel.Sel.Name) {
				return true
			}
			found[name]++
			if allowed[name] != sel.Sel.Name || found[name] > 1 {
				t.Errorf("%s starts a program: %s.%s", files.Position(n.Pos()), pkg.Name, sel.Sel.Name)
			}
			return true
		})
		ast.Inspect(file, func(n ast.Node) bool {
			made, ok := n.(*ast.CompositeLit)
			if ok {
				if sel, ok := made.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Cmd" {
					t.Errorf("%s makes a command by hand", files.Position(n.Pos()))
				}
			}
			return true
		})
		return nil
	})
	if err != nil || read < 200 || len(found) != len(allowed) {
		t.Errorf("read %d files, programs are started in %v (%v)", read, slices.Sorted(maps.Keys(found)), err)
	}
}

// Git gets none of the GIT_ variables in the caller's environment, but for those that say where the user's config lies.
func TestCallersVariablesAreCleared(t *testing.T) {
	isolate(t)
	if runtime.GOOS == "windows" {
		t.Skip("the trap is POSIX shell")
	}
	r := newRepoAt(t, "")
	r.write("file", "x")
	r.commit()
	trap, sprung := trap(t)
	for name, value := range map[string]string{
		"GIT_EXTERNAL_DIFF": trap, "GIT_SSH": trap, "GIT_SSH_COMMAND": trap, "GIT_ASKPASS": trap, "GIT_PAGER": trap, "GIT_EDITOR": trap,
		"GIT_SEQUENCE_EDITOR": trap, "GIT_PROXY_COMMAND": trap, "GIT_EXEC_PATH": filepath.Dir(trap), "GIT_TEMPLATE_DIR": filepath.Dir(trap),
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": trap,
		"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='" + trap + "'", "GIT_CONFIG": sprung,
		"GIT_TRACE": sprung, "GIT_TRACE_SETUP": sprung, "GIT_TRACE2": sprung, "GIT_TRACE2_EVENT": sprung, "GIT_TRACE2_PERF": sprung, "GIT_TRACE_PACKET": sprung,
		"GIT_DIR": "/nowhere", "GIT_WORK_TREE": "/nowhere", "GIT_COMMON_DIR": "/nowhere", "GIT_OBJECT_DIRECTORY": "/nowhere",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES": "/nowhere", "GIT_NAMESPACE": "other", "GIT_SHALLOW_FILE": sprung, "GIT_GRAFT_FILE": sprung,
		"GIT_REPLACE_REF_BASE": "refs/heads/", "GIT_DEFAULT_HASH": "sha256", "GIT_ATTR_SOURCE": "HEAD", "GIT_REDIRECT_STDERR": sprung,
		"GIT_REDIRECT_STDOUT": sprung, "GIT_ALLOW_PROTOCOL": "ext", "GIT_PROTOCOL_FROM_USER": "1", "GIT_NO_LAZY_FETCH": "0",
	} {
		t.Setenv(name, value)
	}
	if _, err := r.open().WorkTree(t.Context()); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(sprung); err == nil {
		t.Errorf("git got: %s", text)
	}
	mine := map[string]bool{}
	for _, v := range variables {
		mine[v] = true
	}
	for _, v := range environ(r.dir) {
		if strings.HasPrefix(v, "GIT_") && !mine[v] && v != "GIT_WORK_TREE="+r.dir && v != "GIT_CEILING_DIRECTORIES="+filepath.Dir(r.dir) {
			t.Errorf("git's environment has %s", v)
		}
	}
}

// trap makes a program that leaves a trace, and names the file of its traces.
func trap(t *testing.T) (program, traces string) {
	t.Helper()
	dir := t.TempDir()
	program, traces = filepath.Join(dir, "trap"), filepath.Join(dir, "sprung")
	writeFile(t, program, "#!/bin/sh\necho \"$0 $*\" >>'"+traces+"'\ncat\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	return program, traces
}

// contrary is a config that has git print everything in another way than usual, or work on something else.
const contrary = `[color]
	ui = always
	diff = always
	status = always
	branch = always
[column]
	ui = always
[core]
	quotePath = false
	abbrev = 4
	checkStat = minimal
	trustctime = false
	untrackedCache = true
	worktree = ELSEWHERE
	bare = true
	commentChar = "#"
[diff]
	renames = copies
	noprefix = true
	mnemonicPrefix = true
	ignoreSubmodules = all
	orderFile = ELSEWHERE/nothing
	relative = true
	wsErrorHighlight = all
	external = false
[format]
	pretty = fuller
	notes = true
[i18n]
	logOutputEncoding = UTF-16
[log]
	showSignature = true
	showRoot = false
	date = relative
	follow = true
	diffMerges = combined
	mailmap = true
	abbrevCommit = true
	decorate = full
[notes]
	displayRef = refs/notes/*
[status]
	showUntrackedFiles = no
	renames = copies
	relativePaths = false
	submoduleSummary = true
	showStash = true
	branch = true
	short = true
[submodule "sub"]
	ignore = all
[grep]
	lineNumber = true
`

// What a config says about git's output, and grafts and replaced objects, change no answer.
func TestSlowConfigDecidesNoAnswer(t *testing.T) {
	slowtest.Skip(t)
	isolate(t)
	r := withSubmodule(t)
	for i, text := range []string{"one\n", "two\n", "three\n"} {
		r.write(".cairn/tasks/T-1.md", text)
		r.git("mv", "-f", "plain", "moved")
		r.git("mv", "moved", "plain")
		r.write("plain", strings.Repeat(text, i+1))
		r.commit()
	}
	r.git("branch", "-q", "side", "HEAD~1")
	r.git("merge", "-q", "-s", "ours", "--allow-unrelated-histories", "-m", "a merge", r.git("commit-tree", "-m", "alone", "HEAD~2^{tree}"))
	r.write("plain", "stashed\n")
	r.git("stash", "-q")
	r.write("plain", "changed\n")
	r.write("new file", "x")
	repo{t, r.path("sub")}.write("lib", "changed")
	answers := func() string {
		t.Helper()
		f, ctx := r.open(), t.Context()
		var all []any
		say := func(answer any, err error) {
			t.Helper()
			if err != nil {
				t.Error(err)
			}
			all = append(all, answer)
		}
		head, err := f.headFromGit(ctx)
		say(head, err)
		tree, err := f.WorkTree(ctx)
		say(tree, err)
		fingerprint, err := f.Objects().Fingerprint(ctx, "HEAD")
		say(fingerprint, err)
		bases, err := f.History().MergeBases(ctx, "HEAD", "side")
		say(bases, err)
		base := strings.Join(bases, "")
		commits, err := f.History().Between(ctx, base, "HEAD", 10)
		say(commits, err)
		steps, around, err := f.History().Steps(ctx, base, "HEAD")
		say(fmt.Sprint(steps, around), err)
		pairs := make([]Pair, len(steps))
		for i, step := range steps {
			pairs[i].Now = step.Tree
		}
		say("differences", f.History().Differences(ctx, pairs, []string{".cairn"}, func(_ int, c FileChange) { all = append(all, c) }))
		for _, since := range []string{"", base} {
			say("versions", f.History().Versions(ctx, since, "HEAD", []string{".cairn"}, func(path, id string) { all = append(all, path, id) }))
		}
		say("files", f.Objects().Blobs(ctx, []string{"HEAD:.cairn/tasks/T-1.md", "HEAD:.cairn/tasks"}, 1<<20, func(_ int, b Blob) { all = append(all, string(b.Content)) }))
		there, err := f.Objects().Folders(ctx, []string{"HEAD:.cairn/tasks", "HEAD:.cairn/closed", "HEAD:.cairn/tasks/T-1.md"})
		say(there, err)
		worktrees, err := f.Worktrees(ctx)
		say(worktrees, err)
		branches, err := f.Refs().Branches(ctx)
		say(branches, err)
		reachable, err := f.Refs().Reachable(ctx)
		say(reachable, err)
		tracked, err := f.Index("").Files(ctx, "")
		say(tracked, err)
		attribute, err := f.Config().Attribute(ctx, "merge", ".cairn/tasks/T-1.md")
		say(attribute, err)
		name, err := Setting(ctx, f.Top, "user.name")
		say(name, err)
		return strings.Join(strings.Split(fmt.Sprint(all...), " "), "\n")
	}
	plain := answers()
	if strings.Count(plain, "\n") < 40 {
		t.Fatalf("there is too little to compare:\n%s", plain)
	}
	elsewhere := realTempDir(t)
	config, err := os.ReadFile(r.path(".git/config"))
	if err != nil {
		t.Fatal(err)
	}
	changed := string(config) + strings.ReplaceAll(contrary, "ELSEWHERE", filepath.ToSlash(elsewhere))
	writeFile(t, r.path(".git/config"), strings.Replace(changed, "bare = false", "", 1))
	if _, err := r.try("status"); err == nil {
		t.Error("the config changes nothing for git itself")
	}
	if got := answers(); got != plain {
		t.Errorf("the config decides; was\n%s\n\nand is\n%s", plain, got)
	}
	included := r.path(".git/more")
	writeFile(t, included, strings.ReplaceAll(contrary, "ELSEWHERE", filepath.ToSlash(elsewhere)))
	writeFile(t, r.path(".git/config"), string(config)+"[include]\n\tpath = more\n")
	if got := answers(); got != plain {
		t.Error("what the config includes decides")
	}
	writeFile(t, r.path(".git/config"), string(config))
	r.git("replace", "HEAD", "HEAD~2")
	writeFile(t, r.path(".git/info/grafts"), r.git("--no-replace-objects", "rev-parse", "HEAD")+"\n")
	if got := answers(); strings.ReplaceAll(got, "\n", "") != strings.ReplaceAll(plain, "\n", "") {
		t.Errorf("replaced objects and grafts decide; was\n%s\n\nand is\n%s", plain, got)
	}
}

// To hash a file git starts the filters of the clone's config, and for a submodule those of its own. A repository that
// lies in the work tree untracked came in some other way, and starts none of its own; nor does a submodule of it.
func TestSlowUntrackedRepositoryStartsNoFilter(t *testing.T) {
	slowtest.Skip(t)
	isolate(t)
	if runtime.GOOS == "windows" {
		t.Skip("the trap is POSIX shell")
	}
	program, traces := trap(t)
	r := newRepoAt(t, "")
	r.write("file", "x")
	r.commit()
	nested := newRepoAt(t, r.path("vendor/unpacked"))
	lib := newRepoAt(t, "")
	lib.write("lib", "one")
	lib.commit()
	nested.write(".gitattributes", "* filter=trap\n*.long filter=long.with=odd.name\n")
	nested.write("file", "x")
	nested.write("file.long", "x")
	nested.git("submodule", "add", "-q", lib.dir, "sub")
	nested.commit()
	for _, in := range []repo{nested, {t, nested.path("sub")}} {
		in.git("config", "filter.trap.clean", program)
		in.git("config", "filter.trap.required", "true")
		in.git("config", "filter.long.with=odd.name.process", program)
		in.git("config", "filter.long.with=odd.name.required", "true")
		in.git("config", "core.fsmonitor", program)
	}
	included := nested.path(".git/more")
	writeFile(t, included, "[filter \"trap\"]\n\tclean = "+program+" included\n")
	nested.git("config", "include.path", "more")
	repo{t, nested.path("sub")}.write(".gitattributes", "* filter=trap\n")
	before := r.fingerprint()
	nested.write("file", "changed")
	nested.write("file.long", "changed")
	changed := r.fingerprint()
	repo{t, nested.path("sub")}.write("lib", "changed")
	below := r.fingerprint()
	if before == changed || changed == below {
		t.Error("a change in it does not count")
	}
	if text, err := os.ReadFile(traces); err == nil {
		t.Errorf("it started a program:\n%s", text)
	}
	if _, err := nested.try("status"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(traces); err != nil {
		t.Error("the traps do not work")
	}
}

// A link in the place of a clone's config would have another file written.
func TestConfigIsNotWrittenThroughALink(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	outside := filepath.Join(t.TempDir(), "config")
	if err := os.Rename(r.path(".git/config"), outside); err != nil {
		t.Fatal(err)
	}
	r.link(outside, ".git/config")
	before := contents(t, filepath.Dir(outside))
	_ = failure(t, r.open().Config().Set(t.Context(), "merge.cairn.driver", "x"))
	_ = failure(t, r.open().Config().Set(t.Context(), "core.bare", ""))
	if contents(t, filepath.Dir(outside)) != before {
		t.Error("it was written")
	}
}
