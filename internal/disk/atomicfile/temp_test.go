package atomicfile

import (
	"path/filepath"
	"testing"
)

func TestIsTemp(t *testing.T) {
	for name, want := range map[string]bool{
		filepath.Base(TempName("/tasks/T-1.md")):    true,
		filepath.Base(TempName("config.yaml")):      true,
		".T-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp":    true,
		"T-1.md":                                    false,
		".T-1.md.tmp":                               false, // an editor's, perhaps
		".T-1.md.swp":                               false,
		"T-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp":     false,
		".T-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp.md": false,
		".T-1.md.abcdefghijklmnopqrstuvwxyz.tmp":    false,
		".T-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ2.tmp":   false,
		"..ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp":          false,
		"":                                          false,
	} {
		if got := IsTemp(name); got != want {
			t.Errorf("IsTemp(%q) = %v", name, got)
		}
	}
}

func TestIsTempOf(t *testing.T) {
	const random = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for temp, want := range map[string]bool{
		filepath.Base(TempName("T-1.md")):      true,
		".T-1.md." + random + ".tmp":           true,
		".T-2.md." + random + ".tmp":           false,
		".T-1.md.x." + random + ".tmp":         false,
		".T-1.md\x00." + random + ".tmp":       false,
		"../.T-1.md." + random + ".tmp":        false,
		".T-1.md." + random[1:] + "/" + ".tmp": false,
	} {
		if got := IsTempOf("T-1.md", temp); got != want {
			t.Errorf("IsTempOf(%q) = %v", temp, got)
		}
	}
}

func TestTempLiesBesideItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "T-1.md")
	p := prepared(t, path, "new")
	defer func() { _ = p.Discard() }()
	if filepath.Dir(p.temp) != filepath.Dir(path) {
		t.Errorf("%s is not in the folder of %s", p.temp, path)
	}
}

// A process that dies between its two steps leaves what Prepare made.
func TestSweepRemovesWhatACrashLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "T-1.md")
	dir := filepath.Dir(path)
	put(t, path, "old", 0o644)
	put(t, filepath.Join(dir, ".notes.tmp"), "a user's", 0o644)
	prepared(t, path, "new")
	prepared(t, path, "newer")
	if err := Sweep(dir); err != nil {
		t.Fatal(err)
	}
	wantContent(t, path, "old")
	wantNames(t, dir, ".notes.tmp", "T-1.md")
}

func TestSweepOfNothing(t *testing.T) {
	dir := t.TempDir()
	for _, dir := range []string{dir, filepath.Join(dir, "absent")} {
		if err := Sweep(dir); err != nil {
			t.Error(err)
		}
	}
	file := filepath.Join(dir, "file")
	put(t, file, "", 0o644)
	if err := Sweep(file); err == nil {
		t.Error("a file was swept as if it were a folder")
	}
}
