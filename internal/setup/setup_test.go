package setup_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/setup"
	"github.com/cairn-tasks/cairn/internal/setup/jsonc"
)

// project is a folder in which clients are set up, with some files.
func project(t *testing.T, files map[string]string) *setup.Setup {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o640)); err != nil {
			t.Fatal(err)
		}
	}
	return &setup.Setup{Root: root, Within: root, Folders: setup.Folders{Home: t.TempDir()}, State: t.TempDir(), Section: "## Tasks\n\nRun `cairn prime`.\n"}
}

func client(t *testing.T, name string) setup.Client {
	t.Helper()
	c, ok := setup.ClientNamed(name)
	if !ok {
		t.Fatalf("there is no client %s", name)
	}
	return c
}

func apply(t *testing.T, s *setup.Setup, clients ...setup.Client) {
	t.Helper()
	p, err := s.Plan(clients...)
	if err == nil {
		_, _, err = p.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, s *setup.Setup, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every client, in a fresh project and in one whose files hold something of others in every form: a second run changes
// nothing, and taking it out gives every byte back.
func TestEveryClientThereAndBack(t *testing.T) {
	forms := map[string]func(string) string{
		"as it is":        func(s string) string { return s },
		"CRLF":            func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"no last newline": func(s string) string { return strings.TrimSuffix(s, "\n") },
		"byte order mark": func(s string) string { return "\ufeff" + s },
	}
	for _, c := range setup.Clients {
		t.Run(c.Name+" fresh", func(t *testing.T) { thereAndBack(t, project(t, nil), c, nil) })
		for form, change := range forms {
			t.Run(c.Name+" "+form, func(t *testing.T) {
				files := map[string]string{}
				fresh := project(t, nil)
				apply(t, fresh, c)
				for _, step := range steps(t, fresh, c) {
					switch filepath.Ext(step.Path) {
					case ".md":
						files[step.Path] = change("# House rules\n\nBe kind.\n")
					case ".toml":
						if form != "byte order mark" {
							files[step.Path] = change("# mine\nmodel = 'x'\n\n[mcp_servers.other]\ncommand = 'x'\n")
						}
					default:
						files[step.Path] = change("{\n    \"zulu\": 1, // mine\n    \"hooks\": {},\n    \"alpha\": [1,2]\n}\n")
					}
				}
				thereAndBack(t, project(t, files), c, files)
			})
		}
	}
}

func steps(t *testing.T, s *setup.Setup, c setup.Client) []setup.Step {
	t.Helper()
	p, err := s.Plan(c)
	if err != nil {
		t.Fatal(err)
	}
	return p.Steps
}

func thereAndBack(t *testing.T, s *setup.Setup, c setup.Client, files map[string]string) {
	t.Helper()
	apply(t, s, c)
	again, err := s.Plan(c)
	if err != nil || len(again.Diffs()) > 0 || !again.Good() {
		t.Fatalf("a second run: %+v, %v", again, err)
	}
	for name, text := range files {
		if crlf := strings.Count(text, "\r\n"); crlf > 0 && strings.Count(read(t, s, name), "\n") != strings.Count(read(t, s, name), "\r\n") {
			t.Errorf("%s mixes line breaks: %q", name, read(t, s, name))
		}
		if info, err := os.Stat(filepath.Join(s.Root, name)); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	s.Remove = true
	apply(t, s, c)
	left := 0
	err = filepath.WalkDir(s.Root, func(path string, d os.DirEntry, err error) error {
		if path != s.Root && !d.IsDir() {
			left++
		} else if path != s.Root && len(files) == 0 {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil || left != len(files) {
		t.Errorf("%d files are left of %d (%v)", left, len(files), err)
	}
	for name, text := range files {
		if got := read(t, s, name); got != text {
			t.Errorf("%s is\n%q, not\n%q", name, got, text)
		}
	}
	if notes, err := os.ReadDir(filepath.Join(s.State, "setup")); err == nil && len(notes) > 0 {
		t.Errorf("notes are left: %v", notes)
	}
}

// Without a note of what was made, as on another machine, what became empty stays.
func TestRemoveWithoutANote(t *testing.T) {
	s := project(t, nil)
	apply(t, s, client(t, "claude"))
	s.State, s.Remove = t.TempDir(), true
	apply(t, s, client(t, "claude"))
	if got := read(t, s, ".mcp.json"); strings.Contains(got, `"cairn"`) || !strings.Contains(got, "mcpServers") {
		t.Errorf("got %q", got)
	}
}

// A file that changes between the preview and the answer is not written.
func TestChangedMeanwhile(t *testing.T) {
	s := project(t, map[string]string{"AGENTS.md": "mine\n"})
	p, err := s.Plan(client(t, "agents"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Root, "AGENTS.md"), []byte("other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Apply(); record.CodeOf(err) != record.Conflict {
		t.Errorf("got %v", err)
	}
	if got := read(t, s, "AGENTS.md"); got != "other\n" {
		t.Errorf("got %q", got)
	}
}

// What is no file of text is refused.
func TestNoText(t *testing.T) {
	s := project(t, map[string]string{"AGENTS.md": "\xff\xfeA\x00"})
	if _, err := s.Plan(client(t, "agents")); record.CodeOf(err) != record.BadFile {
		t.Errorf("got %v", err)
	}
	s = project(t, map[string]string{"AGENTS.md/x": ""})
	if _, err := s.Plan(client(t, "agents")); record.CodeOf(err) != record.BadFile {
		t.Errorf("got %v", err)
	}
}

// A table of TOML that cannot stand behind what is there is refused, and so is a section that has no end.
func TestTOMLRefusals(t *testing.T) {
	for name, text := range map[string]string{
		"an inline table": "mcp_servers = { other = { command = \"x\" } }\n",
		"no end":          "# cairn: begin; written by cairn setup; 00000000\n[mcp_servers.cairn]\ncommand = \"cairn\"\n",
	} {
		s := project(t, map[string]string{".codex/config.toml": text})
		if _, err := s.Plan(client(t, "codex")); record.CodeOf(err) != record.BadFile {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// An earlier section is written anew in its place, and a server that another program wrote into TOML counts.
func TestStaleAndOwn(t *testing.T) {
	s := project(t, map[string]string{".codex/config.toml": "[mcp_servers.cairn]\ncommand = \"cairn\"\nargs = [\"serve\", \"--actor\", \"agent:x\"]\n"})
	s.Section = "Earlier.\n"
	apply(t, s, client(t, "codex"))
	path := filepath.Join(s.Root, "AGENTS.md")
	if err := os.WriteFile(path, []byte("before\n\n"+read(t, s, "AGENTS.md")+"\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.Section = "Now.\n"
	states := map[string]setup.State{}
	for _, step := range steps(t, s, client(t, "codex")) {
		states[step.Path] = step.State
	}
	if states["AGENTS.md"] != setup.Stale || states[".codex/config.toml"] != setup.Own {
		t.Errorf("got %v", states)
	}
	apply(t, s, client(t, "codex"))
	got := read(t, s, "AGENTS.md")
	if !strings.HasPrefix(got, "before\n\n<!-- cairn: begin") || !strings.HasSuffix(got, "Now.\n<!-- cairn: end -->\n\nafter\n") {
		t.Errorf("got %q", got)
	}
}

// A file that has nothing but white space gets it back, and one that ends in a comment without a newline is read.
func TestBlankFilesAndLastComments(t *testing.T) {
	for _, c := range setup.Clients {
		for _, text := range []string{"", "\n\n", "\ufeff", "{\n  \"a\": 1\n}\n// the end"} {
			files := map[string]string{}
			fresh := project(t, nil)
			for _, step := range steps(t, fresh, c) {
				if ext := filepath.Ext(step.Path); ext == ".json" || text == "" {
					files[step.Path] = text
				}
			}
			thereAndBack(t, project(t, files), c, files)
		}
	}
}

// A file that its owner made read-only is left alone, and nothing else is written either.
func TestReadOnlyFiles(t *testing.T) {
	s := project(t, map[string]string{".mcp.json": "{}\n", "CLAUDE.md": "Mine.\n"})
	path := filepath.Join(s.Root, "CLAUDE.md")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	p, err := s.Plan(client(t, "claude"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Apply(); record.CodeOf(err) != record.InvalidInput || !strings.Contains(err.Error(), "CLAUDE.md is read-only") {
		t.Errorf("got %v", err)
	}
	if got := read(t, s, ".mcp.json"); got != "{}\n" {
		t.Errorf("the other file was written: %s", got)
	}
	if err := os.Chmod(path, 0o644); err != nil { // or no system but this one could take it away
		t.Fatal(err)
	}
}

// OpenCode has two forms: the server goes where the file has its others, and a file of neither gets the older form,
// which both versions read.
func TestFormsOfOpenCode(t *testing.T) {
	const path = "opencode.jsonc"
	for name, c := range map[string]struct{ text, keys string }{
		"nothing yet":                  {"{}\n", "mcp.cairn"},
		"the older form":               {`{"mcp": {"other": {"type": "local", "command": ["x"], "enabled": true}}}`, "mcp.cairn"},
		"the newer form":               {`{"mcp": {"servers": {"other": {"type": "local", "command": ["x"]}}}}`, "mcp.servers.cairn"},
		"the newer form, with nothing": {`{"mcp": {"servers": {}}}`, "mcp.servers.cairn"},
		"a server of that name":        {`{"mcp": {"servers": {"type": "local", "command": ["x"]}}}`, "mcp.cairn"},
	} {
		files := map[string]string{path: c.text}
		s := project(t, files)
		thereAndBack(t, s, client(t, "opencode"), files)
		s.Remove = false
		apply(t, s, client(t, "opencode"))
		d, err := jsonc.Parse([]byte(read(t, s, path)))
		if err != nil {
			t.Fatal(err)
		}
		got, ok, err := d.Get(strings.Split(c.keys, ".")...)
		server, _ := got.(map[string]any)
		if _, switched := server["enabled"]; err != nil || !ok || server["type"] != "local" || switched != (c.keys == "mcp.cairn") {
			t.Errorf("%s: %v at %s: %s", name, err, c.keys, read(t, s, path))
		}
	}
}
