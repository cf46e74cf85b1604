package jsonc

import (
	"bytes"
	"cmp"
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

const space = " \t\r\n"

// read reads a text as a value of its own, which can be edited.
func read(src []byte) (hujson.Value, error) {
	root, err := hujson.Parse(slices.Clone(src))
	if err == nil {
		return root, nil
	}
	root, again := hujson.Parse(slices.Concat(src, []byte("\n"))) // the parser wants an end of a comment on the last line
	if again == nil {
		root.AfterExtra = root.AfterExtra[:len(root.AfterExtra)-1]
		return root, nil
	}
	text := strings.TrimPrefix(err.Error(), "hujson: ")
	e := &Error{Line: 1, Column: 1, Msg: text}
	if n, _ := fmt.Sscanf(text, "line %d, column %d:", &e.Line, &e.Column); n == 2 {
		_, e.Msg, _ = strings.Cut(text, ": ")
	}
	return root, e
}

// Parse reads a text, whose outermost value must be an object. It returns an *Error for any other.
func Parse(src []byte) (*Doc, error) {
	root, err := read(src)
	if err != nil {
		return nil, err
	}
	d := &Doc{src: src, root: root, eol: "\n", unit: "  "}
	if bytes.Contains(src, []byte("\r\n")) {
		d.eol = "\r\n"
	}
	if root.Value.Kind() != '{' {
		return nil, d.errorAt(&root, "is no object")
	}
	if items, _ := itemsOf(&root); len(items) > 0 {
		if indent, alone := d.indentAt(items[0].begin()); alone && indent != "" {
			d.unit = indent
		}
	}
	return d, nil
}

// errorAt is an error about a value.
func (d *Doc) errorAt(v *hujson.Value, msg string) *Error {
	before := d.src[:v.StartOffset]
	return &Error{1 + bytes.Count(before, []byte("\n")), v.StartOffset - bytes.LastIndexByte(before, '\n'), msg}
}

// item is a member of an object, or an element of an array, which has no name.
type item struct{ name, value *hujson.Value }

func (it item) first() *hujson.Value { return cmp.Or(it.name, it.value) }
func (it item) begin() int           { return it.first().StartOffset }

// itemsOf lists the items of an object or an array, and what stands behind the last of them and its comma.
func itemsOf(v *hujson.Value) (items []item, rest *hujson.Extra) {
	switch v := v.Value.(type) {
	case *hujson.Object:
		for i := range v.Members {
			items = append(items, item{&v.Members[i].Name, &v.Members[i].Value})
		}
		return items, &v.AfterExtra
	case *hujson.Array:
		for i := range v.Elements {
			items = append(items, item{value: &v.Elements[i]})
		}
		return items, &v.AfterExtra
	}
	return nil, nil
}

// find is the value at a path of names of members, and how many of the names led to something. It returns an *Error if
// what lies on the way is no object, or has a name twice.
func (d *Doc) find(at *hujson.Value, path []string) (*hujson.Value, int, error) {
	for n, name := range path {
		if at.Value.Kind() != '{' {
			return at, n, d.errorAt(at, strings.Join(path[:n], ".")+" is no object")
		}
		var found *hujson.Value
		items, _ := itemsOf(at)
		for _, it := range items {
			if literal, ok := it.name.Value.(hujson.Literal); !ok || literal.String() != name {
				continue
			}
			if found != nil {
				return at, n, d.errorAt(it.name, name+" is there twice")
			}
			found = it.value
		}
		if found == nil {
			return at, n, nil
		}
		at = found
	}
	return at, len(path), nil
}

// Get returns the value at a path, and whether there is one. Its errors are those of Set.
func (d *Doc) Get(path ...string) (any, bool, error) {
	v, n, err := d.find(&d.root, path)
	if err != nil || n < len(path) {
		return nil, false, err
	}
	out, err := decoded(*v)
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
	root, _ := read(d.src)
	at, n, err := d.find(&root, path)
	switch {
	case err != nil:
		return nil, nil, err
	case n == len(path):
		return nil, nil, d.errorAt(at, strings.Join(path, ".")+" is there already")
	case at.Value.Kind() != '{':
		return nil, nil, d.errorAt(at, strings.Join(path[:n], ".")+" is no object")
	}
	var made [][]string
	for i := n + 1; i < len(path); i++ {
		made = append(made, path[:i])
	}
	out, err := d.insert(root, at, path[n:], value)
	return out, made, err
}

// Append adds an element to the array at a path, and makes a missing one. It returns what Set does, the array among
// what was made.
func (d *Doc) Append(value string, path ...string) ([]byte, [][]string, error) {
	root, _ := read(d.src)
	at, n, err := d.find(&root, path)
	switch {
	case err != nil:
		return nil, nil, err
	case n < len(path):
		out, made, err := d.Set("["+value+"]", path...)
		return out, append(made, path), err
	case at.Value.Kind() != '[':
		return nil, nil, d.errorAt(at, strings.Join(path, ".")+" is no array")
	}
	out, err := d.insert(root, at, nil, value)
	return out, nil, err
}

// insert puts an item behind the last one of an object, where it gets a name and perhaps more objects around it, or of
// an array.
func (d *Doc) insert(root hujson.Value, into *hujson.Value, path []string, value string) ([]byte, error) {
	for i := len(path) - 1; i > 0; i-- {
		value = "{" + hujson.Value{Value: hujson.String(path[i])}.String() + ":" + value + "}"
	}
	added, err := hujson.Parse([]byte(value))
	if err != nil {
		return nil, err
	}
	items, rest := itemsOf(into)
	comments := bytes.TrimRight(*rest, space)
	outer, _ := d.indentAt(into.StartOffset)
	inner, end, inline := outer+d.unit, (*rest)[len(comments):], false
	if len(items) == 0 {
		end = hujson.Extra(d.eol + outer)
	} else {
		last := items[len(items)-1]
		if indent, alone := d.indentAt(last.begin()); alone {
			inner = indent
		}
		around := slices.Concat(items[0].first().BeforeExtra, last.value.AfterExtra, *rest)
		inline = !bytes.ContainsRune(around, '\n')
		if last.value.AfterExtra != nil { // there is a comma behind the last one
			added.AfterExtra = hujson.Extra{}
		}
	}
	before := " "
	if !inline {
		before = d.eol + inner
	}
	d.lay(&added, inner, inline)
	before, *rest = string(comments)+before, end
	switch into := into.Value.(type) {
	case *hujson.Object:
		name := hujson.Value{BeforeExtra: hujson.Extra(before), Value: hujson.String(path[0])}
		added.BeforeExtra = hujson.Extra(" ")
		into.Members = append(into.Members, hujson.ObjectMember{Name: name, Value: added})
	case *hujson.Array:
		added.BeforeExtra = hujson.Extra(before)
		into.Elements = append(into.Elements, added)
	}
	return d.proved(root, into)
}

// lay puts what is within a value on lines of its own, or all of it on one. Arrays of texts and numbers stay on one.
func (d *Doc) lay(v *hujson.Value, indent string, inline bool) {
	items, rest := itemsOf(v)
	nested := func(it item) bool { return it.value.Value.Kind() == '{' || it.value.Value.Kind() == '[' }
	inline = inline || v.Value.Kind() == '[' && !slices.ContainsFunc(items, nested)
	for i, it := range items {
		switch {
		case !inline:
			it.first().BeforeExtra = hujson.Extra(d.eol + indent + d.unit)
		case i > 0:
			it.first().BeforeExtra = hujson.Extra(" ")
		}
		if it.name != nil {
			it.value.BeforeExtra = hujson.Extra(" ")
		}
		d.lay(it.value, indent+d.unit, inline)
	}
	if len(items) > 0 && !inline {
		*rest = hujson.Extra(d.eol + indent)
	}
}

// proved is the text of an edited value. It returns an error unless that says what the value does: a comment could
// swallow what stands behind it.
func (d *Doc) proved(root hujson.Value, at *hujson.Value) ([]byte, error) {
	out := root.Pack()
	after, err := Parse(out)
	if err != nil {
		return nil, err
	}
	want, err1 := decoded(root)
	is, err2 := decoded(after.root)
	if err1 != nil || err2 != nil || !reflect.DeepEqual(want, is) {
		return nil, d.errorAt(at, "cannot be edited without a change of something else")
	}
	return out, nil
}

// Remove takes the member at a path out. A missing one is no error, and the text stays as it is.
func (d *Doc) Remove(path ...string) ([]byte, error) {
	at, n, err := d.find(&d.root, path)
	if err != nil || n < len(path) {
		return d.src, err
	}
	above := path[:len(path)-1]
	parent, _, err := d.find(&d.root, above)
	if err != nil {
		return nil, err
	}
	items, _ := itemsOf(parent)
	return d.RemoveAt(slices.IndexFunc(items, func(it item) bool { return it.value == at }), above...)
}

// RemoveAt takes an item out of the object or the array at a path, by its index. Comments around the item stay.
func (d *Doc) RemoveAt(i int, path ...string) ([]byte, error) {
	root, _ := read(d.src)
	at, n, err := d.find(&root, path)
	if err != nil {
		return nil, err
	}
	items, rest := itemsOf(at)
	if n < len(path) || i < 0 || i >= len(items) {
		return nil, d.errorAt(at, "has no such item")
	}
	it := items[i]
	left := slices.Concat(bytes.TrimRight(it.first().BeforeExtra, space), it.value.AfterExtra)
	switch {
	case i+1 < len(items):
		next := &items[i+1].first().BeforeExtra
		*next = slices.Concat(left, *next)
	case i == 0:
		if *rest = slices.Concat(left, *rest); len(bytes.TrimSpace(*rest)) == 0 {
			*rest = nil
		}
	case it.value.AfterExtra == nil: // there is no comma behind the last one
		*rest = slices.Concat(items[i-1].value.AfterExtra, left, *rest)
		items[i-1].value.AfterExtra = nil
	default:
		*rest = slices.Concat(left, *rest)
		items[i-1].value.AfterExtra = append(hujson.Extra{}, items[i-1].value.AfterExtra...)
	}
	switch v := at.Value.(type) {
	case *hujson.Object:
		v.Members = slices.Delete(v.Members, i, i+1)
	case *hujson.Array:
		v.Elements = slices.Delete(v.Elements, i, i+1)
	}
	return d.proved(root, at)
}

// indentAt is the white space at the start of the line of an offset, and whether nothing else stands before it.
func (d *Doc) indentAt(at int) (string, bool) {
	line := d.src[bytes.LastIndexByte(d.src[:at], '\n')+1 : at]
	rest := bytes.TrimLeft(line, " \t")
	return string(line[:len(line)-len(rest)]), len(rest) == 0
}
