package source

import (
	"cmp"
	"strings"

	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/store/format"
)

const maxFront = 64 << 10 // bytes of the keys of a file

// frontMatter cuts a file into the object between its two lines of dashes and the text behind them. Anchors and aliases
// are refused. It returns an error with the line for what is no such file.
func frontMatter(f File) (object, string, error) {
	src := strings.ReplaceAll(string(f.Data), "\r\n", "\n")
	rest, ok := strings.CutPrefix(src, "---\n")
	if !ok {
		return object{}, "", bad(f.Name, 1, "does not begin with ---").WithHint("a file of this folder has keys in YAML between two lines of dashes; move other files elsewhere")
	}
	front, text, ok := strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		if front, ok = strings.CutSuffix("\n"+rest, "\n---"); !ok {
			return object{}, "", bad(f.Name, 1, "has no second line of dashes")
		}
	}
	if len(front) > maxFront {
		return object{}, "", bad(f.Name, 1, "has keys of more than %d bytes", maxFront)
	}
	var root format.Node
	if err := format.Unmarshal([]byte(quoteNames(front)), &root); err != nil {
		return object{}, "", bad(f.Name, 0, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if n := aliased(&root, maxDepth); n != nil {
		return object{}, "", bad(f.Name, n.Line, "has an anchor, an alias or a merge, or is nested too deeply").WithHint("write the value out")
	}
	keys := map[string]any{}
	if err := root.Decode(&keys); err != nil && len(root.Content) > 0 {
		return object{}, "", bad(f.Name, 1, "has keys that are no object: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return newObject(keys), strings.Trim(text, "\n"), nil
}

// quoteNames quotes a name that begins with @, which YAML has no meaning for and Backlog.md writes.
func quoteNames(front string) string {
	lines := strings.Split(front, "\n")
	for i, line := range lines {
		key, value, ok := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); {
		case ok && strings.HasPrefix(value, "@"):
			lines[i] = key + ": '" + strings.ReplaceAll(value, "'", "''") + "'"
		case ok && strings.HasPrefix(value, "[") && strings.Contains(value, "@") && !strings.ContainsAny(value, `'"`):
			var names []string
			for name := range strings.SplitSeq(strings.Trim(value, "[]"), ",") {
				names = append(names, "'"+strings.TrimSpace(name)+"'")
			}
			lines[i] = key + ": [" + strings.Join(names, ", ") + "]"
		case strings.HasPrefix(strings.TrimSpace(line), "- @"):
			at := strings.Index(line, "@")
			lines[i] = line[:at] + "'" + strings.ReplaceAll(line[at:], "'", "''") + "'"
		}
	}
	return strings.Join(lines, "\n")
}

// aliased returns the first node that is an alias or has an anchor, or that lies too deep.
func aliased(n *format.Node, room int) *format.Node {
	if n.Kind == format.AliasNode || n.Anchor != "" || room == 0 || n.Tag == "!!merge" {
		return n
	}
	for _, below := range n.Content {
		if found := aliased(below, room-1); found != nil {
			return found
		}
	}
	return nil
}

// readTickets reads tickets of tk.
func readTickets(files []File) (Batch, error) {
	var out Batch
	for _, f := range files {
		o, text, err := frontMatter(f)
		if err != nil {
			return out, err
		}
		it := ticketOf(o, text)
		it.Ref = cmp.Or(o.text("id"), strings.TrimSuffix(f.Name, ".md"))
		o.rest(&it)
		out.add(it)
	}
	return out, nil
}

func ticketOf(o object, text string) transfer.Item {
	it := o.item("was=status deps related=links created priority assignee parent labels=tags")
	if it.Priority != "" {
		it.Rank = "P" + it.Priority
	}
	stated(&it)
	label(&it, "", o.text("type"))
	it.Lose("external-ref", external(&it, o.text("external-ref")))
	o.drop("id")
	var parts [][2]string
	for _, s := range sections(text) {
		switch {
		case s.level == 1 && it.Title == "":
			it.Title = s.title
			parts = append(parts, [2]string{"", s.text})
		case s.level == 2 && strings.EqualFold(s.title, "Acceptance Criteria"):
			it.Acceptance, _ = criteria(s.text)
		case s.level == 2 && strings.EqualFold(s.title, "Notes"):
			it.Comments = append(it.Comments, ticketNotes(s.text)...)
		case s.level == 0:
			parts = append(parts, [2]string{"", s.text})
		default:
			parts = append(parts, [2]string{"", s.whole()})
		}
	}
	it.Body = body(parts...)
	return it
}

// ticketNotes cuts the notes of a ticket at their times, which stand bold on lines of their own.
func ticketNotes(text string) []transfer.Comment {
	var out []transfer.Comment
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if at, ok := strings.CutPrefix(trimmed, "**"); ok {
			if at, ok := strings.CutSuffix(at, "**"); ok {
				if _, isTime := transfer.Moment(at); isTime {
					out = append(out, transfer.Comment{At: at})
					continue
				}
			}
		}
		if len(out) == 0 {
			out = append(out, transfer.Comment{})
		}
		out[len(out)-1].Text += line
	}
	return out
}
