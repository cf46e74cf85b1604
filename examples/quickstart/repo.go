package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// repo is a git repository with a small Go module in it, a cairn binary to work on it with, and an environment in which
// neither can see or touch anything of the user's.
type repo struct {
	dir   string
	cairn string // path of the binary
	env   []string
}

const goMod = `module example.com/shop

go 1.21
`

const priceFile = `package shop

// Discounted returns a price in cents less a percentage, rounded to the nearest cent.
func Discounted(cents, percent int) int {
	return cents - cents*percent/100
}
`

const priceTest = `package shop

import "testing"

func TestDiscounted(t *testing.T) {
	if got := Discounted(999, 15); got != 849 {
		t.Errorf("15%% off 9.99 is %d cents, want 849", got)
	}
}
`

// fixedPrice is priceFile as it should have been.
var fixedPrice = strings.Replace(priceFile, "cents - cents*percent/100", "(cents*(100-percent) + 50) / 100", 1)

// person is who works at the command line.
const person = "human:Ada"

// newRepo builds cairn from this module and makes the repository, with one commit, in dir.
func newRepo(ctx context.Context, dir string) (repo, error) {
	r := repo{dir: filepath.Join(dir, "shop"), cairn: filepath.Join(dir, "bin", "cairn.exe")} // Windows wants the ending
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", r.cairn, "github.com/cairn-tasks/cairn/cmd/cairn")
	if out, err := build.CombinedOutput(); err != nil {
		return r, fmt.Errorf("go build, which must be started inside a clone of cairn: %w\n%s", err, out)
	}
	var err error
	if r.env, err = isolated(ctx, filepath.Join(dir, "home")); err != nil {
		return r, err
	}
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		return r, err
	}
	for name, content := range map[string]string{"go.mod": goMod, "price.go": priceFile, "price_test.go": priceTest} {
		if err := r.write(name, content); err != nil {
			return r, err
		}
	}
	return r, r.commitAll(ctx)
}

// isolated is an environment with a home and a git configuration of its own. Of the user's it keeps what is needed to
// find programs, and Go's build cache, which would take a minute to fill anew.
func isolated(ctx context.Context, home string) ([]string, error) {
	cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOCACHE: %w", err)
	}
	if err := os.Mkdir(home, 0o755); err != nil {
		return nil, err
	}
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "CAIRN_") && !strings.HasPrefix(v, "XDG_") {
			env = append(env, v)
		}
	}
	return append(env,
		"HOME="+home, "USERPROFILE="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+filepath.Join(home, "gitconfig"),
		"CAIRN_ACTOR="+person, // also where a coding agent runs this
		"GOCACHE="+strings.TrimSpace(string(cache)), "GOENV=off", "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local",
	), nil
}

// commitAll makes the git repository and its first commit.
func (r repo) commitAll(ctx context.Context) error {
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"config", "user.name", "Ada"},
		{"config", "user.email", "ada@example.com"},
		{"add", "."},
		{"commit", "--quiet", "--message=Sell things"},
	} {
		if out, err := r.command(ctx, "git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}

// command is a program to be started in the repository. "cairn" is the one that was built.
func (r repo) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if name == "cairn" {
		name = r.cairn
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	return cmd
}

// getenv looks a variable up in the environment of the repository.
func (r repo) getenv(name string) string {
	for _, setting := range slices.Backward(r.env) {
		if value, ok := strings.CutPrefix(setting, name+"="); ok {
			return value
		}
	}
	return ""
}

func (r repo) write(name, content string) error {
	return os.WriteFile(filepath.Join(r.dir, name), []byte(content), 0o644)
}
