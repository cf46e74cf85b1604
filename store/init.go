package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
)

const configTemplate = `# The configuration of this workspace; docs/format.md of cairn describes every key.
format: 1
prefix: %s
states: [backlog, in_progress, in_review, done, canceled]
initial: backlog
working: in_progress       # where begin moves a task
review: in_review          # where finish moves a task
closed: [done, canceled]
abandoned: [canceled]      # closed without claiming that it works: no checks gate
gate_review: false         # true: entering review needs every command check passed
check_timeout_default: 2m
session_stale_after: 5m
claim_ttl: 4h
default_checks: []         # added to every new task: the definition of done
attest: human              # who settles manual checks that name nobody: signed | human | anyone
`

// Init makes root a workspace, or completes one, and returns the files that it wrote, from root. It never overwrites a
// file, so on a complete workspace it does nothing. An empty prefix is derived from the name of the folder. It returns
// IO if a file cannot be made.
func Init(root, prefix string) (layout.Layout, []string, error) {
	l, err := layout.At(root)
	if err != nil {
		return l, nil, err
	}
	if prefix == "" {
		prefix = derivePrefix(l.Root)
	}
	if prefix, err = record.ParsePrefix(prefix); err != nil {
		return l, nil, err
	}
	if err := makeFolders(l); err != nil {
		return l, nil, err
	}
	var made []string
	for _, f := range []struct{ path, content string }{
		{l.ConfigFile(), fmt.Sprintf(configTemplate, prefix)},
		{l.IgnoreFile(), ignoreTemplate},
	} {
		wrote, err := createOnce(f.path, f.content)
		if err != nil {
			return l, made, problem.IO(err)
		}
		if wrote {
			made = append(made, l.Rel(f.path))
		}
	}
	return l, made, nil
}

func makeFolders(l layout.Layout) error {
	if err := cmp.Or(layout.NoLinkAt(l.Top()), l.NoLinks(place.All(l)...)); err != nil {
		return err
	}
	for _, dir := range []string{l.Dir(kind.Tasks.Folder), l.Dir(kind.Sessions.Folder)} {
		if err := disk.MakeFolder(l.Root, dir); err != nil {
			return problem.IO(err)
		}
	}
	return nil
}

// createOnce writes a file unless there is one.
func createOnce(path, content string) (bool, error) {
	if _, err := os.Lstat(path); err == nil {
		return false, nil
	}
	pending, err := atomicfile.Prepare(path, []byte(content), 0o644)
	if err != nil {
		return false, err
	}
	defer func() { _ = pending.Discard() }()
	err = pending.Create()
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// derivePrefix makes a prefix of a folder's name: its letters and digits in upper case, ten at most; TASK if there are
// none.
func derivePrefix(root string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToUpper(filepath.Base(root)))
	name = strings.TrimLeft(name, "0123456789")
	return cmp.Or(name[:min(len(name), 10)], "TASK")
}

const ignoreTemplate = `# Written by cairn: what belongs to this machine only.
/runs/
/local/
*.tmp
`

// MissingIgnores lists the lines that Init writes into .cairn/.gitignore and that are missing there in every spelling.
func MissingIgnores(l layout.Layout) ([]string, error) {
	_, missing, err := ignores(l)
	return missing, err
}

// ignores is what .cairn/.gitignore says, nil if it does not exist, and which lines are missing there.
func ignores(l layout.Layout) (have []byte, missing []string, err error) {
	have, err = layout.ReadFile(l.IgnoreFile())
	if err != nil && !problem.Missing(err) {
		return nil, nil, problem.IO(err)
	}
	there := map[string]bool{}
	for line := range strings.Lines(string(have)) {
		there[ignored(line)] = true
	}
	for line := range strings.Lines(ignoreTemplate) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && !there[ignored(line)] {
			missing = append(missing, line)
		}
	}
	return have, missing, nil
}

// ignored is the name that a line of a .gitignore ignores: runs, /runs and /runs/ are the same.
func ignored(line string) string { return strings.Trim(strings.TrimSpace(line), "/") }

// AddIgnores appends the missing lines to .cairn/.gitignore. Existing lines stay as they are.
func AddIgnores(l layout.Layout) error {
	have, missing, err := ignores(l)
	switch {
	case err != nil || len(missing) == 0:
		return err
	case have == nil:
		_, err = createOnce(l.IgnoreFile(), ignoreTemplate)
		return problem.IO(err)
	}
	text := string(have)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return problem.IO(atomicfile.Write(l.IgnoreFile(), []byte(text+strings.Join(missing, "\n")+"\n"), 0o644))
}
