package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

const driverLine = "cairn merge-driver %O %A %B %L %P"

// situation is a case of the store's table of merges, in a workspace of its own.
type situation struct {
	file                       string // from the top of the repository
	base, ours, theirs, merged []byte
}

func situations(t *testing.T) []situation {
	t.Helper()
	paths, err := filepath.Glob("../store/kind/testdata/merge/*.txtar")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d situations, %v", len(paths), err)
	}
	var out []situation
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil || len(a.Files) != 4 {
			t.Fatalf("%s: %v", path, err)
		}
		_, file, _ := strings.Cut(string(a.Comment), "\nfile: ")
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		out = append(out, situation{
			file: name + "/" + strings.TrimSpace(file),
			base: a.Files[0].Data, ours: a.Files[1].Data, theirs: a.Files[2].Data, merged: a.Files[3].Data,
		})
	}
	return out
}

// However git merges, the result of the driver is that of the table, and the files with conflicts are those that git
// calls unmerged.
func TestSlowMergeDriverUnderGit(t *testing.T) {
	slowtest.Skip(t)
	for name, command := range map[string][][]string{
		"merge":       {{"checkout", "-q", "ours"}, {"merge", "theirs"}},
		"rebase":      {{"checkout", "-q", "theirs"}, {"rebase", "ours"}},
		"cherry-pick": {{"checkout", "-q", "ours"}, {"cherry-pick", "theirs"}},
		"stash": {
			{"checkout", "-q", "theirs"}, {"reset", "-q", "--soft", "HEAD^"}, {"stash", "-q"}, {"checkout", "-q", "ours"}, {"stash", "pop"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newMergeRepo(t)
			for _, args := range command[:len(command)-1] {
				g.run(args...)
			}
			_ = g.runErr(command[len(command)-1]...) // it fails if there are conflicts, and there are
			var unmerged []string
			for _, s := range situations(t) {
				got, err := os.ReadFile(filepath.Join(g.dir, s.file))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, s.merged) {
					t.Errorf("%s:\n%s\nwant:\n%s", s.file, got, s.merged)
				}
				if bytes.Contains(s.merged, []byte("<<<<<<< ")) {
					unmerged = append(unmerged, s.file)
				}
			}
			out := g.run("diff", "--name-only", "--diff-filter=U")
			if got := strings.Fields(out); !slices.Equal(got, unmerged) {
				t.Errorf("unmerged are\n%q, want\n%q", got, unmerged)
			}
		})
	}
}

// The driver gets a folder's name unchanged, even if a shell would expand it.
func TestSlowMergeDriverInFoldersWithOddNames(t *testing.T) {
	slowtest.Skip(t)
	if runtime.GOOS == "windows" {
		t.Skip("no such names here")
	}
	folders := []string{"two words", `it's "quoted"`, "$(touch ran)", "`touch ran`;touch ran", "größe-日本", "%P %A", "-n"}
	g := newGitRepo(t)
	g.run("config", "merge.cairn.driver", driverLine)
	g.write(filepath.Join(g.dir, ".gitattributes"), []byte("**/.cairn/**/*.md merge=cairn\n"))
	file := func(folder string) string { return filepath.Join(g.dir, folder, ".cairn", "tasks", "T-1.md") }
	commit := func(branch, labels string) {
		g.run("checkout", "-q", "-b", branch)
		for _, folder := range folders {
			g.write(file(folder), []byte("---\nid: T-1\ntitle: x\nstatus: backlog\nlabels: "+labels+"\n---\n"))
		}
		g.run("add", "-A")
		g.run("commit", "-q", "-m", branch)
	}
	commit("first", "[a]")
	commit("theirs", "[a, b]")
	g.run("checkout", "-q", "first")
	commit("ours", "[a, c]")
	out, err := g.command([]string{"merge", "-q", "-m", "both", "theirs"}).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
	for _, folder := range folders {
		if got := readAt(t, "", file(folder)); !strings.Contains(got, "labels: [a, c, b]\n") {
			t.Errorf("%s:\n%s", folder, got)
		}
	}
	if _, err := os.Stat(filepath.Join(g.dir, "ran")); err == nil {
		t.Error("a part of a name was run")
	}
	g.mergesWithoutAWorkTree()
}

// mergesWithoutAWorkTree makes the merge at HEAD once more, as a hosting service with the driver would.
func (g *gitRepo) mergesWithoutAWorkTree() {
	g.t.Helper()
	out, err := g.command([]string{"merge-tree", "--write-tree", "HEAD^1", "HEAD^2"}).CombinedOutput()
	if strings.HasPrefix(string(out), "usage:") {
		return // git is older than 2.38
	}
	if want := g.run("rev-parse", "HEAD^{tree}"); err != nil || string(out) != want {
		g.t.Errorf("merge-tree makes %s (%v), and merge %s", out, err, want)
	}
}

// newMergeRepo makes a repository with a branch for each side of every situation, and the driver installed.
func newMergeRepo(t *testing.T) *gitRepo {
	g := newGitRepo(t)
	g.run("config", "merge.cairn.driver", driverLine)
	g.write(filepath.Join(g.dir, ".gitattributes"), []byte("**/.cairn/**/*.md merge=cairn\n**/.cairn/**/*.yaml merge=cairn\n"))
	g.commit("base", func(s situation) []byte { return s.base })
	for _, branch := range []string{"ours", "theirs"} {
		g.run("checkout", "-q", "-b", branch, "base")
		g.commit(branch, func(s situation) []byte {
			if branch == "ours" {
				return s.ours
			}
			return s.theirs
		})
	}
	return g
}

// commit writes one version of every situation. An empty version is a missing file.
func (g *gitRepo) commit(message string, version func(situation) []byte) {
	for _, s := range situations(g.t) {
		path := filepath.Join(g.dir, s.file)
		config := filepath.Join(g.dir, filepath.FromSlash(s.file[:strings.Index(s.file, "/")]), ".cairn", "config.yaml")
		if path != config {
			g.write(config, []byte("abandoned: [canceled]\n"))
		}
		if text := version(s); len(text) > 0 {
			g.write(path, text)
		}
	}
	g.run("add", "-A")
	g.run("commit", "-q", "-m", message)
}
