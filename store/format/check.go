package format

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxExpansion is how many nodes the aliases of a document may expand to, counted each time they are used.
const maxExpansion = 10_000

// checkTree refuses a tree that is not safe to walk, or in which another reader of YAML 1.2 could see other keys. It
// also notes whether the document has aliases.
func checkTree(d *Doc) *Error {
	c := checker{locator: d.locator, own: d.own}
	end := d.from // lines such as %YAML and %TAG before the document change how others read what follows
	if !d.own {
		end = d.to
		if d.root.Line > 0 {
			end = d.start(d.root)
		}
	}
	for i := d.from; i < end; i = d.nextLine(i) {
		if d.src[i] == '%' {
			return errorAt(d.src, i, "a YAML directive; remove the line")
		}
	}
	err := c.visit(d.root, 1)
	d.aliased = c.aliased
	return err
}

// checker visits every node of a tree, and what an alias stands for each time the alias is used.
type checker struct {
	*locator
	own      bool           // the YAML is in cairn's own form: it has no anchors, aliases, tags, directives or question marks
	open     map[*Node]bool // the anchored nodes that contain the current one
	inAlias  int            // how many aliases have been followed to the current node
	aliased  bool           // an alias was found
	expanded int            // nodes that were visited through aliases
}

func (c *checker) visit(n *Node, depth int) *Error {
	if c.inAlias > 0 {
		c.expanded++
	}
	if n.Kind == AliasNode || n.Anchor != "" && c.inAlias == 0 {
		if err := c.checkAnchorName(n); err != nil {
			return err
		}
	}
	if n.Kind == AliasNode {
		return c.follow(n, depth)
	}
	if n.Kind == ScalarNode {
		if strings.IndexByte(n.Value, 0) >= 0 { // written as an escape
			return c.errorAt(n, "a text with a NUL; take it out")
		}
		return nil
	}
	if depth > MaxDepth {
		return c.errorAt(n, fmt.Sprintf("nested more than %d levels deep", MaxDepth))
	}
	if n.Anchor != "" {
		if c.open == nil {
			c.open = map[*Node]bool{}
		}
		c.open[n] = true
		defer delete(c.open, n)
	}
	for _, child := range n.Content {
		if err := c.visit(child, depth+1); err != nil {
			return err
		}
	}
	if n.Kind == MappingNode && c.inAlias == 0 {
		return c.checkKeys(n)
	}
	return nil
}

// follow visits what an alias stands for.
func (c *checker) follow(alias *Node, depth int) *Error {
	if c.open[alias.Alias] {
		return c.errorAt(alias, fmt.Sprintf("alias *%s is inside the value that it refers to", alias.Value))
	}
	c.inAlias++
	c.aliased = true
	defer func() { c.inAlias-- }()
	if err := c.visit(alias.Alias, depth); err != nil {
		return c.errorAt(alias, err.Msg)
	}
	if c.expanded > maxExpansion {
		return c.errorAt(alias, fmt.Sprintf("aliases expand to more than %d values", maxExpansion))
	}
	return nil
}

// checkKeys refuses a mapping with a key that is missing or not plain text, or with two keys of the same text, however
// they are quoted. Another reader of YAML 1.2 could see other keys in such a mapping.
func (c *checker) checkKeys(m *Node) *Error {
	var byText map[string]*Node // the first key of each text; nil where there are few, all of ASCII
	if !c.own || len(m.Content) > manyKeys {
		byText = make(map[string]*Node, len(m.Content)/2)
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key := m.Content[i]
		if err := c.checkKey(m, key); err != nil {
			return err
		}
		if !c.own && c.start(m.Content[i+1]) < c.start(key) {
			return c.errorAt(key, fmt.Sprintf("the key %q has no colon", key.Value)) // yaml.v3 gives its value no position of its own
		}
		first := key
		if byText == nil {
			first = m.Content[keyIndex(m, key.Value)]
		} else if text := norm.NFC.String(key.Value); byText[text] == nil {
			byText[text] = key
		} else {
			first = byText[text]
		}
		if first != key {
			err := c.errorAt(key, fmt.Sprintf("duplicate key %q, first on line %d", key.Value, c.line(c.start(first))))
			err.Duplicate = true
			return err
		}
	}
	return nil
}

// checkKey refuses a key of a mapping that some reader would not see as this plain text.
func (c *checker) checkKey(m, key *Node) *Error {
	switch {
	case key.Kind == AliasNode:
		return c.errorAt(key, "a key must be text, not an alias; write it out")
	case key.Kind != ScalarNode:
		return c.errorAt(key, "a key must be text, not a collection")
	case key.Value == "" && key.Style == 0: // the key has no position of its own
		return c.errorAt(m, "a key is missing before a colon or after a question mark")
	case key.Anchor != "" || key.Style&TaggedStyle != 0 || !c.own && c.at(c.start(key)) == '!':
		return c.errorAt(key, fmt.Sprintf("the key %q has an anchor or a tag; a key must be plain text", key.Value))
	case !c.own && m.Style&FlowStyle != 0 && c.start(key) > c.from && c.src[c.start(key)-1] == '?':
		return c.errorAt(key, fmt.Sprintf("the key %q directly follows a question mark, which other YAML readers take as part of it", key.Value))
	case !slices.Contains([]string{"!!str", "!!timestamp", "!!merge"}, key.ShortTag()):
		// To YAML 1.2 a date is text. A merge key passes too: the caller decides whether to allow it.
		return c.errorAt(key, fmt.Sprintf("the key %s is not text to every reader of YAML; put it in quotes", key.Value))
	case key.Style == 0 && m.Style&FlowStyle != 0 && strings.Contains(key.Value, ":"):
		return c.errorAt(key, fmt.Sprintf("the key %q has a colon inside brackets; put it in quotes, or a space after the colon", key.Value))
	}
	if isASCII(key.Value) {
		return nil
	}
	// A key may look like another one, because it has invisible characters or variants of ASCII.
	if i := strings.IndexFunc(key.Value, invisible); i >= 0 {
		r, _ := utf8.DecodeRuneInString(key.Value[i:])
		return c.errorAt(key, fmt.Sprintf("the key %q has %U, which is invisible", key.Value, r))
	}
	if plain := norm.NFKC.String(key.Value); isASCII(plain) {
		return c.errorAt(key, fmt.Sprintf("the key %+q looks like %q but is a different key", key.Value, plain))
	}
	return nil
}

// invisible reports whether a character shows nothing on a screen, or only changes how its neighbors are shown.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// checkAnchorName refuses an anchor or an alias whose name other readers would take to be longer. YAML 1.2 allows
// nearly every character in such a name, and yaml.v3 only letters, digits, - and _.
func (c *checker) checkAnchorName(n *Node) *Error {
	i := c.start(n)
	if n.Kind != AliasNode && c.at(i) == '!' {
		i = c.skipBlank(c.wordEnd(i))
	}
	if first := c.at(i); first != '&' && first != '*' {
		return nil // the anchor of a mapping, on the line above its first key: the line break ends the name
	}
	end := c.nameEnd(i + 1)
	if c.blankAt(end) || strings.IndexByte(",[]{}", c.src[end]) >= 0 {
		return nil
	}
	next := c.src[end : end+runeLen(c.src[end:])]
	return errorAt(c.src, i, fmt.Sprintf("the name %s is followed by %q, which other YAML readers take as part of it", c.src[i:end], next))
}
