package source

import (
	"path"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/task"
)

// readMarkdown reads checklists. A box is an item, one that stands below another has it as parent, and other lines
// below it are its body. A heading that names a state, such as Done or In progress, says the state of what follows, and
// of several that stand above an item the innermost; each other one below the title of the page is a label of it.
//
// At its end an item may say more in brackets, as export writes it: (p1, due 2026-08-01, est 90m, @lee, #roof, after
// T-2 T-3, state in_review, id T-4). An item without an id is known by its words and those above it; see
// transfer.WordsRef. What has a word in its box is no item, and is told.
func readMarkdown(files []File) (Batch, error) {
	var out Batch
	for _, f := range files {
		l := &checklist{file: path.Base(f.Name), refs: map[string]int{}}
		for line := range strings.SplitSeq(strings.ReplaceAll(string(f.Data), "\r\n", "\n"), "\n") {
			l.read(line)
		}
		if len(l.items) == 0 {
			return out, bad(f.Name, 0, "has no checklist").WithHint("its lines begin with - [ ]")
		}
		for i := range l.items {
			l.items[i].Body = strings.Trim(l.items[i].Body, "\n")
		}
		out.Items, out.Aside = append(out.Items, l.items...), append(out.Aside, l.aside...)
	}
	return out, nil
}

// checklist is a page that is being read.
type checklist struct {
	file   string
	items  []transfer.Item
	aside  []transfer.Loss
	open   []level  // the items that the next one can stand below, the outermost first
	labels []string // of the headings that are open, by their level; "" for one that is none
	states []string
	fence  string
	refs   map[string]int
}

// level is an item that others can stand below.
type level struct{ indent, item int }

func (l *checklist) read(line string) {
	was := l.fence
	if l.fence = fenceAfter(line, l.fence); was != "" || l.fence != "" {
		l.text(line)
		return
	}
	if n, title := heading(line); n > 0 {
		l.heading(n, title)
		return
	}
	indent, text, ok := bullet(line)
	if mark, words, isBox := box(text); ok && isBox && words != "" {
		l.item(indent, mark, words)
		return
	}
	if word, words, isBox := strings.Cut(strings.TrimPrefix(text, "["), "] "); ok && isBox && text[0] == '[' && !strings.ContainsAny(word, "[]") && words != "" {
		l.aside = append(l.aside, transfer.Loss{Field: "line with a word in its box, which makes no task", Value: text})
	}
	l.text(line)
}

// heading ends the items above it.
func (l *checklist) heading(n int, title string) {
	l.open = nil
	for len(l.labels) < n {
		l.labels, l.states = append(l.labels, ""), append(l.states, "")
	}
	l.labels, l.states = l.labels[:n], l.states[:n]
	l.labels[n-1], l.states[n-1] = "", ""
	switch state, ok := stateOf(title); {
	case ok:
		l.states[n-1] = state
	case n > 1:
		l.labels[n-1] = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(title)), " ", "-")
	}
}

// text adds a line to the body of the item that it stands below.
func (l *checklist) text(line string) {
	if len(l.open) == 0 {
		return
	}
	last := l.open[len(l.open)-1]
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	if strings.TrimSpace(line) != "" && indent <= last.indent && l.fence == "" {
		l.open = nil // a paragraph of the page
		return
	}
	l.items[last.item].Body += line[min(indent, last.indent+2, len(line)):] + "\n"
}

func (l *checklist) item(indent int, mark byte, words string) {
	for len(l.open) > 0 && l.open[len(l.open)-1].indent >= indent {
		l.open = l.open[:len(l.open)-1]
	}
	it := transfer.Item{Was: "[" + string(rune(mark)) + "]"}
	id := said(&it, words)
	for i, label := range l.labels {
		if label != "" {
			it.Labels = append(it.Labels, label)
		}
		if s := l.states[i]; s != "" {
			it.State = s // the innermost heading is the last
		}
	}
	switch {
	case mark == 'x' || mark == 'X':
		if it.State != transfer.Dropped {
			it.State = transfer.Done
		}
	case mark == '-' || mark == '~':
		it.State = transfer.Dropped
	case mark == '/' || mark == '>':
		it.State = transfer.Started
	case it.State == transfer.Done: // under such a heading, and not ticked
		it.State = transfer.Open
	}
	if !strings.ContainsRune(" xX-~/>", rune(mark)) {
		it.Lose("mark in a box that is not known; it says nothing of the state", string(rune(mark)))
	}
	above := ""
	if n := len(l.open); n > 0 {
		above = l.items[l.open[n-1].item].Ref
		it.Parent = above
	}
	it.Ref = l.ref(id, above, it.Title)
	for _, refs := range [][]string{it.Deps, it.Related, it.Same, it.Found} {
		for i := range refs {
			refs[i] = l.file + "#" + refs[i]
		}
	}
	l.open = append(l.open, level{indent, len(l.items)})
	l.items = append(l.items, it)
}

// ref names an item for good: by its id, else by its words and those above it.
func (l *checklist) ref(id, above, title string) string {
	ref := l.file + "#" + id
	if id == "" {
		ref = transfer.WordsRef(l.file, above, strings.Join(l.labels, "/"), title)
	}
	if l.refs[ref]++; l.refs[ref] > 1 {
		ref += "." + itoa(l.refs[ref])
	}
	return ref
}

// optionalMarked is the optional field that a word marks; "" for none.
func optionalMarked(word string) string {
	for _, f := range task.OptionalFields() {
		if f.Mark == word && word != "" {
			return f.Name
		}
	}
	return ""
}

// brackets cuts off what stands in brackets at the end of an item. The signs may be of full width, as in （p1、＃色）, and
// its commas those of any of transfer.Commas.
func brackets(words string) (before string, parts []string, ok bool) {
	opening, closing := " (", ")"
	if strings.HasSuffix(words, "）") {
		opening, closing = "（", "）"
	}
	at := strings.LastIndex(words, opening)
	if at < 0 || !strings.HasSuffix(words, closing) {
		return "", nil, false
	}
	parts = strings.FieldsFunc(words[at+len(opening):len(words)-len(closing)], func(r rune) bool { return strings.ContainsRune(transfer.Commas, r) })
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if rest, wide := strings.CutPrefix(part, "＃"); wide {
			part = "#" + rest
		} else if rest, wide = strings.CutPrefix(part, "＠"); wide {
			part = "@" + rest
		}
		parts[i] = part
	}
	return words[:at], parts, len(parts) > 0
}

// said reads what an item says of itself: its title, and what stands in brackets at its end if all of that is
// understood. It returns the id that stands there.
func said(it *transfer.Item, words string) (id string) {
	it.Title = words
	title, parts, ok := brackets(words)
	if !ok {
		return ""
	}
	read := *it
	read.Labels, read.Deps = slices.Clone(it.Labels), nil
	for _, part := range parts {
		key, value, _ := strings.Cut(part, " ")
		switch value = strings.TrimSpace(value); {
		case len(part) == 2 && part[0] == 'p' && part[1] >= '0' && part[1] <= '4':
			read.Priority, read.Rank = part[1:], part
		case strings.HasPrefix(part, "#") && len(part) > 1 && (part[1] < '0' || part[1] > '9'):
			read.Labels = append(read.Labels, part[1:])
		case strings.HasPrefix(part, "@") && len(part) > 1 && value == "":
			read.Assignee = part[1:]
		case key == "due" && value != "":
			read.Due = value
		case optionalMarked(key) != "" && value != "":
			read.Optional = task.OptionalOf(func(name string) string {
				if name == optionalMarked(key) {
					return value
				}
				return read.Value(name)
			})
		case key == "id" && value != "" && !strings.Contains(value, " "):
			id = value
		case key == "state" && value != "" && !strings.Contains(value, " "):
			read.Was, read.State = value, value
			if state, ok := stateOf(value); ok {
				read.State = state
			}
		case key == "after" && value != "":
			read.Deps = append(read.Deps, strings.Fields(value)...)
		case key == "related" && value != "":
			read.Related = strings.Fields(value)
		case key == "duplicates" && value != "":
			read.Same = strings.Fields(value)
		case key == "discovered_from" && value != "":
			read.Found = strings.Fields(value)
		case key == "set" && strings.Contains(value, "="):
			name, text, _ := strings.Cut(value, "=")
			if read.Fields == nil {
				read.Fields = map[string]string{}
			}
			read.Fields[name] = text
		default:
			return ""
		}
	}
	read.Title = strings.TrimSpace(title)
	if read.Title == "" {
		return ""
	}
	*it = read
	return id
}
