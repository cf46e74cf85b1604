package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// bundle is an MCPB bundle: a zip archive with a manifest and the program for one system.
type bundle struct {
	version string
	system  string // as Go calls it
}

// platforms are the systems, as the manifest calls them.
var platforms = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}

var semantic = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// program is where the program lies in the bundle.
func (b bundle) program() string {
	if b.system == "windows" {
		return "server/cairn.exe"
	}
	return "server/cairn"
}

// tool is a tool that the server offers, as a client lists it before it starts the server.
type tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// manifest is manifest.json of a bundle, by version 0.3 of the format: github.com/modelcontextprotocol/mcpb,
// MANIFEST.md.
func (b bundle) manifest() (string, error) {
	platform, known := platforms[b.system]
	if !known {
		return "", fmt.Errorf("there is no bundle for %q", b.system)
	}
	if !semantic.MatchString(b.version) {
		return "", fmt.Errorf("%q is no version such as 1.2.0", b.version)
	}
	var tools []tool
	rights := verb.Rights{Profile: verb.Operator, Toolsets: verb.Operator.Toolsets()}
	for _, v := range catalogue.All {
		if rights.Allow(v) == nil {
			tools = append(tools, tool{v.Name, v.Summary})
		}
	}
	const folder = "repository"
	return asJSON(map[string]any{
		"manifest_version": "0.3", "name": "cairn", "display_name": "cairn", "version": b.version, "description": sentence,
		"author": authors, "repository": map[string]string{"type": "git", "url": repository + ".git"}, "homepage": repository,
		"license": "MIT", "keywords": []string{"tasks", "issues", "planning"},
		"server": map[string]any{
			"type": "binary", "entry_point": b.program(),
			"mcp_config": map[string]any{
				"command": "${__dirname}/" + b.program(),
				"args":    []string{"-C", "${user_config." + folder + "}", "serve", "--actor", "agent:claude-desktop", "--client", "claude-desktop"},
			},
		},
		"user_config": map[string]any{folder: map[string]any{
			"type": "directory", "title": "Repository", "description": "The folder whose tasks are worked on. It has a folder .cairn, which cairn init makes.", "required": true,
		}},
		"tools": tools, "compatibility": map[string]any{"platforms": []string{platform}},
	}), nil
}

// zip is the bundle. The same program gives the same bytes.
func (b bundle) zip(program []byte) ([]byte, error) {
	manifest, err := b.manifest()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range []struct {
		name string
		mode fs.FileMode
		data []byte
	}{{"manifest.json", 0o644, []byte(manifest)}, {b.program(), 0o755, program}} {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(f.mode)
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err = z.Close()
	return out.Bytes(), err
}
