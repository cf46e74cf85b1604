package git

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Step is a commit as a step of a history.
type Step struct {
	ID      string
	Parents []string // in their order; none of a commit whose parents a shallow clone lacks
	At      time.Time
	Tree    string // the id of its files
}

// Steps lists the commits that are reachable from head and not from since, each after its parents, and around them
// those of their parents that are not among them. At is the committer's date, which anybody can set.
func (h History) Steps(ctx context.Context, since, head string) (all, around []Step, err error) {
	out, err := Run(ctx, h.repo.Top, "log", "--topo-order", "--reverse", "--boundary", "--format=%m %H %T %ct %P", head, "^"+since, "--")
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 4 {
			return nil, nil, garbled("log", line)
		}
		seconds, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			return nil, nil, garbled("log", line)
		}
		c := Step{ID: f[1], Tree: f[2], At: time.Unix(seconds, 0).UTC(), Parents: slices.Clip(f[4:])}
		if f[0] == "-" {
			around = append(around, c)
		} else {
			all = append(all, c)
		}
	}
	return all, around, nil
}

// Step reads one commit.
func (h History) Step(ctx context.Context, commit string) (Step, error) {
	out, err := answer(Run(ctx, h.repo.Top, "rev-list", "--max-count=1", "--format=%H %T %P", commit, "--"))
	_, line, _ := strings.Cut(out, "\n") // the first line names the commit
	f := strings.Fields(line)
	if err == nil && len(f) < 2 {
		err = garbled("rev-list", out)
	}
	if err != nil {
		return Step{}, err
	}
	return Step{ID: f[0], Tree: f[1], Parents: slices.Clip(f[2:])}, nil
}

// Ancestry returns every commit that is reachable from head, by its id, without its time.
func (h History) Ancestry(ctx context.Context, head string) (map[string]Step, error) {
	out, err := Run(ctx, h.repo.Top, "log", "--format=%H %T %P", head, "--")
	if err != nil {
		return nil, err
	}
	all := map[string]Step{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			return nil, garbled("log", line)
		}
		all[f[0]] = Step{ID: f[0], Tree: f[1], Parents: slices.Clip(f[2:])}
	}
	return all, nil
}

// Pair is two trees, by their ids; "" is one without files.
type Pair struct{ Was, Now string }

// FileChange is a file in which the trees of a pair differ.
type FileChange struct {
	Path     string // from the top, with slashes
	Was, Now Version
}

// Version is a file as a tree has it. It is zero if the tree has none.
type Version struct{ Mode, ID string }

// Regular reports whether there is a file, and it is neither a link nor a nested repository.
func (v Version) Regular() bool { return v.Mode == modeFile || v.Mode == modeExec }

// Differences calls fn with the files below some paths in which the trees of each pair differ, pair by pair. Without
// paths it compares all files.
func (h History) Differences(ctx context.Context, pairs []Pair, below []string, fn func(pair int, c FileChange)) error {
	d, err := h.repo.differ(ctx, pairs, below)
	if err != nil {
		return err
	}
	defer d.close()
	for i := range pairs {
		if err := d.next(func(c FileChange) { fn(i, c) }); err != nil {
			return err
		}
	}
	return nil
}

// differ compares pairs of trees one after the other, with one process of git.
type differ struct {
	*process // nil if no pair differs
	pairs    []Pair
}

func (r *Repo) differ(ctx context.Context, pairs []Pair, below []string) (d *differ, err error) {
	var in strings.Builder
	for _, p := range pairs {
		if p.Was != p.Now {
			in.WriteString(treeID(p.Was, p.Now) + " " + treeID(p.Now, p.Was) + "\n")
		}
	}
	d = &differ{pairs: pairs}
	if in.Len() > 0 {
		args := []string{"diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none", "--"}
		d.process, err = r.start(ctx, strings.NewReader(in.String()), nil, append(args, below...)...)
	}
	return d, err
}

// next calls fn with the changes of the next pair.
func (d *differ) next(fn func(FileChange)) error {
	p := d.pairs[0]
	if d.pairs = d.pairs[1:]; p.Was == p.Now {
		return nil
	}
	// The two trees and a line break, then of each file ":mode mode id id letter", NUL, its path, NUL.
	names, err := d.token('\n')
	if err == nil && names != treeID(p.Was, p.Now)+" "+treeID(p.Now, p.Was) {
		err = garbled("diff-tree", names)
	}
	for err == nil {
		sign, end := d.out.Peek(1)
		if errors.Is(end, io.EOF) {
			return d.wait()
		}
		if end == nil && sign[0] != ':' {
			return nil // the next pair
		}
		var line string
		if line, err = d.token(0); err != nil {
			break
		}
		f := strings.Fields(line[1:])
		if len(f) != 5 {
			return garbled("diff-tree", line)
		}
		c := FileChange{Was: version(f[0], f[2]), Now: version(f[1], f[3])}
		if c.Path, err = d.token(0); err == nil {
			fn(c)
		}
	}
	return err
}

func version(mode, id string) Version {
	if mode == modeNone {
		return Version{}
	}
	return Version{indexMode(mode), id}
}

// treeID is the id of a tree, or that of an empty one, which every git knows, by the hash function of another id.
func treeID(id, like string) string {
	const sha1, sha256 = "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	switch {
	case id != "":
		return id
	case len(like) == len(sha256):
		return sha256
	}
	return sha1
}
