// Package templates reads the templates of tasks in .cairn/templates. They are no records: nothing of cairn's writes
// them, and nothing but a new task that names one reads them.
package templates

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Folder is where templates lie, in .cairn.
const Folder = "templates"

const (
	ext     = ".md"
	maxFile = 256 << 10 // bytes
)

// Names lists the templates of a workspace, sorted; none where there is no folder, or none that can be read.
func Names(l layout.Layout) []string {
	var out []string
	_ = layout.EachName(l.Dir(Folder), ext, func(name string) {
		if validName(name) && layout.IsFile(filepath.Join(l.Dir(Folder), name+ext)) {
			out = append(out, name)
		}
	})
	slices.Sort(out)
	return out
}

// File is the path of a template in .cairn.
func File(name string) string { return Folder + "/" + name + ext }

// validName reports whether a template can have this name, which is that of its file: letters, digits, dashes and
// underscores.
func validName(name string) bool { return len(name) <= 100 && record.IsWord(name, "-_") }

// Read returns what a template says: its keys as a JSON object, with its body under body. It returns INVALID_INPUT for
// what is no name of a template, NOT_FOUND if there is none of this name, and BAD_FILE for one that cannot be read, is
// a link, or has more than 256 KiB.
func Read(l layout.Layout, name string) ([]byte, error) {
	if !validName(name) {
		return nil, record.Errorf(record.InvalidInput, "%q cannot be the name of a template", record.Clip(name, 60)).WithHint("%s", hint(l))
	}
	shown := l.Rel(filepath.Join(l.Dir(Folder), name+ext))
	src, err := disk.ReadIn(l.Top(), filepath.FromSlash(File(name)), maxFile)
	if problem.Missing(err) {
		return nil, record.Errorf(record.NotFound, "there is no template %s", name).WithHint("%s", hint(l))
	}
	if err != nil {
		return nil, problem.BadFile(shown, err)
	}
	doc, err := format.Parse(src, format.Markdown)
	if err != nil {
		return nil, problem.BadFile(shown, err)
	}
	said := kind.Plain(doc)
	if body := strings.Trim(string(doc.Body()), "\r\n"); body != "" {
		said["body"] = body
	}
	return json.Marshal(said)
}

func hint(l layout.Layout) string {
	names := Names(l)
	if len(names) == 0 {
		return "a template is a file such as .cairn/" + Folder + "/bug" + ext + "; there is none yet"
	}
	return "there are " + strings.Join(names, ", ")
}
