package git

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

func TestFingerprintOfAWorkTreeIsItsCommits(t *testing.T) {
	isolate(t)
	for name, args := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			r := filled(t, args...)
			before := r.fingerprint()
			r.git("add", "-A")
			if r.fingerprint() != before {
				t.Error("staging changed it")
			}
			r.git("commit", "-q", "-m", "all")
			if r.fingerprint() != before {
				t.Error("committing changed it")
			}
			r.equalsHead("after the first commit")

			clone := repo{t, filepath.Join(realTempDir(t), "clone")}
			r.git("clone", "-q", r.dir, clone.dir)
			clone.equalsHead("in a fresh clone")
			if clone.fingerprint() != before {
				t.Error("a clone has another one")
			}

			side := repo{t, filepath.Join(realTempDir(t), "side")}
			r.git("worktree", "add", "-q", "--detach", side.dir)
			side.equalsHead("in a linked work tree")
		})
	}
}

func TestTreeHoldsWhatIsNotIgnored(t *testing.T) {
	isolate(t)
	r := filled(t)
	for _, when := range []string{"untracked", "committed"} {
		tree, err := r.open().WorkTree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := tree["plain"], "100644 814f4a422927b82f5f8a43f8fab6d3839e3983f2"; got != want {
			t.Errorf("%s: plain is %q, want %q", when, got, want)
		}
		for path := range tree {
			if path == "ignored" || strings.HasPrefix(path, ".cairn/tasks/") {
				t.Errorf("%s: %q is in it", when, path)
			}
		}
		for _, path := range []string{"web/not.cairn/file", "web/.cairn/tasks/T-1.md"} {
			if _, ok := tree[path]; !ok {
				t.Errorf("%s: %s is missing", when, path)
			}
		}
		r.commit()
	}
}

func TestAnEmptyRepository(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	if got := r.fingerprint(); got != (Tree{}).Fingerprint() {
		t.Errorf("got %s", got)
	}
	r.write("file", "x")
	if r.fingerprint() == (Tree{}).Fingerprint() {
		t.Error("an untracked file is not seen")
	}
}

// What is set aside changes no fingerprint; anything else does, whatever its folder is called.
func TestSlowChangesOfRecords(t *testing.T) {
	slowtest.Skip(t)
	isolate(t)
	r := filled(t)
	before := r.fingerprint()
	r.commit()
	r.write(".cairn/tasks/T-1.md", "changed")
	r.write(".cairn/tasks/T-2.md", "new")
	r.write(".cairn/local/lock", "held")
	if r.fingerprint() != before {
		t.Error("a change of a record changes the fingerprint")
	}
	r.git("add", ".cairn/tasks")
	r.git("commit", "-q", "-m", "records")
	if r.fingerprint() != before {
		t.Error("committing it does")
	}
	for _, path := range []string{"src/.cairn/tasks/T-1.md", ".cairn/tasks/helper.py", ".cairn/bin/run.sh", ".CAIRN/tasks/T-1.md", "web/.cairn/config.yaml"} {
		now := r.fingerprint()
		for _, content := range []string{"code", "other code"} {
			r.write(path, content)
			if next := r.fingerprint(); next == now {
				t.Errorf("%s: a change does not change the fingerprint", path)
			} else {
				now = next
			}
		}
	}
	r.commit() // what is tracked counts, in a folder of this machine too
	r.equalsHead("with everything committed")
}

// A link in the place of a record is no record.
func TestALinkForARecord(t *testing.T) {
	isolate(t)
	if runtime.GOOS == "windows" {
		t.Skip("links need rights")
	}
	r := filled(t)
	before := r.fingerprint()
	r.commit()
	r.remove(".cairn/tasks/T-1.md")
	r.link("../../bin/tool", ".cairn/tasks/T-1.md")
	linked := r.fingerprint()
	if linked == before {
		t.Error("the fingerprint is the same")
	}
	r.commit()
	r.equalsHead("committed")
	r.remove(".cairn/tasks/T-1.md")
	r.write(".cairn/tasks/T-1.md", "a record again")
	if r.fingerprint() != before {
		t.Error("a record again has another fingerprint")
	}
}

func TestWhatIsStagedDoesNotMatter(t *testing.T) {
	isolate(t)
	r := filled(t)
	r.commit()
	clean := r.fingerprint()

	r.write("plain", "staged")
	r.git("add", "plain")
	r.write("plain", "one\ntwo\n")
	if r.fingerprint() != clean {
		t.Error("staged only, and put back on disk")
	}
	r.git("rm", "-q", "--cached", "empty")
	if r.fingerprint() != clean {
		t.Error("removed from the index only")
	}
	r.write("plain", "third")
	third := r.fingerprint()
	r.git("add", "plain")
	if r.fingerprint() != third || third == clean {
		t.Error("staged one thing, working on another")
	}
}

// Telling git not to look at a file does not keep its changes from being seen.
func TestFilesThatGitDoesNotLookAt(t *testing.T) {
	isolate(t)
	for _, flag := range []string{"--assume-unchanged", "--skip-worktree"} {
		r := filled(t)
		r.git("add", "-A")
		r.git("commit", "-q", "-m", "all")
		before := r.fingerprint()
		r.git("update-index", flag, "plain")
		if r.fingerprint() != before {
			t.Errorf("%s alone changed it", flag)
		}
		r.write("plain", "changed\n")
		if r.fingerprint() == before {
			t.Errorf("%s hides a change", flag)
		}
	}
}

func TestAConflict(t *testing.T) {
	isolate(t)
	r := filled(t)
	r.commit()
	r.git("checkout", "-q", "-b", "theirs")
	r.write("plain", "theirs\n")
	r.write("both", "theirs\n")
	r.remove("empty")
	r.commit()
	r.git("checkout", "-q", "main")
	r.write("plain", "ours\n")
	r.write("both", "ours\n")
	r.write("empty", "not any more\n")
	r.commit()
	if _, err := r.try("merge", "-q", "theirs"); err == nil {
		t.Fatal("there should be a conflict")
	}
	conflict := r.fingerprint()
	r.write("plain", "solved\n")
	solved := r.fingerprint()
	if solved == conflict {
		t.Error("solving a conflict is not seen")
	}
	r.commit()
	if r.fingerprint() != solved {
		t.Error("committing the merge changes the fingerprint")
	}
	r.equalsHead("after the merge")
}

func TestModesThatGitIgnores(t *testing.T) {
	isolate(t)
	r := filled(t)
	needModes(r)
	r.git("config", "core.fileMode", "false")
	r.commit()
	r.git("update-index", "--chmod=+x", "plain")
	r.git("commit", "-q", "-m", "executable in the index")
	clean := r.fingerprint()
	r.chmod("empty", 0o755)
	r.chmod("bin/tool", 0o644)
	if r.fingerprint() != clean {
		t.Error("a mode on disk is believed")
	}
	r.write("empty", "edited")
	r.write("plain", "edited")
	r.write("new", "x")
	r.chmod("new", 0o755)
	edited := r.fingerprint()
	r.commit()
	if r.fingerprint() != edited {
		t.Error("committing changes the fingerprint")
	}
	r.equalsHead("after the edit")
}

func TestSlowLineEndings(t *testing.T) {
	slowtest.Skip(t)
	isolate(t)
	for name, config := range map[string][]string{
		"autocrlf":   {"config", "core.autocrlf", "true"},
		"attributes": {"config", "core.eol", "crlf"},
	} {
		t.Run(name, func(t *testing.T) {
			r := filled(t)
			r.write(".gitattributes", "*.txt text\n*.bat text eol=crlf\n")
			r.write("a.txt", "one\ntwo\n")
			r.commit()
			clone := repo{t, filepath.Join(realTempDir(t), "clone")}
			r.git("clone", "-q", "--no-checkout", r.dir, clone.dir)
			clone.git(config...)
			clone.git("checkout", "-q", "main")
			if text, err := os.ReadFile(clone.path("a.txt")); err != nil || string(text) != "one\r\ntwo\r\n" {
				t.Fatalf("a.txt is %q, %v", text, err)
			}
			clone.equalsHead("in a clone with CRLF")
			clone.write("a.txt", "one\r\nthree\r\n")
			clone.write("new.bat", "@echo off\r\n")
			before := clone.fingerprint()
			clone.commit()
			if clone.fingerprint() != before {
				t.Error("committing changes the fingerprint")
			}
			clone.equalsHead("after an edit")
		})
	}
}

func TestSparseCheckout(t *testing.T) {
	isolate(t)
	r := filled(t)
	r.commit()
	clean := r.fingerprint()
	r.git("sparse-checkout", "set", "bin")
	if _, err := os.Stat(r.path("dir/sub/file")); err == nil {
		t.Fatal("dir/ is still there")
	}
	if r.fingerprint() != clean {
		t.Error("files that are not checked out count as changed")
	}
}

func TestFilesThatVanishMeanwhile(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	var files []Change
	for i := range 20 {
		name := fmt.Sprintf("file%02d", i)
		files = append(files, Change{Path: name, Mode: modeFile})
		if i%7 != 3 {
			r.write(name, name)
		}
	}
	w := workTree{Repo: r.open(), tree: Tree{}}
	if err := w.addContents(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	if want := r.fingerprint(); len(w.tree) != 17 || w.tree.Fingerprint() != want {
		t.Errorf("%d files", len(w.tree))
	}
	links := []Change{{Path: "gone", Mode: modeLink}}
	if err := w.addLinks(t.Context(), links); err != nil {
		t.Error(err)
	}
	if err := w.addFiles(t.Context(), []Change{{Path: "gone too"}, {Path: "file00/below"}}); err != nil {
		t.Error(err)
	}
}

func TestFromASubfolder(t *testing.T) {
	isolate(t)
	r := filled(t)
	r.commit()
	r.write("plain", "changed")
	r.write("dir/new", "x")
	if got := (repo{t, r.path("dir/sub")}).fingerprint(); got != r.fingerprint() {
		t.Error("it depends on the folder one is in")
	}
}

// TestSlowSettings runs under settings that change what git prints.
func TestSlowSettings(t *testing.T) {
	slowtest.Skip(t)
	isolate(t)
	r := filled(t)
	r.commit()
	r.write("plain", "changed")
	rename(r, "empty", "renamed")
	want := r.fingerprint()
	for _, setting := range []string{
		"status.branch=true", "status.showStash=true", "status.showUntrackedFiles=no", "status.renames=true",
		"status.short=true", "core.quotePath=true", "status.relativePaths=false", "color.ui=always", "diff.renames=copies",
		"core.untrackedCache=true", "core.preloadIndex=false", "core.splitIndex=true", "index.version=4",
	} {
		key, value, _ := strings.Cut(setting, "=")
		r.git("config", key, value)
		if r.fingerprint() != want {
			t.Errorf("%s changes the fingerprint", setting)
		}
	}
}

func TestReadingLeavesNoTrace(t *testing.T) {
	isolate(t)
	r := filled(t)
	r.commit()
	r.write("plain", "something that git has no object of")
	r.write("also new", "nor of this")
	r.write(".cairn/tasks/T-2.md", "nor of this")
	// Left to itself, git would note in the index that this file was touched but did not change.
	touched := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(r.path("with space"), touched, touched); err != nil {
		t.Fatal(err)
	}
	before := contents(t, r.path(".git"))
	r.fingerprint()
	if _, err := r.open().Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := contents(t, r.path(".git")); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}
