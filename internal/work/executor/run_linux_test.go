package executor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/proc"
	"github.com/cairn-tasks/cairn/internal/work/executor/executortest"
)

// A process in a session of its own ends with the agent that started it, however the agent ends.
func TestNothingAnAgentStartedIsLeft(t *testing.T) {
	everyDialect(t, func(t *testing.T, dialect string) {
		for _, end := range []string{"say done", "exit 0", "die"} {
			file := filepath.Join(t.TempDir(), "pid")
			b := newBench(t, dialect, "fork "+file, end)
			var trace proc.Trace
			b.traced = func(t proc.Trace) { trace = t }
			b.start(t)
			pid := executortest.PID(t, file)
			if alive(pid) {
				t.Errorf("%s: process %d is left", end, pid)
			}
			if trace.PID == 0 || trace.Group == 0 {
				t.Errorf("%s: trace %+v", end, trace)
			}
		}
	})
}

func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
