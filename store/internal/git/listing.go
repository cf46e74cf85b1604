package git

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// File is a file of a commit or of the index.
type File struct {
	Path      string // from the top, with slashes
	Mode      string // as in Tree
	ID        string // of its content
	Unmerged  bool   // one of the versions of a merge that was not finished
	Unwatched bool   // git does not look whether it is in the work tree (skip-worktree, assume-unchanged), or it is unmerged
}

// Regular reports whether it is neither a link nor a repository inside this one.
func (f File) Regular() bool { return f.Mode == modeFile || f.Mode == modeExec }

// FilesOf lists the files below a path, or all if that is "", in the tree of a commit. It fails with GIT if there is no such
// commit.
func (r *Repo) FilesOf(ctx context.Context, commit, below string) ([]File, error) {
	if commit == "" || strings.HasPrefix(commit, "-") {
		return nil, task.Errorf(task.InvalidInput, "%q does not name a commit", commit)
	}
	out, err := Run(ctx, r.Top, append([]string{"ls-tree", "-r", "-z", "--full-tree", commit}, pathspec(below)...)...)
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

// Tracked lists the files below a path, or all if that is "", in the index. index names another one than the repository's own,
// from the top of the work tree, as git does for a hook in GIT_INDEX_FILE; or is "".
func (r *Repo) Tracked(ctx context.Context, index, below string) ([]File, error) {
	args := append([]string{"ls-files", "-v", "--stage", "-z"}, pathspec(below)...)
	cmd := command(ctx, r.Top, args...)
	if index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+index)
	}
	out, err := output(ctx, cmd, nil, args)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, line := range records(out) {
		meta, path, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta) // tag, mode, id, stage
		if len(f) != 4 {
			return nil, garbled("ls-files", line)
		}
		files = append(files, File{Path: path, Mode: f[1], ID: f[2], Unmerged: f[3] != "0", Unwatched: f[0] != "H"})
	}
	return files, nil
}

func pathspec(below string) []string {
	if below == "" {
		return nil
	}
	return []string{"--", below}
}

// IsID reports whether a name is the full id of an object, and not that of a branch.
func IsID(name string) bool {
	return (len(name) == 2*sha1.Size || len(name) == 2*sha256.Size) && strings.Trim(name, "0123456789abcdef") == ""
}

// ContentID is the id under which git keeps a content, in a repository that names its objects as it names this one.
func ContentID(content []byte, like string) string {
	h := sha1.New()
	if len(like) == 2*sha256.Size {
		h = sha256.New()
	}
	return blobID(h, content)
}
