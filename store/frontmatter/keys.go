package frontmatter

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"gopkg.in/yaml.v3"
)

// checkKeys refuses a mapping of which another reader of YAML 1.2 could see other keys: one with a key that is not plain
// text, or is not there, or with two keys of the same text however they are quoted.
func (d *Doc) checkKeys(m *yaml.Node) *Error {
	seen := make(map[string]*yaml.Node, len(m.Content)/2)
	for i := 0; i+1 < len(m.Content); i += 2 {
		key := m.Content[i]
		if err := d.checkKey(m, key); err != nil {
			return err
		}
		if d.start(m.Content[i+1]) < d.start(key) {
			return d.refuse(key, fmt.Sprintf("the key %q has no colon", key.Value)) // so its value has no place of its own
		}
		text := key.Value
		if !isASCII(text) {
			text = norm.NFC.String(text)
		}
		if first := seen[text]; first != nil {
			err := d.refuse(key, fmt.Sprintf("duplicate key %q, first on line %d", key.Value, d.Line(first)))
			err.Duplicate = true
			return err
		}
		seen[text] = key
	}
	return nil
}

// checkKey refuses a key of a mapping that is not plain text to every reader.
func (d *Doc) checkKey(m, key *yaml.Node) *Error {
	switch {
	case key.Kind == yaml.AliasNode:
		return d.refuse(key, "a key must be text, not an alias; write it out")
	case key.Kind != yaml.ScalarNode:
		return d.refuse(key, "a key must be text, not a collection")
	case key.Value == "" && key.Style == 0:
		return d.refuse(m, "a key is missing in front of a colon, or behind a question mark") // it has no place of its own
	case key.Anchor != "" || key.Style&yaml.TaggedStyle != 0 || d.at(d.start(key)) == '!':
		return d.refuse(key, fmt.Sprintf("the key %q has an anchor or a tag; a key must be plain text", key.Value))
	case m.Style&yaml.FlowStyle != 0 && d.start(key) > d.from && d.src[d.start(key)-1] == '?':
		return d.refuse(key, fmt.Sprintf("the key %q stands close behind a question mark, which others take for a part of it", key.Value))
	case !isText(key):
		return d.refuse(key, fmt.Sprintf("the key %s is not text to every reader of YAML; put it in quotes", key.Value))
	case key.Style == 0 && m.Style&yaml.FlowStyle != 0 && strings.Contains(key.Value, ":"):
		return d.refuse(key, fmt.Sprintf("the key %q holds a colon between brackets; put it in quotes, or a blank behind the colon", key.Value))
	}
	return d.checkKeyText(key)
}

// isText reports whether YAML 1.2 reads a key as text. A date is text to it. A merge key is let through: whoever reads the
// mapping decides.
func isText(key *yaml.Node) bool {
	switch key.ShortTag() {
	case "!!str", "!!timestamp", "!!merge":
		return true
	}
	return false
}

// checkKeyText refuses a key that looks like another one: characters in it cannot be seen, or are variants of ASCII.
func (d *Doc) checkKeyText(key *yaml.Node) *Error {
	if isASCII(key.Value) {
		return nil
	}
	if i := strings.IndexFunc(key.Value, invisible); i >= 0 {
		r, _ := utf8.DecodeRuneInString(key.Value[i:])
		return d.refuse(key, fmt.Sprintf("the key %q holds %U, which cannot be seen", key.Value, r))
	}
	if plain := norm.NFKC.String(key.Value); isASCII(plain) {
		return d.refuse(key, fmt.Sprintf("the key %+q looks like %q and is another", key.Value, plain))
	}
	return nil
}

// invisible reports whether a character leaves no trace on a screen, or changes only how others are shown.
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

// checkName refuses an anchor or an alias that does not end where its name ends to us. YAML 1.2 lets nearly every character
// stand in such a name, and yaml.v3 only those of a word.
func (d *Doc) checkName(n *yaml.Node) *Error {
	i := d.start(n)
	if n.Kind != yaml.AliasNode && d.at(i) == '!' {
		i = d.skipBlank(d.wordEnd(i))
	}
	if c := d.at(i); c != '&' && c != '*' {
		return nil // the anchor of a mapping that begins with it on a line above, which ends the name
	}
	end := d.nameEnd(i + 1)
	if d.blankAt(end) || strings.IndexByte(",[]{}", d.src[end]) >= 0 {
		return nil
	}
	return errorAt(d.src, i, fmt.Sprintf("the name %s is followed by %q, which others take for a part of it", d.src[i:end], d.src[end:end+runeLen(d.src[end:])]))
}

// checkDirectives refuses lines such as %YAML and %TAG before the document: they change how others read what follows.
func (d *Doc) checkDirectives() *Error {
	end := d.to
	if d.root.Line > 0 {
		end = d.start(d.root)
	}
	for i := d.from; i < end; i = d.nextLine(i) {
		if d.src[i] == '%' {
			return errorAt(d.src, i, "a YAML directive; take the line out")
		}
	}
	return nil
}

// at returns the byte at an offset into the YAML part, or 0 behind its end.
func (t *text) at(i int) byte {
	if i < t.to {
		return t.src[i]
	}
	return 0
}
