package verbtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
)

// PrepareJobs makes a workspace one in which jobs can be started: a trusted git repository with one commit, and an
// executor called mine. The process that it starts for a job does nothing, so the job stays QUEUED; a test that wants
// more sets Supervise.
func PrepareJobs(t testing.TB, w *verb.Workspace) {
	t.Helper()
	git(t, w, "init", "-q", "-b", "main")
	git(t, w, "config", "user.name", "Lee")
	git(t, w, "config", "user.email", "lee@example.com")
	git(t, w, "commit", "-q", "--allow-empty", "-m", "first")
	WriteExecutor(t, w, "mine", `[sh, -c, 'cat > /dev/null']`)
	s, err := w.Open()
	if err == nil {
		err = s.SetTrust(w.Actor(), time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	ApproveAll(t, w)
	w.Supervise = func(context.Context, *verb.Workspace, string) error { return nil }
}

// git runs git in a workspace, without the user's config.
func git(t testing.TB, w *verb.Workspace, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", w.Dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

// ShareClaims gives a workspace that is a git repository a remote, a new bare repository, and has claims hold among the
// clones of that. It returns the path of the remote.
func ShareClaims(t *testing.T, w *verb.Workspace) string {
	t.Helper()
	hub := filepath.Join(t.TempDir(), "hub.git")
	git(t, w, "init", "-q", "--bare", "-b", "main", hub)
	git(t, w, "remote", "add", "origin", hub)
	maintainer := *w
	maintainer.Rights = verb.Rights{Profile: verb.Maintainer}
	Must(t, &maintainer, "settings_set", Args{"key": "claims_remote", "value": "origin"})
	return hub
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
