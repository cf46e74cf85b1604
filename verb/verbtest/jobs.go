package verbtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/verb"
)

// PrepareJobs makes a workspace one in which jobs can be started: a trusted git repository with one commit, and an executor called mine. The process
// that it starts for a job does nothing, so the job stays QUEUED; a test that wants more sets Supervise.
func PrepareJobs(t testing.TB, w *verb.Workspace) {
	t.Helper()
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"-c", "user.name=Lee", "-c", "user.email=lee@example.com", "commit", "-q", "--allow-empty", "-m", "first"},
	} {
		git := exec.Command("git", append([]string{"-C", w.Dir}, args...)...)
		git.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	WriteExecutor(t, w, "mine", `[sh, -c, 'cat > /dev/null']`)
	s, err := w.Open()
	if err == nil {
		err = s.SetTrust(w.Actor(), time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Supervise = func(context.Context, *verb.Workspace, string) error { return nil }
}

// WriteExecutor adds an executor that runs a command, which is a list in YAML, to the user's config.
func WriteExecutor(t testing.TB, w *verb.Workspace, name, cmd string) {
	t.Helper()
	if err := os.MkdirAll(w.ConfigDir, 0o755); err != nil {
		t.Fatal(err)
	}
	config := "executors:\n  " + name + ": {dialect: command, cmd: " + cmd + "}\n"
	if err := os.WriteFile(filepath.Join(w.ConfigDir, "config.yaml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
}
