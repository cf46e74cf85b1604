package source

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/cairn-tasks/cairn/internal/record"
)

const (
	maxFile  = 64 << 20  // bytes of one file
	maxTotal = 128 << 20 // bytes of all files of a folder
	maxFiles = 20_000    // of a folder
)

// Find returns where a system keeps its files in a folder, or "".
func (s Source) Find(fsys fs.FS) string {
	for _, p := range s.Paths {
		info, err := fs.Stat(fsys, p)
		if err != nil || s.Ext == nil && !info.Mode().IsRegular() || s.Ext != nil && !info.IsDir() {
			continue
		}
		if tasks, err := fs.Stat(fsys, p+"/tasks"); s.Name == "backlog" && (err != nil || !tasks.IsDir()) {
			continue // any folder may be called backlog
		}
		return p
	}
	return ""
}

// Load reads what is at a path: a file, or of a folder the files of the system in it. It returns NOT_FOUND if nothing
// is there, and INVALID_INPUT for what is no file, too large, or has none of the system's files. fsys must not lead out
// of its folder.
func (s Source) Load(fsys fs.FS, p string) ([]File, error) {
	info, err := fs.Stat(fsys, p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, record.Errorf(record.NotFound, "%s is not there", p).WithHint("%s reads %s", s.Name, s.About)
	case err != nil:
		return nil, record.Errorf(record.IO, "%w", err)
	case info.Mode().IsRegular():
		f, err := readFile(fsys, p, maxFile)
		return []File{f}, err
	case !info.IsDir():
		return nil, bad(p, 0, "is neither a file nor a folder")
	}
	if s.Ext != nil {
		return s.loadFolder(fsys, p)
	}
	sub, err := fs.Sub(fsys, p)
	if err != nil {
		return nil, record.Errorf(record.IO, "%w", err)
	}
	for _, at := range s.inside() {
		if info, err := fs.Stat(sub, at); err == nil && info.Mode().IsRegular() {
			f, err := readFile(sub, at, maxFile)
			return []File{f}, err
		}
	}
	return nil, bad(p, 0, "is a folder in which %s has no file", s.Name).WithHint("name the file; %s reads %s", s.Name, s.About)
}

// inside lists where the file of a system can lie in a folder that was named: as in a project, and where the folder is
// a part of that path.
func (s Source) inside() []string {
	out := slices.Clone(s.Paths)
	for _, p := range s.Paths {
		for _, rest, ok := strings.Cut(p, "/"); ok; _, rest, ok = strings.Cut(rest, "/") {
			out = append(out, rest)
		}
	}
	return out
}

// loadFolder reads the files of a folder, in the order of their names.
func (s Source) loadFolder(fsys fs.FS, p string) ([]File, error) {
	if sub, _ := fs.Sub(fsys, p); s.Find(sub) != "" { // the folder of a project was named
		p = path.Join(p, s.Find(sub))
	}
	in := s.In
	if in == nil {
		in = []string{"."}
	}
	var out []File
	total := 0
	for _, folder := range in {
		entries, err := fs.ReadDir(fsys, path.Join(p, folder))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, record.Errorf(record.IO, "%w", err)
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !slices.Contains(s.Ext, path.Ext(e.Name())) || strings.EqualFold(e.Name(), "readme.md") {
				continue
			}
			f, err := readFile(fsys, path.Join(p, folder, e.Name()), maxTotal-total)
			if err != nil {
				return nil, err
			}
			f.Name = path.Join(folder, e.Name())
			if total += len(f.Data); len(out) == maxFiles {
				return nil, bad(p, 0, "has more than %d files", maxFiles).WithHint("import a part of it")
			}
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		return nil, bad(p, 0, "has no files of %s", s.Name).WithHint("%s reads %s", s.Name, s.About)
	}
	return out, nil
}

// readFile reads a regular file of at most so many bytes.
func readFile(fsys fs.FS, p string, most int) (File, error) {
	f, err := fsys.Open(p)
	if err != nil {
		return File{}, record.Errorf(record.IO, "%w", err)
	}
	defer func() { _ = f.Close() }()
	return Bytes(path.Base(p), f, most)
}

// Bytes reads a stream as a file of at most so many bytes, 64 MiB for 0.
func Bytes(name string, r io.Reader, most int) (File, error) {
	if most <= 0 {
		most = maxFile
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	switch {
	case err != nil:
		return File{}, record.Errorf(record.IO, "%s: %w", name, err)
	case len(data) > most:
		return File{}, bad(name, 0, "is longer than %d bytes", most).WithHint("import a part of it")
	}
	data = bytes.TrimPrefix(fromUTF16(data), []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(data, 0) >= 0 {
		return File{}, bad(name, 1+bytes.Count(data[:bytes.IndexByte(data, 0)], []byte("\n")), "is no text").WithHint("name the file with the tasks, not a database")
	}
	return File{name, data}, nil
}

// fromUTF16 is a text that begins with a mark of UTF-16, as spreadsheets save one, in UTF-8; any other stays as it is.
func fromUTF16(data []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return data
	}
	units := make([]uint16, 0, len(data)/2)
	for rest := data[2:]; len(rest) > 1; rest = rest[2:] {
		units = append(units, order.Uint16(rest))
	}
	return []byte(string(utf16.Decode(units)))
}
