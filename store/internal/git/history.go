package git

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Commit resolves any name of a commit to its hash, or to "" if the clone has none of that name.
func (r *Repo) Commit(ctx context.Context, name string) (string, error) {
	if name == "" || strings.HasPrefix(name, "-") {
		return "", nil
	}
	return answer(Run(ctx, r.Top, "rev-parse", "--quiet", "--verify", name+"^{commit}"))
}

// Shallow reports whether the clone was made without all of the history.
func (r *Repo) Shallow() bool {
	_, err := os.Stat(filepath.Join(r.CommonDir, "shallow"))
	return err == nil
}

// Commits lists what one commit has and another has not, newest first and at most so many.
func (r *Repo) Commits(ctx context.Context, since, commit string, most int) ([]string, error) {
	out, err := Run(ctx, r.Top, "rev-list", "--topo-order", "--max-count="+strconv.Itoa(most), commit, "^"+since)
	return strings.Fields(string(out)), err
}

// CommitTime is when a commit was made, by its committer.
func (r *Repo) CommitTime(ctx context.Context, commit string) (time.Time, error) {
	out, err := Run(ctx, r.Top, "rev-list", "--max-count=1", "--timestamp", commit)
	if err != nil {
		return time.Time{}, err
	}
	stamp, _, _ := strings.Cut(string(out), " ")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return time.Time{}, garbled("rev-list", string(out))
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// Descendants lists the commits between two that have the first among their ancestors.
func (r *Repo) Descendants(ctx context.Context, since, commit string) ([]string, error) {
	out, err := Run(ctx, r.Top, "rev-list", "--ancestry-path", commit, "^"+since)
	return strings.Fields(string(out)), err
}

// Touching lists those of the commits that change a file, oldest first.
func (r *Repo) Touching(ctx context.Context, since, commit, path string) ([]string, error) {
	out, err := Run(ctx, r.Top, "rev-list", "--topo-order", "--reverse", "--full-history", commit, "^"+since, "--", path)
	return strings.Fields(string(out)), err
}

// Versions calls fn with the id of every content that the files below a path had in what one commit has and another has not,
// or in all of it if since is "", at least once. Contents that only a merge had are left out. The dates of commits do not
// matter: anybody can set them.
func (r *Repo) Versions(ctx context.Context, since, commit, below string, fn func(path, id string)) error {
	args := []string{
		"log", "--full-history", "--raw", "--root", "--no-abbrev", "--no-renames", "--no-follow", "--no-diff-merges", "--ignore-submodules=none",
		"--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-notes", "--no-relative", "--no-color", "-z", "--format=",
	}
	args = append(args, commit)
	if since != "" {
		args = append(args, "^"+since)
	}
	out, err := Run(ctx, r.Top, append(args, pathspec(below)...)...)
	if err != nil {
		return err
	}
	fields := records(out)
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimLeft(fields[i], "\x00\n")) // :mode mode id id letter
		if len(f) != 5 || !strings.HasPrefix(f[0], ":") {
			return garbled("log", fields[i])
		}
		for _, id := range f[2:4] {
			if strings.Trim(id, "0") != "" {
				fn(fields[i+1], id)
			}
		}
	}
	return nil
}
