package frontmatter

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// checkFile refuses what no text file holds.
func checkFile(src []byte) *Error {
	if len(src) > MaxFile {
		return &Error{TooLarge: true, Msg: fmt.Sprintf("the file has %d bytes; at most %d are read", len(src), MaxFile)}
	}
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return errorAt(src, i, "NUL byte: this is not a text file")
	}
	if !utf8.Valid(src) {
		return errorAt(src, invalidUTF8(src), "invalid UTF-8")
	}
	return nil
}

func invalidUTF8(src []byte) int {
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(src)
}

// checkFront refuses what the YAML parser would misread, or refuse without saying where.
func checkFront(src []byte, from, to int) *Error {
	if to-from > MaxFront {
		return &Error{Line: 1, TooLarge: true, Msg: fmt.Sprintf("the front matter has %d bytes; at most %d are read", to-from, MaxFront)}
	}
	for i := from; i < to; {
		r, size := utf8.DecodeRune(src[i:to])
		switch {
		case !allowed(r):
			return errorAt(src, i, fmt.Sprintf("character %U is not allowed in YAML", r))
		case r == 0x85 || r == 0x2028 || r == 0x2029:
			return errorAt(src, i, fmt.Sprintf("character %U ends a line to some readers of YAML and not to others; write it as \\u%04X in double quotes", r, r))
		}
		i += size
	}
	return findMarkers(src, from, to, "<<<<<<< ")
}

// checkBreaks refuses a CR alone where other lines end with an LF: what follows it is a line to YAML, and to many editors and
// other programs the rest of a comment. src is the file up to its body.
func checkBreaks(src []byte) *Error {
	if bytes.IndexByte(src, '\n') < 0 {
		return nil // every line ends with CR, as on old Macs
	}
	for i := 0; i < len(src); i++ {
		n := bytes.IndexByte(src[i:], '\r')
		if n < 0 {
			return nil
		}
		if i += n; i+1 == len(src) || src[i+1] != '\n' {
			return errorAt(src, i, "a carriage return alone ends this line, and others end with a line feed; end all lines alike")
		}
	}
	return nil
}

// allowed reports whether YAML lets a character stand as itself. The byte order mark is left out, although YAML allows
// it, because yaml.v3 drops the character after it.
func allowed(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return true
	case r < 0x20, r >= 0x7F && r < 0xA0, r == 0xFEFF, r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return true
}

// findMarkers refuses a line that begins like one of the markers that git leaves around a conflict.
func findMarkers(src []byte, from, to int, markers ...string) *Error {
	for i := from; i < to; i = afterLine(src[:to], i) {
		for _, m := range markers {
			if bytes.HasPrefix(src[i:to], []byte(m)) {
				return conflictMarkers(fileLine(src, i))
			}
		}
	}
	return nil
}

func isMarker(line []byte) bool {
	return bytes.HasPrefix(line, []byte("<<<<<<< "))
}

func conflictMarkers(line int) *Error {
	return &Error{Line: line, Conflict: true, Msg: "conflict markers: a merge was not finished; settle it in an editor"}
}

// errorAt makes an error that points at src[i].
func errorAt(src []byte, i int, msg string) *Error {
	line := max(bytes.LastIndexByte(src[:i], '\n'), bytes.LastIndexByte(src[:i], '\r')) + 1
	column := utf8.RuneCount(bytes.TrimPrefix(src[line:i], []byte(bom))) + 1
	return &Error{Line: fileLine(src, i), Column: column, Msg: msg}
}
