package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
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

// Init makes root a workspace, or finishes one that is half made, and returns the files it wrote, from root. What is there
// already is never overwritten, so on a complete workspace it does nothing. An empty prefix is derived from the folder.
// A folder whose files cannot be made is IO.
func Init(root, prefix string) (Layout, []string, error) {
	layout, err := LayoutAt(root)
	if err != nil {
		return layout, nil, err
	}
	if prefix == "" {
		prefix = derivePrefix(layout.Root)
	}
	if prefix, err = task.ParsePrefix(prefix); err != nil {
		return layout, nil, err
	}
	if err := layout.makeFolders(); err != nil {
		return layout, nil, err
	}
	var made []string
	for _, f := range []struct{ path, content string }{
		{layout.ConfigFile(), fmt.Sprintf(configTemplate, prefix)},
		{layout.ignoreFile(), ignoreTemplate},
	} {
		wrote, err := createOnce(f.path, f.content)
		if err != nil {
			return layout, made, ioError(err)
		}
		if wrote {
			made = append(made, layout.rel(f.path))
		}
	}
	return layout, made, nil
}

func (l Layout) makeFolders() error {
	top := filepath.Join(l.Root, Folder)
	if info, err := os.Lstat(top); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return linkError(top)
	}
	if err := l.noLinks(); err != nil {
		return err
	}
	for _, dir := range []string{l.TasksDir(), l.SessionsDir()} {
		if err := disk.MakeFolder(l.Root, dir); err != nil {
			return ioError(err)
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

// derivePrefix makes a prefix of a folder's name: its letters and digits in upper case, ten at most, or TASK.
func derivePrefix(root string) string {
	var b strings.Builder
	for _, r := range strings.ToUpper(filepath.Base(root)) {
		letter, digit := r >= 'A' && r <= 'Z', r >= '0' && r <= '9'
		if b.Len() < 10 && (letter || digit && b.Len() > 0) {
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return "TASK"
	}
	return b.String()
}
