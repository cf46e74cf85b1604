package proc

import (
	"testing"
	"time"
)

// run runs a command, in a new folder and with a time limit that no test should meet unless the command says otherwise.
func run(t *testing.T, c Command) (End, *Output) {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	var out Output
	c.Output = &out
	end, err := Run(t.Context(), c)
	if err != nil {
		t.Fatalf("Run(%q): %v", c.Line, err)
	}
	return end, &out
}

// runOnly is run for commands whose output does not matter.
func runOnly(t *testing.T, c Command) End {
	t.Helper()
	end, _ := run(t, c)
	return end
}

// A timeout of 0 is no time limit, and no Output discards what is printed.
func TestACommandWithNothingElse(t *testing.T) {
	end, err := Run(t.Context(), Command{Line: "echo text; exit 3"})
	if want := (End{Exit: 3, Duration: end.Duration}); err != nil || end != want {
		t.Errorf("got %+v, %v", end, err)
	}
}
