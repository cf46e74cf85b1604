// Package ci_test runs what a CI would run: the workflows of this folder, the action and the hook at the top of the
// repository, in clones of a repository that is bare, with the variables that the service sets.
package ci_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd"
	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"gopkg.in/yaml.v3"
)

// read reads a YAML file of the repository.
func read[T any](t *testing.T, path string) T {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := yaml.Unmarshal(src, &out); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

// machine is a machine of a CI, or of a person: a home of its own, cairn on its PATH, and nothing else of this one.
type machine struct {
	t    *testing.T
	home string
	env  []string
}

// temp holds what every machine may share: cairn as it was built from this tree, where the action builds it too.
var temp string

func TestMain(m *testing.M) {
	exit, err := 1, error(nil)
	if temp, err = os.MkdirTemp("", "cairn-ci-"); err == nil {
		exit = m.Run()
		err = os.RemoveAll(temp)
	}
	if err != nil {
		panic(err)
	}
	os.Exit(exit)
}

// newMachine has a cairn that was built from this tree.
func newMachine(t *testing.T) *machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are POSIX shell")
	}
	m := &machine{t: t, home: t.TempDir()}
	bin := filepath.Join(temp, "cairn-check")
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS", "CGO_ENABLED"} { // by default some lie in the home
		value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		m.set(name, strings.TrimSpace(string(value)))
	}
	m.set("HOME", m.home)
	m.set("XDG_STATE_HOME", filepath.Join(m.home, "state"))
	m.set("GIT_CONFIG_NOSYSTEM", "1")
	m.set("GIT_CONFIG_GLOBAL", filepath.Join(m.home, ".gitconfig"))
	m.set("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	m.write(filepath.Join(m.home, ".gitconfig"), "[user]\n\tname = Shah\n\temail = shah@example.com\n[init]\n\tdefaultBranch = main\n")
	if out, exit := m.run("../..", "go", "build", "-o", bin+"/", "./cmd/cairn"); exit != 0 {
		t.Fatalf("cairn does not build: %s", out)
	}
	return m
}

// on is the machine with variables that a service sets besides.
func (m *machine) on(vars map[string]string) *machine {
	other := *m
	other.env = append([]string{}, m.env...)
	for name, value := range vars {
		other.set(name, value)
	}
	return &other
}

func (m *machine) set(name, value string) { m.env = append(m.env, name+"="+value) }

func (m *machine) write(path, text string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// trusts has a person approve the commands of a clone, at a terminal.
func (m *machine) trusts(dir string) {
	m.t.Helper()
	var out bytes.Buffer
	exit := cmd.Main(m.t.Context(), cmd.Env{
		Args: []string{"--actor", "human:shah", "trust"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: m.getenv,
		Dir: dir, Now: time.Now, Rand: rand.Reader, Terminal: cmdtest.Agrees,
	})
	if exit != 0 {
		m.t.Fatalf("cairn trust exits with %d: %s", exit, &out)
	}
}

func (m *machine) getenv(name string) string {
	for _, setting := range slices.Backward(m.env) {
		if value, ok := strings.CutPrefix(setting, name+"="); ok {
			return value
		}
	}
	return ""
}

// run runs a program in a folder, and returns what it printed on both streams and how it exited.
func (m *machine) run(dir, name string, args ...string) (string, int) {
	m.t.Helper()
	if name == "cairn" {
		name = filepath.Join(temp, "cairn-check", name)
	}
	cmd := exec.CommandContext(m.t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, m.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return out.String(), exit.ExitCode()
	}
	if err != nil {
		m.t.Fatalf("%s %v: %v", name, args, err)
	}
	return out.String(), 0
}

// must runs a program that has to succeed.
func (m *machine) must(dir, name string, args ...string) string {
	m.t.Helper()
	out, exit := m.run(dir, name, args...)
	if exit != 0 {
		m.t.Fatalf("%s %v exits with %d: %s", name, args, exit, out)
	}
	return strings.TrimSpace(out)
}

// project is a repository on a server, and somebody's clone of it.
type project struct {
	*machine
	bare, clone string
	task        string // T-1 has one check, which wants a file called roof
}

func newProject(m *machine) *project {
	m.t.Helper()
	dir := m.t.TempDir()
	p := &project{machine: m, bare: filepath.Join(dir, "bare.git"), clone: filepath.Join(dir, "clone")}
	m.must(dir, "git", "init", "--quiet", "--bare", p.bare)
	m.must(dir, "git", "clone", "--quiet", p.bare, p.clone)
	p.task = filepath.Join(".cairn", "tasks", "T-1.md")
	m.write(filepath.Join(p.clone, ".cairn", "config.yaml"), "prefix: T\nabandoned: [canceled]\n")
	m.write(filepath.Join(p.clone, ".cairn", ".gitignore"), "/runs/\n/local/\n*.tmp\n")
	m.write(filepath.Join(p.clone, p.task), "---\nid: T-1\ntitle: Put up the roof\nstatus: backlog\nchecks:\n"+
		"  - desc: roof is up\n    cmd: test -f roof\n    result: pending\n---\n")
	p.commit("begin")
	p.git("push", "--quiet", "origin", "HEAD:main")
	m.trusts(p.clone)
	return p
}

func (p *project) git(args ...string) string { return p.must(p.clone, "git", args...) }

func (p *project) commit(message string) {
	p.git("add", "--all")
	p.git("commit", "--quiet", "--message", message)
}

// close closes the task as it should be closed.
func (p *project) close() {
	p.write(filepath.Join(p.clone, "roof"), "up\n")
	p.must(p.clone, "cairn", "transition", "T-1", "done")
}

// cheat closes the task in an editor.
func (p *project) cheat() {
	path := filepath.Join(p.clone, p.task)
	src, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	p.write(path, strings.NewReplacer("status: backlog", "status: done", "result: pending", "result: pass").Replace(string(src)))
}

// changes are what somebody may bring, and how the check of it ends.
var changes = []struct {
	name string
	make func(*project)
	exit int
	says string
}{
	{"closes the task as it should be", (*project).close, 0, "nothing found"},
	{"closes it in an editor", (*project).cheat, 1, "error no-evidence"},
	{"closes it, and takes away what the check looks at", func(p *project) {
		p.close()
		p.must(p.clone, "rm", "roof")
	}, 4, "error check-failed"},
}

// branch makes a change on a branch of its own, and pushes that.
func (p *project) branch(change func(*project)) {
	p.git("checkout", "--quiet", "-B", "change", "origin/main")
	change(p)
	p.commit("change")
	p.git("push", "--quiet", "--force", "origin", "change")
}
