package setup

import (
	"path/filepath"

	"github.com/cairn-tasks/cairn/store/layout"
)

// What StateOf says of a client as a whole.
const (
	IsSetUp      = "set up"
	IsPartly     = "partly set up"
	IsNot        = "not set up"
	IsUnreadable = "unreadable"
)

// StateOf says how far a client is set up. A file that cannot be read hides no other client.
func (s *Setup) StateOf(c Client) string {
	look := *s
	look.Remove, look.Force = false, false
	p, err := look.Plan(c)
	if err != nil {
		return IsUnreadable
	}
	good := 0
	for _, step := range p.Steps {
		if step.State.Good() {
			good++
		}
	}
	switch good {
	case len(p.Steps):
		return IsSetUp
	case 0:
		return IsNot
	default:
		// The instructions are shared: alone they say nothing of this client.
		if good == 1 && len(p.Steps) > 1 && p.Steps[len(p.Steps)-1].State.Good() && s.Root != "" {
			return IsNot
		}
		return IsPartly
	}
}

// Detected reports whether the project, or the user's folder, has traces of a client.
func (s *Setup) Detected(c Client) bool {
	for _, name := range c.traces {
		if s.Root != "" && layout.Exists(filepath.Join(s.Root, name)) {
			return true
		}
	}
	for _, name := range c.home {
		if filepath.IsAbs(s.Folders.Home) && layout.Exists(filepath.Join(s.Folders.Home, filepath.FromSlash(name))) {
			return true
		}
	}
	return false
}

// Text is what belongs into a file.
type Text struct{ Path, About, Value string }

// Texts are what a client needs, for people who write it themselves: each as the whole of a file that holds nothing
// else. It reads no file.
func (s *Setup) Texts(c Client) ([]Text, error) {
	blind := &Setup{Root: s.Root, Folders: s.Folders, Section: s.Section, opened: map[string]*file{}}
	parts := append(c.parts(nil), part{kind: instruction, files: []string{c.instructions}, value: s.Section})
	if s.Root == "" {
		var err error
		if parts, err = blind.partsOf(c); err != nil {
			return nil, err
		}
	}
	var out []Text
	for _, one := range parts {
		f := &file{path: one.files[0], fresh: one.fresh}
		if one.kind == server || one.kind == hook {
			f.after = []byte(freshText(one.fresh))
		}
		if err := f.add(one); err != nil {
			return nil, err
		}
		out = append(out, Text{f.path, one.about(), string(f.after)})
	}
	return out, nil
}

// Hooks is a file of hooks of a client that has nothing else in it, and Server one of MCP servers: for plugins.
func (c Client) Hooks() string { return c.whole(row{kind: hook, below: "SessionStart"}) }

// Server is a file with the MCP server of a client alone, below a key.
func (c Client) Server(below string) string { return c.whole(row{kind: server, below: below}) }

func (c Client) whole(r row) string {
	f := &file{after: []byte("{}\n")}
	if err := f.add(c.part(r)); err != nil {
		panic(err) // our own texts
	}
	return string(f.after)
}
