package cmd

import (
	"maps"
	"os"
	"os/exec"
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
	Archives []struct {
		ID     string
		Wrap   bool                    `yaml:"wrap_in_directory"`
		Format []struct{ Goos string } `yaml:"format_overrides"`
		Files  []yaml.Node
	}
	Casks []struct {
		IDs, Manpages []string
		Completions   map[string]string
		Hooks         struct{ Post struct{ Install string } }
	} `yaml:"homebrew_casks"`
	Release struct{ Github struct{ Owner, Name string } }
	Nfpms   []struct {
		Formats  []string
		Contents []struct{ Src, Dst string }
	}
}

// A release has the program for each system as make build makes it, with files that the repository has or make
// release-files makes.
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
	holdArchive(t, r)
	version, err := os.ReadFile("help.go")
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

// holdArchive checks that the cask names files by the paths that they have in the archive, and comes from where
// releases are.
func holdArchive(t *testing.T, r release) {
	t.Helper()
	if r.Release.Github.Owner+"/"+r.Release.Github.Name != "cairn-tasks/cairn" {
		t.Errorf("what is released is of %v", r.Release.Github)
	}
	if r.Archives[0].Wrap {
		t.Error("the archive has all in a folder, in which the cask finds nothing")
	}
	var inArchive []string
	for _, f := range r.Archives[0].Files {
		var moved struct{ Src, Dst string }
		if f.Kind == yaml.MappingNode && f.Decode(&moved) == nil {
			inArchive = append(inArchive, moved.Dst+"/"+filepath.Base(moved.Src))
		}
	}
	cask := r.Casks[0]
	named := append(slices.Collect(maps.Values(cask.Completions)), cask.Manpages...)
	for _, name := range named {
		folder := filepath.Dir(name) + "/*"
		if !slices.Contains(inArchive, name) && !slices.Contains(inArchive, filepath.ToSlash(folder)) {
			t.Errorf("the archive has no %s", name)
		}
	}
	if len(named) < 4 || !strings.Contains(cask.Hooks.Post.Install, "com.apple.quarantine") {
		t.Errorf("the cask installs %q, and then %q", named, cask.Hooks.Post.Install)
	}
}

// goreleaser itself finds nothing wrong with its config.
func TestReleaseConfigIsValid(t *testing.T) {
	path, err := exec.LookPath("goreleaser")
	if err != nil {
		t.Skip("goreleaser is not installed; make snapshot and a workflow of each week run it")
	}
	if out, err := exec.CommandContext(t.Context(), path, "check", filepath.Join("..", ".goreleaser.yaml")).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
