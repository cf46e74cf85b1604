package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Config is the configuration of a repository.
type Config struct{ repo *Repo }

// Config returns the configuration of the repository.
func (r *Repo) Config() Config { return Config{r} }

// Own returns the value of a key in the repository's own config; "" if it has none.
func (c Config) Own(ctx context.Context, key string) (string, error) {
	return answer(Run(ctx, c.repo.Top, "config", "--local", "--get", key))
}

// Get returns the value that git uses for a key, from the config of the repository, of the user or of the
// system.
func (c Config) Get(ctx context.Context, key string) (string, error) {
	return answer(Run(ctx, c.repo.Top, "config", "--get", key))
}

// Attribute returns the value of an attribute of a path, which is relative to the top, with slashes; "" if it has none.
func (c Config) Attribute(ctx context.Context, name, path string) (string, error) {
	for i, char := range path { // git reads the attributes of each folder on the way
		if char == '/' {
			if err := noPipes(filepath.Join(c.repo.Top, filepath.FromSlash(path[:i])), ".gitattributes"); err != nil {
				return "", err
			}
		}
	}
	out, err := answer(Run(ctx, c.repo.Top, "check-attr", "-z", name, "--", path))
	fields := strings.Split(out, "\x00") // path, attribute, value
	if err != nil || len(fields) < 3 || fields[2] == "unspecified" {
		return "", err
	}
	return fields[2], nil
}

// Set sets a key in the repository's own config, which all its work trees share; an empty value removes it. Only
// an installation that the user asked for may call it. It returns GIT for a config that is a link: git would write the
// file behind it.
func (c Config) Set(ctx context.Context, key, value string) error {
	file := filepath.Join(c.repo.CommonDir, "config")
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return record.Errorf(record.Git, "%s is a link, and what it leads to is not written", file).WithHint("put a real file there")
	}
	if value != "" {
		_, err := Run(ctx, c.repo.Top, "config", "--local", key, value)
		return err
	}
	_, err := Run(ctx, c.repo.Top, "config", "--local", "--unset-all", key)
	if Exited(err) == 5 {
		return nil // it was not there
	}
	return err
}

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

// Programs lists the keys of the clone's own config that have git start a program when it commits, merges, checks out or
// talks to a remote, sorted; the merge driver of a command is left out.
func (c Config) Programs(ctx context.Context, driver string) ([]string, error) {
	return c.programs(ctx, func(key, value string) bool {
		name := key[strings.LastIndexByte(key, '.')+1:]
		section, _, _ := strings.Cut(key, ".")
		switch {
		case section == "filter" && (name == "clean" || name == "smudge" || name == "process"), key == "core.hookspath":
			return value != ""
		case section == "merge" && name == "driver":
			return value != driver
		default:
			return startsProgram(key, value)
		}
	})
}

// programs lists the keys of the clone's own config of which starts says so; it gets them in lower case.
func (c Config) programs(ctx context.Context, starts func(key, value string) bool) ([]string, error) {
	out, err := Run(ctx, c.repo.Top, "config", "--show-scope", "--null", "--list")
	if err != nil {
		return nil, err
	}
	var keys []string
	fields := records(out)
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, _ := strings.Cut(fields[i+1], "\n")
		if (fields[i] == "local" || fields[i] == "worktree") && starts(strings.ToLower(key), value) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}
