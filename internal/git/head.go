package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/config"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
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

// errExtended is the error of a repository that is not in git's plain form, such as one with refs in a table.
var errExtended = errors.New("the repository has an extension")

// headFromFiles reads HEAD without git. It fails for repositories that the library does not understand.
//
// It uses the package of the library that reads a git folder. The library's own Open links every way to fetch and to
// sign.
func (r *Repo) headFromFiles() (Head, error) {
	if err := r.plain(); err != nil {
		return Head{}, err
	}
	return r.readHead()
}

// readHead is headFromFiles for a repository whose form was looked at.
func (r *Repo) readHead() (Head, error) {
	files := dotgit.New(dotgit.NewRepositoryFilesystem(osfs.New(r.GitDir), osfs.New(r.CommonDir)))
	head, err := files.Ref(plumbing.HEAD)
	if err != nil {
		return Head{}, err
	}
	var h Head
	if head.Type() == plumbing.SymbolicReference {
		h.Branch = shortName(head.Target().String())
	}
	for range maxLinks {
		if head.Type() != plumbing.SymbolicReference {
			break
		}
		if info, err := os.Stat(filepath.Join(r.CommonDir, filepath.FromSlash(head.Target().String()))); err == nil && !info.Mode().IsRegular() {
			return Head{}, errNoHash // reading a pipe would never return, while git can be stopped
		}
		head, err = files.Ref(head.Target())
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

const maxLinks = 5 // from HEAD to a hash; git follows as many

// plain returns an error unless the repository is in the form that the library reads. An extension can change what any
// file means, and where it is.
func (r *Repo) plain() error {
	cfg, err := readConfig(filepath.Join(r.CommonDir, "config"))
	if err != nil {
		return err
	}
	if version := cfg.Section("core").Option("repositoryformatversion"); !slices.Contains([]string{"", config.Version_0, config.Version_1}, version) {
		return errExtended
	}
	if cfg.HasSection("extensions") && len(cfg.Section("extensions").Options) > 0 {
		return errExtended
	}
	return nil
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

// answer reads the one line that a git command printed; "" if git exited with status 1, which means that there is no
// answer.
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
