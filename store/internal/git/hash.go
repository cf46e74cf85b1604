package git

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// addContents adds regular files. Git hashes them, because it knows how each is stored (line endings, filters).
func (r *Repo) addContents(ctx context.Context, t Tree, files []change) error {
	for len(files) > 0 {
		var input strings.Builder
		for _, f := range files {
			input.WriteString(quote(f.path) + "\n")
		}
		out, err := r.runFiltering(ctx, strings.NewReader(input.String()), "hash-object", "--stdin-paths")
		ids := strings.Fields(string(out))
		if len(ids) > len(files) || err == nil && len(ids) < len(files) {
			return garbled("hash-object", string(out))
		}
		for i, id := range ids {
			t.set(files[i].path, files[i].mode, id)
		}
		if err == nil {
			return nil
		}
		// Git stops at the first file that it cannot read. That is no failure if the file was deleted meanwhile.
		rest := slices.DeleteFunc(files[len(ids):], r.gone)
		if len(rest) == len(files)-len(ids) {
			return err
		}
		files = rest
	}
	return nil
}

// gone tells whether a file is not there any more, or something else is in its place.
func (r *Repo) gone(c change) bool {
	info, err := os.Lstat(r.path(c.path))
	return missing(err) || err == nil && !info.Mode().IsRegular()
}

// quote writes a path on one line as git reads it: as it is, or with special characters in a C string.
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

// addLinks adds symbolic links, whose content is the path they hold.
func (r *Repo) addLinks(ctx context.Context, t Tree, links []change) error {
	if len(links) == 0 {
		return nil
	}
	newHash, err := r.objectFormat(ctx)
	if err != nil {
		return err
	}
	for _, l := range links {
		text, err := os.Readlink(r.path(l.path))
		if missing(err) {
			continue
		}
		if err != nil {
			return task.Errorf(task.IO, "cannot read a link of the work tree: %w", err)
		}
		t.set(l.path, l.mode, blobID(newHash(), []byte(filepath.ToSlash(text))))
	}
	return nil
}

// objectFormat returns the hash that names objects in this repository.
func (r *Repo) objectFormat(ctx context.Context) (func() hash.Hash, error) {
	format, err := answer(Run(ctx, r.Top, "rev-parse", "--show-object-format"))
	switch {
	case err != nil:
		return nil, err
	case format == "sha1":
		return sha1.New, nil
	case format == "sha256":
		return sha256.New, nil
	}
	return nil, task.Errorf(task.Git, "the repository names its objects by %q, which is not known here", format)
}

// blobID is the name of the object that holds a content.
func blobID(h hash.Hash, content []byte) string {
	_, _ = fmt.Fprintf(h, "blob %d\x00", len(content))
	_, _ = h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
