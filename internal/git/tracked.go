package git

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
)

// Tracked reads the remote-tracking branches of one remote from git's files, without starting git. It understands the
// repositories that Quick does.
type Tracked struct {
	repo   *Repo
	remote string
}

// Tracked returns the branches of a remote that this clone has fetched. The name of the remote was checked by who read
// it from a config.
func (r *Repo) Tracked(remote string) Tracked { return Tracked{r, remote} }

// Tip is a branch and the commit that it points at.
type Tip struct{ Name, Commit string }

// maxPacked is the largest list of packed refs that is read, in bytes.
const maxPacked = 64 << 20

func (t Tracked) prefix() string { return "refs/remotes/" + t.remote + "/" }
func (t Tracked) folder() string {
	return filepath.Join(t.repo.CommonDir, filepath.FromSlash(t.prefix()))
}
func (t Tracked) packedFile() string { return filepath.Join(t.repo.CommonDir, "packed-refs") }

// Head is the commit that is checked out in this work tree; "" if there is none, or it cannot be told without git.
func (t Tracked) Head() string {
	if t.repo.quickForm() != nil {
		return ""
	}
	head, err := t.repo.readHead()
	if err != nil {
		return ""
	}
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
	if stamp := disk.StampOf(t.packedFile()); stamp != (disk.Stamp{}) {
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
	if src, err := disk.ReadRegular(t.packedFile(), maxPacked); err == nil {
		for line := range bytes.Lines(src) {
			id, ref, _ := strings.Cut(strings.TrimRight(string(line), "\r\n"), " ")
			if name, ok := strings.CutPrefix(ref, t.prefix()); ok && IsID(id) {
				found[name] = id
			}
		}
	}
	t.walk(func(name, path string) {
		src, err := readSmall(path)
		if id := strings.TrimSpace(string(src)); err == nil && IsID(id) {
			found[name] = id
		}
	})
	delete(found, "HEAD")
	tips := make([]Tip, 0, len(found))
	for name, id := range found {
		tips = append(tips, Tip{path.Join(t.remote, name), id})
	}
	slices.SortFunc(tips, func(a, b Tip) int { return strings.Compare(a.Name, b.Name) })
	return tips
}

// Default is the branch that the remote's HEAD points at, as it was fetched, or else main or master. It reports false
// if there is none.
func (t Tracked) Default() (Tip, bool) {
	names := []string{"main", "master"}
	if src, err := readSmall(filepath.Join(t.folder(), "HEAD")); err == nil {
		if target, ok := strings.CutPrefix(strings.TrimSpace(string(src)), "ref: "+t.prefix()); ok {
			names = []string{target}
		}
	}
	tips := t.Tips()
	for _, name := range names {
		if n := slices.IndexFunc(tips, func(tip Tip) bool { return tip.Name == path.Join(t.remote, name) }); n >= 0 {
			return tips[n], true
		}
	}
	return Tip{}, false
}
