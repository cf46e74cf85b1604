package cmd

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
)

// An interrupted run prints nothing and exits with 130.
func TestInterruptExitsWith130(t *testing.T) {
	var out, errs strings.Builder
	vars := map[string]string{"CAIRN_ACTOR": "human:shah", "XDG_STATE_HOME": t.TempDir()}
	env := Env{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Dir: t.TempDir(),
		Getenv: func(name string) string { return vars[name] },
		Now:    func() time.Time { return cmdtest.StartTime }, Rand: cmdtest.Zeros{},
	}
	env.Args = []string{"init"}
	if exit := Main(t.Context(), env); exit != 0 {
		t.Fatalf("init exits with %d: %s", exit, &errs)
	}
	out.Reset()

	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	for _, args := range [][]string{{"create", "Raise the walls"}, {"wait", "--ready"}} {
		env.Args = args
		if exit := Main(interrupted, env); exit != ExitInterrupted {
			t.Errorf("%v exits with %d, want %d", args, exit, ExitInterrupted)
		}
		if printed := out.String() + errs.String(); printed != "" {
			t.Errorf("%v prints %q", args, printed)
		}
	}
}
