package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// Head is what is checked out.
type Head struct {
	Branch string // short name, e.g. "main"; "" if a commit is checked out without a branch
	Commit string // full hash; "" if the branch has no commit yet
}

// Head reads what is checked out in this work tree.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	if h, err := r.headFromFiles(); err == nil {
		return h, nil
	}
	return r.headFromGit(ctx)
}

// errNoHash is the error of a ref file that holds no hash, which the library reads as zeros.
var errNoHash = errors.New("not a hash")

// headFromFiles reads HEAD without git. It fails for repositories that the library does not open.
func (r *Repo) headFromFiles() (Head, error) {
	repo, err := gogit.PlainOpenWithOptions(r.Top, &gogit.PlainOpenOptions{EnableDotGitCommonDir: true})
	if err != nil {
		return Head{}, err
	}
	head, err := repo.Reference(plumbing.HEAD, false)
	if err != nil {
		return Head{}, err
	}
	var h Head
	if head.Type() == plumbing.SymbolicReference {
		h.Branch = shortName(head.Target().String())
		if info, err := os.Stat(filepath.Join(r.CommonDir, filepath.FromSlash(head.Target().String()))); err == nil && !info.Mode().IsRegular() {
			return Head{}, errNoHash // reading a pipe would never return, while git can be stopped
		}
		head, err = repo.Reference(head.Target(), true)
		if errors.Is(err, plumbing.ErrReferenceNotFound) {
			return h, nil
		}
		if err != nil {
			return Head{}, err
		}
	}
	if head.Hash().IsZero() {
		return Head{}, errNoHash
	}
	h.Commit = head.Hash().String()
	return h, nil
}

// headFromGit reads HEAD with git.
func (r *Repo) headFromGit(ctx context.Context) (Head, error) {
	branch, err := answer(Run(ctx, r.Top, "symbolic-ref", "--quiet", "HEAD"))
	if err != nil {
		return Head{}, err
	}
	commit, err := answer(Run(ctx, r.Top, "rev-parse", "--quiet", "--verify", "HEAD"))
	if err != nil {
		return Head{}, err
	}
	return Head{Branch: shortName(branch), Commit: commit}, nil
}

func shortName(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

// answer reads the one line that a git command printed; "" if git exited with status 1, which means that there is no answer.
func answer(out []byte, err error) (string, error) {
	exit := (*exec.ExitError)(nil)
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", nil
	}
	return strings.TrimRight(string(out), "\r\n"), err
}

// Commit resolves any name of a commit to its hash; "" if the clone has no commit of that name.
func (r *Repo) Commit(ctx context.Context, name string) (string, error) {
	if name == "" || strings.HasPrefix(name, "-") {
		return "", nil
	}
	return answer(Run(ctx, r.Top, "rev-parse", "--quiet", "--verify", name+"^{commit}"))
}
