package jsonc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Error is what is wrong with a text, and where.
type Error struct {
	Line, Column int
	Msg          string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg) }

// Doc is a text that was read. An edit returns a new text, and leaves the Doc as it is.
type Doc struct {
	src  []byte
	root hujson.Value
	eol  string // that of the text
	unit string // by which one level is indented
}

// Parse reads a text, whose outermost value must be an object. It returns an *Error for any other.
func Parse(src []byte) (*Doc, error) {
	root, err := hujson.Parse(slices.Clone(src))
	if err != nil {
		ended, again := hujson.Parse(slices.Concat(src, []byte("\n"))) // the parser wants an end of a comment on the last line
		if again != nil {
			return nil, errorOf(err)
		}
		root = ended
	}
	d := &Doc{src: src, root: root, eol: "\n", unit: "  "}
	if bytes.Contains(src, []byte("\r\n")) {
		d.eol = "\r\n"
	}
	if root.Value.Kind() != '{' {
		return nil, d.errorAt(root, "is no object")
	}
	if items := itemsOf(root); len(items) > 0 {
		if indent, alone := d.indentAt(items[0].start); alone && indent != "" {
			d.unit = indent
		}
	}
	return d, nil
}

// errorOf takes the position out of an error of the parser.
func errorOf(err error) *Error {
	text := strings.TrimPrefix(err.Error(), "hujson: ")
	e := &Error{Line: 1, Column: 1, Msg: text}
	if n, _ := fmt.Sscanf(text, "line %d, column %d:", &e.Line, &e.Column); n == 2 {
		if _, msg, ok := strings.Cut(text, ": "); ok {
			e.Msg = msg
		}
	}
	return e
}

// errorAt is an error about a value.
func (d *Doc) errorAt(v hujson.Value, msg string) *Error {
	before := d.src[:v.StartOffset]
	return &Error{1 + bytes.Count(before, []byte("\n")), v.StartOffset - bytes.LastIndexByte(before, '\n'), msg}
}

// find is the value at a path of names of members, and how many of the names led to something. It returns an *Error if
// what lies on the way is no object, or has a name twice.
func (d *Doc) find(path []string) (hujson.Value, int, error) {
	at := d.root
	for n, name := range path {
		obj, ok := at.Value.(*hujson.Object)
		if !ok {
			return at, n, d.errorAt(at, strings.Join(path[:n], ".")+" is no object")
		}
		found := -1
		for i, m := range obj.Members {
			if literal, ok := m.Name.Value.(hujson.Literal); !ok || literal.String() != name {
				continue
			}
			if found >= 0 {
				return at, n, d.errorAt(m.Name, name+" is there twice")
			}
			found = i
		}
		if found < 0 {
			return at, n, nil
		}
		at = obj.Members[found].Value
	}
	return at, len(path), nil
}

// Get returns the value at a path, and whether there is one. Its errors are those of Set.
func (d *Doc) Get(path ...string) (any, bool, error) {
	v, n, err := d.find(path)
	if err != nil || n < len(path) {
		return nil, false, err
	}
	out, err := decoded(v)
	return out, err == nil, err
}

// decoded is the value that a text says.
func decoded(v hujson.Value) (any, error) {
	plain := v.Clone()
	plain.Standardize()
	in := json.NewDecoder(bytes.NewReader(plain.Pack()))
	in.UseNumber()
	var out any
	err := in.Decode(&out)
	return out, err
}

// Set adds a member with a value, which is JSON, and returns the text and the objects that it made on the way, each by
// its path. It returns an *Error if the member is there, or if what lies on the way is no object.
func (d *Doc) Set(value string, path ...string) ([]byte, [][]string, error) {
	at, n, err := d.find(path)
	if err != nil {
		return nil, nil, err
	}
	if n == len(path) {
		return nil, nil, d.errorAt(at, strings.Join(path, ".")+" is there already")
	}
	if at.Value.Kind() != '{' {
		return nil, nil, d.errorAt(at, strings.Join(path[:n], ".")+" is no object")
	}
	return d.add(at, path, n, value)
}

// Append adds an element to the array at a path, and makes a missing one. It returns what Set does, the array among
// what was made.
func (d *Doc) Append(value string, path ...string) ([]byte, [][]string, error) {
	at, n, err := d.find(path)
	if err != nil {
		return nil, nil, err
	}
	if n < len(path) {
		out, made, err := d.add(at, path, n, "["+value+"]")
		return out, append(made, path), err
	}
	if at.Value.Kind() != '[' {
		return nil, nil, d.errorAt(at, strings.Join(path, ".")+" is no array")
	}
	return d.insert(at, "", value, nil)
}

// add adds what is missing of a path behind the first n names, which led to an object.
func (d *Doc) add(at hujson.Value, path []string, n int, value string) ([]byte, [][]string, error) {
	var made [][]string
	for i := len(path) - 1; i > n; i-- {
		value = "{" + quote(path[i]) + ":" + value + "}"
		made = append(made, path[:i])
	}
	slices.Reverse(made)
	return d.insert(at, quote(path[n])+": ", value, made)
}

// insert puts an item behind the last one of an object or an array, and proves that nothing else changed.
func (d *Doc) insert(into hujson.Value, name, value string, made [][]string) ([]byte, [][]string, error) {
	parsed, err := hujson.Parse([]byte(value))
	if err != nil {
		return nil, nil, err
	}
	open, end, items := into.StartOffset+1, into.EndOffset-1, itemsOf(into)
	outer, _ := d.indentAt(into.StartOffset)
	var cuts []splice
	if len(items) == 0 {
		at := open + len(bytes.TrimRight(d.src[open:end], " \t\r\n"))
		inner := outer + d.unit
		cuts = []splice{{at, end, d.eol + inner + name + d.render(parsed, inner) + d.eol + outer}}
	} else {
		last := items[len(items)-1]
		comma := d.comma(last.end, end)
		at := last.end + len(bytes.TrimRight(d.src[last.end:end], " \t\r\n"))
		before, inline := " ", !bytes.ContainsRune(d.src[open:items[0].start], '\n') && !bytes.ContainsRune(d.src[last.end:end], '\n')
		text := ""
		if inline {
			text = name + compact(parsed)
		} else {
			inner, alone := d.indentAt(last.start)
			if !alone {
				inner = outer + d.unit
			}
			before, text = d.eol+inner, name+d.render(parsed, inner)
		}
		switch {
		case comma >= 0:
			cuts = []splice{{at, at, before + text + ","}}
		default:
			cuts = []splice{{last.end, last.end, ","}, {at, at, before + text}}
		}
	}
	out := apply(d.src, cuts)
	return out, made, d.proved(out, into, name)
}

// proved returns an error unless a text says what this one says, and one more thing.
func (d *Doc) proved(out []byte, into hujson.Value, name string) error {
	after, err := Parse(out)
	if err != nil {
		return err
	}
	path := d.pathOf(into)
	at, n, err := after.find(path)
	if err != nil || n < len(path) {
		return d.errorAt(into, "cannot be edited")
	}
	items := itemsOf(at)
	undone, err := after.removed(at, len(items)-1)
	if err != nil {
		return err
	}
	was, err1 := decoded(d.root)
	is, err2 := decoded(undone.root)
	if err1 != nil || err2 != nil || !reflect.DeepEqual(was, is) || len(items) != len(itemsOf(into))+1 {
		return d.errorAt(into, "cannot be edited without a change of something else ("+name+")")
	}
	return nil
}

// pathOf is the path of an object or an array of the Doc.
func (d *Doc) pathOf(v hujson.Value) []string {
	var walk func(at hujson.Value) ([]string, bool)
	walk = func(at hujson.Value) ([]string, bool) {
		if at.StartOffset == v.StartOffset && at.EndOffset == v.EndOffset {
			return nil, true
		}
		if obj, ok := at.Value.(*hujson.Object); ok {
			for _, m := range obj.Members {
				if m.Value.StartOffset > v.StartOffset || m.Value.EndOffset < v.EndOffset {
					continue
				}
				if rest, ok := walk(m.Value); ok {
					return append([]string{m.Name.Value.(hujson.Literal).String()}, rest...), true
				}
			}
		}
		return nil, false
	}
	path, _ := walk(d.root)
	return path
}

// Remove takes the member at a path out. A missing one is no error, and the text stays as it is.
func (d *Doc) Remove(path ...string) ([]byte, error) {
	at, n, err := d.find(path)
	if err != nil || n < len(path) {
		return d.src, err
	}
	parent, _, err := d.find(path[:len(path)-1])
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(itemsOf(parent), func(it span) bool { return it.start < at.StartOffset && it.end == at.EndOffset })
	return d.RemoveAt(i, path[:len(path)-1]...)
}

// RemoveAt takes an item out of the object or the array at a path, by its index.
func (d *Doc) RemoveAt(i int, path ...string) ([]byte, error) {
	at, n, err := d.find(path)
	if err != nil {
		return nil, err
	}
	if n < len(path) || i < 0 || i >= len(itemsOf(at)) {
		return nil, d.errorAt(at, "has no such item")
	}
	out, err := d.removed(at, i)
	if err != nil {
		return nil, err
	}
	return out.src, nil
}

// removed is the Doc without an item of an object or an array. Comments around the item stay.
func (d *Doc) removed(from hujson.Value, i int) (*Doc, error) {
	open, end, items := from.StartOffset+1, from.EndOffset-1, itemsOf(from)
	it, limit := items[i], end
	if i+1 < len(items) {
		limit = items[i+1].start
	}
	start := len(bytes.TrimRight(d.src[:it.start], " \t\r\n"))
	cuts := []splice{{max(start, open), it.end, ""}}
	comma := d.comma(it.end, limit)
	switch {
	case comma >= 0:
		cuts = append(cuts, splice{comma, comma + 1, ""})
	case i > 0:
		before := d.comma(items[i-1].end, it.start)
		cuts = append(cuts, splice{before, before + 1, ""})
	}
	if len(items) == 1 { // nothing but white space is left: the object is made empty
		rest := apply(d.src[open:end], shifted(cuts, -open))
		if len(bytes.TrimSpace(rest)) == 0 {
			cuts = []splice{{open, end, ""}}
		}
	}
	return Parse(apply(d.src, cuts))
}

// comma is where the comma behind an item stands, up to a limit; -1 if there is none.
func (d *Doc) comma(from, limit int) int {
	for i := from; i < limit; i++ {
		switch rest := d.src[i:limit]; {
		case rest[0] == ',':
			return i
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				return -1
			}
			i += n
		case bytes.HasPrefix(rest, []byte("/*")):
			i += bytes.Index(rest, []byte("*/")) + 1
		}
	}
	return -1
}

// indentAt is the white space at the start of the line of an offset, and whether nothing else stands before it.
func (d *Doc) indentAt(at int) (string, bool) {
	line := d.src[bytes.LastIndexByte(d.src[:at], '\n')+1 : at]
	rest := bytes.TrimLeft(line, " \t")
	return string(line[:len(line)-len(rest)]), len(rest) == 0
}

// span is where an item of an object or an array lies: with the name of a member, without the white space and the comma
// around it.
type span struct{ start, end int }

func itemsOf(v hujson.Value) []span {
	var out []span
	switch v := v.Value.(type) {
	case *hujson.Object:
		for _, m := range v.Members {
			out = append(out, span{m.Name.StartOffset, m.Value.EndOffset})
		}
	case *hujson.Array:
		for _, e := range v.Elements {
			out = append(out, span{e.StartOffset, e.EndOffset})
		}
	}
	return out
}

// splice replaces the bytes between two offsets.
type splice struct {
	from, to int
	text     string
}

func shifted(cuts []splice, by int) []splice {
	out := slices.Clone(cuts)
	for i := range out {
		out[i].from, out[i].to = out[i].from+by, out[i].to+by
	}
	return out
}

// apply makes splices that do not overlap.
func apply(src []byte, cuts []splice) []byte {
	cuts = slices.Clone(cuts)
	slices.SortStableFunc(cuts, func(a, b splice) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, c := range cuts {
		out = append(append(out, src[at:c.from]...), c.text...)
		at = c.to
	}
	return append(out, src[at:]...)
}

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // a text
	}
	return string(raw)
}

// render writes a value on several lines. Arrays of texts and numbers stay on one.
func (d *Doc) render(v hujson.Value, indent string) string {
	inner := indent + d.unit
	switch c := v.Value.(type) {
	case *hujson.Object:
		var lines []string
		for _, m := range c.Members {
			lines = append(lines, inner+string(m.Name.Value.(hujson.Literal))+": "+d.render(m.Value, inner))
		}
		return d.block("{", "}", lines, indent)
	case *hujson.Array:
		if !slices.ContainsFunc(c.Elements, func(e hujson.Value) bool { return e.Value.Kind() == '{' || e.Value.Kind() == '[' }) {
			return compact(v)
		}
		var lines []string
		for _, e := range c.Elements {
			lines = append(lines, inner+d.render(e, inner))
		}
		return d.block("[", "]", lines, indent)
	default:
		return compact(v)
	}
}

func (d *Doc) block(open, end string, lines []string, indent string) string {
	if len(lines) == 0 {
		return open + end
	}
	return open + d.eol + strings.Join(lines, ","+d.eol) + d.eol + indent + end
}

// compact writes a value on one line.
func compact(v hujson.Value) string {
	var parts []string
	switch c := v.Value.(type) {
	case *hujson.Object:
		for _, m := range c.Members {
			parts = append(parts, string(m.Name.Value.(hujson.Literal))+": "+compact(m.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case *hujson.Array:
		for _, e := range c.Elements {
			parts = append(parts, compact(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case hujson.Literal:
		return string(c)
	}
	return ""
}
