package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/go-git/go-git/v5/plumbing/format/config"
)

// Head is what is checked out.
type Head struct {
	Branch string // short name, e.g. "main"; "" if a commit is checked out without a branch
	Commit string // full hash; "" if the branch has no commit yet
}

// Head reads what is checked out in this work tree. Writers ask for it under their lock, so it waits for git no longer
// than headLimit, and returns GIT at once where a pipe or a device stands in the place of a ref.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	h, err := r.headFromFiles()
	if err == nil || record.CodeOf(err) == record.Git {
		return h, err
	}
	ctx, cancel := context.WithTimeout(ctx, headLimit)
	defer cancel()
	return r.headFromGit(ctx)
}

const headLimit = 10 * time.Second

// errForm is the error of what is not in the form that is read here without git.
var errForm = errors.New("git has to be asked")

// headFromFiles reads HEAD without git. It fails for what is not in git's plain form.
func (r *Repo) headFromFiles() (h Head, err error) {
	if err := r.form(); err != nil {
		return Head{}, err
	}
	text, err := disk.ReadRegular(filepath.Join(r.GitDir, "HEAD"), smallFile) // a link as HEAD is a name to git
	if err != nil {
		return Head{}, err
	}
	value := strings.TrimSpace(string(text))
	for links := 0; ; links++ {
		ref, symbolic := strings.CutPrefix(value, "ref:")
		if !symbolic {
			break
		}
		ref = strings.TrimSpace(ref)
		if links == 0 {
			h.Branch = strings.TrimPrefix(ref, "refs/heads/")
		}
		if links == maxLinks || !strings.HasPrefix(ref, "refs/") || !filepath.IsLocal(filepath.FromSlash(ref)) {
			return Head{}, errForm
		}
		if value, err = r.refFromFiles(ref); err != nil || value == "" {
			return h, err
		}
	}
	if !IsID(value) || strings.Trim(value, "0") == "" {
		return Head{}, errForm
	}
	h.Commit = value
	return h, nil
}

const maxLinks = 5 // from HEAD to a hash; git follows as many

// refFromFiles is what a ref holds, as its file or the list of packed refs says; "" if there is no such ref.
func (r *Repo) refFromFiles(ref string) (value string, err error) {
	dir := r.CommonDir
	for _, own := range []string{"refs/bisect/", "refs/rewritten/", "refs/worktree/"} { // each work tree has its own of these
		if strings.HasPrefix(ref, own) {
			dir = r.GitDir
		}
	}
	if err := noPipes(dir, ref); err != nil {
		return "", err
	}
	text, err := disk.ReadRegular(filepath.Join(dir, filepath.FromSlash(ref)), smallFile)
	if value = strings.TrimSpace(string(text)); err == nil && value == "" {
		err = errForm
	}
	if err == nil {
		return value, nil
	}
	if info, statErr := os.Lstat(filepath.Join(dir, filepath.FromSlash(ref))); !missing(statErr) && (statErr != nil || !info.IsDir()) {
		return "", err // an empty folder may be left of others
	}
	packedRefs(r, func(name, id string) {
		if name == ref {
			value = id
		}
	})
	return value, nil
}

// branchFromFiles is the commit of a local branch, named in full; "" if there is none. It fails for any other ref, and
// for what is not in git's plain form.
func (r *Repo) branchFromFiles(name string) (string, error) {
	if !strings.HasPrefix(name, "refs/heads/") || strings.HasSuffix(name, ".lock") || path.Clean(name) != name ||
		!filepath.IsLocal(filepath.FromSlash(name)) {
		return "", errForm
	}
	if err := r.form(); err != nil {
		return "", err
	}
	value, err := r.refFromFiles(name)
	if err == nil && value != "" && !IsID(value) {
		err = errForm
	}
	return value, err
}

// packedRefs calls fn with each ref in the list of packed refs.
func packedRefs(r *Repo, fn func(name, id string)) {
	src, _ := disk.ReadRegular(filepath.Join(r.CommonDir, "packed-refs"), maxPacked) // without it none is packed
	for line := range bytes.Lines(src) {
		id, name, _ := strings.Cut(strings.TrimRight(string(line), "\r\n"), " ")
		if IsID(id) {
			fn(name, id)
		}
	}
}

// maxPacked is the largest list of packed refs that is read, in bytes.
const maxPacked = 64 << 20

// form returns an error unless the repository is in the form that is read without git. An extension can change what any
// file means, and where it is; some change neither refs nor objects.
func (r *Repo) form() error {
	cfg, err := readConfig(filepath.Join(r.CommonDir, "config"))
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"", config.Version_0, config.Version_1}, cfg.Section("core").Option("repositoryformatversion")) {
		return errForm
	}
	for _, o := range cfg.Section("extensions").Options {
		if !slices.Contains([]string{"noop", "worktreeconfig", "partialclone", "preciousobjects", "relativeworktrees"}, strings.ToLower(o.Key)) {
			return errForm
		}
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
	return Head{Branch: strings.TrimPrefix(branch, "refs/heads/"), Commit: commit}, nil
}

// answer reads the one line that a git command printed; "" if git exited with status 1, which means that there is no
// answer.
func answer(out []byte, err error) (string, error) {
	if Exited(err) == 1 {
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

// Tracked reads some branches from git's files, without starting git. It understands the repositories that Quick does.
type Tracked struct {
	repo   *Repo
	prefix string // of the refs, in full
	called string // what the name of each begins with
}

// Tracked returns the branches of a remote that this clone has fetched. The name of the remote was checked by who read
// it from a config.
func (r *Repo) Tracked(remote string) Tracked {
	return Tracked{r, "refs/remotes/" + remote + "/", remote}
}

// AllTracked returns the branches of all remotes that this clone has fetched.
func (r *Repo) AllTracked() Tracked { return Tracked{r, "refs/remotes/", ""} }

// Local returns the branches of this clone.
func (r *Repo) Local() Tracked { return Tracked{r, "refs/heads/", ""} }

// Tip is a branch and the commit that it points at.
type Tip struct{ Name, Commit string }

func (t Tracked) folder() string {
	return filepath.Join(t.repo.CommonDir, filepath.FromSlash(t.prefix))
}

// Head is the commit that is checked out in this work tree; "" if there is none, or it cannot be told without git.
func (t Tracked) Head() string {
	head, _ := t.repo.headFromFiles() // the zero value where git has to be asked
	return head.Commit
}

// Stamp differs between two states of the branches. It is "" if they may change without another stamp, since they
// changed a moment ago or the system does not say enough.
func (t Tracked) Stamp() string {
	settled, known := time.Now().Add(-disk.ClockGrain), true
	sum := fnv.New128a()
	add := func(name string, stamp disk.Stamp) {
		known = known && stamp.OlderThan(settled)
		fmt.Fprintf(sum, "%s %v\n", name, stamp)
	}
	if stamp := disk.StampOf(filepath.Join(t.repo.CommonDir, "packed-refs")); stamp != (disk.Stamp{}) {
		add("packed", stamp)
	}
	t.walk(func(name, path string) { add(name, disk.StampOf(path)) })
	if !known {
		return ""
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// walk calls fn with each ref that has a file of its own.
func (t Tracked) walk(fn func(name, path string)) {
	_ = filepath.WalkDir(t.folder(), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && !strings.HasSuffix(path, ".lock") {
			rel, _ := filepath.Rel(t.folder(), path)
			fn(filepath.ToSlash(rel), path)
		}
		return nil // what cannot be listed has no branch
	})
}

// Tips lists the branches, sorted by name. HEAD, which is another name of one of them, is left out, and so is what does
// not point at a commit.
func (t Tracked) Tips() []Tip {
	found := map[string]string{}
	packedRefs(t.repo, func(ref, id string) {
		if name, ok := strings.CutPrefix(ref, t.prefix); ok {
			found[name] = id
		}
	})
	t.walk(func(name, path string) {
		src, err := readSmall(path)
		if id := strings.TrimSpace(string(src)); err == nil && IsID(id) {
			found[name] = id
		}
	})
	delete(found, "HEAD")
	tips := make([]Tip, 0, len(found))
	for name, id := range found {
		tips = append(tips, Tip{path.Join(t.called, name), id})
	}
	sorted.By(tips, func(a, b Tip) int { return strings.Compare(a.Name, b.Name) })
	return tips
}

// Default is the branch that the remote's HEAD points at, as it was fetched, or else main or master. It reports false
// if there is none.
func (t Tracked) Default() (Tip, bool) {
	names := []string{"main", "master"}
	if src, err := readSmall(filepath.Join(t.folder(), "HEAD")); err == nil {
		if target, ok := strings.CutPrefix(strings.TrimSpace(string(src)), "ref: "+t.prefix); ok {
			names = []string{target}
		}
	}
	tips := t.Tips()
	for _, name := range names {
		if n := slices.IndexFunc(tips, func(tip Tip) bool { return tip.Name == path.Join(t.called, name) }); n >= 0 {
			return tips[n], true
		}
	}
	return Tip{}, false
}
