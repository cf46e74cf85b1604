package cmdtest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/limits"
	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/rogpeppe/go-internal/testscript"
)

// Stories runs the stories of these files, in a test binary whose TestMain is Main. Each has a folder, $WORK, and
// outside of it a home, a git identity and a clock of its own. Beside the commands of testscript a story has
//
//	repo [DIR]         make a git repository of the folder and commit everything in it but want/
//	exits N COMMAND    run a command that must exit with N
//	clock DURATION     move the clock on
//	sandbox DIR        make a folder that cairn cannot write to
//	id NAME            set $NAME to the id that the last command printed
//	lock               hold the lock of the repository's workspace until the story ends
//	sshkeys NAME...    have an agent hold SSH keys of these names, each of which is $NAME
//	agent TOOL JSON    call a tool over MCP, as agent:a with the rights of an operator
//
// A person at the terminal types the word that each question asks for. PERSON is another word to type, or nobody.
//
// The clock begins at 2026-06-21T10:00:00Z and moves on by a minute with each run of cairn. Random bytes are zeros, so
// ids follow from the clock, and whole files can be compared. A story that plays several clones, which must differ,
// sets $SEED: then the bytes follow from that and the clock. UPDATE=1 rewrites the files that stories compare with.
//
// $FOLDER_MAX is how many tasks archive puts into a folder. Stories of one kind may have more commands.
func Stories(t *testing.T, files []string, more ...Command) {
	t.Helper()
	commands := []Command{
		{"repo [DIR]", 0, 1, repo}, {"exits N COMMAND [ARGUMENT...]", 2, 1000, exits}, {"clock DURATION", 1, 1, clock}, {"id NAME", 1, 1, id},
		{"agent [FLAG...] TOOL JSON", 2, 1000, agent}, {"lock", 0, 0, lock}, {"sandbox DIR", 1, 1, sandbox}, {"sshkeys NAME...", 1, 1000, sshkeys},
	}
	cmds := map[string]func(*testscript.TestScript, bool, []string){}
	for _, c := range append(commands, more...) {
		name, _, _ := strings.Cut(c.Usage, " ")
		cmds[name] = c.run
	}
	t.Setenv("GOTMPDIR", "") // testscript would have its folders there, where the go command compiles, and not with those of other tests
	testscript.Run(t, testscript.Params{
		Files:              files,
		Setup:              isolate,
		RequireUniqueNames: true,
		UpdateScripts:      os.Getenv("UPDATE") != "",
		Condition:          condition,
		Cmds:               cmds,
	})
}

// Scripts lists one of so many scripts of a folder, and those whose paths end one of the words of $CHANGED, as make
// quick has it. With $UPDATE it is all of them.
func Scripts(t *testing.T, dir string, of int) []string {
	t.Helper()
	scripts, _ := share(t, dir, of)
	return scripts
}

// OtherScripts lists the scripts of a folder that Scripts leaves out.
func OtherScripts(t *testing.T, dir string, of int) []string {
	t.Helper()
	_, others := share(t, dir, of)
	return others
}

func share(t *testing.T, dir string, of int) (scripts, others []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no scripts in %s: %v", dir, err)
	}
	if os.Getenv("UPDATE") != "" {
		of = 1
	}
	for i, name := range all {
		at, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		if i%of == 0 || slices.ContainsFunc(strings.Fields(os.Getenv("CHANGED")), func(end string) bool {
			return strings.HasSuffix(filepath.ToSlash(at), "/"+end)
		}) {
			scripts = append(scripts, name)
		} else {
			others = append(others, name)
		}
	}
	return scripts, others
}

// condition knows root, for whom permissions do not hold.
func condition(name string) (bool, error) {
	if name != "root" {
		return false, fmt.Errorf("there is no condition %s", name)
	}
	return os.Geteuid() == 0, nil
}

// Process is what the program takes from the process around it. It has the fields of cmd.Env, and converts to one.
type Process struct {
	Args     []string // without the program's name
	Stdin    io.Reader
	Stdout   io.Writer
	Stderr   io.Writer
	Getenv   func(string) string
	Dir      string // working directory
	Now      func() time.Time
	Rand     io.Reader
	Terminal func() (io.ReadWriteCloser, error)
	Above    func() proc.Above
}

// Main makes a test binary act as cairn when a story runs it by that name. It is for TestMain. Program runs the command
// line and returns the exit number; only its clock, its randomness and its terminal differ from those of a process.
func Main(m *testing.M, program func(Process) int) {
	slowtest.InMemory()
	testscript.Main(m, map[string]func(){"cairn": func() {
		dir, err := os.Getwd()
		must(err)
		now, err := tick(os.Getenv("CLOCK"))
		must(err)
		if room := os.Getenv("FOLDER_MAX"); room != "" {
			limits.FolderMax, err = strconv.Atoi(room)
			must(err)
		}
		var above func() proc.Above
		if os.Getenv("ABOVE") != "" { // else whoever runs the tests would be above each story
			above = proc.Up
		}
		os.Exit(program(Process{
			Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			Getenv: os.Getenv, Dir: dir, Now: func() time.Time { return now }, Rand: random(os.Getenv("SEED"), now),
			Terminal: person, Above: above,
		}))
	}})
}

// person is a story's terminal. The person types $PERSON, or by default the word that is asked for; nobody means that
// there is no terminal. What the terminal shows is appended to the file $SCREEN.
func person() (io.ReadWriteCloser, error) {
	types := os.Getenv("PERSON")
	if types == "nobody" {
		return Nobody()
	}
	if os.Getenv("SCREEN") == "" {
		return Person{Types: types}.Open()
	}
	screen, err := os.OpenFile(os.Getenv("SCREEN"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	must(err)
	return Person{Types: types, Screen: screen}.Open()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Zeros is a source of random bytes that are all zero.
type Zeros struct{}

func (Zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// random is the source of random bytes of one run.
func random(seed string, now time.Time) io.Reader {
	if seed == "" {
		return Zeros{}
	}
	return rand.NewChaCha8(sha256.Sum256([]byte(seed + now.String())))
}

// StartTime is where the clock of a story begins.
var StartTime = time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)

// tick reads the story's clock and then moves it on by a minute. The clock is a file with one duration a line.
func tick(clock string) (time.Time, error) {
	now := StartTime
	text, err := os.ReadFile(clock)
	if err != nil {
		return now, err
	}
	for step := range strings.Lines(string(text)) {
		d, err := time.ParseDuration(strings.TrimSpace(step))
		if err != nil {
			return now, err
		}
		now = now.Add(d)
	}
	return now, advance(clock, time.Minute)
}

func advance(clock string, d time.Duration) error {
	f, err := os.OpenFile(clock, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, d)
	return errors.Join(err, f.Close())
}

// GitConfig is the git config of a user.
const GitConfig = `[user]
	name = Shah
	email = shah@example.com
[init]
	defaultBranch = main
[core]
	autocrlf = false
[gc]
	auto = 0
[maintenance]
	auto = false
`

// isolate gives a story a home of its own, so that settings of this machine have no effect.
func isolate(env *testscript.Env) error {
	home := env.T().(testing.TB).TempDir()
	program, err := exec.LookPath("cairn")
	if err != nil {
		return err
	}
	files := map[string]string{".gitconfig": GitConfig, "clock": ""}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for name, value := range map[string]string{
		"BIN":                 filepath.Dir(program), // holds cairn and nothing else
		"CLOCK":               filepath.Join(home, "clock"),
		"SCREEN":              filepath.Join(home, "screen"),
		"GIT_AUTHOR_DATE":     StartTime.Format(time.RFC3339),
		"GIT_COMMITTER_DATE":  StartTime.Format(time.RFC3339),
		"GIT_CONFIG_GLOBAL":   filepath.Join(home, ".gitconfig"),
		"GIT_CONFIG_NOSYSTEM": "1",
		"GORACE":              "atexit_sleep_ms=0",
		"HOME":                home,
		"XDG_STATE_HOME":      filepath.Join(home, "state"),
	} {
		env.Setenv(name, value)
	}
	return nil
}
