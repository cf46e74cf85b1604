package frontmatter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// readTree parses the YAML and returns its top mapping.
func (d *Doc) readTree() (*yaml.Node, *Error) {
	docs, err := decode(d.Front())
	if err != nil {
		if e := findMarkers(d.src, d.from, d.to, "=======", ">>>>>>> ", "||||||| "); e != nil {
			return nil, e
		}
		return nil, d.yamlError(err)
	}
	if len(docs) > 1 {
		return nil, d.refuse(docs[1], "a second YAML document; only one is read")
	}
	if len(docs) == 0 || isNothing(docs[0].Content[0]) {
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, nil
	}
	root := docs[0].Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, d.refuse(root, "the YAML is not a mapping of keys to values")
	}
	return root, nil
}

// isNothing reports whether a node stands for nothing written at all.
func isNothing(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null" && n.Value == "" && n.Anchor == ""
}

// decode returns the first YAML document, and the second if there is one. yaml.v3 can panic on odd input.
func decode(src []byte) (docs []*yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			docs, err = nil, fmt.Errorf("the YAML parser gave up: %v", r)
		}
	}()
	for dec := yaml.NewDecoder(bytes.NewReader(src)); len(docs) < 2; {
		var n yaml.Node
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
	yamlLine   = regexp.MustCompile(`^line (\d+): `)
	lostAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// yamlError turns an error of yaml.v3, which counts lines from the start of the YAML, into one of ours.
func (d *Doc) yamlError(err error) *Error {
	from := d.lineStart(d.skip(d.from, ""))
	if from > d.from {
		// Told of trouble in a mapping that begins below the first line, yaml.v3 names that line and not the trouble's.
		if _, err2 := decode(d.src[from:d.to]); err2 != nil {
			err = err2
		}
	}
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	row := d.row(from)
	if m := yamlLine.FindStringSubmatch(msg); m != nil {
		line, _ := strconv.Atoi(m[1])
		msg = msg[len(m[0]):]
		if row += line; !fromZero(msg) {
			row--
		}
	} else if m := lostAnchor.FindStringSubmatch(msg); m != nil {
		row = d.row(d.findAlias(m[1]))
	}
	return &Error{Line: fileLine(d.src, d.starts[min(row, len(d.starts)-1)]), Msg: "not valid YAML: " + msg}
}

// findAlias returns where an alias first stands. There is no tree to ask, so a line with a # before it is passed over.
func (d *Doc) findAlias(name string) int {
	alias := regexp.MustCompile(`(?:^|[\s\[{,])(\*` + regexp.QuoteMeta(name) + `)(?:[\s,\]}]|$)`)
	for _, at := range alias.FindAllSubmatchIndex(d.Front(), -1) {
		off := d.from + at[2]
		if bytes.IndexByte(d.src[d.lineStart(off):off], '#') < 0 {
			return off
		}
	}
	return d.from
}

// fromZero reports whether a message comes from the part of yaml.v3 that counts lines from 0.
func fromZero(msg string) bool {
	switch msg {
	case "did not find expected key", "did not find expected '-' indicator", "did not find expected node content",
		"did not find expected ',' or ']'", "did not find expected ',' or '}'", "did not find expected <document start>",
		"found undefined tag handle", "found duplicate %TAG directive", "found duplicate %YAML directive",
		"found incompatible YAML document":
		return true
	}
	return false
}
