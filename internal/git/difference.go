package git

import (
	"bufio"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
)

// plainDiff are the options by which a config does not decide how a diff looks.
var plainDiff = []string{"--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=none", "--submodule=short"}

// ReadDiff has read read the difference of two commits as a patch, without what Repo.Aside says.
func (h History) ReadDiff(ctx context.Context, read func(*bufio.Reader) error, from, to string, options ...string) error {
	files, aside, err := h.NumStat(ctx, from, to)
	if err != nil {
		return err
	}
	args := append([]string{"diff", "-p", "--src-prefix=a/", "--dst-prefix=b/"}, plainDiff...)
	args = append(append(args, options...), from, to, "--", ":/")
	return h.repo.stream(ctx, nil, magic, read, append(args, excluding(files, aside)...)...)
}

// excluding is how git is told to leave out some changed files and none of others. A folder in which all that changed
// is left out is named and not each file in it, since a command can only be so long.
func excluding(kept, out []Lines) []string {
	holds := map[string]bool{} // the paths of what is kept, and the folders around it
	for _, l := range kept {
		for at := l.Path; at != "." && !holds[at]; at = path.Dir(at) {
			holds[at] = true
		}
	}
	var specs []string
	for _, l := range out {
		name := l.Path
		if holds[name] {
			continue // it is a folder on the other side
		}
		if dir := path.Dir(name); dir != "." && !holds[dir] {
			name = dir
		}
		if spec := ":(top,exclude,literal)" + name; !slices.Contains(specs, spec) {
			specs = append(specs, spec)
		}
	}
	return specs
}

// Lines is how many lines of a file changed.
type Lines struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
	Binary  bool   `json:"binary,omitempty"`
}

// NumStat lists the files in which two commits differ, with how many lines changed, and those of them that Repo.Aside
// says by themselves. A renamed file is two.
func (h History) NumStat(ctx context.Context, from, to string) (files, aside []Lines, err error) {
	args := append([]string{"diff-tree", "-r", "-z", "--raw", "--numstat", "--no-renames"}, plainDiff...)
	out, err := Run(ctx, h.repo.Top, append(args, from, to)...)
	if err != nil {
		return nil, nil, err
	}
	fields := records(out)
	leftOut := map[string]bool{} // by path
	for len(fields) > 1 && strings.HasPrefix(fields[0], ":") {
		f := strings.Fields(fields[0][1:])
		if len(f) != 5 {
			return nil, nil, garbled("diff-tree", fields[0])
		}
		leftOut[fields[1]] = h.repo.SetsChangeAside(FileChange{fields[1], version(f[0], f[2]), version(f[1], f[3])})
		fields = fields[2:]
	}
	for _, line := range fields {
		f := strings.SplitN(line, "\t", 3)
		if len(f) != 3 {
			return nil, nil, garbled("diff-tree", line)
		}
		l := Lines{Path: f[2], Binary: f[0] == "-"}
		if !l.Binary {
			added, err1 := strconv.Atoi(f[0])
			deleted, err2 := strconv.Atoi(f[1])
			if err1 != nil || err2 != nil {
				return nil, nil, garbled("diff-tree", line)
			}
			l.Added, l.Deleted = added, deleted
		}
		if leftOut[l.Path] {
			aside = append(aside, l)
		} else {
			files = append(files, l)
		}
	}
	return files, aside, nil
}

// Change is a path of a work tree that differs from what is committed.
type Change struct {
	Path      string // from the top, with slashes; a folder, or a repository that is not tracked, ends with one
	Mode      string // in the work tree, as in Tree; "" if it is not tracked
	Staged    bool   // what differs is staged, and the work tree has it so
	Untracked bool
	Ignored   bool
	Deleted   bool // tracked, and gone from the folder
	Submodule bool
	Unmerged  bool
}

// Looks say what Changes lists beside what is tracked and what is not.
type Looks struct {
	Ignored bool // what is ignored too, a folder that is ignored as one path
	Shallow bool // nothing that is in submodules

	Below string // only what is below a path from the top; "" for all
}

// Changes lists all that differs from the commit that is checked out: staged or not, untracked, under .cairn too, and
// files that git was told not to look at.
//
// It starts no filter of the repository's own config. So a file that is stored in another form may be listed though it
// has not changed, but none that has changed is left out.
func (r *Repo) Changes(ctx context.Context, l Looks) ([]Change, error) {
	all, err := (&workTree{Repo: r, foreign: true}).status(ctx, l)
	if err != nil {
		return nil, err
	}
	files, err := r.Index("").Files(ctx, l.Below)
	for _, f := range files { // those that git was told not to look at
		if !f.Unwatched || f.Unmerged || !r.hasFile(f.Path) {
			continue
		}
		content, err := disk.ReadRegular(r.path(f.Path), maxHidden)
		if err != nil || ContentID(content, f.ID) != f.ID {
			all = append(all, Change{Path: f.Path})
		}
	}
	return all, err
}

// status lists the changes that git names.
func (w *workTree) status(ctx context.Context, l Looks) ([]Change, error) {
	args := []string{"status", "--porcelain=v2", "-z", "-uall", "--no-renames", "--ignore-submodules=none"}
	if l.Shallow {
		args[len(args)-1] = "--ignore-submodules=all"
	}
	if l.Ignored {
		args = append(args, "--ignored=matching")
	}
	if l.Below != "" {
		args = append(args, "--", l.Below)
	}
	out, err := w.runFiltering(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	var all []Change
	for _, line := range records(out) {
		c, err := parseChange(line)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// parseChange parses a line of porcelain format 2.
func parseChange(line string) (Change, error) {
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "?":
		return Change{Path: rest, Untracked: true}, nil
	case "!":
		return Change{Path: rest, Ignored: true}, nil
	case "1": // XY sub mH mI mW hH hI path
		if f := strings.SplitN(rest, " ", 8); len(f) == 8 {
			inIndexOnly := strings.HasSuffix(f[0], ".")
			return Change{Path: f[7], Mode: f[4], Staged: inIndexOnly, Deleted: f[0] == ".D", Submodule: strings.HasPrefix(f[1], "S")}, nil
		}
	case "u": // XY sub m1 m2 m3 mW h1 h2 h3 path
		if f := strings.SplitN(rest, " ", 10); len(f) == 10 {
			return Change{Path: f[9], Mode: f[5], Unmerged: true}, nil
		}
	}
	return Change{}, garbled("status", line)
}

// maxHidden is the most bytes of a file that git does not look at which are compared; a larger one counts as changed.
const maxHidden = 64 << 20

// Stashes counts the stashes that were made on a branch.
func (h History) Stashes(ctx context.Context, branch string) (int, error) {
	_, err := Run(ctx, h.repo.Top, "rev-parse", "--quiet", "--verify", "refs/stash")
	if Exited(err) == 1 {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	out, err := Run(ctx, h.repo.Top, "log", "--walk-reflogs", "-z", "--format=%gs", "refs/stash", "--")
	n := 0
	for _, subject := range records(out) {
		if strings.HasPrefix(subject, "WIP on "+branch+":") || strings.HasPrefix(subject, "On "+branch+":") {
			n++
		}
	}
	return n, err
}

// InRemote reports whether a commit is in a branch of a remote, as far as the clone knows those.
func (h History) InRemote(ctx context.Context, commit string) (bool, error) {
	out, err := Run(ctx, h.repo.Top, "for-each-ref", "--count=1", "--contains="+commit, "refs/remotes")
	return len(out) > 0, err
}

// Nested lists the nested repositories that are checked out in this work tree, tracked ones and those in them, with
// commits or stashes that are in none of their remotes.
func (r *Repo) Nested(ctx context.Context) ([]string, error) {
	files, err := r.Index("").Files(ctx, "")
	if err != nil {
		return nil, err
	}
	var alone []string
	for _, f := range files {
		if !f.Repository() {
			continue
		}
		inner, ok, err := open(r.path(f.Path))
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		out, err := Run(ctx, inner.Top, "log", "--max-count=1", "--format=%H", "--branches", "--tags", "--glob=refs/stash", "HEAD", "--not", "--remotes")
		if err != nil {
			return nil, err
		}
		if len(out) > 0 {
			alone = append(alone, f.Path)
		}
		below, err := inner.Nested(ctx)
		if err != nil {
			return nil, err
		}
		for _, b := range below {
			alone = append(alone, f.Path+"/"+b)
		}
	}
	return alone, nil
}
