package fleet_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd"
	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary the program cairn when git calls its merge driver.
func TestMain(m *testing.M) {
	slowtest.InMemory()
	testscript.Main(isolated{m}, map[string]func(){"cairn": func() {
		os.Exit(cmd.Main(context.Background(), cmd.Env{
			Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			Getenv: os.Getenv, Dir: ".", Now: time.Now, Rand: strings.NewReader(""), Terminal: cmdtest.Nobody,
		}))
	}})
}

// isolated runs the tests with a home folder of their own, so that no setting of this machine changes what git does.
type isolated struct{ *testing.M }

func (m isolated) Run() int {
	home, err := os.MkdirTemp("", "fleet")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(home) }()
	for _, setting := range os.Environ() {
		if name, _, _ := strings.Cut(setting, "="); strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "CAIRN_") {
			_ = os.Unsetenv(name)
		}
	}
	for _, name := range []string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		_ = os.Setenv(name, home)
	}
	config := "[user]\n\tname = Shah\n\temail = shah@example.com\n[init]\n\tdefaultBranch = main\n" +
		"[core]\n\tautocrlf = false\n\tfsync = none\n[gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		panic(err)
	}
	return m.M.Run()
}
