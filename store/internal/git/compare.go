package git

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/disk"
)

// MergeBases returns every newest commit that both of two commits come from, the best first. Histories that crossed have more
// than one. It returns none if the two have nothing in common that the clone has.
func (r *Repo) MergeBases(ctx context.Context, a, b string) ([]string, error) {
	out, err := answer(Run(ctx, r.Top, "merge-base", "--all", a, b))
	return strings.Fields(out), err
}

// Ref returns the commit that a ref points at, which is named in full; "" if there is none.
func (r *Repo) Ref(ctx context.Context, name string) (string, error) {
	refs, err := r.refs(ctx, name)
	if err != nil || len(refs) == 0 {
		return "", err
	}
	return r.Commit(ctx, name)
}

// Meanings lists in full the refs that a short name can stand for: a tag, a branch, a branch of a remote, or a remote's HEAD.
func (r *Repo) Meanings(ctx context.Context, short string) ([]string, error) {
	return r.refs(ctx, "refs/"+short, "refs/tags/"+short, "refs/heads/"+short, "refs/remotes/"+short, "refs/remotes/"+short+"/HEAD")
}

// refs lists those of some refs that there are.
func (r *Repo) refs(ctx context.Context, names ...string) ([]string, error) {
	out, err := Run(ctx, r.Top, append([]string{"for-each-ref", "--format=%(refname)"}, names...)...)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range names {
		for line := range strings.Lines(string(out)) { // it lists what lies below each name as well
			if strings.TrimSuffix(line, "\n") == name {
				found = append(found, name)
			}
		}
	}
	return found, nil
}

// Points reports what a symbolic ref points at, whether or not that is there; "" if it is none.
func (r *Repo) Points(ctx context.Context, ref string) (string, error) {
	return answer(Run(ctx, r.Top, "symbolic-ref", "--quiet", ref))
}

// Cut reports whether a shallow clone has left out parents of what some commits have and others have not. What was left out
// could hold a better merge base than those that were found.
func (r *Repo) Cut(ctx context.Context, commits, without []string) (bool, error) {
	text, err := disk.ReadFile(filepath.Join(r.CommonDir, "shallow"))
	if missing(err) {
		return false, nil
	}
	if err != nil {
		return false, unreadable(err)
	}
	ends := map[string]bool{}
	for _, id := range strings.Fields(string(text)) {
		ends[id] = true
	}
	args := append([]string{"rev-list"}, commits...)
	for _, commit := range without {
		args = append(args, "^"+commit)
	}
	out, err := Run(ctx, r.Top, args...)
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

// Gone lists the paths that a commit has and another has not, or has as something else, such as a link.
func (r *Repo) Gone(ctx context.Context, from, to string) ([]string, error) {
	out, err := Run(ctx, r.Top, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=DT", from, to)
	return records(out), err
}

// GoneFromIndex is Gone for what is staged, in an index that is named as for Tracked.
func (r *Repo) GoneFromIndex(ctx context.Context, from, index string) ([]string, error) {
	return r.indexed(ctx, index, nil, nil, "diff-index", "--cached", "-z", "--name-only", "--no-renames", "--diff-filter=DT", from)
}

// Called lists the files of the index, named as for Tracked, whose path ends with a slash and some name, or is that name.
func (r *Repo) Called(ctx context.Context, index, name string) ([]File, error) {
	lines, err := r.indexed(ctx, index, nil, []string{"GIT_LITERAL_PATHSPECS=0"}, "ls-files", "-v", "--stage", "-z", "--", ":(top,glob)**/"+name)
	if err != nil {
		return nil, err
	}
	return tracked(lines)
}

// indexed runs git on an index, with an input and variables of its own, and splits what it prints at its NUL bytes.
func (r *Repo) indexed(ctx context.Context, index string, in io.Reader, env []string, args ...string) ([]string, error) {
	cmd := command(ctx, r.Top, args...)
	cmd.Env = append(cmd.Env, env...)
	if index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+index)
	}
	out, err := output(ctx, cmd, in, args)
	if err != nil {
		return nil, err
	}
	return records(out), nil
}

// TopLevel is the top of the work tree as git has it, which core.worktree can move.
func (r *Repo) TopLevel(ctx context.Context) (string, error) {
	args := []string{"rev-parse", "--show-toplevel"}
	cmd := command(ctx, r.Top, args...)
	cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "GIT_WORK_TREE=") })
	return answer(output(ctx, cmd, nil, args))
}

// Converted is a path whose content git changes when it is added or checked out, in more than its line ends.
type Converted struct {
	Path string // from the top, with slashes
	By   string // the attribute, such as filter=lfs
}

// Converted lists those of some paths, which are seen from the top, that git converts. With staged it goes by the attributes
// that are staged in an index, which is named as for Tracked, and not by those in the working tree.
func (r *Repo) Converted(ctx context.Context, paths []string, staged bool, index string) ([]Converted, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	args := []string{"check-attr", "-z", "--stdin"}
	if staged {
		args = append(args, "--cached")
	}
	in := strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	fields, err := r.indexed(ctx, index, in, nil, append(args, "filter", "ident", "working-tree-encoding")...)
	if err != nil {
		return nil, err
	}
	if len(fields)%3 != 0 { // path, attribute, value
		return nil, garbled("check-attr", strings.Join(fields, " "))
	}
	var converted []Converted
	for ; len(fields) > 0; fields = fields[3:] {
		name, value := fields[1], fields[2]
		if value == "unspecified" || value == "unset" || isUTF8(name, value) {
			continue
		}
		if value != "set" {
			name += "=" + value
		}
		converted = append(converted, Converted{fields[0], name})
	}
	return converted, nil
}

// isUTF8 reports whether an attribute says that a file has the encoding that git keeps it in.
func isUTF8(name, value string) bool {
	return name == "working-tree-encoding" && (strings.EqualFold(value, "UTF-8") || strings.EqualFold(value, "UTF8"))
}

// Ignored lists the files below some paths that are not tracked, and that git ignores.
func (r *Repo) Ignored(ctx context.Context, below ...string) ([]string, error) {
	args := []string{"ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--"}
	out, err := Run(ctx, r.Top, append(args, below...)...)
	return records(out), err
}

// Abbreviated lists the commits whose ids begin so.
func (r *Repo) Abbreviated(ctx context.Context, prefix string) ([]string, error) {
	out, err := Run(ctx, r.Top, "rev-parse", "--disambiguate="+prefix)
	if err != nil {
		return nil, err
	}
	var commits []string
	for id := range strings.FieldsSeq(string(out)) {
		commit, err := r.Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		if commit == id {
			commits = append(commits, commit)
		}
	}
	return commits, nil
}
