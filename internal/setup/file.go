package setup

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// file is a file that a plan is about.
type file struct {
	path     string // for people: from the workspace root, or with ~ for the user's folder
	real     string // where it lies, links resolved
	link     string // where a link led, for people; "" if there is none
	exists   bool
	before   []byte
	after    []byte
	gone     bool // it is to be removed
	readOnly bool // nobody may write it, not even its owner
	bom      bool // it begins with a byte order mark, which before and after are without

	fresh string // what it says if nothing is in it
	made  note   // what was made for it, by this plan and earlier ones
}

const maxFile = 16 << 20

var byteOrderMark = []byte("\xef\xbb\xbf")

// changed reports whether the plan changes the file.
func (f *file) changed() bool {
	return f.gone || !bytes.Equal(f.before, f.after) || !f.exists && len(f.after) > 0
}

// open finds and reads a file. Path is from the workspace root, or a whole path of the user's. It returns INVALID_INPUT
// for a link that leads nowhere, or out of the repository, and BAD_FILE for what is no file of text.
func (s *Setup) open(path string) (f *file, err error) {
	f = &file{path: path, real: path}
	within := s.Within
	if filepath.IsAbs(path) {
		within = ""
		if below, ok := strings.CutPrefix(path, s.Folders.Home+string(filepath.Separator)); ok {
			f.path = "~/" + filepath.ToSlash(below)
		}
	} else {
		f.real = filepath.Join(s.Root, filepath.FromSlash(path))
	}
	if err := f.follow(within); err != nil {
		return nil, err
	}
	if root, err := filepath.EvalSymlinks(s.Root); err == nil && within != "" && filepath.Join(root, filepath.FromSlash(path)) != f.real {
		f.link = layout.SlashRel(root, f.real)
	}
	if known := s.opened[f.real]; known != nil {
		return known, nil
	}
	f.made = readNote(s.State, f.real)
	defer func() {
		if err == nil {
			s.opened[f.real] = f
		}
	}()
	src, err := disk.ReadRegular(f.real, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case errors.Is(err, disk.ErrNotRegular), errors.Is(err, disk.ErrTooLarge):
		return nil, record.Errorf(record.BadFile, "%s: %w", f.path, err).WithHint("see what it is; only files of text are written")
	case err != nil:
		return nil, problem.IO(err)
	case bytes.IndexByte(src, 0) >= 0:
		return nil, record.Errorf(record.BadFile, "%s: is not text in UTF-8", f.path).WithHint("save it as UTF-8 in an editor")
	}
	src, f.bom = bytes.CutPrefix(src, byteOrderMark)
	f.exists, f.before, f.after = true, src, src
	if info, err := os.Stat(f.real); err == nil {
		f.readOnly = info.Mode().Perm()&0o200 == 0
	}
	return f, nil
}

// follow resolves the links of a path, so that a link stays one when its file is replaced.
func (f *file) follow(within string) error {
	dir, rest := f.real, ""
	for {
		found, err := filepath.EvalSymlinks(dir)
		if err == nil {
			f.real = filepath.Join(found, rest)
			return f.allowed(within)
		}
		if info, lerr := os.Lstat(dir); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return record.Errorf(record.InvalidInput, "%s is a link that leads nowhere", f.path).WithHint("remove the link, or make the file that it names")
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return problem.IO(err)
		}
		dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest)
	}
}

// allowed returns an error for a file that a link leads to out of the repository, or into what is git's or cairn's own.
func (f *file) allowed(within string) error {
	if within == "" {
		return nil
	}
	top, err := filepath.EvalSymlinks(within)
	if err != nil {
		return problem.IO(err)
	}
	rel, err := filepath.Rel(top, f.real)
	if err != nil || !filepath.IsLocal(rel) {
		return record.Errorf(record.InvalidInput, "%s is a link out of the repository", f.path).
			WithHint("nothing was written; --print shows what to put there by hand")
	}
	for _, name := range strings.Split(filepath.ToSlash(rel), "/") {
		if strings.EqualFold(name, ".git") || name == layout.Folder {
			return record.Errorf(record.InvalidInput, "%s is a link into %s", f.path, name).WithHint("take the link away; nothing was written")
		}
	}
	return nil
}

// write makes the file so, if it still is as it was planned for. It returns CONFLICT if somebody changed it meanwhile.
func (f *file) write() error {
	if now, err := disk.ReadRegular(f.real, maxFile); f.exists != (err == nil) || f.exists && !bytes.Equal(bytes.TrimPrefix(now, byteOrderMark), f.before) {
		return record.Errorf(record.Conflict, "%s changed meanwhile", f.path).WithHint("nothing was written to it; run the command again")
	}
	if f.gone {
		return problem.IO(disk.RemoveFile(f.real))
	}
	if err := f.folders(); err != nil {
		return problem.IO(err)
	}
	after := f.after
	if f.bom {
		after = slices.Concat(byteOrderMark, after)
	}
	return problem.IO(atomicfile.Write(f.real, after, 0o644))
}

// folders makes the folders above the file, and notes which were not there.
func (f *file) folders() error {
	base := filepath.Dir(f.real)
	var missing []string
	for !layout.IsFolder(base) && base != filepath.Dir(base) {
		missing = append(missing, base)
		base = filepath.Dir(base)
	}
	f.made.Folders = append(f.made.Folders, missing...)
	if len(missing) == 0 {
		return nil
	}
	return disk.MakeFolder(base, filepath.Dir(f.real))
}
