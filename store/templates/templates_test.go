package templates_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/templates"
)

func write(t *testing.T, l layout.Layout, name, text string) {
	t.Helper()
	path := filepath.Join(l.Dir(templates.Folder), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	l := layout.Layout{Root: t.TempDir()}
	if got := templates.Names(l); got != nil {
		t.Errorf("without a folder there are %v", got)
	}
	write(t, l, "bug.md", "---\nlabels: [bug]\npriority: 1\ndue: 2026-06-21\n---\n\n## Steps\n")
	write(t, l, "notes.txt", "none")
	write(t, l, "two words.md", "---\n---\n")
	if got := templates.Names(l); !slices.Equal(got, []string{"bug"}) {
		t.Errorf("the templates are %v", got)
	}
	got, err := templates.Read(l, "bug")
	if want := `{"body":"## Steps","due":"2026-06-21","labels":["bug"],"priority":1}`; err != nil || string(got) != want {
		t.Errorf("bug is %s, %v, want %s", got, err, want)
	}
}

// No name leads out of the folder, and no link is followed.
func TestReadRefuses(t *testing.T) {
	l := layout.Layout{Root: t.TempDir()}
	write(t, l, "bug.md", "---\ntitle: x\n---\n")
	write(t, l, "broken.md", "---\ntitle: [\n---\n")
	write(t, l, "large.md", "---\ntitle: x\n---\n"+strings.Repeat("x", 300<<10))
	secret := filepath.Join(l.Root, "secret.md")
	if err := os.WriteFile(secret, []byte("---\ntitle: secret\n---\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(l.Dir(templates.Folder), "link.md")); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]record.Code{
		"": record.InvalidInput, "../secret": record.InvalidInput, "a/b": record.InvalidInput, "bug.md": record.InvalidInput,
		"none": record.NotFound, "link": record.BadFile, "broken": record.BadFile, "large": record.BadFile,
	} {
		if got, err := templates.Read(l, name); record.CodeOf(err) != want {
			t.Errorf("Read(%q) is %s, %v, want %s", name, got, err, want)
		}
	}
}
