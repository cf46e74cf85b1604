package web

import (
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
)

// diffFile is what a diff says of a file.
type diffFile struct {
	Name    string
	Was     string   // its name before, or the file that it is a copy of
	Marks   []string // what changed beside lines, in words
	Loose   bool     // it is not committed
	Binary  bool     // its lines are not in the diff
	Added   int      // lines
	Deleted int
	Lines   []diffLine
	More    int // lines that are not among them

	link bool
	room int // bytes that are left for lines
}

type diffLine struct {
	Sort string // add, del, hunk or same
	Text string
	At   string // where it stands, for a comment: file and line
	N    int    // its number in the new file; 0 for one that is not there
	Said []said // about it
}

// said is what somebody wrote about a line.
type said struct {
	By   record.Actor
	Text string
}

// Limits of what a page shows of a diff. Of what goes beyond them it says so.
const (
	linesOfFile = 2000
	linesOfPage = 20000
	roomOfFile  = 256 << 10 // bytes
	roomOfPage  = 4 << 20
)

// patch is a diff of git that is being read.
type patch struct {
	files []diffFile
	loose bool
	n     int // the number of the next line in the new file; 0 in the head of a file
	lines int // that are left for the page
	room  int // bytes, likewise
}

// filesOf reads a diff of git as its files: all of them, each with its first lines.
func filesOf(text string) []diffFile {
	p := patch{lines: linesOfPage, room: roomOfPage}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if names, ok := strings.CutPrefix(line, "diff --git "); ok {
			p.files = append(p.files, diffFile{Name: nameOf(names), Loose: p.loose, room: roomOfFile})
			p.n = 0
		} else if line == trees.NotCommitted {
			p.loose = true
		} else if len(p.files) > 0 {
			p.read(&p.files[len(p.files)-1], line)
		}
	}
	return p.files
}

// nameOf is the name in the first line of a file: that twice, but for a renamed one, whose head says it again.
func nameOf(names string) string {
	half := len(names) / 2
	if name := unquoted(names[half+1:], "b/"); len(names)%2 == 1 && unquoted(names[:half], "a/") == name {
		return name
	}
	return names[strings.LastIndex(names, " ")+1:]
}

// unquoted is a name as git writes it, without what stands before it.
func unquoted(name, before string) string {
	if plain, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
		name = plain
	}
	return strings.TrimPrefix(name, before)
}

func (p *patch) read(f *diffFile, line string) {
	one := diffLine{Sort: "same", Text: line}
	switch {
	case strings.HasPrefix(line, "@@"):
		one.Sort, p.n = "hunk", hunkStart(line)
	case p.n == 0:
		f.head(line)
		return
	case strings.HasPrefix(line, `\`):
	case strings.HasPrefix(line, "+"):
		one.Sort, one.At, one.N = "add", at(f.Name, p.n), p.n
		f.Added++
		p.n++
	case strings.HasPrefix(line, "-"):
		one.Sort, one.At = "del", at(f.Name, p.n)
		f.Deleted++
	default:
		one.At, one.N = at(f.Name, p.n), p.n
		p.n++
	}
	if f.link && one.Sort == "add" {
		f.mark("symbolic link to " + line[1:])
	}
	if f.More > 0 || len(f.Lines) == linesOfFile || p.lines == 0 || len(line) > min(f.room, p.room) {
		f.More++
		return
	}
	p.lines, p.room, f.room = p.lines-1, p.room-len(line), f.room-len(line)
	f.Lines = append(f.Lines, one)
}

func (f *diffFile) mark(text string) { f.Marks = append(f.Marks, text) }

// head reads a line of the head of a file.
func (f *diffFile) head(line string) {
	for _, known := range []struct {
		begins string
		read   func(rest string)
	}{
		{"new file mode ", func(mode string) { f.mark("new"); f.mode(mode, "executable") }},
		{"deleted file mode ", func(mode string) { f.mark("deleted"); f.mode(mode, "") }},
		{"old mode 100755", func(string) { f.mark("no longer executable") }},
		{"new mode ", func(mode string) { f.mode(mode, "now executable") }},
		{"rename from ", func(name string) { f.Was = unquoted(name, ""); f.mark("renamed from " + f.Was) }},
		{"copy from ", func(name string) { f.Was = unquoted(name, ""); f.mark("copied from " + f.Was) }},
		{"rename to ", func(name string) { f.Name = unquoted(name, "") }},
		{"copy to ", func(name string) { f.Name = unquoted(name, "") }},
		{"index ", func(ids string) { _, mode, _ := strings.Cut(ids, " "); f.mode(mode, "") }},
		{"GIT binary patch", func(string) { f.Binary = true }},
		{"Binary files ", func(string) { f.Binary = true; f.mark("binary, or large") }},
		{"literal ", func(size string) { f.size(size) }},
		{"delta ", func(string) { f.size("") }},
	} {
		if rest, ok := strings.CutPrefix(line, known.begins); ok {
			known.read(rest)
		}
	}
}

// mode reads the mode of a file, for which there is a word where it is executable.
func (f *diffFile) mode(mode, executable string) {
	switch mode {
	case "100755":
		if executable != "" {
			f.mark(executable)
		}
	case "120000":
		f.link = true
		if len(f.Marks) > 0 && f.Marks[0] == "deleted" {
			f.mark("symbolic link")
		}
	case "160000":
		f.mark("nested repository")
	}
}

// size reads how large a binary file is, which is said of the new one first.
func (f *diffFile) size(bytes string) {
	if last := len(f.Marks) - 1; last >= 0 && strings.HasPrefix(f.Marks[last], "binary") {
		return
	}
	if n, err := strconv.ParseInt(bytes, 10, 64); err == nil && n > 0 {
		f.mark("binary, " + sizeOf(n))
	} else {
		f.mark("binary")
	}
}

func at(file string, line int) string { return file + ":" + itoa(line) }
