package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// programs are what is measured, and what it is measured with.
type programs struct {
	cairn     string
	yardstick string
	empty     string // does nothing
	env       []string
}

// build builds cairn as it is released, without cgo, and the yardsticks, from the clone that the program was started
// in.
func build(ctx context.Context, dir string) (programs, error) {
	p := programs{
		cairn: filepath.Join(dir, "cairn.exe"), yardstick: filepath.Join(dir, "yardstick.exe"), empty: filepath.Join(dir, "empty.exe"),
		env: isolated(filepath.Join(dir, "home")),
	}
	nothing := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(nothing, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return p, err
	}
	if err := os.Mkdir(filepath.Join(dir, "home"), 0o755); err != nil {
		return p, err
	}
	const module = "github.com/cairn-tasks/cairn"
	for out, source := range map[string]string{
		p.cairn: module + "/cmd/cairn", p.yardstick: module + "/tools/bench/yardstick", p.empty: nothing,
	} {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", out, source)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if said, err := cmd.CombinedOutput(); err != nil {
			return p, fmt.Errorf("go build %s: %w\n%s", source, err, said)
		}
	}
	return p, nil
}

// isolated is an environment in which nothing of the user's is seen or changed: with a home, a configuration of git and
// an actor of its own.
func isolated(home string) []string {
	var env []string
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !foreign(name) {
			env = append(env, v)
		}
	}
	return append(env,
		"HOME="+home, "USERPROFILE="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_CONFIG_HOME="+filepath.Join(home, "config"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
		"CAIRN_ACTOR=agent:bench",
	)
}

// foreign reports whether a variable would change what is measured.
func foreign(name string) bool {
	for _, prefix := range []string{"GIT_", "CAIRN_", "XDG_", "TASK", "DSTASK_", "BEANS_", "TICKET"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "HOME" || name == "USERPROFILE" || name == "CI"
}
