package git

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// A remote that lies in the clone is found behind every spelling of its path, and one beside it is none.
func TestSlowBundledRemotes(t *testing.T) {
	slowtest.Skip(t)
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	isolate(t)
	around := realTempDir(t)
	top := filepath.Join(around, "shop")
	r := newRepoAt(t, top)
	for _, dir := range []string{filepath.Join(top, "in.git"), filepath.Join(around, "hub.git")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(top, filepath.Join(around, "link")); err != nil {
		t.Fatal(err)
	}
	r.git("remote", "add", "origin", "x")
	for url, want := range map[string]bool{
		"./in.git":                         true,
		top + "/in.git":                    true,
		"file://" + top + "/in.git":        true,
		"file://" + top + "/%69n.git":      true,
		around + "/link/in.git":            true,
		around + "/link/../shop/in.git":    true,
		"/proc/self/cwd/in.git":            true,
		"file:///%70roc/self/cwd/in.git":   true,
		"/dev/fd/../cwd/in.git":            true,
		top + "/../hub.git":                false,
		around + "/hub.git":                false,
		around + "/away.git":               false,
		"file://" + around + "/hub.git":    false,
		"https://example.com/shop/in.git":  false,
		"git@example.com:shop/in.git":      false,
		"ssh://git@example.com/%70roc/x":   false,
		around + "/shop2/../shop/.git/x":   true,
		"file://" + around + "/100%25.git": false,
	} {
		r.git("remote", "set-url", "origin", url)
		if got, err := r.open().Remotes().Bundled(t.Context(), "origin"); got != want || err != nil {
			t.Errorf("%s: %v, %v", url, got, err)
		}
	}
}
