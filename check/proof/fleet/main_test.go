package fleet_test

import (
	"context"
	"os"
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
	defer cmdtest.Isolate("[core]\n\tfsync = none\n[advice]\n\tdetachedHead = false\n")()
	return m.M.Run()
}
