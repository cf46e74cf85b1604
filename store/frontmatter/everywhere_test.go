package frontmatter

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// Every value of every file in testdata can be set, taken out, and, if it is a list, added to and taken apart. The only
// refusals are for values that are used elsewhere, and for comments that have no line to stay on between brackets.
func TestEditEverywhere(t *testing.T) {
	for name, src := range fixtures(t) {
		for variant, change := range variants {
			d := mustParse(t, change(src))
			for _, e := range editsOf(d.Root(), nil) {
				_, err := d.Edit(order, e)
				if err == nil || strings.Contains(err.Error(), "through the alias") {
					continue
				}
				if name == "flowroot.md" && strings.Contains(err.Error(), "a comment would be lost") {
					continue
				}
				t.Errorf("%s, %s: %T: %v", name, variant, e, err)
			}
		}
	}
}

// editsOf returns every edit to try of the value at path, and of what is in it.
func editsOf(n *yaml.Node, path Path) []Edit {
	var edits []Edit
	if len(path) > 0 {
		edits = append(edits, Remove(path), Set(path, String("new")), Set(path, Seq{Map{{"a", Int(1)}, {"b", Int(2)}}}), Set(path, Flow{Map{{"a", Int(1)}}}))
	}
	if n.Kind == yaml.MappingNode {
		edits = append(edits, Set(step(path, "brand new"), String("a: b")), Set(step(path, "brand new"), Map{{"a", Seq{Map{{"b", Int(1)}}}}}))
		for i := 0; i < len(n.Content); i += 2 {
			edits = append(edits, editsOf(n.Content[i+1], step(path, n.Content[i].Value))...)
		}
	}
	if n.Kind == yaml.SequenceNode {
		edits = append(edits, listEdits(path, len(n.Content))...)
		for i, c := range n.Content {
			edits = append(edits, editsOf(c, step(path, i))...)
		}
	}
	return edits
}

func listEdits(path Path, n int) []Edit {
	var reversed, doubled []Item
	for i := range n {
		reversed = append([]Item{Old(i)}, reversed...)
		doubled = append(doubled, NewItem(Map{{"a", Int(i)}}), Old(i))
	}
	return []Edit{
		appended(path, n, String("new"), entry("noted")),
		SetSeq(path), SetSeq(path, reversed...), SetSeq(path, doubled...), SetSeq(path, NewItem(String("only"))),
	}
}

func step(path Path, s any) Path {
	return append(append(Path{}, path...), s)
}
