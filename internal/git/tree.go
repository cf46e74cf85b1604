package git

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
)

// Tree is the content of a work tree or a commit: for each path, relative to the top and with slashes, the mode and the
// object id, as in "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391". What Repo.Aside says is left out.
//
// The modes are git's: 100644 a file, 100755 an executable one, 120000 a link, 160000 a nested repository. The id of a
// nested repository is its commit; if its work tree differs from that, "+" and the fingerprint of the work tree follow.
type Tree map[string]string

// The modes that cairn tells apart.
const (
	modeNone = "000000" // in git's output: no such file
	modeFile = "100644"
	modeExec = "100755"
	modeLink = "120000"
	modeRepo = "160000"
)

func (t Tree) set(path, mode, id string) { t[path] = mode + " " + id }

// SetsAside reports whether trees and differences leave out a regular file of a path.
func (r *Repo) SetsAside(path string) bool { return r.Aside != nil && r.Aside(path, true) }

// LeavesLocal reports whether a regular file that git does not track is left out because it belongs to this machine.
func (r *Repo) LeavesLocal(path string) bool {
	return r.Aside != nil && r.Aside(path, false) && !r.Aside(path, true)
}

// SetsChangeAside reports whether trees and differences leave out a change: on both sides there is a regular file that
// SetsAside leaves out, or nothing.
func (r *Repo) SetsChangeAside(c FileChange) bool {
	plain := func(v Version) bool { return v == Version{} || v.Regular() }
	return plain(c.Was) && plain(c.Now) && r.SetsAside(c.Path)
}

// setsAside is SetsAside for what is in git. A link or a nested repository is never left out.
func (r *Repo) setsAside(path, mode string) bool {
	return (mode == modeFile || mode == modeExec) && r.SetsAside(path)
}

// Fingerprint is the SHA-256, in hex, of the sorted lines "mode id path", each ended by a NUL byte.
func (t Tree) Fingerprint() string {
	lines := make([]string, 0, len(t))
	for path, file := range t {
		lines = append(lines, lineOf(file, path))
	}
	return hashLines(lines)
}

// lineOf is the line of a file in what a fingerprint is the hash of.
func lineOf(file, path string) string { return file + " " + path + "\x00" }

// hashLines is the fingerprint of lines. It sorts them.
func hashLines(lines []string) string {
	slices.Sort(lines)
	h := sha256.New()
	for _, line := range lines {
		_, _ = io.WriteString(h, line)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Changed returns the paths, sorted, whose content differs between two trees, or which only one of them has.
func (t Tree) Changed(other Tree) []string {
	changed := map[string]bool{}
	for path, file := range t {
		if other[path] != file {
			changed[path] = true
		}
	}
	for path := range other {
		if _, ok := t[path]; !ok {
			changed[path] = true
		}
	}
	return slices.Sorted(maps.Keys(changed))
}

// WorkTree reads the tree of the files as they are now: all that are tracked or not ignored, with the content that "git
// add" would store. It takes unchanged files from the index and hashes the others.
//
// A file that changes meanwhile is read as it was at some moment; one that vanishes is left out. Files that git was
// told not to compare (assume-unchanged, skip-worktree) are read too, if they are there. Other work trees of the same
// clone inside this one are left out.
//
// To hash a file, git may start the filters that the clone's config names, so call it for clones only that the user
// trusts. Where core.autocrlf is on and a file was committed with CRLF all the same, changing it and committing the
// change give two fingerprints.
func (r *Repo) WorkTree(ctx context.Context) (Tree, error) {
	t, _, err := r.WorkTreeAndAbsent(ctx)
	return t, err
}

// WorkTreeAndAbsent is WorkTree, and lists the files in it that are not on disk: git was told not to look at them.
func (r *Repo) WorkTreeAndAbsent(ctx context.Context) (t Tree, absent []string, err error) {
	w := workTree{Repo: r}
	err = w.read(ctx)
	return w.tree, w.absent, err
}

// Fingerprint is the fingerprint of the work tree.
func (r *Repo) Fingerprint(ctx context.Context) (string, error) {
	t, err := r.WorkTree(ctx)
	if err != nil {
		return "", err
	}
	return t.Fingerprint(), nil
}

// Content reads a regular file of the work tree, of most bytes. No link leads out of the work tree.
func (r *Repo) Content(path string, most int64) ([]byte, error) {
	return disk.ReadIn(r.Top, filepath.FromSlash(path), most)
}

// path is where a path of the tree lies on disk.
func (r *Repo) path(p string) string { return filepath.Join(r.Top, filepath.FromSlash(p)) }

// hasFile reports whether there is a file, or anything but a folder, in the work tree.
func (r *Repo) hasFile(path string) bool {
	info, err := os.Lstat(r.path(path))
	return err == nil && !info.IsDir()
}

// workTree is a work tree that is being read.
type workTree struct {
	*Repo
	tree    Tree
	absent  []string // see Index.tree
	foreign bool     // it lies in the work tree of another repository, which does not track it: nobody has trusted its config
}

func (w *workTree) read(ctx context.Context) error {
	staged, files, absent, err := w.Index("").tree(ctx)
	if err != nil {
		return err
	}
	w.tree, w.absent = staged, absent
	if w.foreign {
		if err := w.addSubmodules(ctx); err != nil {
			return err
		}
	}
	// In a foreign repository git would start the filters of the submodules' own configs.
	changes, err := w.status(ctx, Looks{Shallow: w.foreign})
	if err != nil {
		return err
	}
	for _, c := range changes {
		switch {
		case c.Staged || c.Untracked && w.Aside != nil && w.Aside(c.Path, false) && !w.isLink(c.Path):
		case c.Mode == modeNone || w.setsAside(c.Path, c.Mode):
			delete(w.tree, c.Path)
		case c.isRepo():
			if err := w.addNested(ctx, strings.TrimSuffix(c.Path, "/"), c.Mode == ""); err != nil {
				return err
			}
		default:
			delete(w.tree, c.Path)
			files = append(files, c)
		}
	}
	return w.addFiles(ctx, files)
}

// isLink reports whether there is a symbolic link in the work tree.
func (r *Repo) isLink(path string) bool {
	info, err := os.Lstat(r.path(path))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// isRepo reports whether the path is a nested repository; git prints one that is not tracked as "path/".
func (c Change) isRepo() bool { return c.Mode == modeRepo || strings.HasSuffix(c.Path, "/") }

// addFiles adds changed files to the tree, with the ids that "git add" would store them under; it stores nothing. Files
// that are gone by now are left out, and so is what is neither a file nor a link.
func (w *workTree) addFiles(ctx context.Context, changes []Change) error {
	// Whether git goes by the executable bits on disk matters only to files that are not tracked; the mode of the others
	// comes from git.
	executable := true
	if slices.ContainsFunc(changes, func(c Change) bool { return c.Mode == "" }) {
		value, err := answer(Run(ctx, w.Top, "config", "--type=bool", "--get", "core.fileMode"))
		if executable = value != "false"; err != nil {
			return err
		}
	}
	var links, files []Change
	for _, c := range changes {
		info, err := os.Lstat(w.path(c.Path))
		switch {
		case missing(err):
		case err != nil:
			return record.Errorf(record.IO, "cannot read a file of the work tree: %w", err)
		case info.Mode()&fs.ModeSymlink != 0:
			links = append(links, Change{Path: c.Path, Mode: modeLink})
		case info.Mode().IsRegular():
			if c.Mode == "" {
				if c.Mode = modeFile; executable && info.Mode()&0o100 != 0 {
					c.Mode = modeExec
				}
			}
			files = append(files, c)
		}
	}
	if err := w.addLinks(ctx, links); err != nil {
		return err
	}
	return w.addContents(ctx, files)
}

// addContents adds regular files. Git hashes them, since it knows how each is stored (line endings, filters).
func (w *workTree) addContents(ctx context.Context, files []Change) error {
	for len(files) > 0 {
		var input strings.Builder
		for _, f := range files {
			input.WriteString(quote(f.Path) + "\n")
		}
		out, err := w.runFiltering(ctx, strings.NewReader(input.String()), "hash-object", "--stdin-paths")
		ids := strings.Fields(string(out))
		if len(ids) > len(files) || err == nil && len(ids) < len(files) {
			return garbled("hash-object", string(out))
		}
		for i, id := range ids {
			if f := files[i]; !w.setsAside(f.Path, f.Mode) {
				w.tree.set(f.Path, f.Mode, id)
			}
		}
		if err == nil {
			return nil
		}
		// Git stops at the first file that it cannot read. That is no failure if the file was deleted meanwhile.
		rest := slices.DeleteFunc(files[len(ids):], func(c Change) bool {
			info, err := os.Lstat(w.path(c.Path))
			return missing(err) || err == nil && !info.Mode().IsRegular()
		})
		if len(rest) == len(files)-len(ids) {
			return err
		}
		files = rest
	}
	return nil
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
func (w *workTree) addLinks(ctx context.Context, links []Change) error {
	if len(links) == 0 {
		return nil
	}
	format, err := answer(Run(ctx, w.Top, "rev-parse", "--show-object-format"))
	if err != nil {
		return err
	}
	size, ok := map[string]int{"sha1": sha1.Size, "sha256": sha256.Size}[format]
	if !ok {
		return record.Errorf(record.Git, "the repository names its objects by %q, which is not known here", format)
	}
	for _, l := range links {
		text, err := os.Readlink(w.path(l.Path))
		if missing(err) {
			continue
		}
		if err != nil {
			return record.Errorf(record.IO, "cannot read a link of the work tree: %w", err)
		}
		w.tree.set(l.Path, l.Mode, ContentID([]byte(filepath.ToSlash(text)), strings.Repeat("0", 2*size)))
	}
	return nil
}

// addNested adds a repository inside this one: a submodule, or one that git does not track. Its content is the commit
// that is checked out in it; if its work tree differs from that commit, the fingerprint of the work tree is added.
//
// A submodule that is not checked out stays as the index has it. Another work tree of this clone is left out, since its
// files belong to another branch. A repository that is not tracked did not come with this clone, so the filters that
// its config names are not started, and its files are hashed as they are.
func (w *workTree) addNested(ctx context.Context, path string, untracked bool) error {
	repo, ok, err := open(w.path(path))
	if err != nil || !ok || repo.CommonDir == w.CommonDir {
		return err
	}
	if confined.Load() {
		head, err := repo.Head(ctx)
		w.tree.set(path, modeRepo, head.Commit)
		return err
	}
	nested := workTree{Repo: repo, foreign: w.foreign || untracked}
	id, err := nested.state(ctx)
	if err != nil {
		return err
	}
	w.tree.set(path, modeRepo, id)
	return nil
}

// addSubmodules adds every submodule in the index, whether or not git calls it changed.
func (w *workTree) addSubmodules(ctx context.Context) error {
	for path, file := range w.tree {
		if !strings.HasPrefix(file, modeRepo+" ") {
			continue
		}
		if err := w.addNested(ctx, path, false); err != nil {
			return err
		}
	}
	return nil
}

// state is the content of a repository in the tree of the one around it.
func (w *workTree) state(ctx context.Context) (string, error) {
	head, err := w.Head(ctx)
	if err != nil {
		return "", err
	}
	if err := w.read(ctx); err != nil {
		return "", err
	}
	work := w.tree.Fingerprint()
	committed := Tree{}.Fingerprint()
	if head.Commit != "" {
		if committed, err = w.Objects().Fingerprint(ctx, head.Commit); err != nil {
			return "", err
		}
	}
	if work == committed {
		return head.Commit, nil
	}
	return head.Commit + "+" + work, nil
}

// runFiltering runs a command that hashes files of the work tree, for which git starts filters. In a foreign repository
// the filters that its own config names are switched off.
func (w *workTree) runFiltering(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	var off []setting
	if w.foreign {
		var err error
		if off, err = w.filtersOff(ctx); err != nil {
			return nil, err
		}
	}
	return w.run(ctx, in, further(off), args...)
}

// filtersOff returns the settings that switch off each filter that the repository's own config, or a file that it
// includes, names. Filters of the user and the system stay.
func (w *workTree) filtersOff(ctx context.Context) ([]setting, error) {
	out, err := answer(Run(ctx, w.Top, "config", "-z", "--show-scope", "--name-only", "--get-regexp", `^filter\.`))
	if err != nil {
		return nil, err
	}
	var off []setting
	fields := records([]byte(out))
	for pair := range slices.Chunk(fields, 2) {
		if len(pair) < 2 {
			return nil, garbled("config", out)
		}
		scope, key := pair[0], pair[1]
		dot := strings.LastIndexByte(key, '.')
		if scope != "local" && scope != "worktree" || dot < 0 {
			continue
		}
		for _, s := range []setting{{"clean", ""}, {"smudge", ""}, {"process", ""}, {"required", "false"}} {
			off = append(off, setting{key[:dot+1] + s.key, s.value})
		}
	}
	return off, nil
}
