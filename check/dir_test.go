package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

// tree makes a workspace with folders, files and links to them, and returns its path without links.
func tree(t *testing.T) (root string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(base, "ws")
	for _, dir := range []string{"ws/in/deep", "ws-sibling", "out"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"to-in":      "in",
		"to-out":     filepath.Join(base, "out"),
		"to-sibling": "../ws-sibling",
		"in/to-up":   "../..",
		"in/to-top":  "..",
		"broken":     "nowhere",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	return root
}

func TestDirStaysInTheWorkspace(t *testing.T) {
	root := tree(t)
	for cwd, want := range map[string]string{
		"":          ".",
		".":         ".",
		"./in/":     "in",
		"in/deep":   "in/deep",
		"in/../in":  "in",
		"to-in":     "in",
		"in/to-top": ".",
	} {
		got, err := Dir(root, cwd)
		if want = filepath.Join(root, want); err != nil || got != want {
			t.Errorf("Dir(%q) = %q, %v; want %q", cwd, got, err, want)
		}
	}
}

func TestDirRefusesWhatLeavesTheWorkspace(t *testing.T) {
	root := tree(t)
	for _, cwd := range []string{
		"/", root, "..", "../ws", "in/../..", "to-out", "to-sibling", "in/to-up", "in/to-up/out",
		"missing", "in/missing", "file", "file/below", "broken",
	} {
		if got, err := Dir(root, cwd); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("Dir(%q) = %q, %v; want INVALID_INPUT", cwd, got, err)
		}
	}
}

func TestDirOfARootThatIsALink(t *testing.T) {
	root := tree(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip(err)
	}
	if got, err := Dir(link, "in"); err != nil || got != filepath.Join(root, "in") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestDirOfARootThatIsGone(t *testing.T) {
	if _, err := Dir(filepath.Join(t.TempDir(), "gone"), "."); record.CodeOf(err) != record.IO {
		t.Errorf("got %v", err)
	}
}
