package git

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
)

// History reads the commits of a repository and how they follow each other.
type History struct{ repo *Repo }

// History returns the commits of the repository.
func (r *Repo) History() History { return History{r} }

// MergeBases returns the merge bases of two commits, the best first. Histories that crossed (criss-cross merges) have
// more than one; commits without a common ancestor in this clone have none.
func (h History) MergeBases(ctx context.Context, a, b string) ([]string, error) {
	out, err := answer(Run(ctx, h.repo.Top, "merge-base", "--all", a, b))
	return strings.Fields(out), err
}

// Incomplete reports whether a shallow clone lacks parents of commits that are reachable from some commits and not from
// others. The missing ones could hold a better merge base than those that were found.
func (h History) Incomplete(ctx context.Context, commits, without []string) (bool, error) {
	ends, err := h.ends()
	if err != nil || len(ends) == 0 {
		return false, err
	}
	args := append([]string{"rev-list"}, commits...)
	for _, commit := range without {
		args = append(args, "^"+commit)
	}
	out, err := Run(ctx, h.repo.Top, args...)
	if err != nil {
		return false, err
	}
	for id := range strings.FieldsSeq(string(out)) {
		if ends[id] {
			return true, nil
		}
	}
	return false, nil
}

// ends are the commits whose parents a shallow clone lacks.
func (h History) ends() (map[string]bool, error) {
	text, err := disk.ReadFile(filepath.Join(h.repo.CommonDir, "shallow"))
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	ends := map[string]bool{}
	for _, id := range strings.Fields(string(text)) {
		ends[id] = true
	}
	return ends, nil
}

// Shallow reports whether the clone lacks a part of the history.
func (h History) Shallow() bool {
	_, err := os.Stat(filepath.Join(h.repo.CommonDir, "shallow"))
	return err == nil
}

// Between lists the commits that are reachable from one commit and not from since, newest first and limit at most.
func (h History) Between(ctx context.Context, since, commit string, limit int) ([]string, error) {
	out, err := Run(ctx, h.repo.Top, "rev-list", "--topo-order", "--max-count="+strconv.Itoa(limit), commit, "^"+since)
	return strings.Fields(string(out)), err
}

// Parents lists the parents of a commit, in their order.
func (h History) Parents(ctx context.Context, commit string) ([]string, error) {
	out, err := Run(ctx, h.repo.Top, "rev-list", "--max-count=1", "--parents", commit)
	if fields := strings.Fields(string(out)); err == nil && len(fields) > 0 {
		return fields[1:], nil
	}
	return nil, err
}

// Merges lists the commits with several parents that are reachable from one commit and not from since, each with its
// parents behind it; newest first and limit at most.
func (h History) Merges(ctx context.Context, since, commit string, limit int) ([][]string, error) {
	out, err := Run(ctx, h.repo.Top, "rev-list", "--topo-order", "--min-parents=2", "--parents", "--max-count="+strconv.Itoa(limit), commit, "^"+since)
	var all [][]string
	for line := range strings.Lines(string(out)) {
		all = append(all, strings.Fields(line))
	}
	return all, err
}

// Contains reports whether a commit is another, or an ancestor of it. It is not if this clone does not have it.
func (h History) Contains(ctx context.Context, commit, ancestor string) (bool, error) {
	if !IsID(ancestor) {
		return false, nil
	}
	_, err := Run(ctx, h.repo.Top, "merge-base", "--is-ancestor", ancestor, commit)
	if Exited(err) != 0 {
		return false, nil
	}
	return err == nil, err
}

// Time returns when a commit was made, by the committer's date.
func (h History) Time(ctx context.Context, commit string) (time.Time, error) {
	out, err := Run(ctx, h.repo.Top, "rev-list", "--max-count=1", "--timestamp", commit)
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

// Descendants lists the commits that are descendants of since and reachable from commit.
func (h History) Descendants(ctx context.Context, since, commit string) ([]string, error) {
	out, err := Run(ctx, h.repo.Top, "rev-list", "--ancestry-path", commit, "^"+since)
	return strings.Fields(string(out)), err
}

// Touching lists the commits that are reachable from commit and not from since, and that change one of some files, or a
// file in one of some folders; oldest first.
func (h History) Touching(ctx context.Context, since, commit string, paths ...string) ([]string, error) {
	args := []string{"rev-list", "--topo-order", "--reverse", "--full-history", commit, "^" + since, "--"}
	out, err := Run(ctx, h.repo.Top, append(args, paths...)...)
	return strings.Fields(string(out)), err
}

// Versions calls fn at least once with the id of every content that a file below one of some paths had in a commit that
// is reachable from commit and not from since; "" for since means the whole history. Contents that only a merge commit
// had are left out. The dates of commits do not matter, since anybody can set them.
func (h History) Versions(ctx context.Context, since, commit string, below []string, fn func(path, id string)) error {
	args := []string{
		"log", "--full-history", "--raw", "--root", "--no-abbrev", "--no-renames", "--no-follow", "--no-diff-merges", "--ignore-submodules=none",
		"--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-notes", "--no-relative", "--no-color", "-z", "--format=",
	}
	args = append(args, commit)
	if since != "" {
		args = append(args, "^"+since)
	}
	out, err := Run(ctx, h.repo.Top, append(append(args, "--"), below...)...)
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
