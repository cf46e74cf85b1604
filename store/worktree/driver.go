package worktree

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
)

// driverArgs are the arguments that git gives the merge driver.
const driverArgs = " merge-driver %O %A %B %L %P"

// ownAttributes name the merge driver for the files of every workspace.
const ownAttributes = "**/.cairn/**/*.md merge=cairn\n**/.cairn/**/*.yaml merge=cairn\n"

// merging is how git is started to merge: with the merge driver for the files of a workspace, whether or not the clone has it installed.
// The attributes that ask for it count less than those of the repository, which may say otherwise.
func (w *Worktrees) merging(ctx context.Context) (git.Writing, error) {
	driver, err := w.driver(ctx)
	if err != nil || driver == "" {
		return git.Writing{}, err
	}
	if err := w.layout.MakeWorktrees(); err != nil {
		return git.Writing{}, err
	}
	file := filepath.Join(w.layout.Live.Worktrees(), "attributes")
	want := w.usersAttributes(ctx) + ownAttributes
	if have, err := layout.ReadFile(file); err != nil || string(have) != want {
		if err := atomicfile.WriteVolatile(file, []byte(want)); err != nil {
			return git.Writing{}, w.layout.Live.Failed(err)
		}
	}
	return git.Writing{Driver: driver, Attrs: file}, nil
}

// driver is the command of the merge driver: that of this program, of the cairn on the PATH, or the one that is installed.
func (w *Worktrees) driver(ctx context.Context) (string, error) {
	if w.o.Driver != "" {
		return w.o.Driver, nil
	}
	self, err := os.Executable()
	if name := strings.TrimSuffix(filepath.Base(self), ".exe"); err == nil && name == "cairn" {
		return shellWord(filepath.ToSlash(self)) + driverArgs, nil
	}
	installed, err := w.repo.ConfigAnywhere(ctx, "merge.cairn.driver")
	if err != nil || installed != "" {
		return installed, err
	}
	if _, err := exec.LookPath("cairn"); err == nil {
		return "cairn" + driverArgs, nil
	}
	return "", nil
}

// shellWord quotes a word for the shell that git starts the driver with. A percent sign would be git's.
func shellWord(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, "'", `'\''`), "%", "%%") + "'"
}

// maxAttributes is the most bytes of the user's own attributes that are taken along.
const maxAttributes = 1 << 20

// usersAttributes is what the user's own file of attributes says, which the one that is passed stands in for.
func (w *Worktrees) usersAttributes(ctx context.Context) string {
	file, err := w.repo.ConfigAnywhere(ctx, "core.attributesFile")
	if err != nil {
		return ""
	}
	home, _ := os.UserHomeDir()
	if below, ok := strings.CutPrefix(file, "~/"); ok {
		file = filepath.Join(home, below)
	}
	if file == "" {
		config := os.Getenv("XDG_CONFIG_HOME")
		if config == "" {
			config = filepath.Join(home, ".config")
		}
		file = filepath.Join(config, "git", "attributes")
	}
	text, err := layout.ReadUpTo(file, maxAttributes)
	if err != nil || len(text) == 0 {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n") + "\n"
}

// conflicts lists the paths that a merge or a rebase left in conflict in a work tree.
func conflicts(ctx context.Context, top string) ([]string, error) {
	out, err := git.Run(ctx, top, "diff", "--name-only", "--diff-filter=U", "-z")
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// someOf names some of many paths.
func someOf(paths []string) string {
	const most = 10
	if len(paths) <= most {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(paths[:most], ", "), len(paths)-most)
}
