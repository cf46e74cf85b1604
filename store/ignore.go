package store

import (
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
)

const ignoreTemplate = `# Written by cairn: what belongs to this machine only.
/runs/
/local/
*.tmp
`

func (l Layout) ignoreFile() string { return filepath.Join(l.Root, Folder, ".gitignore") }

// MissingIgnores lists the lines that Init writes into .cairn/.gitignore and that are not there, however they are spelt.
func (l Layout) MissingIgnores() ([]string, error) {
	have, err := readRegular(l.ignoreFile())
	if err != nil && !isMissing(err) {
		return nil, ioError(err)
	}
	there := map[string]bool{}
	for line := range strings.Lines(string(have)) {
		there[ignored(line)] = true
	}
	var missing []string
	for line := range strings.Lines(ignoreTemplate) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && !there[ignored(line)] {
			missing = append(missing, line)
		}
	}
	return missing, nil
}

// ignored is what a line of a .gitignore is about: runs, /runs and /runs/ ignore the same folder.
func ignored(line string) string { return strings.Trim(strings.TrimSpace(line), "/") }

// AddIgnores appends the lines that are missing. Those that are there stay as they are.
func (l Layout) AddIgnores() error {
	missing, err := l.MissingIgnores()
	if err != nil || len(missing) == 0 {
		return err
	}
	have, err := readRegular(l.ignoreFile())
	if isMissing(err) {
		_, err = createOnce(l.ignoreFile(), ignoreTemplate)
		return ioError(err)
	}
	if err != nil {
		return ioError(err)
	}
	text := string(have)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return ioError(atomicfile.Write(l.ignoreFile(), []byte(text+strings.Join(missing, "\n")+"\n"), 0o644))
}

// localOnly tells the files that belong to this machine only, and that the lines above have git ignore, by their path from
// the workspace root.
func localOnly(path string) bool {
	below, ok := strings.CutPrefix(path, Folder+"/")
	return ok && (strings.HasPrefix(below, "runs/") || strings.HasPrefix(below, "local/") || strings.HasSuffix(below, ".tmp"))
}
