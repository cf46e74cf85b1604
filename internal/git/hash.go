package git

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// addFiles adds changed files to the tree, with the ids that "git add" would store them under; it stores nothing. Files
// that are gone by now are left out, and so is what is neither a file nor a link.
func (w *workTree) addFiles(ctx context.Context, changes []change) error {
	executable, err := w.trustsFileMode(ctx, changes)
	if err != nil {
		return err
	}
	var links, files []change
	for _, c := range changes {
		info, err := os.Lstat(w.path(c.path))
		switch {
		case missing(err):
		case err != nil:
			return record.Errorf(record.IO, "cannot read a file of the work tree: %w", err)
		case info.Mode()&fs.ModeSymlink != 0:
			links = append(links, change{c.path, modeLink})
		case info.Mode().IsRegular():
			if c.mode == "" {
				c.mode = fileMode(info, executable)
			}
			files = append(files, c)
		}
	}
	if err := w.addLinks(ctx, links); err != nil {
		return err
	}
	return w.addContents(ctx, files)
}

// trustsFileMode reports whether git goes by the executable bits on disk (core.fileMode). That matters only to files
// that are not tracked; the mode of the others comes from git.
func (w *workTree) trustsFileMode(ctx context.Context, changes []change) (bool, error) {
	if !slices.ContainsFunc(changes, func(c change) bool { return c.mode == "" }) {
		return true, nil
	}
	value, err := answer(Run(ctx, w.Top, "config", "--type=bool", "--get", "core.fileMode"))
	return value != "false", err
}

// fileMode is the mode that git would record for a file that is not tracked yet.
func fileMode(info fs.FileInfo, executable bool) string {
	if executable && info.Mode()&0o100 != 0 {
		return modeExec
	}
	return modeFile
}

// addContents adds regular files. Git hashes them, since it knows how each is stored (line endings, filters).
func (w *workTree) addContents(ctx context.Context, files []change) error {
	for len(files) > 0 {
		var input strings.Builder
		for _, f := range files {
			input.WriteString(quote(f.path) + "\n")
		}
		out, err := w.runFiltering(ctx, strings.NewReader(input.String()), "hash-object", "--stdin-paths")
		ids := strings.Fields(string(out))
		if len(ids) > len(files) || err == nil && len(ids) < len(files) {
			return garbled("hash-object", string(out))
		}
		for i, id := range ids {
			w.tree.set(files[i].path, files[i].mode, id)
		}
		if err == nil {
			return nil
		}
		// Git stops at the first file that it cannot read. That is no failure if the file was deleted meanwhile.
		rest := slices.DeleteFunc(files[len(ids):], w.gone)
		if len(rest) == len(files)-len(ids) {
			return err
		}
		files = rest
	}
	return nil
}

// gone reports whether a file is no longer there, or is no regular file any more.
func (w *workTree) gone(c change) bool {
	info, err := os.Lstat(w.path(c.path))
	return missing(err) || err == nil && !info.Mode().IsRegular()
}

// quote writes a path on one line as git reads it: as it is, or as a C string if it has special characters.
func quote(path string) string {
	special := func(c rune) bool { return c < ' ' || c == '"' || c == '\\' || c == 0x7f }
	if !strings.ContainsFunc(path, special) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		if c := path[i]; special(rune(c)) {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// addLinks adds symbolic links, whose content is their target.
func (w *workTree) addLinks(ctx context.Context, links []change) error {
	if len(links) == 0 {
		return nil
	}
	newHash, err := w.objectFormat(ctx)
	if err != nil {
		return err
	}
	for _, l := range links {
		text, err := os.Readlink(w.path(l.path))
		if missing(err) {
			continue
		}
		if err != nil {
			return record.Errorf(record.IO, "cannot read a link of the work tree: %w", err)
		}
		w.tree.set(l.path, l.mode, blobID(newHash(), []byte(filepath.ToSlash(text))))
	}
	return nil
}

// objectFormat returns the hash that names objects in this repository.
func (w *workTree) objectFormat(ctx context.Context) (func() hash.Hash, error) {
	format, err := answer(Run(ctx, w.Top, "rev-parse", "--show-object-format"))
	switch {
	case err != nil:
		return nil, err
	case format == "sha1":
		return sha1.New, nil
	case format == "sha256":
		return sha256.New, nil
	}
	return nil, record.Errorf(record.Git, "the repository names its objects by %q, which is not known here", format)
}

// blobID is the id of the object that holds a content.
func blobID(h hash.Hash, content []byte) string {
	_, _ = fmt.Fprintf(h, "blob %d\x00", len(content))
	_, _ = h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
