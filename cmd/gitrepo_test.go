package cmd

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
)

// gitRepo is a repository, with an environment that is independent of the settings of this machine.
type gitRepo struct {
	t         *testing.T
	dir, home string
	env       []string
	hostile   []string // further variables for cairn, but not for git
}

func newGitRepo(t *testing.T) *gitRepo {
	t.Helper()
	g := &gitRepo{t: t, dir: t.TempDir(), home: t.TempDir()}
	for name, text := range map[string]string{".gitconfig": cmdtest.GitConfig, "clock": ""} {
		g.write(filepath.Join(g.home, name), []byte(text))
	}
	g.env = append(withoutCI(), "HOME="+g.home, "XDG_STATE_HOME="+filepath.Join(g.home, "state"),
		"GIT_CONFIG_GLOBAL="+filepath.Join(g.home, ".gitconfig"), "GIT_CONFIG_NOSYSTEM=1",
		"CLOCK="+filepath.Join(g.home, "clock"), "GORACE=atexit_sleep_ms=0", "CAIRN_ACTOR=human:Shah", // even if an agent runs the tests
		"GIT_AUTHOR_DATE="+cmdtest.StartTime.Format(time.RFC3339), "GIT_COMMITTER_DATE="+cmdtest.StartTime.Format(time.RFC3339))
	g.run("init", "-q", "-b", "base")
	return g
}

// withoutCI is the environment of this process without the variables that a CI sets.
func withoutCI() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == "CI" || slices.ContainsFunc([]string{
			"CI_", "TF_BUILD", "JENKINS_", "GITHUB_", "GITLAB_", "BITBUCKET_", "BUILDKITE", "CHANGE_", "SYSTEM_",
		}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
}

// clone is a fresh clone of the repository, in the same environment.
func (g *gitRepo) clone() *gitRepo {
	g.t.Helper()
	c := *g
	c.dir = filepath.Join(g.t.TempDir(), "clone")
	g.run("clone", "-q", g.dir, c.dir)
	return &c
}

func (g *gitRepo) write(path string, text []byte) {
	g.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		g.t.Fatal(err)
	}
}

func (g *gitRepo) run(args ...string) string {
	g.t.Helper()
	cmd := g.command(args)
	out, err := cmd.Output()
	if err != nil {
		g.t.Fatalf("git %s: %v", args, err)
	}
	return string(out)
}

func (g *gitRepo) runErr(args ...string) error { return g.command(args).Run() }

func (g *gitRepo) command(args []string) *exec.Cmd { return g.program("git", args) }

func (g *gitRepo) program(name string, args []string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = g.dir, g.env
	return cmd
}

// cairn runs the program, and returns what it printed and its exit number.
func (g *gitRepo) cairn(args ...string) (string, int) {
	g.t.Helper()
	return g.cairnWith("", args...)
}

// cairnWith is cairn, with text on standard input.
func (g *gitRepo) cairnWith(input string, args ...string) (string, int) {
	g.t.Helper()
	cmd := g.program("cairn", args)
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], g.hostile...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	exit := (*exec.ExitError)(nil)
	if errors.As(err, &exit) {
		return string(out), exit.ExitCode()
	}
	if err != nil {
		g.t.Fatal(err)
	}
	return string(out), 0
}

// removeObject removes an object from the repository, as in a partial clone that lacks it.
func (g *gitRepo) removeObject(name string) {
	g.t.Helper()
	cmd := g.command([]string{"rev-parse", name})
	out, err := cmd.Output()
	if err != nil {
		g.t.Fatal(err)
	}
	id := strings.TrimSpace(string(out))
	if err := os.Remove(filepath.Join(g.dir, ".git", "objects", id[:2], id[2:])); err != nil {
		g.t.Fatal(err)
	}
}
