package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// Config returns what the repository's own config says of a key, or "" if nothing.
func (r *Repo) Config(ctx context.Context, key string) (string, error) {
	return answer(Run(ctx, r.Top, "config", "--local", "--get", key))
}

// ConfigAnywhere returns what git goes by for a key, whether the repository's own config says so or the user's.
func (r *Repo) ConfigAnywhere(ctx context.Context, key string) (string, error) {
	return answer(Run(ctx, r.Top, "config", "--get", key))
}

// Attribute returns the value of an attribute of a path, by its path from the top with slashes; "" if nothing is said of it.
func (r *Repo) Attribute(ctx context.Context, name, path string) (string, error) {
	for i, c := range path { // git reads the attributes of each folder on the way
		if c == '/' {
			if err := noPipes(filepath.Join(r.Top, filepath.FromSlash(path[:i])), ".gitattributes"); err != nil {
				return "", err
			}
		}
	}
	out, err := answer(Run(ctx, r.Top, "check-attr", "-z", name, "--", path))
	fields := strings.Split(out, "\x00") // path, attribute, value
	if err != nil || len(fields) < 3 || fields[2] == "unspecified" {
		return "", err
	}
	return fields[2], nil
}

// SetConfig writes a key into the repository's own config, which all its work trees share. An empty value takes it out.
// Nothing but an installation that was asked for may call it. A config that is a link is refused with GIT: git would write what
// it leads to.
func (r *Repo) SetConfig(ctx context.Context, key, value string) error {
	file := filepath.Join(r.CommonDir, "config")
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return task.Errorf(task.Git, "%s is a link, and what it leads to is not written", file).WithHint("put a real file there")
	}
	if value != "" {
		_, err := Run(ctx, r.Top, "config", "--local", key, value)
		return err
	}
	_, err := Run(ctx, r.Top, "config", "--local", "--unset-all", key)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 5 {
		return nil // it was not there
	}
	return err
}
