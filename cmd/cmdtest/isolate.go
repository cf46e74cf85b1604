package cmdtest

import (
	"os"
	"path/filepath"
	"strings"
)

// Isolate gives this process a home folder of its own, in which git has an identity and the further settings, and takes
// those of git and cairn out of its environment, so that no setting of this machine changes what the tests do. They call
// it before any of them begins, and end when all have ended.
func Isolate(settings string) (end func()) {
	home, err := os.MkdirTemp("", "isolated")
	if err != nil {
		panic(err)
	}
	for _, setting := range os.Environ() {
		if name, _, _ := strings.Cut(setting, "="); strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "CAIRN_") {
			_ = os.Unsetenv(name)
		}
	}
	for _, name := range []string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		_ = os.Setenv(name, home)
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(GitConfig+settings), 0o644); err != nil {
		panic(err)
	}
	return func() { _ = os.RemoveAll(home) }
}
