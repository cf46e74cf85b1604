package frontmatter

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// editTogether makes edits that do not touch one another: no path leads into what another one changes, and other bytes stand
// between what they replace. It reports false if they are not of that kind, or if one of them cannot be made; made one after
// another they then come out as they should, or say why not.
func (d *Doc) editTogether(order []string, edits []Edit) (*Doc, bool) {
	if !apart(edits) {
		return nil, false
	}
	var splices []splice
	grafts := grafter{own: map[*yaml.Node]bool{}}
	root := d.root
	for _, e := range edits {
		p, err := e.plan(d, order)
		if err != nil || p != nil && (p.put == nil || !utf8.ValidString(p.text)) {
			return nil, false
		}
		if p != nil {
			splices = append(splices, p.splice)
			root = grafts.graft(root, e.path(), order, p.put)
		}
	}
	if len(splices) == 0 {
		return d, true
	}
	src, ok := d.splicedAll(splices)
	if !ok {
		return nil, false
	}
	next, err := parse(src, d.kind)
	if err != nil || d.proveTree(next, root) != nil {
		return nil, false
	}
	return next, true
}

// apart reports whether no path of the edits is, or begins with, that of another, and none moves items that another may name.
func apart(edits []Edit) bool {
	paths := make([]string, len(edits))
	for i, e := range edits {
		if len(e.path()) == 0 {
			return false
		}
		if _, ofList := e.path()[len(e.path())-1].(int); ofList {
			if _, takesOut := e.(removeEdit); takesOut {
				return false // those behind it have other places afterwards
			}
		}
		var b strings.Builder
		for _, step := range e.path() {
			b.WriteString((Path{step}).String() + "\x00")
		}
		paths[i] = b.String()
	}
	slices.Sort(paths)
	for i := 1; i < len(paths); i++ {
		if strings.HasPrefix(paths[i], paths[i-1]) {
			return false
		}
	}
	return true
}

// splicedAll is spliced for many at once. It reports false if one touches another.
func (d *Doc) splicedAll(splices []splice) ([]byte, bool) {
	slices.SortFunc(splices, func(a, b splice) int { return cmp.Compare(a.from, b.from) })
	more := 0
	for _, s := range splices {
		more += len(s.text)
	}
	out := make([]byte, 0, len(d.src)+more)
	from := 0
	for i, s := range splices {
		if i > 0 && s.from <= splices[i-1].to {
			return nil, false
		}
		out = append(append(out, d.src[from:s.from]...), s.text...)
		from = s.to
	}
	return append(out, d.src[from:]...), true
}
