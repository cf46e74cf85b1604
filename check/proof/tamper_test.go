package proof_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// A case is a script that begins outside of the repository. Beside testscript's commands and as, edit, commit, clock and
// git of the histories it has
//
//	plan BASE COMMAND [--guards GLOB] [--may-change GLOB]  make the repository out of testdata/tamper/bases/BASE.txtar
//	                  and the case's own files below base/, with a task $ID that has the check COMMAND, which the work
//	                  is begun on as agent:bob; what follows is in the repository
//	solve             do the work: put the base's files below done/ in their places
//	refused [FILE...] the close is refused with GUARDS_CHANGED, which names the files
//	caught [FILE...]  the same, and cairn check finds it where the close is written into the file of the task
//	forged            cairn check finds it where the close is written into the file of the task, and nothing else was asked
//	job SCRIPT FILE   an executor of a job does what the script says, is told before it hands over that it bent the file, and mends it
//	warned [FILE...]  the task is closed, and cairn check warns of the files
//	silent [REV]      the task is closed, or is already, and cairn check finds nothing, from REV or where the work began
//
// A program that a case needs and that is not installed skips it. Runners that come out of a registry are those which
// .ci/run puts into its cache folder: [jest], [vitest] and [pytest] hold where they are there.
func TestSlowTamper(t *testing.T) {
	slowtest.Skip(t)
	t.Setenv("GOTMPDIR", "")
	t.Setenv("CI", "") // where vitest takes no .only, so that a cheat ends before it is one
	t.Setenv("PYTHONPATH", filepath.Join(runners, "python"))
	for _, kind := range []string{"cheats", "honest"} {
		t.Run(kind, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Files:              cmdtest.Scripts(t, filepath.Join("testdata", "tamper", kind), 1),
				RequireUniqueNames: true,
				Setup: func(env *testscript.Env) error {
					env.Setenv("HOME", os.Getenv("HOME"))
					env.Setenv("RUNNERS", runners)
					env.Values["actors"] = &actors{dir: filepath.Join(env.WorkDir, "repo"), now: noon}
					return nil
				},
				Condition: runnerThere,
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"as": as, "edit": edit, "commit": commit, "git": runGit, "clock": clock, "id": id,
					"plan": plan, "solve": solve, "refused": refused, "caught": caught, "silent": silent,
					"forged": forged, "warned": warned, "job": job,
				},
			})
		})
	}
}

// There are enough cases of each kind, and each ecosystem has some.
func TestTamperCasesOfEachKind(t *testing.T) {
	for kind, least := range map[string]int{"cheats": 60, "honest": 60} {
		paths, err := filepath.Glob(filepath.Join("testdata", "tamper", kind, "*.txtar"))
		if err != nil || len(paths) < least {
			t.Errorf("there are %d %s (%v)", len(paths), kind, err)
		}
		of := map[string]int{}
		for _, path := range paths {
			ecosystem, _, _ := strings.Cut(filepath.Base(path), "-")
			of[ecosystem]++
		}
		for _, ecosystem := range []string{"go", "python", "node", "rust", "shell"} {
			if of[ecosystem] < 8 {
				t.Errorf("there are %d %s of %s", of[ecosystem], kind, ecosystem)
			}
		}
	}
}

// runners is the folder in which .ci/run puts runners that come out of a registry: node_modules, and python for modules.
var runners = func() string {
	cache := os.Getenv("CAIRN_CI_CACHE")
	if cache == "" {
		user, _ := os.UserCacheDir()
		cache = filepath.Join(user, "cairn-ci")
	}
	return filepath.Join(cache, "runners")
}()

// runnerThere is a condition of the scripts: a runner is in the folder.
func runnerThere(name string) (bool, error) {
	at, ok := map[string]string{"jest": "node_modules/.bin/jest", "vitest": "node_modules/.bin/vitest", "pytest": "python/pytest"}[name]
	if !ok {
		return false, fmt.Errorf("no condition %q", name)
	}
	_, err := os.Stat(filepath.Join(runners, at))
	return err == nil, nil
}

// keepToolchains keeps compilers and what they built before where they are, although the tests have another home.
func keepToolchains() {
	home, err := os.UserHomeDir()
	if err != nil {
		return
	}
	cache, _ := os.UserCacheDir()
	for name, folder := range map[string]string{
		"GOCACHE": filepath.Join(cache, "go-build"), "RUSTUP_HOME": filepath.Join(home, ".rustup"), "CARGO_HOME": filepath.Join(home, ".cargo"),
	} {
		if _, err := os.Stat(folder); err == nil && os.Getenv(name) == "" {
			_ = os.Setenv(name, folder)
		}
	}
}

func plan(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args)%2 != 0 {
		ts.Fatalf("usage: plan BASE COMMAND [--guards GLOB] [--may-change GLOB]")
	}
	base, err := txtar.ParseFile(filepath.Join("testdata", "tamper", "bases", args[0]+".txtar"))
	ts.Check(err)
	for _, f := range base.Files {
		at := filepath.Join(ts.MkAbs("repo"), f.Name)
		if strings.HasPrefix(f.Name, "done/") {
			at = ts.MkAbs(f.Name)
		}
		ts.Check(os.MkdirAll(filepath.Dir(at), 0o755))
		ts.Check(os.WriteFile(at, f.Data, modeOf(f.Data)))
	}
	putOver(ts, ts.MkAbs("base"), ts.MkAbs("repo"))
	ts.Check(ts.Chdir("repo"))
	said := map[string][]string{}
	for i := 2; i < len(args); i += 2 {
		said[args[i]] = append(said[args[i]], args[i+1])
	}
	command := map[string]any{"desc": "tests pass", "cmd": args[1]}
	if globs := said["--guards"]; len(globs) > 0 {
		command["guards"] = globs
	}
	input, err := json.Marshal(map[string]any{"title": "Add up", "checks": []any{command}, "may_change": said["--may-change"]})
	ts.Check(err)
	if ignored, _ := os.ReadFile(ts.MkAbs(".gitignore")); bytes.HasPrefix(ignored, []byte("node_modules\n")) {
		ts.Check(os.Symlink(filepath.Join(runners, "node_modules"), ts.MkAbs("node_modules")))
	}
	runGit(ts, false, []string{"init", "-q", "-b", "main", "--template="})
	as(ts, false, []string{"human:ada", "init", "--prefix", "T"})
	as(ts, false, []string{"human:ada", "trust", "--yes"})
	out, err := actorsOf(ts).run("human:ada", "create", "--input", string(input))
	ts.Check(err)
	id, _, _ := strings.Cut(out, " ")
	ts.Setenv("ID", id)
	commit(ts, false, nil)
	runGit(ts, false, []string{"tag", "base"})
	as(ts, false, []string{"agent:bob", "start", id})
}

func solve(ts *testscript.TestScript, _ bool, _ []string) {
	putOver(ts, filepath.Join(ts.Getenv("WORK"), "done"), ts.MkAbs("."))
}

// putOver copies the files of a folder, which need not be there, over those of another.
func putOver(ts *testscript.TestScript, from, to string) {
	if _, err := os.Stat(from); err != nil {
		return
	}
	ts.Check(filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		at := filepath.Join(to, strings.TrimPrefix(path, from))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(at, text, modeOf(text))
	}))
}

// modeOf says that what names its interpreter may be run.
func modeOf(text []byte) os.FileMode {
	if bytes.HasPrefix(text, []byte("#!")) {
		return 0o755
	}
	return 0o644
}

func refused(ts *testscript.TestScript, _ bool, files []string) {
	out, complaint, exit := actorsOf(ts).try("agent:bob", "--json", "transition", ts.Getenv("ID"), "done")
	if exit == 0 || !strings.Contains(out, `"GUARDS_CHANGED"`) {
		ts.Fatalf("the close was accepted, or refused otherwise: %s%s", out, complaint)
	}
	for _, file := range files {
		if !strings.Contains(out, `"`+file+`"`) {
			ts.Fatalf("the refusal does not name %s: %s", file, out)
		}
	}
}

func caught(ts *testscript.TestScript, _ bool, files []string) {
	refused(ts, false, files)
	actorsOf(ts).try("agent:bob", "run-checks", ts.Getenv("ID")) // it fails, and says that the check passed
	forged(ts, false, nil)
}

func forged(ts *testscript.TestScript, _ bool, _ []string) {
	forgeClose(ts, ts.Getenv("ID"))
	commit(ts, false, nil)
	if found := findingsFrom(ts, "base"); !strings.Contains(found, "error: guards-changed:") {
		ts.Fatalf("the close that was written into the file is believed: %q", found)
	}
}

// forgeClose writes into the file of a task what its close would, had it not been refused.
func forgeClose(ts *testscript.TestScript, id string) {
	at := actorsOf(ts).now.Add(time.Minute).Format(time.RFC3339)
	file := filepath.Join(".cairn", "tasks", id+".md")
	edit(ts, false, []string{file, "status: in_progress", "status: done"})
	edit(ts, false, []string{file, `\n---\n`, fmt.Sprintf(`\n  - {who: 'agent:bob', at: %s, did: transitioned, from: in_progress, to: done}\n---\n`, at)})
	clock(ts, false, []string{"1h"})
}

func warned(ts *testscript.TestScript, _ bool, files []string) {
	found := findingsFrom(ts, "base")
	for _, file := range append(files, "warning: guards-changed:") {
		if !strings.Contains(found, file) {
			ts.Fatalf("cairn check found %q", found)
		}
	}
}

func silent(ts *testscript.TestScript, _ bool, args []string) {
	a, id := actorsOf(ts), ts.Getenv("ID")
	if !strings.Contains(ts.ReadFile(filepath.Join(".cairn", "tasks", id+".md")), "\nstatus: done\n") {
		_, err := a.run("agent:bob", "transition", id, "done")
		ts.Check(err)
		commit(ts, false, nil)
	}
	if found := findingsFrom(ts, append(args, "base")[0]); found != "" {
		ts.Fatalf("cairn check found %s", found)
	}
}

// workers is the user's config with an executor of jobs that does what .git/work.sh of the case says, and gets what the
// job says to it on its standard input.
const workers = "executors:\n  worker: {dialect: command, cmd: [sh, -c, 'sh -e \"$(git rev-parse --git-common-dir)/work.sh\"']}\n"

// job has an executor do what a script of the case says, which bends FILE in its first round and does the work when it
// was told. It is told once, before it hands over, and what it hands over passes with the files of the base.
func job(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: job SCRIPT FILE")
	}
	dir, err := os.UserConfigDir()
	ts.Check(err)
	config := filepath.Join(dir, "cairn", "config.yaml")
	ts.Check(os.MkdirAll(filepath.Dir(config), 0o755))
	ts.Check(os.WriteFile(config, []byte(workers), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs(".git/work.sh"), []byte(ts.ReadFile(args[0])), 0o644))
	a, id := actorsOf(ts), ts.Getenv("ID")
	out, complaint, _ := a.try("human:ada", "job", "start", id, "--executor", "worker", "--foreground")
	told := ts.ReadFile(".git/told")
	if !strings.Contains(told, "as they were: "+args[1]) {
		ts.Fatalf("the executor was not told of %s, but %q: %s%s", args[1], told, out, complaint)
	}
	out, err = a.run("human:ada", "review", "show", id, "--json")
	ts.Check(err)
	last := out[max(0, strings.LastIndex(out, `"did": "checked"`)):] // earlier ones say that the files were bent
	if !strings.Contains(last, `"state": "passed"`) || strings.Contains(last, `"held": "no"`) {
		ts.Fatalf("what was handed over does not stand: %s", out)
	}
}
