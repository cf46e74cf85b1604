package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// The story runs once; it checks itself at every step. What is left to ask is what it leaves behind, and whether the
// README shows it as it is.
func TestSlowQuickstart(t *testing.T) {
	slowtest.Skip(t)
	home, temp := userOfThisMachine(t)
	var out bytes.Buffer
	if err := run(t.Context(), &out, false); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	t.Run("removes its folder", func(t *testing.T) {
		if left := names(t, temp); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	t.Run("keeps no state of cairn in the user's home", func(t *testing.T) {
		if _, err := os.Stat(filepath.Join(home, ".local", "state", "cairn")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the home has a state folder: %v", err)
		}
	})
	t.Run("is what the README shows", func(t *testing.T) { readmeShows(t, out.String()) })
}

// userOfThisMachine makes a home whose git configuration would break every commit, and a folder for temporary files.
func userOfThisMachine(t *testing.T) (home, temp string) {
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // by default these lie in the home
		value, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv(name, strings.TrimSpace(string(value)))
	}
	home, temp = t.TempDir(), t.TempDir()
	config := "[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = nobody-has-this\n[user]\n\tname = Someone Else\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(name, home)
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temp)
	}
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, ".local", "state"))
	t.Setenv("CAIRN_ACTOR", "agent:someone-else")
	t.Setenv("CAIRN_REPO", home)
	return home, temp
}

func names(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestTheFirstSurpriseEndsTheStory(t *testing.T) {
	for _, c := range []struct {
		name string
		step func(shell)
		want string
	}{
		{"another exit number", func(s shell) { s.runs(t.Context(), "git", "no-such-command") }, "exits with 1, not 0"},
		{"other words", func(s shell) { s.exits(t.Context(), 0, "a pear", "git", "--version") }, `does not say "a pear"`},
		{"no such program", func(s shell) { s.runs(t.Context(), "no-such-program") }, "no-such-program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := shell{&narrator{out: io.Discard}, repo{dir: dir}}
			c.step(s)
			if s.err == nil || !strings.Contains(s.err.Error(), c.want) {
				t.Errorf("the story ends with %v, want %q", s.err, c.want)
			}
			s.runs(t.Context(), "git", "init", "--quiet")
			if made := names(t, dir); len(made) > 0 {
				t.Errorf("it went on all the same: %v", made)
			}
		})
	}
}

func TestCommandLine(t *testing.T) {
	for want, words := range map[string][]string{
		"cairn ready":                      {"cairn", "ready"},
		"cairn note A-1 'two words'":       {"cairn", "note", "A-1", "two words"},
		`cairn note A-1 'it'\''s done'`:    {"cairn", "note", "A-1", "it's done"},
		"cairn create X --check 'a=b --c'": {"cairn", "create", "X", "--check", "a=b --c"},
	} {
		if got := commandLine(words); got != want {
			t.Errorf("%q is typed as %s, want %s", words, got, want)
		}
	}
}
