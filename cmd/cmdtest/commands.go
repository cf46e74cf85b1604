package cmdtest

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/sshsign/signtest"
	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"
)

// Command is a command of stories: its usage, which begins with its name, how many arguments it takes, and what it does.
type Command struct {
	Usage       string
	Least, Most int
	Run         func(*testscript.TestScript, []string)
}

func (c Command) run(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < c.Least || len(args) > c.Most {
		ts.Fatalf("usage: %s", c.Usage)
	}
	c.Run(ts, args)
}

func repo(ts *testscript.TestScript, args []string) {
	dir := append(args, ".")[0]
	ts.Check(ts.Exec("git", "init", "--quiet", dir))
	exclude := filepath.Join(ts.MkAbs(dir), ".git", "info", "exclude")
	ts.Check(os.WriteFile(exclude, []byte("/want/\n"), 0o644))
	ts.Check(ts.Exec("git", "-C", dir, "add", "--all"))
	ts.Check(ts.Exec("git", "-C", dir, "commit", "--quiet", "--allow-empty", "--message", "begin"))
}

func exits(ts *testscript.TestScript, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got, err = exit.ExitCode(), nil
	}
	ts.Check(err)
	if got != want {
		ts.Fatalf("it exits with %d, want %d", got, want)
	}
}

func clock(ts *testscript.TestScript, args []string) {
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	ts.Check(advance(ts.Getenv("CLOCK"), d))
}

// MintedID matches an id that cairn made.
var MintedID = regexp.MustCompile(`\b[A-Za-z0-9_]+-[0-9a-hjkmnp-tv-z]{14}\b`)

func id(ts *testscript.TestScript, args []string) {
	found := MintedID.FindString(ts.ReadFile("stdout"))
	if found == "" {
		ts.Fatalf("the last command printed no id")
	}
	ts.Setenv(args[0], found)
}

// Handshake is how a client of MCP begins.
const Handshake = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"story","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func agent(ts *testscript.TestScript, args []string) {
	_, err := fmt.Fprintln(ts.Stdout(), Agent(ts, args...))
	ts.Check(err)
}

// Agent starts a server with all tools and the flags given, makes one call, and closes the server's input after the
// answer, which it returns. The last two arguments are the tool and its input.
func Agent(ts *testscript.TestScript, args ...string) string {
	flags, call := args[:len(args)-2], args[len(args)-2:]
	server := exec.Command(filepath.Join(ts.Getenv("BIN"), "cairn"), append([]string{"--actor", "agent:a", "serve", "--toolsets", "all"}, flags...)...)
	server.Dir = ts.MkAbs(".")
	for _, name := range []string{"CLOCK", "HOME", "PATH", "XDG_STATE_HOME", "CAIRN_JOB"} {
		server.Env = append(server.Env, name+"="+ts.Getenv(name))
	}
	in, err := server.StdinPipe()
	ts.Check(err)
	out, err := server.StdoutPipe()
	ts.Check(err)
	ts.Check(server.Start())
	_, err = fmt.Fprintf(in, "%s"+`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", Handshake, call[0], call[1])
	ts.Check(err)
	answers := bufio.NewScanner(out)
	for answers.Scan() {
		if strings.Contains(answers.Text(), `"id":1`) {
			break
		}
	}
	ts.Check(errors.Join(in.Close(), server.Wait()))
	return answers.Text()
}

// lock takes the write lock, as another process would.
func lock(ts *testscript.TestScript, _ []string) {
	paths, err := filepath.Glob(ts.MkAbs(".git/cairn/*/write.lock"))
	ts.Check(err)
	if len(paths) != 1 {
		ts.Fatalf("there are %d locks, want 1", len(paths))
	}
	held := flock.New(paths[0])
	ts.Check(held.Lock())
	ts.Defer(func() { _ = held.Unlock() })
}

// sshkeys runs an SSH agent until the story ends.
func sshkeys(ts *testscript.TestScript, args []string) {
	socket, stop, err := signtest.Agent(args...)
	ts.Check(err)
	ts.Defer(stop)
	ts.Setenv("SSH_AUTH_SOCK", socket)
	for _, name := range args {
		ts.Setenv(name, signtest.Line(name))
	}
}

// sandbox makes a folder that cairn cannot write to from then on. Root ignores permissions, so for root cairn runs
// without the capability to ignore them.
func sandbox(ts *testscript.TestScript, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(os.Chmod(dir, 0o555))
	ts.Defer(func() { _ = os.Chmod(dir, 0o755) })
	if os.Geteuid() != 0 {
		return
	}
	weak := filepath.Join(ts.Getenv("HOME"), "weak")
	ts.Check(os.MkdirAll(weak, 0o755))
	text := "#!/bin/sh\nexec setpriv --bounding-set=-dac_override,-dac_read_search '" + filepath.Join(ts.Getenv("BIN"), "cairn") + "' \"$@\"\n"
	ts.Check(os.WriteFile(filepath.Join(weak, "cairn"), []byte(text), 0o755))
	ts.Setenv("PATH", weak+string(os.PathListSeparator)+ts.Getenv("PATH"))
}
