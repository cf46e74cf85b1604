package git

import (
	"context"
	"io"
	"strings"
)

// Index is what is staged.
type Index struct {
	repo *Repo
	file string // its path; "" for the repository's own index
}

// Index returns an index of the repository: its own one for "", else the one in a file, which is named from the top of
// the work tree, as git does for hooks in GIT_INDEX_FILE.
func (r *Repo) Index(file string) Index { return Index{r, file} }

// Files lists the staged files below a path; all of them for "".
func (x Index) Files(ctx context.Context, below string) ([]File, error) {
	lines, err := x.run(ctx, nil, nil, append([]string{"ls-files", "-v", "--stage", "-z"}, pathspec(below)...)...)
	if err != nil {
		return nil, err
	}
	return parseStaged(lines)
}

// Named lists the staged files whose path is a name, or ends with a slash and that name.
func (x Index) Named(ctx context.Context, name string) ([]File, error) {
	lines, err := x.run(ctx, nil, []string{"GIT_LITERAL_PATHSPECS=0"}, "ls-files", "-v", "--stage", "-z", "--", ":(top,glob)**/"+name)
	if err != nil {
		return nil, err
	}
	return parseStaged(lines)
}

// parseStaged parses what git ls-files -v --stage prints.
func parseStaged(lines []string) ([]File, error) {
	var files []File
	for _, line := range lines {
		meta, path, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta) // tag, mode, id, stage
		if len(f) != 4 {
			return nil, garbled("ls-files", line)
		}
		files = append(files, File{Path: path, Mode: f[1], ID: f[2], Unmerged: f[3] != "0", Unwatched: f[0] != "H"})
	}
	return files, nil
}

// Gone lists the paths that a commit has and that are not staged, or are staged as something else, such as a link.
func (x Index) Gone(ctx context.Context, from string) ([]string, error) {
	return x.run(ctx, nil, nil, "diff-index", "--cached", "-z", "--name-only", "--no-renames", "--diff-filter=DT", from)
}

// Converted is a path whose content git changes when it is added or checked out, in more than its line ends.
type Converted struct {
	Path string // from the top, with slashes
	By   string // the attribute, such as filter=lfs
}

// Converted returns those of some paths, relative to the top, that git converts. It goes by the staged attributes if
// staged is set, else by those in the working tree.
func (x Index) Converted(ctx context.Context, paths []string, staged bool) ([]Converted, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	args := []string{"check-attr", "-z", "--stdin"}
	if staged {
		args = append(args, "--cached")
	}
	in := strings.NewReader(strings.Join(paths, "\x00") + "\x00")
	fields, err := x.run(ctx, in, nil, append(args, "filter", "ident", "working-tree-encoding")...)
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

// Fingerprint is the fingerprint of what is staged.
func (x Index) Fingerprint(ctx context.Context) (string, error) {
	t, _, err := x.tree(ctx)
	return t.Fingerprint(), err
}

// tree reads what is staged as a tree, without paths that are in conflict, which git status names. It also returns the
// files in the work tree that git was told not to look at (unwatched): git status never names those.
func (x Index) tree(ctx context.Context) (t Tree, unwatched []change, err error) {
	files, err := x.Files(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	t = Tree{}
	for _, f := range files {
		if !f.Unmerged {
			t.set(f.Path, f.Mode, f.ID)
		}
		if f.Unwatched && f.Mode != modeRepo && !ours(f.Path) && x.repo.hasFile(f.Path) {
			unwatched = append(unwatched, change{path: f.Path})
		}
	}
	return t, unwatched, nil
}

// run runs git on the index, with an input and further environment variables, and splits its output at NUL bytes.
func (x Index) run(ctx context.Context, in io.Reader, env []string, args ...string) ([]string, error) {
	cmd := command(ctx, x.repo.Top, args...)
	cmd.Env = append(cmd.Env, env...)
	if x.file != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+x.file)
	}
	out, err := output(ctx, cmd, in, args)
	if err != nil {
		return nil, err
	}
	return records(out), nil
}
