package git

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// Refs reads the branches, tags and other refs of a repository.
type Refs struct{ repo *Repo }

// Refs returns the refs of the repository.
func (r *Repo) Refs() Refs { return Refs{r} }

// Commit returns the commit that a ref points at, or "" if there is no such ref. The name is a full one, such as
// refs/heads/main.
func (r Refs) Commit(ctx context.Context, name string) (string, error) {
	refs, err := r.existing(ctx, name)
	if err != nil || len(refs) == 0 {
		return "", err
	}
	return r.repo.Commit(ctx, name)
}

// Candidates lists the full names of the refs that a short name can stand for: a tag, a branch, a branch of a remote,
// or a remote's HEAD.
func (r Refs) Candidates(ctx context.Context, short string) ([]string, error) {
	return r.existing(ctx, "refs/"+short, "refs/tags/"+short, "refs/heads/"+short, "refs/remotes/"+short, "refs/remotes/"+short+"/HEAD")
}

// existing returns the names, in their order, of which there is a ref.
func (r Refs) existing(ctx context.Context, names ...string) ([]string, error) {
	out, err := Run(ctx, r.repo.Top, append([]string{"for-each-ref", "--format=%(refname)"}, names...)...)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range names {
		for line := range strings.Lines(string(out)) { // git also lists the refs below each name
			if strings.TrimSuffix(line, "\n") == name {
				found = append(found, name)
			}
		}
	}
	return found, nil
}

// CommittedOn reports whether a commit was made on a local branch, as the branch's log in this clone tells, and not
// brought to it by a merge, a reset or a fast-forward.
func (r Refs) CommittedOn(ctx context.Context, branch, commit string) (bool, error) {
	out, err := Run(ctx, r.repo.Top, "log", "--walk-reflogs", "--format=%H %gs", "refs/heads/"+branch, "--")
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(out)) {
		if did, of := strings.CutPrefix(line, commit+" "); of && (strings.HasPrefix(did, "commit") || strings.HasPrefix(did, "cherry-pick")) {
			return true, nil
		}
	}
	return false, nil
}

// Target returns the name that a symbolic ref points at, whether or not that ref exists; "" if it is no symbolic ref.
func (r Refs) Target(ctx context.Context, ref string) (string, error) {
	return answer(Run(ctx, r.repo.Top, "symbolic-ref", "--quiet", ref))
}

// WithPrefix lists the commits whose ids begin with a prefix.
func (r Refs) WithPrefix(ctx context.Context, prefix string) ([]string, error) {
	out, err := Run(ctx, r.repo.Top, "rev-parse", "--disambiguate="+prefix)
	if err != nil {
		return nil, err
	}
	var commits []string
	for id := range strings.FieldsSeq(string(out)) {
		commit, err := r.repo.Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		if commit == id {
			commits = append(commits, commit)
		}
	}
	return commits, nil
}

// HasBranch reports whether the clone has a local branch of that name. A branch without a commit counts while it is
// checked out.
func (r Refs) HasBranch(ctx context.Context, name string) bool {
	if r.has(ctx, "refs/heads/"+name) {
		return true
	}
	head, err := r.repo.Head(ctx)
	return err == nil && head.Branch == name
}

// HasRemoteBranch reports whether the clone has a remote-tracking branch of that name, such as origin/main.
func (r Refs) HasRemoteBranch(ctx context.Context, name string) bool {
	return r.has(ctx, "refs/remotes/"+name)
}

// has reports whether there is a ref of exactly this full name.
func (r Refs) has(ctx context.Context, ref string) bool {
	_, err := Run(ctx, r.repo.Top, "show-ref", "--quiet", "--verify", "--", ref)
	return err == nil
}

// Branches returns the commits at the tips of the local branches, each once.
func (r Refs) Branches(ctx context.Context) ([]string, error) {
	return r.commits(ctx, "for-each-ref", "--format=%(objectname)", "refs/heads")
}

// Reachable returns the tips of everything that the clone still has: of local and remote-tracking branches, and of
// every stash. Commits that only a reflog names are not among them.
func (r Refs) Reachable(ctx context.Context) ([]string, error) {
	tips, err := r.commits(ctx, "for-each-ref", "--format=%(objectname)", "refs/heads", "refs/remotes")
	if err != nil {
		return nil, err
	}
	if _, err := Run(ctx, r.repo.Top, "rev-parse", "--quiet", "--verify", "refs/stash"); err != nil {
		return tips, nil //nolint:nilerr // there is no stash
	}
	// The parents of a stash hold the index and the files that git did not track.
	stashed, err := r.commits(ctx, "rev-list", "--walk-reflogs", "--parents", "refs/stash")
	return append(tips, stashed...), err
}

// Remembered returns what Reachable does, and the commits that the reflogs name: everything that was ever committed
// here, until the reflogs expire.
func (r Refs) Remembered(ctx context.Context) ([]string, error) {
	known, err := r.Reachable(ctx)
	if err != nil {
		return nil, err
	}
	logged, err := r.commits(ctx, "rev-list", "--walk-reflogs", "--all")
	return append(known, logged...), err
}

// commits returns the hashes that a git command prints, sorted and each once.
func (r Refs) commits(ctx context.Context, args ...string) ([]string, error) {
	out, err := Run(ctx, r.repo.Top, args...)
	ids := strings.Fields(string(out))
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// Between counts the commits that lead to one commit and not to another, most of them at most. Both are hashes or full
// names of refs. It returns 0 if the clone lacks one of them.
func (r Refs) Between(ctx context.Context, from, to string, most int) (int, error) {
	for _, end := range []*string{&from, &to} {
		hash, err := r.repo.Commit(ctx, *end)
		if err != nil || hash == "" {
			return 0, err
		}
		*end = hash
	}
	out, err := Run(ctx, r.repo.Top, "rev-list", "--count", "--max-count="+strconv.Itoa(most), to, "^"+from)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}
