package git

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// A log names the commits that change files, with the added lines that are wanted, and those whose message has a word.
// What a commit or a file says cannot pass for another commit.
func TestLogOfGit(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("tasks/T-1.md", "one\n")
	r.write("other", "x\n")
	r.commit()
	r.write("tasks/T-1.md", "one\n++ b/tasks/T-9.md\nkeep this\n\x01"+strings.Repeat("a", 40)+"\ndiff --git a/x b/x\n@@ no\n")
	r.git("add", "--all")
	r.git("commit", "-q", "-m", "close T-1.x, and\n\nT-2 in the text")
	r.git("commit", "-q", "--allow-empty", "-m", "T-11 alone")
	r.git("commit", "-q", "--allow-empty", "-m", "for T-1")
	h := r.open().History()
	keep := func(line string) bool { return strings.HasPrefix(line, "keep") || strings.HasPrefix(line, "++") }
	got, cut, err := h.Log(t.Context(), LogIn{Paths: []string{"tasks"}, Most: 10}, keep)
	if err != nil || cut || len(got) != 2 || got[0].Subject != "close T-1.x, and" || len(got[0].Changed) != 1 {
		t.Fatalf("got %+v, %v, %v", got, cut, err)
	}
	if file := got[0].Changed[0]; file.Path != "tasks/T-1.md" || strings.Join(file.Added, "|") != "++ b/tasks/T-9.md|keep this" {
		t.Errorf("got %+v", file)
	}
	for word, want := range map[string]string{"T-1": "for T-1|close T-1.x, and", "T-2": "close T-1.x, and", "T-1.x": "close T-1.x, and", "T-1*": "", "T": "", "^": ""} {
		got, _, err := h.Log(t.Context(), LogIn{Mentions: word, Most: 10}, nil)
		var subjects []string
		for _, c := range got {
			subjects = append(subjects, c.Subject)
		}
		if err != nil || strings.Join(subjects, "|") != want {
			t.Errorf("%s: %q, %v", word, subjects, err)
		}
	}
	for _, path := range []string{"a b/c b/T 1.md", "仕事/é.md", `tasks/a "b".md`} {
		if runtime.GOOS == "windows" && strings.Contains(path, `"`) {
			continue
		}
		r.write(path, "keep\n")
		r.commit()
		top, _, _ := strings.Cut(path, "/")
		if got, _, err := h.Log(t.Context(), LogIn{Paths: []string{top}, Most: 1}, keep); err != nil || got[0].Changed[0].Path != path {
			t.Errorf("%s is %+v, %v", path, got, err)
		}
	}
	if got, cut, err := h.Log(t.Context(), LogIn{Most: 3}, nil); err != nil || !cut || len(got) != 3 {
		t.Errorf("got %d, %v, %v", len(got), cut, err)
	}
	if got, _, err := h.Log(t.Context(), LogIn{Since: time.Now().Add(24 * time.Hour), Most: 3}, nil); err != nil || len(got) != 0 {
		t.Errorf("got %d, %v", len(got), err)
	}
}
