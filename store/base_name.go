package store

import (
	"context"
	"regexp"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
)

var (
	// A name of a commit is an id or a ref, and perhaps the way from there to an ancestor, as in main~2 or v1^{commit}.
	commitName = regexp.MustCompile(`^([^~^:\s\x00-\x1f]+)((?:[~^][0-9]*|\^\{commit\}|\^\{\})*)$`)
	shortID    = regexp.MustCompile(`^[0-9a-f]{4,64}$`)
	pseudoRef  = regexp.MustCompile(`^(@|([A-Z]+_)?HEAD)$`)
)

// commitCalled returns the commit that a name stands for, or "" if there is none. It returns NO_BASE for a name that could
// stand for more than one, which git would only warn of, and for one that says something else on another day or in another clone.
func (l Layout) commitCalled(ctx context.Context, name string) (string, error) {
	parts := commitName.FindStringSubmatch(name)
	if parts == nil || name[0] == '-' || strings.Contains(name, "@{") || strings.Contains(name, "..") {
		return "", task.Errorf(task.NoBase, "%q is not the name of one commit", name).
			WithHint("name a branch, a tag or the id of a commit; main~2 is fine too")
	}
	short, way := parts[1], parts[2]
	if git.IsID(short) {
		return l.Repo.Commit(ctx, name)
	}
	var meanings []string
	var err error
	if strings.HasPrefix(short, "refs/") {
		if commit, err := l.Repo.Ref(ctx, short); commit == "" || err != nil {
			return "", err
		}
		meanings = []string{short}
	} else if meanings, err = l.meanings(ctx, short); err != nil {
		return "", err
	}
	switch len(meanings) {
	case 0:
		return "", nil
	case 1:
		return l.Repo.Commit(ctx, meanings[0]+way)
	}
	return "", task.Errorf(task.NoBase, "%q could be any of %s", name, strings.Join(meanings, ", ")).
		WithHint("name the one that is meant in full: --base %s", meanings[len(meanings)-1]+way)
}

// meanings lists all that a name can stand for: refs, in full, and the beginning of a commit's id.
func (l Layout) meanings(ctx context.Context, short string) ([]string, error) {
	meanings, err := l.Repo.Meanings(ctx, short)
	if err != nil {
		return nil, err
	}
	if pseudoRef.MatchString(short) {
		return append([]string{short}, meanings...), nil
	}
	if shortID.MatchString(short) {
		// git takes a ref before an id, and would not say so.
		id, err := l.Repo.Abbreviated(ctx, short)
		if err != nil {
			return nil, err
		}
		meanings = append(meanings, id...)
	}
	return meanings, nil
}

// branchOrCommit resolves what a variable names: a commit, or a branch of origin, or one that was fetched under its name.
func (l Layout) branchOrCommit(ctx context.Context, value string) (string, error) {
	if git.IsID(value) {
		return l.Repo.Commit(ctx, value)
	}
	branch := strings.TrimPrefix(value, "refs/heads/")
	for _, ref := range []string{"refs/remotes/origin/" + branch, "refs/heads/" + branch} {
		if commit, err := l.Repo.Ref(ctx, ref); commit != "" || err != nil {
			return commit, err
		}
	}
	return "", nil
}

// mustHave makes NO_BASE of a commit that is named and not there.
func (l Layout) mustHave(n named, err error, value string) (named, error) {
	if n.commit != "" || err != nil {
		return n, err
	}
	hint := fetchAll
	switch {
	case n.from == ofPush:
		hint = "the push did away with what was there, or the clone is too shallow to hold it; name another base with --base"
	case !l.Repo.Shallow():
		hint = "fetch it: git fetch origin " + strings.TrimPrefix(value, "origin/") + "; or name another base"
	}
	return named{}, task.Errorf(task.NoBase, "%s: this clone has no such commit", n.by).WithHint("%s", hint)
}
