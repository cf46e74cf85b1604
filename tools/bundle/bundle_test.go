package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var root = filepath.Join("..", "..")

// The committed files of the plugin are as the texts say that agents are told. "make update" writes them anew.
func TestPluginIsFresh(t *testing.T) {
	if os.Getenv("UPDATE") != "" {
		if err := writePlugin(root); err != nil {
			t.Fatal(err)
		}
	}
	want, seen := pluginFiles(), 0
	for name, text := range want {
		committed, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil || string(committed) != text {
			t.Errorf("%s is stale (%v): run make update", name, err)
		}
	}
	err := filepath.WalkDir(filepath.Join(root, "plugin"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		seen++
		rel, err := filepath.Rel(root, path)
		if _, ok := want[filepath.ToSlash(rel)]; !ok {
			t.Errorf("%s is nobody's", rel)
		}
		return err
	})
	if err != nil || seen != len(want)-1 {
		t.Errorf("saw %d files: %v", seen, err)
	}
}

// What Claude Code asks of a plugin, a marketplace and a skill.
func TestPluginIsAsClaudeCodeWantsIt(t *testing.T) {
	files := pluginFiles()
	for name, text := range files {
		if strings.HasSuffix(name, ".json") && !json.Valid([]byte(text)) {
			t.Errorf("%s is no JSON", name)
		}
	}
	var market struct {
		Name    string
		Owner   struct{ Name string }
		Plugins []struct{ Name, Source string }
	}
	if err := json.Unmarshal([]byte(files[".claude-plugin/marketplace.json"]), &market); err != nil || market.Owner.Name == "" || len(market.Plugins) != 1 {
		t.Fatalf("got %+v, %v", market, err)
	}
	var plugin struct{ Name string }
	if err := json.Unmarshal([]byte(files["plugin/.claude-plugin/plugin.json"]), &plugin); err != nil || plugin.Name != market.Plugins[0].Name || market.Plugins[0].Source != "./plugin" {
		t.Errorf("got %+v, %v", plugin, err)
	}
	skill := files["plugin/skills/cairn/SKILL.md"]
	front := regexp.MustCompile(`(?s)^---\nname: cairn\ndescription: ([^\n]+)\n---\n`).FindStringSubmatch(skill)
	if front == nil || len(front[1]) > 1024 || len(skill) > 5000 || strings.Contains(skill, "LOOP-") {
		t.Errorf("got %s", skill)
	}
	for _, text := range files {
		if regexp.MustCompile(`(?i)\bgit (commit|push)`).MatchString(text) {
			t.Errorf("a policy about git: %s", text)
		}
	}
}

// A bundle holds the program, executable, and a manifest whose paths lead to it. The same program makes the same bytes.
func TestBundle(t *testing.T) {
	for system, platform := range platforms {
		b := bundle{version: "1.2.0-rc.1", system: system}
		raw, err := b.zip([]byte("program"))
		again, err2 := b.zip([]byte("program"))
		if err != nil || err2 != nil || !bytes.Equal(raw, again) {
			t.Fatalf("%s: %v, %v", system, err, err2)
		}
		z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			files[f.Name] = string(text)
			if f.Name != "manifest.json" && f.Mode().Perm() != 0o755 {
				t.Errorf("%s: %v", f.Name, f.Mode())
			}
		}
		var m struct {
			ManifestVersion string `json:"manifest_version"`
			Name            string
			Version         string
			Description     string
			Author          struct{ Name string }
			Server          struct {
				Type       string
				EntryPoint string `json:"entry_point"`
				Config     struct {
					Command string
					Args    []string
				} `json:"mcp_config"`
			}
			UserConfig    map[string]struct{ Type, Title, Description string } `json:"user_config"`
			Tools         []tool
			Compatibility struct{ Platforms []string }
		}
		d := json.NewDecoder(strings.NewReader(files["manifest.json"]))
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		if m.ManifestVersion != "0.3" || m.Name == "" || m.Version != b.version || m.Description == "" || m.Author.Name == "" || m.Server.Type != "binary" {
			t.Errorf("%s: %+v", system, m)
		}
		if files[m.Server.EntryPoint] != "program" || m.Server.Config.Command != "${__dirname}/"+m.Server.EntryPoint {
			t.Errorf("%s: %+v leads to nothing", system, m.Server)
		}
		if m.Compatibility.Platforms[0] != platform || len(m.Tools) < 15 || m.UserConfig["repository"].Type != "directory" {
			t.Errorf("%s: %+v", system, m)
		}
		if !strings.Contains(strings.Join(m.Server.Config.Args, " "), "-C ${user_config.repository} serve --actor agent:") {
			t.Errorf("%s: %v", system, m.Server.Config.Args)
		}
	}
	for _, b := range []bundle{{version: "devel", system: "linux"}, {version: "1.0.0", system: "plan9"}} {
		if _, err := b.zip(nil); err == nil {
			t.Errorf("%+v was made", b)
		}
	}
}
