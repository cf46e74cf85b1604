package git

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Config returns the value of a key in the repository's own config; "" if it has none.
func (r *Repo) Config(ctx context.Context, key string) (string, error) {
	return answer(Run(ctx, r.Top, "config", "--local", "--get", key))
}

// ConfigAnywhere returns the value that git uses for a key, from the config of the repository, of the user or of the
// system.
func (r *Repo) ConfigAnywhere(ctx context.Context, key string) (string, error) {
	return answer(Run(ctx, r.Top, "config", "--get", key))
}

// Attribute returns the value of an attribute of a path, which is relative to the top, with slashes; "" if it has none.
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

// SetConfig sets a key in the repository's own config, which all its work trees share; an empty value removes it. Only
// an installation that the user asked for may call it. It returns GIT for a config that is a link: git would write the
// file behind it.
func (r *Repo) SetConfig(ctx context.Context, key, value string) error {
	file := filepath.Join(r.CommonDir, "config")
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return record.Errorf(record.Git, "%s is a link, and what it leads to is not written", file).WithHint("put a real file there")
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

// UserName returns the name that git would commit with in this work tree (user.name); "" if none is set.
func (r *Repo) UserName(ctx context.Context) (string, error) { return UserName(ctx, r.Top) }

// UserName returns the name that git would commit with in a folder (user.name); "" if none is set. Outside a repository
// it is the user's own setting.
func UserName(ctx context.Context, dir string) (string, error) { return Setting(ctx, dir, "user.name") }

// UserSetting returns the value of a key in the config of the user or of the system; "" if they have none. The
// repository's config is not read: a stranger may have written it, and some keys name programs.
func UserSetting(ctx context.Context, dir, key string) (string, error) {
	for _, whose := range []string{"--global", "--system"} {
		value, err := answer(Run(ctx, dir, "config", whose, "--includes", "--get", key))
		if value != "" || ctx.Err() != nil {
			return value, err
		} // git fails for a user without a home, who has no config
	}
	return "", nil
}

// Setting returns the value that git uses for a key in a folder, from any config; "" if there is none.
func Setting(ctx context.Context, dir, key string) (string, error) {
	if _, _, err := Find(dir); err != nil {
		return "", err // git would wait for ever on a pipe in place of one of its files
	}
	return answer(Run(ctx, dir, "config", "--get", key))
}

// Remote is the URL of the repository that a branch is shared through, as the config of the clone has it: that of the
// remote which the branch follows, or else of origin, or else of the only remote. It is "" if there is none. It may
// hold credentials.
func (r *Repo) Remote(branch string) string {
	cfg, err := readConfig(filepath.Join(r.CommonDir, "config"))
	if err != nil {
		return ""
	}
	remotes := cfg.Section("remote")
	follows := ""
	if branch != "" {
		follows = cfg.Section("branch").Subsection(branch).Option("remote")
	}
	url := cmp.Or(remotes.Subsection(cmp.Or(follows, "origin")).Option("url"), remotes.Subsection("origin").Option("url"))
	if url == "" && len(remotes.Subsections) == 1 {
		url = remotes.Subsections[0].Option("url")
	}
	return url
}
