package git

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// File is a file of a commit or of the index.
type File struct {
	Path      string // from the top, with slashes
	Mode      string // as in Tree
	ID        string // of its content
	Unmerged  bool   // one of the versions of a merge that was not finished
	Unwatched bool   // git does not compare it with the work tree (skip-worktree, assume-unchanged), or it is unmerged
}

// Regular reports whether the file is neither a link nor a nested repository.
func (f File) Regular() bool { return f.Mode == modeFile || f.Mode == modeExec }

// Repository reports whether it is a nested repository, such as a submodule.
func (f File) Repository() bool { return f.Mode == modeRepo }

// Objects reads the files of commits and their contents.
type Objects struct{ repo *Repo }

// Objects returns the committed objects of the repository.
func (r *Repo) Objects() Objects { return Objects{r} }

// Files lists the files of a commit below a path; all of them for "". It returns GIT if there is no such commit.
func (o Objects) Files(ctx context.Context, commit, below string) ([]File, error) {
	if commit == "" || strings.HasPrefix(commit, "-") {
		return nil, record.Errorf(record.InvalidInput, "%q does not name a commit", commit)
	}
	out, err := Run(ctx, o.repo.Top, append([]string{"ls-tree", "-r", "-z", "--full-tree", commit}, pathspec(below)...)...)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, line := range records(out) {
		meta, path, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta) // mode, type, id
		if len(f) != 3 {
			return nil, garbled("ls-tree", line)
		}
		files = append(files, File{Path: path, Mode: indexMode(f[0]), ID: f[2]})
	}
	return files, nil
}

// Names lists what lies in a folder of a commit, "" for the top, by the names there. A folder that is not there is
// empty.
func (o Objects) Names(ctx context.Context, commit, folder string) ([]string, error) {
	args := []string{"ls-tree", "-z", "--name-only", "--full-tree", commit}
	if folder != "" {
		args = append(args, "--", folder+"/")
	}
	out, err := Run(ctx, o.repo.Top, args...)
	return inFolder(records(out), folder), err
}

// inFolder are the names that paths have in a folder, each once.
func inFolder(paths []string, folder string) []string {
	var names []string
	for _, p := range paths {
		below := p
		if folder != "" {
			below, _ = strings.CutPrefix(p, folder+"/")
		}
		if name, _, _ := strings.Cut(below, "/"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// indexMode maps a mode in a tree to the mode that the index would have. Old trees hold modes such as 100664.
func indexMode(mode string) string {
	if !strings.HasPrefix(mode, "100") {
		return mode
	}
	if (mode[3]-'0')&1 != 0 {
		return modeExec
	}
	return modeFile
}

func pathspec(below string) []string {
	if below == "" {
		return nil
	}
	return []string{"--", below}
}

// Tree reads the tree of a commit, which may be named in any way that git understands. It returns GIT if there is no
// such commit.
func (o Objects) Tree(ctx context.Context, rev string) (Tree, error) {
	files, err := o.Files(ctx, rev, "")
	if err != nil {
		return nil, err
	}
	t := Tree{}
	for _, f := range files {
		if !o.repo.setsAside(f.Path, f.Mode) {
			t.set(f.Path, f.Mode, f.ID)
		}
	}
	return t, nil
}

// Fingerprint is the fingerprint of a commit's tree.
func (o Objects) Fingerprint(ctx context.Context, rev string) (string, error) {
	t, err := o.Tree(ctx, rev)
	if err != nil {
		return "", err
	}
	return t.Fingerprint(), nil
}

// Gone lists the paths that a commit has and another has not, or has as something else, such as a link.
func (o Objects) Gone(ctx context.Context, from, to string) ([]string, error) {
	out, err := Run(ctx, o.repo.Top, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=DT", from, to)
	return records(out), err
}

// Blob is the content of a file as git keeps it.
type Blob struct {
	Content []byte // nil if it is missing or larger than the limit
	Size    int64  // of what is there; a folder has one too
	Missing bool   // there is no such file, or the clone has left it out
}

// Blobs calls fn with the blob of each name, in their order. A name is an object id, or a commit, a colon and a path.
// Of a blob with more than limit bytes only the size is read.
func (o Objects) Blobs(ctx context.Context, names []string, limit int64, fn func(i int, b Blob)) error {
	if len(names) == 0 {
		return nil
	}
	in := strings.NewReader(strings.Join(names, "\n") + "\n")
	read := func(out *bufio.Reader) error {
		for i := range names {
			b, err := readBlob(out, limit)
			if err != nil {
				return err
			}
			fn(i, b)
		}
		return nil
	}
	return o.repo.stream(ctx, in, nil, read, "cat-file", "--batch")
}

// Folders reports of each name, a commit, a colon and a path, whether it is that of a folder.
func (o Objects) Folders(ctx context.Context, names []string) ([]bool, error) {
	there := make([]bool, len(names))
	err := o.Blobs(ctx, names, 0, func(i int, b Blob) { there[i] = b.Missing && b.Size > 0 })
	return there, err
}

// readBlob reads one answer of git cat-file --batch: a line with the id, the type and the size, then the content.
func readBlob(out *bufio.Reader, limit int64) (Blob, error) {
	line, err := out.ReadBytes('\n')
	if err != nil {
		return Blob{}, cutShort(err)
	}
	if bytes.HasSuffix(line, []byte(" missing\n")) {
		return Blob{Missing: true}, nil
	}
	words := strings.Fields(string(line))
	if len(words) != 3 {
		return Blob{}, garbled("cat-file", string(line))
	}
	var b Blob
	if b.Size, err = strconv.ParseInt(words[2], 10, 64); err != nil || b.Size < 0 {
		return Blob{}, garbled("cat-file", fmt.Sprintf("%s (%v)", line, err))
	}
	b.Missing = words[1] != "blob"
	if b.Missing || b.Size > limit {
		_, err = io.CopyN(io.Discard, out, b.Size)
	} else {
		b.Content = make([]byte, b.Size)
		_, err = io.ReadFull(out, b.Content)
	}
	if err == nil {
		_, err = out.Discard(1) // the line break behind the content
	}
	return b, cutShort(err)
}

// cutShort maps io.EOF to io.ErrUnexpectedEOF: the output ended too early.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// IsID reports whether a name is the full id of an object, and not that of a branch.
func IsID(name string) bool {
	return (len(name) == 2*sha1.Size || len(name) == 2*sha256.Size) && strings.Trim(name, "0123456789abcdef") == ""
}

// ContentID is the object id of a content. like is some other id of the same repository, which tells the hash function.
func ContentID(content []byte, like string) string {
	h := sha1.New()
	if len(like) == 2*sha256.Size {
		h = sha256.New()
	}
	_, _ = fmt.Fprintf(h, "blob %d\x00", len(content))
	_, _ = h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

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
	lines, err := x.run(ctx, nil, magic, "ls-files", "-v", "--stage", "-z", "--", ":(top,glob)**/"+name)
	if err != nil {
		return nil, err
	}
	return parseStaged(lines)
}

// Names lists what is staged in a folder, "" for the top, by the names there that a pattern of git matches.
func (x Index) Names(ctx context.Context, folder string, patterns ...string) ([]string, error) {
	literal := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
	args := []string{"ls-files", "-z", "--"}
	for _, p := range patterns {
		if folder != "" {
			p = literal.Replace(folder) + "/" + p
		}
		args = append(args, ":(top,glob)"+p, ":(top,glob)"+p+"/**")
	}
	paths, err := x.run(ctx, nil, magic, args...)
	return inFolder(paths, folder), err
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

// Unmerged is a path that a merge left in conflict: the ids of its content in the common version and on both sides, ""
// where it is not there.
type Unmerged struct{ Path, Base, Ours, Theirs string }

// Unmerged lists the paths that a merge left in conflict.
func (x Index) Unmerged(ctx context.Context) (all []Unmerged, err error) {
	lines, err := x.run(ctx, nil, nil, "ls-files", "--unmerged", "-z")
	for _, line := range lines {
		meta, path, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta) // mode, id, stage
		if len(f) != 3 {
			return nil, garbled("ls-files", line)
		}
		if len(all) == 0 || all[len(all)-1].Path != path {
			all = append(all, Unmerged{Path: path})
		}
		u := &all[len(all)-1]
		switch f[2] {
		case "1":
			u.Base = f[1]
		case "2":
			u.Ours = f[1]
		default:
			u.Theirs = f[1]
		}
	}
	return all, err
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
		utf8 := name == "working-tree-encoding" && slices.Contains([]string{"UTF-8", "UTF8"}, strings.ToUpper(value))
		if value == "unspecified" || value == "unset" || utf8 {
			continue
		}
		if value != "set" {
			name += "=" + value
		}
		converted = append(converted, Converted{fields[0], name})
	}
	return converted, nil
}

// Fingerprint is the fingerprint of what is staged.
func (x Index) Fingerprint(ctx context.Context) (string, error) {
	t, _, _, err := x.tree(ctx)
	return t.Fingerprint(), err
}

// Tree reads what is staged as a tree, without paths that are in conflict.
func (x Index) Tree(ctx context.Context) (Tree, error) {
	t, _, _, err := x.tree(ctx)
	return t, err
}

// tree reads what is staged as a tree, without paths that are in conflict, which git status names. It also returns the
// files in the work tree that git was told not to look at (unwatched), which git status never names, and those of them
// that are not there.
func (x Index) tree(ctx context.Context) (t Tree, unwatched []Change, absent []string, err error) {
	files, err := x.Files(ctx, "")
	if err != nil {
		return nil, nil, nil, err
	}
	t = Tree{}
	for _, f := range files {
		if !f.Unmerged && !x.repo.setsAside(f.Path, f.Mode) {
			t.set(f.Path, f.Mode, f.ID)
		}
		switch {
		case !f.Unwatched || f.Mode == modeRepo:
		case x.repo.hasFile(f.Path):
			unwatched = append(unwatched, Change{Path: f.Path})
		case !f.Unmerged:
			absent = append(absent, f.Path)
		}
	}
	return t, unwatched, absent, nil
}

// run runs git on the index, with an input and further environment variables, and splits its output at NUL bytes.
func (x Index) run(ctx context.Context, in io.Reader, env []string, args ...string) ([]string, error) {
	if x.file != "" {
		env = slices.Concat(env, []string{"GIT_INDEX_FILE=" + x.file})
	}
	out, err := x.repo.run(ctx, in, env, args...)
	if err != nil {
		return nil, err
	}
	return records(out), nil
}
