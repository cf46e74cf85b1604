package cmd

import (
	"errors"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
)

// inputFile is a file that a field was read from, so that an error about a part of it can say the line.
type inputFile struct {
	name  string
	field string // whose value the file is, unless it is an object with that key
	root  *format.Node
}

// located is an error with the line of what its message names first, such as tasks[2].checks[0].cmd. Any other error
// stays as it is.
func (f *inputFile) located(err error) error {
	var e *record.Error
	if f == nil || f.root == nil || !errors.As(err, &e) || e.Code != record.InvalidInput && e.Code != record.DanglingDep && e.Code != record.DepCycle {
		return err
	}
	line := f.line(e.Msg)
	if line == 0 {
		return err
	}
	named := *e
	named.Msg = f.name + ":" + strconv.Itoa(line) + ": " + e.Msg
	return &named
}

// line is where the first path in a message lies: 0 if there is none. Of a path that is not in the file it is the line
// of what is around it.
func (f *inputFile) line(msg string) int {
	at := strings.Index(msg, f.field+"[")
	if at < 0 {
		return 0
	}
	path := msg[at+len(f.field):]
	if end := strings.IndexFunc(path, func(r rune) bool { return !strings.ContainsRune("[]._0123456789abcdefghijklmnopqrstuvwxyz", r) }); end >= 0 {
		path = path[:end]
	}
	n := f.root
	if n.Kind == format.DocumentNode {
		n = n.Content[0]
	}
	if n.Kind == format.MappingNode {
		_, n = format.Member(n, f.field)
	}
	return lineWithin(n, path)
}

// lineWithin is the line of what a path such as [2].checks[0] names below a node.
func lineWithin(n *format.Node, path string) int {
	if n == nil {
		return 0
	}
	line := n.Line
	for path != "" {
		var next *format.Node
		switch part, rest := path[:1], path[1:]; part {
		case "[":
			index, after, _ := strings.Cut(rest, "]")
			i, err := strconv.Atoi(index)
			if err != nil || n.Kind != format.SequenceNode || i >= len(n.Content) {
				return line
			}
			next, path = n.Content[i], after
			line = next.Line
		case ".":
			end := len(rest)
			if i := strings.IndexAny(rest, ".["); i >= 0 {
				end = i
			}
			key, value := format.Member(n, rest[:end])
			if value == nil {
				return line
			}
			next, path, line = value, rest[end:], key.Line
		default:
			return line
		}
		n = next
	}
	return line
}

// yamlMessage is what is wrong with a file in YAML, on one line.
func yamlMessage(err error) string {
	msg := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:")
	return strings.ReplaceAll(strings.TrimSpace(msg), "\n  ", "; ")
}

// datesAsTexts keeps dates as they are written: YAML would make times of them, and a day is due at its end.
func datesAsTexts(n *format.Node) {
	if n.Kind == format.ScalarNode && n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, below := range n.Content {
		datesAsTexts(below)
	}
}
