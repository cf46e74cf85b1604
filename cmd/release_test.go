package cmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// release is what the tests know of .goreleaser.yaml.
type release struct {
	Before struct{ Hooks []string }
	Builds []struct {
		Main          string
		Env           []string
		Goos, Goarch  []string
		Flags         []string
		Ldflags       []string
		Mod_timestamp string //nolint:revive // the key
	}
	Archives []struct{ ID string }
	Casks    []struct{ IDs []string } `yaml:"homebrew_casks"`
	Nfpms    []struct {
		Formats  []string
		Contents []struct{ Src, Dst string }
	}
}

// A release has the program for each system as make build makes it, with files that the repository has or make release-files makes.
func TestReleaseConfig(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var r release
	if err := yaml.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(filepath.Join("..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Builds) != 1 || !slices.Contains(r.Before.Hooks, "make release-files") {
		t.Fatalf("it has %d builds, and runs %q before", len(r.Builds), r.Before.Hooks)
	}
	b := r.Builds[0]
	if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(b.Main), "main.go")); err != nil {
		t.Error(err)
	}
	for _, cask := range r.Casks {
		for _, id := range cask.IDs {
			if len(r.Archives) != 1 || r.Archives[0].ID != id {
				t.Errorf("the cask is of the archive %s, which there is not", id)
			}
		}
	}
	for what, ok := range map[string]bool{
		"without cgo":           slices.Contains(b.Env, "CGO_ENABLED=0"),
		"without paths":         slices.Contains(b.Flags, "-trimpath"),
		"stripped":              slices.Contains(b.Ldflags, "-s -w"),
		"the same again":        b.Mod_timestamp != "",
		"for three systems":     slices.Equal(b.Goos, []string{"linux", "darwin", "windows"}),
		"for two architectures": slices.Equal(b.Goarch, []string{"amd64", "arm64"}),
		"with a cask":           len(r.Casks) == 1 && len(r.Casks[0].IDs) > 0,
		"a Debian package":      len(r.Nfpms) == 1 && slices.Equal(r.Nfpms[0].Formats, []string{"deb"}),
	} {
		if !ok {
			t.Errorf("it is not built %s", what)
		}
	}
	version, err := os.ReadFile("version.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range b.Ldflags {
		if name, set := strings.CutPrefix(flag, "-X github.com/cairn-tasks/cairn/cmd."); set {
			if name, _, _ = strings.Cut(name, "="); !strings.Contains(string(version), name) {
				t.Errorf("no variable is called %s", name)
			}
		}
	}
	for _, c := range r.Nfpms[0].Contents {
		made, isMade := strings.CutPrefix(c.Src, "bin/release/")
		made = strings.TrimSuffix(made, ".gz")
		if shell, ok := strings.CutPrefix(made, "completions/cairn."); ok && shells[shell] != "" {
			made = "completions/cairn.$$shell"
		}
		if _, err := os.Stat(filepath.Join("..", c.Src)); !isMade && err != nil || isMade && !strings.Contains(string(makefile), "> bin/release/"+made) {
			t.Errorf("nothing makes %s", c.Src)
		}
	}
}
