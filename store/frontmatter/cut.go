package frontmatter

import "bytes"

const bom = "\ufeff"

// cut finds the YAML, src[from:to], and the body, src[body:].
//
// In Markdown the YAML lies between a first line of exactly --- and the next such line; later ones belong to the body.
// Spaces and tabs after the three dashes are tolerated, and so is a byte order mark before the first.
func cut(src []byte, kind Kind) (from, to, body int, err *Error) {
	if bytes.HasPrefix(src, []byte(bom)) {
		from = len(bom)
	}
	if len(bytes.TrimSpace(src[from:])) == 0 {
		return 0, 0, 0, &Error{Msg: "the file is empty", Incomplete: true}
	}
	if kind == YAML {
		return from, len(src), len(src), nil
	}
	if !isFence(src, from) {
		return 0, 0, 0, noFence(src, from)
	}
	from = afterLine(src, from)
	for to = from; to < len(src); to = afterLine(src, to) {
		if isFence(src, to) {
			return from, to, afterLine(src, to), nil
		}
	}
	return 0, 0, 0, &Error{Line: 1, Msg: "the front matter is not closed: no second line of ---", Incomplete: true}
}

// BodyOf returns the body of a Markdown file, without reading the YAML above it; nil where there is no front matter.
func BodyOf(src []byte) []byte {
	_, _, body, err := cut(src, Markdown)
	if err != nil {
		return nil
	}
	return src[body:]
}

func noFence(src []byte, from int) *Error {
	if isMarker(src[from:]) {
		return conflictMarkers(1)
	}
	// A writer that fills the file byte by byte has got this far.
	midway := bytes.HasPrefix([]byte("---"), src[from:])
	return &Error{Line: 1, Msg: "no front matter: the first line is not ---", Incomplete: midway}
}

// isFence reports whether the line that begins at i is --- and nothing but blanks.
func isFence(src []byte, i int) bool {
	line := src[i:endOfLine(src, i)]
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.TrimRight(line[3:], " \t")) == 0
}

// endOfLine and afterLine go by the endings that editors and other readers of front matter know: LF, CRLF and CR.
func endOfLine(src []byte, i int) int {
	if n := bytes.IndexAny(src[i:], "\r\n"); n >= 0 {
		return i + n
	}
	return len(src)
}

func afterLine(src []byte, i int) int {
	i = endOfLine(src, i)
	if i < len(src) {
		i += breakLen(src, i)
	}
	return i
}
