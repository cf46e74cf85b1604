package storetest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/store/layout"
)

// must fails the test at once after an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// value is a value that can be had only without an error.
func value[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// WriteFile writes a file, and makes the folders above it.
func WriteFile(t testing.TB, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), 0o644))
}

// ReadFile returns the content of a file.
func ReadFile(t testing.TB, path string) string {
	t.Helper()
	return string(value[[]byte](t)(os.ReadFile(path)))
}

// Append adds a text to the end of a file.
func Append(t testing.TB, path, text string) {
	t.Helper()
	WriteFile(t, path, ReadFile(t, path)+text)
}

// Mkdir makes a folder, and those above it, and returns its path.
func Mkdir(t testing.TB, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.MkdirAll(path, 0o755))
	return path
}

// Remove removes a file or an empty folder.
func Remove(t testing.TB, path string) {
	t.Helper()
	must(t, os.Remove(path))
}

// RemoveAll removes a file, or a folder with everything in it.
func RemoveAll(t testing.TB, path string) {
	t.Helper()
	must(t, os.RemoveAll(path))
}

// Rename renames a file or a folder.
func Rename(t testing.TB, from, to string) {
	t.Helper()
	must(t, os.Rename(from, to))
}

// MoveAway moves a file or a folder to a temporary one, and returns its new path.
func MoveAway(t testing.TB, path string) string {
	t.Helper()
	moved := filepath.Join(t.TempDir(), filepath.Base(path))
	Rename(t, path, moved)
	return moved
}

// Link makes a symbolic link at path. It skips the test if the system has none.
func Link(t testing.TB, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skipf("no links here: %v", err)
	}
}

// RealPath is a path without links.
func RealPath(t testing.TB, path string) string {
	t.Helper()
	return value[string](t)(filepath.EvalSymlinks(path))
}

// NamesIn lists the names in a folder.
func NamesIn(t testing.TB, dir string) (names []string) {
	t.Helper()
	for _, e := range value[[]os.DirEntry](t)(os.ReadDir(dir)) {
		names = append(names, e.Name())
	}
	return names
}

// Files is the content of every file under a folder, by its path from there, with forward slashes.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		src, err := os.ReadFile(path)
		out[layout.SlashRel(dir, path)] = string(src)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

// Changed lists the files in which two results of Files differ.
func Changed(before, after map[string]string) []string {
	var names []string
	for name, text := range after {
		if old, ok := before[name]; !ok || old != text {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			names = append(names, name+" (gone)")
		}
	}
	return names
}

// AsRoot reports whether the tests run as root, for whom permissions do not count.
func AsRoot() bool { return os.Geteuid() == 0 }

// Golden compares a text with a golden file. With UPDATE=1 it writes the file instead.
func Golden(t testing.TB, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		WriteFile(t, path, got)
		return
	}
	if want := ReadFile(t, path); got != want {
		t.Errorf("differs from %s (UPDATE=1 writes it anew):\n%s", path, DiffLines(want, got))
	}
}

// DiffLines returns the lines that only one of two texts has, as a diff without context. It shows invisible characters
// at the end of a line, and a missing last line break.
func DiffLines(before, after string) string {
	a, b := linesOf(before), linesOf(after)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	common := commonLines(a, b)
	var out strings.Builder
	for len(a)+len(b) > 0 {
		switch {
		case len(common) > 0 && len(a) > 0 && len(b) > 0 && a[0] == common[0] && b[0] == common[0]:
			a, b, common = a[1:], b[1:], common[1:]
		case len(a) > 0 && (len(common) == 0 || a[0] != common[0]):
			out.WriteString("-" + visible(a[0]))
			a = a[1:]
		default:
			out.WriteString("+" + visible(b[0]))
			b = b[1:]
		}
	}
	return out.String()
}

// linesOf splits a text after its line breaks: LF, CR LF, and CR alone.
func linesOf(text string) []string {
	var lines []string
	for len(text) > 0 {
		end := strings.IndexAny(text, "\r\n") + 1
		switch {
		case end == 0:
			end = len(text)
		case strings.HasPrefix(text[end-1:], "\r\n"):
			end++
		}
		lines = append(lines, text[:end])
		text = text[end:]
	}
	return lines
}

// commonLines is the longest sequence of lines that both texts have in this order.
func commonLines(a, b []string) []string {
	best := make([][]int, len(a)+1) // best[i][j] is how many lines a[i:] and b[j:] have in common
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if a[i] == b[j] {
				best[i][j] = best[i+1][j+1] + 1
			}
		}
	}
	var common []string
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common = append(common, a[i])
			i, j = i+1, j+1
		case best[i+1][j] >= best[i][j+1]:
			i++
		default:
			j++
		}
	}
	return common
}

func visible(line string) string {
	text := strings.TrimRight(line, "\r\n")
	end := map[string]string{"\n": "", "\r\n": "<CR>", "\r": "<CR ALONE>", "": "<NO NEWLINE>"}[line[len(text):]]
	if trimmed := strings.TrimRight(text, " \t"); trimmed != text {
		text += "<END>"
	}
	return text + end + "\n"
}
