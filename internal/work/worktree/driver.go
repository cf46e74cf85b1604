package worktree

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
)

// driverArgs are the arguments that git gives the merge driver.
const driverArgs = " merge-driver %O %A %B %L %P"

// ownAttributes name the merge driver for the files of every workspace.
const ownAttributes = "**/.cairn/**/*.md merge=cairn\n**/.cairn/**/*.yaml merge=cairn\n"

// withDriver is how git is started to merge: with the merge driver for the files of a workspace, whether or not the
// clone has it installed.
//
// The attributes that name it count less than those of the repository, which may say otherwise.
func (c *clone) withDriver(ctx context.Context) (git.Writing, error) {
	command, err := c.driver(ctx)
	if err != nil || command == "" {
		return git.Writing{}, err
	}
	if err := c.layout.MakeWorktrees(); err != nil {
		return git.Writing{}, err
	}
	file := filepath.Join(c.layout.Live.Worktrees(), "attributes")
	want := c.usersAttributes(ctx) + ownAttributes
	if have, err := layout.ReadFile(file); err != nil || string(have) != want {
		if err := atomicfile.WriteVolatile(file, []byte(want)); err != nil {
			return git.Writing{}, c.layout.Live.Failed(err)
		}
	}
	return git.Writing{Driver: command, Attrs: file}, nil
}

// driver returns the command of the driver: that of the options, of this program, of the clone's or the user's config, or
// of the cairn on the PATH; "" if there is none.
func (c *clone) driver(ctx context.Context) (string, error) {
	if c.o.Driver != "" {
		return c.o.Driver, nil
	}
	self, err := os.Executable()
	if name := strings.TrimSuffix(filepath.Base(self), ".exe"); err == nil && name == "cairn" {
		// Quoted for the shell that git starts the driver with. A percent sign would be git's.
		return "'" + strings.NewReplacer("'", `'\''`, "%", "%%").Replace(filepath.ToSlash(self)) + "'" + driverArgs, nil
	}
	installed, err := c.repo.Config().Get(ctx, "merge.cairn.driver")
	if err != nil || installed != "" {
		return installed, err
	}
	if _, err := exec.LookPath("cairn"); err == nil {
		return "cairn" + driverArgs, nil
	}
	return "", nil
}

// maxAttributes is the most bytes of the user's own attributes that are taken along.
const maxAttributes = 1 << 20

// usersAttributes is what the user's own file of attributes says. git reads one such file alone, so the one that it is
// given repeats it.
func (c *clone) usersAttributes(ctx context.Context) string {
	file, err := c.repo.Config().Get(ctx, "core.attributesFile")
	if err != nil {
		return ""
	}
	home, _ := os.UserHomeDir()
	if below, ok := strings.CutPrefix(file, "~/"); ok {
		file = filepath.Join(home, below)
	}
	if file == "" {
		config := cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
		file = filepath.Join(config, "git", "attributes")
	}
	text, err := layout.ReadUpTo(file, maxAttributes)
	if err != nil || len(text) == 0 {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n") + "\n"
}
