package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Attachment is a file that a record refers to, as it is copied into the workspace. Its name there follows from its
// content, so two branches never have different files of one name, and one that nobody refers to any more does no harm.
type Attachment struct {
	Name    string // its own
	Path    string // of the copy, from the workspace root: record.FilesFolder, and record.FileName
	Content []byte
}

// types are the media types of texts that their content does not tell apart from other texts, by the ending of the
// name.
var types = map[string]string{
	".md": "text/markdown", ".json": "application/json", ".csv": "text/csv", ".html": "text/html", ".svg": "image/svg+xml", ".xml": "text/xml",
	".yaml": "application/yaml", ".yml": "application/yaml", ".diff": "text/x-diff", ".patch": "text/x-diff",
}

// Mime is the media type of the file, by its content and, for a text, its name. It is the same on every machine.
func (a Attachment) Mime() string {
	found, _, _ := strings.Cut(http.DetectContentType(a.Content), ";")
	if byName := types[strings.ToLower(path.Ext(a.Name))]; byName != "" && strings.HasPrefix(found, "text/") {
		return byName
	}
	return found
}

// attachmentMax is the most bytes of a file that is copied: a write holds it in memory, and git keeps it for ever.
const attachmentMax = 5 << 20

// ReadAttachment reads a file that is to be copied into the workspace, by its path from a folder. It returns
// INVALID_INPUT for a path out of the work tree, for what is no regular file, a link included, for a file of git or of
// live state, for an empty file, and for one that is larger than attachmentMax; and NOT_FOUND if there is no such file.
func (s workTree) ReadAttachment(dir, name string) (Attachment, error) {
	rel, err := s.inWorktree(dir, name)
	if err != nil {
		return Attachment{}, err
	}
	content, err := disk.ReadIn(s.Worktree, rel, attachmentMax)
	shown := filepath.ToSlash(rel)
	switch {
	case errors.Is(err, disk.ErrTooLarge):
		return Attachment{}, record.Errorf(record.InvalidInput, "%s has more than %d bytes", shown, attachmentMax).
			WithHint("link to where it lies instead, with type link")
	case errors.Is(err, disk.ErrNotRegular):
		return Attachment{}, record.Errorf(record.InvalidInput, "%s is no regular file", shown).WithHint("name the file itself: a link, a folder or a device is not copied")
	case errors.Is(err, fs.ErrNotExist):
		return Attachment{}, record.Errorf(record.NotFound, "there is no file %s", shown).WithHint("the path begins at the folder that the command runs in")
	case err != nil:
		return Attachment{}, problem.IO(err)
	case len(content) == 0:
		return Attachment{}, record.Errorf(record.InvalidInput, "%s is empty", shown).WithHint("there is nothing in it to keep")
	}
	sum := sha256.Sum256(content)
	base := filepath.Base(rel)
	return Attachment{Name: base, Path: record.FilesFolder + "/" + record.FileName(hex.EncodeToString(sum[:]), base), Content: content}, nil
}

// inWorktree is a path below the top of the work tree. Links in the folders of the path are followed, and may not lead
// out.
func (s workTree) inWorktree(dir, name string) (string, error) {
	if name == "" || strings.ContainsRune(name, 0) {
		return "", record.Errorf(record.InvalidInput, "a reference of type file needs path").WithHint("path is the file to copy")
	}
	full := name
	if !filepath.IsAbs(name) {
		full = filepath.Join(dir, name)
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(full))
	if problem.Missing(err) {
		return "", record.Errorf(record.NotFound, "there is no file %q", name).WithHint("the path begins at the folder that the command runs in")
	}
	if err != nil {
		return "", problem.IO(err)
	}
	rel, err := filepath.Rel(s.Worktree, filepath.Join(folder, filepath.Base(full)))
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return "", record.Errorf(record.InvalidInput, "path leads out of the work tree").WithHint("copy the file into the work tree first, or link to it with type link")
	}
	parts := strings.Split(strings.ToLower(filepath.ToSlash(rel)), "/")
	if slices.Contains(parts, ".git") || strings.HasPrefix(s.Rel(filepath.Join(s.Worktree, rel)), layout.Folder+"/local/") {
		return "", record.Errorf(record.InvalidInput, "path names a file of git, or of this machine only").WithHint("copy what others should see into a file of its own")
	}
	return rel, nil
}

// Files that have git keep the copies as they are, and commit them whatever their names: by them git neither converts
// line ends nor takes a file for one of Git LFS, and the patterns of other folders ignore none.
var besideFiles = []struct{ name, content string }{
	{".gitattributes", "# Written by cairn: files here are kept byte for byte.\n* -text -filter -ident -working-tree-encoding\n"},
	{".gitignore", "# Written by cairn: files here are committed, whatever is ignored elsewhere.\n!*\n*.tmp\n"},
}

// Attach stages the copy of a file, unless it is there already. It returns BAD_FILE if another content has its name.
func (tx *Tx) Attach(a Attachment) error {
	if err := tx.s.NoLinks(tx.s.Dir(layout.FilesDir)); err != nil {
		return err
	}
	have, err := revAt(tx.s.Abs(a.Path))
	switch {
	case err != nil:
		return problem.IO(err)
	case have == kind.Rev(a.Content):
		return nil
	case have != "":
		return record.Errorf(record.BadFile, "%s holds something else than its name says", a.Path).WithHint("bring it back from git, or take it away")
	}
	for _, f := range besideFiles {
		if path := filepath.Join(tx.s.Dir(layout.FilesDir), f.name); !layout.Exists(path) {
			tx.replace(path, nil, []byte(f.content))
		}
	}
	tx.replace(tx.s.Abs(a.Path), nil, bytes.Clone(a.Content))
	return nil
}

// Orphans lists the files of record.FilesFolder that no record of the work tree refers to, by their paths from the
// workspace root. Refers says which are referred to.
func (s workTree) Orphans(refers func(path string) bool) ([]string, error) {
	var out []string
	err := layout.EachName(s.Dir(layout.FilesDir), "", func(name string) {
		rel := record.FilesFolder + "/" + name
		if record.IsFileName(name) && !refers(rel) && layout.IsFile(s.Abs(rel)) {
			out = append(out, rel)
		}
	})
	return out, err
}

// RemoveOrphan removes a file that Orphans has listed.
func (s workTree) RemoveOrphan(rel string) error {
	if !record.IsFilePath(rel) {
		return record.Errorf(record.InvalidInput, "%s is no file of a reference", rel)
	}
	return problem.IO(disk.RemoveFile(s.Abs(rel)))
}
