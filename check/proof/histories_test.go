package proof_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/cmd"
	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/sshsign/signtest"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// A history is a script. It begins in a clone whose branch main, tagged base, holds a few records that cairn's own
// commands wrote: the tasks $done, $started, $todo, $waiting (which depends on $todo), $plain, $child (of $plain) and
// $old (as the original cairn wrote them). Their files are called by their ids. Beside testscript's commands it has
//
//	as ACTOR COMMAND...  run a command of cairn
//	id NAME              set $NAME to the id that the last command printed
//	edit FILE OLD NEW    replace the first OLD in a file by NEW; \n stands for a line break, \t for a tab
//	commit               commit everything
//	git COMMAND...       run git
//	clock DURATION       move the clock on, or back
//	judge [BASE]         judge the commit against the base, and print the findings
//
// An agent holds the SSH keys $ADA, $BOB and $EVE, with which attest --sign --key signs; no file of the beginning
// allows them.
//
// The clock moves on by a minute with each command of cairn. A quarter of the histories is
// judged in the working tree too, and another in the index: git is started fourteen times for each, and the findings must
// be the same.
//
// Each history in cheats ends with its findings, which UPDATE=1 writes into it. Those in honest have none.
func TestSlowHistories(t *testing.T) {
	slowtest.Skip(t)
	judgeHistories(t, cmdtest.OtherScripts)
}

// TestHistories judges one of 48 of each kind, and those that changed; TestSlowHistories the others.
func TestHistories(t *testing.T) { judgeHistories(t, cmdtest.Scripts) }

func judgeHistories(t *testing.T, scripts func(t *testing.T, dir string, of int) []string) {
	t.Helper()
	t.Setenv("GOTMPDIR", "") // testscript would have its folders there, where the go command compiles, and not with those of other tests
	for _, kind := range []string{"cheats", "honest"} {
		t.Run(kind, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Files:              scripts(t, filepath.Join("testdata", "histories", kind), 48),
				Setup:              setup,
				RequireUniqueNames: true,
				UpdateScripts:      os.Getenv("UPDATE") != "",
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"as": as, "edit": edit, "commit": commit, "git": runGit, "id": id, "clock": clock, "judge": judgeHistory,
				},
			})
		})
	}
}

// history is the text of a script.
type history struct {
	name string
	text string
	want string // the findings; "" for an honest one
}

func (h history) finds(rule proof.RuleID) bool {
	return strings.Contains(h.want, ": "+string(rule)+": ")
}

func histories(t *testing.T, kind string) []history {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "histories", kind, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no %s histories (%v)", kind, err)
	}
	var out []history
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		h := history{name: filepath.Base(path), text: string(a.Comment)}
		if n := len(a.Files); n > 0 && a.Files[n-1].Name == "want" {
			h.want = string(a.Files[n-1].Data)
		}
		out = append(out, h)
	}
	return out
}

// There are enough histories of each kind, each opens with a sentence, every cheat has findings and no other history
// has.
func TestHistoriesOfEachKind(t *testing.T) {
	for kind, row := range map[string]struct {
		least  int
		caught bool
		end    string
	}{
		"cheats": {40, true, "\njudge\ncmp stdout want\n"},
		"honest": {15, false, "\njudge\n! stdout .\n"},
	} {
		all := histories(t, kind)
		if len(all) < row.least {
			t.Errorf("there are %d %s", len(all), kind)
		}
		for _, h := range all {
			sentence, _, _ := strings.Cut(h.text, "\n")
			if !strings.HasPrefix(sentence, "# ") || !strings.HasSuffix(sentence, ".") {
				t.Errorf("%s opens with %q and not with a sentence", h.name, sentence)
			}
			if text := strings.Replace(h.text, "\njudge main\n", "\njudge\n", 1); !strings.HasSuffix(text, row.end) || (h.want != "") != row.caught {
				t.Errorf("%s does not end as one of the %s does, or finds %q", h.name, kind, h.want)
			}
		}
	}
}

// isolated runs the tests with a home folder, an environment and an SSH agent of their own.
type isolated struct{ *testing.M }

func (h isolated) Run() int {
	keepToolchains()
	defer cmdtest.Isolate("")()
	socket, stop, err := signtest.Agent("ada", "bob", "eve")
	if err != nil {
		panic(err)
	}
	defer stop()
	_ = os.Setenv("SSH_AUTH_SOCK", socket)
	return h.M.Run()
}

// TestMain makes this test binary the program cairn when git calls its merge driver.
func TestMain(m *testing.M) {
	testscript.Main(isolated{m}, map[string]func(){"cairn": func() {
		os.Exit(cmd.Main(context.Background(), cmd.Env{
			Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			Getenv: os.Getenv, Dir: ".", Now: time.Now, Rand: zeros{}, Terminal: cmdtest.Agrees,
		}))
	}})
}

// zeros is a source of randomness that always gives the same.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

var noon = time.Date(2026, 6, 21, 12, 0, 0, 0, time.UTC)

// actors runs commands of cairn in a workspace. The clock moves on a minute for each.
type actors struct {
	dir string
	now time.Time
}

func (a *actors) run(who string, args ...string) (stdout string, err error) {
	out, complaint, exit := a.try(who, args...)
	if exit != 0 {
		return "", fmt.Errorf("cairn %s: %d: %s", strings.Join(args, " "), exit, complaint)
	}
	return out, nil
}

// try returns what the command printed also where it failed.
func (a *actors) try(who string, args ...string) (stdout, stderr string, exit int) {
	a.now = a.now.Add(time.Minute)
	var out, complaint bytes.Buffer
	exit = cmd.Main(context.Background(), cmd.Env{
		Args: append([]string{"--actor", who}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaint,
		Getenv: os.Getenv, Dir: a.dir, Now: func() time.Time { return a.now }, Rand: zeros{},
		Terminal: cmdtest.Agrees,
	})
	return out.String(), complaint.String(), exit
}

// begun makes the clone that histories begin in, once, and returns the ids of its tasks by their names.
var begun = sync.OnceValues(func() (map[string]string, error) {
	dir := filepath.Join(os.Getenv("HOME"), "begun")
	b := beginning{actors: actors{dir: dir, now: noon.Add(-2 * time.Hour)}, names: map[string]string{"BEGUN": dir}}
	b.write("shop", "open\n")
	b.git("init", "-q", "--template=")
	b.write(".git/info/exclude", "/want\n/.tmp\n") // what testscript puts there
	b.as("human:shah", "init", "--prefix", "T", "--merge-driver")
	b.as("human:shah", "trust", "--yes")
	b.guards() // what the checks look at is what is worked on
	done := b.create("done", "Sell things", "--check", "tests pass=test -f shop", "--manual", "read by a person")
	started := b.create("started", "Count stock", "--check", "tests pass=test -f shop", "--check", "it opens=grep -q open shop", "--manual", "read by a person")
	todo := b.create("todo", "Print receipts", "--check", "tests pass=test -f shop")
	b.create("waiting", "Mail receipts", "--dep", todo)
	plain := b.create("plain", "Write a page")
	b.create("child", "Write its title", "--parent", plain)
	b.as("agent:a", "claim", done)
	b.as("agent:a", "transition", done, "in_progress")
	b.as("agent:a", "run-checks", done)
	b.as("human:shah", "attest", done, "read", "--pass")
	b.as("agent:a", "transition", done, "done")
	b.as("agent:a", "claim", started)
	b.as("agent:a", "transition", started, "in_progress")
	b.names["old"] = "T-001"
	b.write(".cairn/tasks/T-001.md", old)
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "begin")
	b.git("tag", "base")
	b.git("gc", "-q") // each history copies it, file by file
	return b.names, b.err
})

// beginning makes the first records of all histories. After an error it does nothing more.
type beginning struct {
	actors
	names map[string]string
	err   error
}

func (b *beginning) as(who string, args ...string) (out string) {
	if b.err == nil {
		out, b.err = b.run(who, args...)
	}
	return out
}

func (b *beginning) create(name string, args ...string) string {
	id, _, _ := strings.Cut(b.as("human:shah", append([]string{"create"}, args...)...), " ")
	b.names[name] = id
	return id
}

func (b *beginning) write(name, text string) {
	path := filepath.Join(b.dir, filepath.FromSlash(name))
	if b.err == nil {
		b.err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if b.err == nil {
		b.err = os.WriteFile(path, []byte(text), 0o644)
	}
}

// guards has checks stand on tests alone.
func (b *beginning) guards() {
	path := filepath.Join(b.dir, ".cairn", "config.yaml")
	config, err := os.ReadFile(path)
	if err == nil && b.err == nil {
		err = os.WriteFile(path, append(config, "guards: [tests]\n"...), 0o644)
	}
	if b.err == nil {
		b.err = err
	}
}

func (b *beginning) git(args ...string) {
	if b.err != nil {
		return
	}
	git := exec.Command("git", args...)
	git.Dir = b.dir
	if out, err := git.CombinedOutput(); err != nil {
		b.err = fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
}

const old = `---
id: T-001
title: Sweep the floor
status: in_progress
assignee: agent:a
checks:
  - desc: it is clean
    cmd: test -f shop
    result: pending
  - desc: nobody slips
    cmd: test -d .
    result: pending
provenance:
  - {who: 'human:shah', at: 2026-06-21T09:00:00Z, did: created}
  - {who: 'agent:a', at: 2026-06-21T09:10:00Z, did: claimed}
  - {who: 'agent:a', at: 2026-06-21T09:20:00Z, did: transitioned to in_progress}
---

Also below the counter.
`

// setup copies the beginning into the folder of a history.
func setup(env *testscript.Env) error {
	names, err := begun()
	if err != nil {
		return err
	}
	for name, value := range names {
		env.Setenv(name, value)
	}
	env.Setenv("HOME", os.Getenv("HOME"))
	for _, name := range []string{"ada", "bob", "eve"} {
		env.Setenv(strings.ToUpper(name), signtest.Line(name))
	}
	a := &actors{dir: env.WorkDir, now: noon}
	env.Values["actors"] = a
	if err := os.CopyFS(env.WorkDir, os.DirFS(names["BEGUN"])); err != nil {
		return err
	}
	_, err = a.run("human:shah", "trust", "--yes")
	return err
}

func actorsOf(ts *testscript.TestScript) *actors { return ts.Value("actors").(*actors) }

func as(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: as ACTOR COMMAND [ARGUMENT...]")
	}
	out, err := actorsOf(ts).run(args[0], args[1:]...)
	if (err != nil) != neg {
		ts.Fatalf("%v", err)
	}
	_, err = io.WriteString(ts.Stdout(), out)
	ts.Check(err)
}

func id(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: id NAME")
	}
	id, _, _ := strings.Cut(ts.ReadFile("stdout"), " ")
	ts.Setenv(args[0], id)
}

func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	spaces := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	was, now := spaces.Replace(args[1]), spaces.Replace(args[2])
	if !strings.Contains(text, was) {
		ts.Fatalf("%s does not say %q:\n%s", args[0], was, text)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, was, now, 1)), 0o644))
}

// runGit commits at the time of the clock.
func runGit(ts *testscript.TestScript, neg bool, args []string) {
	at := actorsOf(ts).now.Format(time.RFC3339)
	ts.Setenv("GIT_AUTHOR_DATE", at)
	ts.Setenv("GIT_COMMITTER_DATE", at)
	if err := ts.Exec("git", args...); (err != nil) != neg {
		ts.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
}

func commit(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) > 0 {
		ts.Fatalf("usage: commit")
	}
	runGit(ts, false, []string{"add", "--all"})
	runGit(ts, false, []string{"commit", "--quiet", "--message", "a change"})
}

func clock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: clock DURATION")
	}
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	a := actorsOf(ts)
	a.now = a.now.Add(d)
}

// judgeHistory takes another base than the one that histories begin with as its argument.
func judgeHistory(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: judge [BASE]")
	}
	base := "base"
	if len(args) == 1 {
		base = args[0]
	}
	_, err := io.WriteString(ts.Stdout(), findingsFrom(ts, base))
	ts.Check(err)
}

// findingsFrom prints the findings in the commit since a base.
func findingsFrom(ts *testscript.TestScript, base string) string {
	l, err := layout.At(ts.MkAbs("."))
	ts.Check(err)
	judged := []snapshot.CheckOptions{{Base: base, Commit: "HEAD"}}
	switch len(filepath.Base(ts.Name())) % 4 {
	case 0:
		judged = append(judged, snapshot.CheckOptions{Base: base, Trusted: true})
	case 2:
		judged = append(judged, snapshot.CheckOptions{Base: base, Staged: true})
	}
	found := map[string]bool{}
	for _, opts := range judged {
		c, err := snapshot.Check(context.Background(), l, opts)
		ts.Check(err)
		found[list(c.Findings)] = true
	}
	if len(found) > 1 {
		ts.Fatalf("the findings are not those of the commit before it is committed: %q", slices.Sorted(maps.Keys(found)))
	}
	return slices.Collect(maps.Keys(found))[0]
}
