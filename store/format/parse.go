package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

const bom = "\ufeff"

// splitFile finds the YAML, src[from:to], and the body, src[body:].
//
// In Markdown the YAML is between a first line of exactly --- and the next such line; later ones belong to the body.
// Spaces and tabs after the three dashes are allowed, and so is a byte order mark before the first.
func splitFile(src []byte, kind Kind) (from, to, body int, err *Error) {
	if bytes.HasPrefix(src, []byte(bom)) {
		from = len(bom)
	}
	if len(bytes.TrimSpace(src[from:])) == 0 {
		return 0, 0, 0, &Error{Msg: "the file is empty", Incomplete: true}
	}
	if kind == YAML {
		return from, len(src), len(src), nil
	}
	switch {
	case isFence(src, from):
	case bytes.HasPrefix(src[from:], []byte(firstMarker)):
		return 0, 0, 0, conflictMarkers(1)
	default:
		// The file may be the first one or two dashes of one that is being written.
		incomplete := bytes.HasPrefix([]byte("---"), src[from:])
		return 0, 0, 0, &Error{Line: 1, Msg: "no front matter: the first line is not ---", Incomplete: incomplete}
	}
	from = afterLine(src, from)
	for to = from; to < len(src); to = afterLine(src, to) {
		if isFence(src, to) {
			return from, to, afterLine(src, to), nil
		}
	}
	return 0, 0, 0, &Error{Line: 1, Msg: "the front matter is not closed: no second line of ---", Incomplete: true}
}

// isFence reports whether the line that begins at i is --- and then only blanks.
func isFence(src []byte, i int) bool {
	if !bytes.HasPrefix(src[i:], []byte("---")) {
		return false
	}
	return len(bytes.TrimRight(src[i+3:endOfLine(src, i)], " \t")) == 0
}

// checkFile refuses files that are too large or not text.
func checkFile(src []byte) *Error {
	if len(src) > MaxFile {
		return &Error{TooLarge: true, Msg: fmt.Sprintf("the file has %d bytes; at most %d are read", len(src), MaxFile)}
	}
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return errorAt(src, i, "NUL byte: this is not a text file")
	}
	if !utf8.Valid(src) {
		i := 0
		for r, size := utf8.DecodeRune(src); r != utf8.RuneError || size != 1; r, size = utf8.DecodeRune(src[i:]) {
			i += size
		}
		return errorAt(src, i, "invalid UTF-8")
	}
	return nil
}

// checkFront refuses YAML that yaml.v3 would misread, or refuse without naming the line.
func checkFront(src []byte, from, to int) *Error {
	if to-from > MaxFront {
		return &Error{Line: 1, TooLarge: true, Msg: fmt.Sprintf("the front matter has %d bytes; at most %d are read", to-from, MaxFront)}
	}
	for i := from; i < to; {
		if i+8 <= to && ordinaryASCII(binary.LittleEndian.Uint64(src[i:])) {
			i += 8
			continue
		}
		r, size := utf8.DecodeRune(src[i:to])
		switch {
		case !allowed(r):
			return errorAt(src, i, fmt.Sprintf("character %U is not allowed in YAML", r))
		case r == 0x85 || r == 0x2028 || r == 0x2029:
			return errorAt(src, i, fmt.Sprintf("character %U is a line break to some YAML readers and not to others; write it as \\u%04X in double quotes", r, r))
		}
		i += size
	}
	return findMarkers(src, from, to, firstMarker)
}

// ordinaryASCII reports whether all eight bytes of a word are visible ASCII or spaces. Nearly all words of a file are
// such.
func ordinaryASCII(word uint64) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	del := word ^ 0x7F*each // has a byte of 0 where the word has a DEL
	return (word|(word-' '*each)|(del-each)&^del)&high == 0
}

// allowed reports whether a character may be written in YAML without an escape. YAML allows the byte order mark too,
// but yaml.v3 drops the character after it, so it is refused.
func allowed(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return true
	case r < 0x20, r >= 0x7F && r < 0xA0, r == 0xFEFF, r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return true
}

// checkBreaks refuses a CR alone in a file whose other lines end with LF. To YAML a new line follows it, but to many
// editors and programs what follows is still the same line, so a key could hide in a comment. src is the file up to its
// body.
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
			return errorAt(src, i, "this line ends with a lone carriage return, and others with a line feed; end all lines the same way")
		}
	}
	return nil
}

// The lines that git leaves around and inside a conflict begin with these.
const (
	firstMarker  = "<<<<<<< "
	baseMarker   = "||||||| "
	middleMarker = "======="
	lastMarker   = ">>>>>>> "
)

// findMarkers refuses lines of src[from:to] that begin with one of the given conflict markers.
func findMarkers(src []byte, from, to int, markers ...string) *Error {
	somewhere := func(m string) bool { return bytes.Contains(src[from:to], []byte(m)) }
	if !slices.ContainsFunc(markers, somewhere) {
		return nil
	}
	for i := from; i < to; i = afterLine(src[:to], i) {
		for _, m := range markers {
			if bytes.HasPrefix(src[i:to], []byte(m)) {
				return conflictMarkers(fileLine(src, i))
			}
		}
	}
	return nil
}

func conflictMarkers(line int) *Error {
	return &Error{Line: line, Conflict: true, Msg: "conflict markers: a merge was not finished; resolve the conflict in an editor"}
}

// yamlTree parses the YAML with yaml.v3 and returns its top mapping.
func yamlTree(l *locator) (*Node, *Error) {
	docs, err := decode(l.src[l.from:l.to])
	if err != nil {
		if e := findMarkers(l.src, l.from, l.to, middleMarker, lastMarker, baseMarker); e != nil {
			return nil, e
		}
		return nil, yamlError(l.scanner, err)
	}
	if len(docs) > 1 {
		return nil, l.errorAt(docs[1], "a second YAML document; only one is read")
	}
	if len(docs) == 0 || isNothing(docs[0].Content[0]) {
		return &Node{Kind: MappingNode, Tag: "!!map"}, nil
	}
	root := docs[0].Content[0]
	if root.Kind != MappingNode {
		return nil, l.errorAt(root, "the YAML is not a mapping of keys to values")
	}
	return root, nil
}

// isNothing reports whether a node is the null of a value that is not written, as after a colon at the end of a line.
func isNothing(n *Node) bool {
	return n.Kind == ScalarNode && n.Tag == "!!null" && n.Value == "" && n.Anchor == ""
}

// decode returns the first YAML document, and the second if there is one. yaml.v3 can panic on odd input; that becomes
// an error.
func decode(src []byte) (docs []*Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			docs, err = nil, fmt.Errorf("the YAML parser failed: %v", r)
		}
	}()
	for dec := NewDecoder(bytes.NewReader(src)); len(docs) < 2; {
		var n Node
		switch err := dec.Decode(&n); {
		case errors.Is(err, io.EOF):
			return docs, nil
		case err != nil:
			return nil, err
		}
		docs = append(docs, &n)
	}
	return docs, nil
}

var (
	yamlLine      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^line (\d+): `) })
	unknownAnchor = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^unknown anchor '(.*)' referenced$`) })
)

// yamlError turns an error of yaml.v3, which counts lines from the start of the YAML, into an *Error.
func yamlError(s scanner, err error) *Error {
	from := s.lineStart(s.skip(s.from, ""))
	if from > s.from {
		// For some errors in a mapping that begins below the first line, yaml.v3 names the mapping's line. Without the
		// lines above it names the right one.
		if _, err2 := decode(s.src[from:s.to]); err2 != nil {
			err = err2
		}
	}
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	row := s.row(from)
	if m := yamlLine().FindStringSubmatch(msg); m != nil {
		line, _ := strconv.Atoi(m[1])
		msg = msg[len(m[0]):]
		if row += line; !countsFromZero(msg) {
			row--
		}
	} else if m := unknownAnchor().FindStringSubmatch(msg); m != nil {
		row = s.row(findAlias(s, m[1]))
	}
	starts := s.lines().starts
	return &Error{Line: fileLine(s.src, starts[min(row, len(starts)-1)]), Msg: "not valid YAML: " + msg}
}

// findAlias returns the offset of the first use of an alias. There is no tree to search, so it searches the text, and
// passes over lines with a # before the alias.
func findAlias(s scanner, name string) int {
	alias := regexp.MustCompile(`(?:^|[\s\[{,])(\*` + regexp.QuoteMeta(name) + `)(?:[\s,\]}]|$)`)
	for _, at := range alias.FindAllSubmatchIndex(s.src[s.from:s.to], -1) {
		off := s.from + at[2]
		if bytes.IndexByte(s.src[s.lineStart(off):off], '#') < 0 {
			return off
		}
	}
	return s.from
}

// countsFromZero reports whether a message comes from the part of yaml.v3 that counts lines from 0.
func countsFromZero(msg string) bool {
	switch msg {
	case "did not find expected key", "did not find expected '-' indicator", "did not find expected node content",
		"did not find expected ',' or ']'", "did not find expected ',' or '}'", "did not find expected <document start>",
		"found undefined tag handle", "found duplicate %TAG directive", "found duplicate %YAML directive",
		"found incompatible YAML document":
		return true
	}
	return false
}
