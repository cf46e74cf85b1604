package task

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/record"
)

// A scope is a list of globs, which say what files something is about. A glob is a path below the workspace's folder,
// with forward slashes. In it * stands for any part of one name, ? for one character of it, and a name ** for any
// number of folders, none included. Every other character, brackets too, stands for itself. A glob whose last name has
// neither * nor ? is about that file or folder, and about all that lies in the folder.

// MaxScope is how many globs a scope may have.
const MaxScope = 100

const (
	anyFolders = "**"
	maxNames   = 64 // in a glob
)

// Glob is a glob of a scope, or a path, which is a glob without * and ?.
type Glob struct{ names []string }

// ParseGlob reads a glob. A ./ in front means nothing, and a slash at the end that a folder is meant. It returns
// INVALID_INPUT for what leaves the workspace, and for patterns that globs do not have.
func ParseGlob(s string) (Glob, error) {
	bad := func(format string, args ...any) (Glob, error) {
		return Glob{}, record.Errorf(record.InvalidInput, "scope %q "+format, append([]any{record.Clip(s, 100)}, args...)...).
			WithHint("a scope is a path in the workspace with forward slashes, such as src/auth/**, docs/*.md or go.mod")
	}
	path := s
	for strings.HasPrefix(path, "./") {
		path = path[2:]
	}
	folder := strings.HasSuffix(path, "/")
	names := strings.Split(strings.TrimSuffix(path, "/"), "/")
	switch {
	case record.ValidLine("scope", s) != nil:
		return bad("is not one line of text of at most %d bytes", record.MaxLine)
	case strings.ContainsAny(s, `\{}`):
		return bad("has a backslash or a brace")
	case strings.HasPrefix(s, "/") || strings.HasPrefix(s, "!") || len(names) > maxNames:
		return bad("is no path in the workspace")
	}
	for _, name := range names {
		switch {
		case name == "" || name == "." || name == "..":
			return bad("is no path in the workspace")
		case name != anyFolders && strings.Contains(name, anyFolders):
			return bad("has ** within a name, which only stands for whole folders")
		}
	}
	g := Glob{names}
	if folder {
		g = g.Folder()
	}
	return g, nil
}

// GlobOfPath is the glob of a path as git has it, whatever its names are. A character that globs give a meaning stands for
// any.
func GlobOfPath(path string) Glob {
	return Glob{strings.Split(strings.NewReplacer("*", "?", "?", "?").Replace(path), "/")}
}

// Folder is the glob as one of a folder: of it, and of all that lies in it.
func (g Glob) Folder() Glob {
	if len(g.names) > 0 && g.names[len(g.names)-1] == anyFolders {
		return g
	}
	return Glob{append(slices.Clone(g.names), anyFolders)}
}

// Scope is the glob as a scope means it: one that ends with a plain name means what lies in that folder too.
func (g Glob) Scope() Glob {
	if len(g.names) == 0 || !plainName(g.names[len(g.names)-1]) {
		return g
	}
	return g.Folder()
}

// Everything reports whether a glob is about every file there is.
func (g Glob) Everything() bool {
	return len(g.names) > 0 && !slices.ContainsFunc(g.names, func(name string) bool { return name != anyFolders })
}

// Meets reports whether there can be a path that both globs stand for.
func (g Glob) Meets(other Glob) bool {
	return meet(g.names, other.names, func(name string) bool { return name == anyFolders }, func(a, b string) bool {
		if plainName(a) && plainName(b) {
			return a == b
		}
		return meet([]rune(a), []rune(b), func(r rune) bool { return r == '*' }, func(a, b rune) bool { return a == b || a == '?' || b == '?' })
	})
}

func plainName(name string) bool { return !strings.ContainsAny(name, "*?") }

// meet reports whether two patterns can stand for the same. In both, an element that is wide stands for any number of
// others; both says whether two that are not can stand for the same one.
func meet[E any](a, b []E, wide func(E) bool, both func(a, b E) bool) bool {
	next := make([]bool, len(b)+1) // for a from i+1 on, and b from each position on
	row := make([]bool, len(b)+1)
	for i := len(a); i >= 0; i-- {
		for j := len(b); j >= 0; j-- {
			switch {
			case i == len(a) && j == len(b):
				row[j] = true
			case i < len(a) && wide(a[i]):
				row[j] = next[j] || j < len(b) && row[j+1]
			case j < len(b) && wide(b[j]):
				row[j] = row[j+1] || i < len(a) && next[j]
			default:
				row[j] = i < len(a) && j < len(b) && next[j+1] && both(a[i], b[j])
			}
		}
		next, row = row, next
	}
	return next[0]
}

// ScopeOf returns the globs of a list, as scopes mean them. One that is not valid, as an edit by hand can leave it, is
// left out.
func ScopeOf(list []string) []Glob {
	var out []Glob
	for _, s := range list {
		if g, err := ParseGlob(s); err == nil {
			out = append(out, g.Scope())
		}
	}
	return out
}

// ValidScope returns INVALID_INPUT for a list that is no scope.
func ValidScope(list []string) error {
	for _, s := range list {
		if _, err := ParseGlob(s); err != nil {
			return err
		}
	}
	return nil
}

// pathWord reports whether a word of a text looks like a path: it has a slash in it, or a dot with a letter behind it.
func pathWord(word string) bool {
	dot := strings.LastIndexByte(word, '.')
	return strings.Contains(word, "/") || dot >= 0 && dot+1 < len(word) && 'a' <= word[dot+1]|0x20 && word[dot+1]|0x20 <= 'z'
}

// Mention is a path that a text names.
type Mention struct {
	Path  string // with forward slashes, and perhaps with * and ? in it; ParseGlob reads it
	Deep  bool   // it is a folder by how it is written, and stands for what lies in it
	Plain bool   // it is one name without an ending between backquotes, and may be a word that is no path
}

const (
	mostRead     = 64 << 10 // bytes of a text that are searched for paths
	mostMentions = 300
)

// Mentions lists the paths that a text names, in its order: words with a slash or an ending, and what stands between
// backquotes. An address on the net is none, and neither is what leaves the workspace. Of a long text the beginning is
// read.
func Mentions(text string) []Mention {
	if len(text) > mostRead {
		most := mostRead
		for most > 0 && !utf8.RuneStart(text[most]) { // never part of a character
			most--
		}
		text = text[:most]
	}
	var out []Mention
	seen := map[string]bool{}
	add := func(word string, plain bool) {
		word = strings.TrimPrefix(trimWord(word), "./")
		if strings.HasSuffix(word, "/...") { // a Go package and those below it
			word = strings.TrimSuffix(word, "...")
		}
		if plain = plain && !pathWord(word); !plain && !pathWord(word) || seen[word] || strings.Contains(word, "://") || len(out) == mostMentions {
			return
		}
		if _, err := ParseGlob(word); err != nil {
			return
		}
		seen[word] = true
		out = append(out, Mention{strings.TrimSuffix(word, "/"), strings.HasSuffix(word, "/"), plain})
	}
	for i, part := range strings.Split(text, "`") {
		words := strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'()[]{}<>|;,=&$", r) })
		for _, word := range words {
			add(word, i%2 == 1 && len(words) == 1)
		}
	}
	return out
}

// trimWord takes off what stands around a path in a sentence: marks, and the number of a line behind it.
func trimWord(word string) string {
	word = strings.Trim(word, "!?:,")
	for _, mark := range []string{"**", "*", "_"} { // emphasis
		if strings.HasPrefix(word, mark) && strings.HasSuffix(word, mark) {
			word = strings.TrimSuffix(strings.TrimPrefix(word, mark), mark)
		}
	}
	if !strings.HasSuffix(word, "...") {
		word = strings.TrimRight(word, ".")
	}
	for range 2 { // of a line, and of a column
		at := strings.LastIndexByte(word, ':')
		if at <= 0 || strings.Trim(word[at+1:], "0123456789") != "" {
			break
		}
		word = word[:at]
	}
	return word
}

// OutsideOf lists the paths that no glob matches. Without a glob every path is inside.
func OutsideOf(scope, paths []string) []string {
	globs := ScopeOf(scope)
	if len(globs) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		p, err := ParseGlob(path)
		plain := !strings.ContainsAny(path, "*?") // a file whose name looks like a pattern is not matched as one
		return err == nil && slices.ContainsFunc(globs, func(g Glob) bool { return g.Everything() || plain && g.Meets(p) })
	})
}
