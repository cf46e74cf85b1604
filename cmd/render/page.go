package render

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/form"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/activity"
	"github.com/cairn-tasks/cairn/internal/verb/config"
	"github.com/cairn-tasks/cairn/internal/verb/embed"
	"github.com/cairn-tasks/cairn/internal/verb/projects"
	"github.com/cairn-tasks/cairn/task"
)

//go:embed pages.txt
var pages string

// section is what pages.txt says of a type, or of a part of pages.
type section struct {
	none string // of a list: what is said where it is empty
	text string
}

// sections are those of pages.txt by their names. None is parsed before it is needed.
var sections = sync.OnceValue(func() map[string]section {
	all := map[string]section{}
	for _, one := range strings.Split(pages, "\n== ")[1:] {
		name, text, _ := strings.Cut(one, "\n")
		none := ""
		if strings.HasPrefix(name, "[]") {
			name, none, _ = strings.Cut(name, " ")
		}
		all[name] = section{none, strings.ReplaceAll(strings.TrimRight(text, "\n")+"\n", "\\\n", "")}
	}
	return all
})

// sectionOf is the name of the section about a type, which is that of the type without the paths of packages.
func sectionOf(t reflect.Type) string {
	name := t.String()
	if of, arg, ok := strings.Cut(name, "["); ok && of != "" {
		return of + "[" + arg[strings.LastIndexByte(arg, '/')+1:]
	}
	return name
}

// quietLine is a line of a template that leaves no line of its own: it only decides, or calls what prints lines itself.
var quietLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^((?:\{\{(?:if|else|end|range|with|show|list|lists|waiting|page|section|heading|names|tally|more|` +
		`problems|warn|text|\$\w+ :?=)\b?[^}]*\}\})+)\n`)
})

// page prints a value as a section says, and returns false if there is no such section.
func (r *Renderer) page(name string, value any) bool {
	if _, ok := sections()[name]; !ok {
		return false
	}
	t := r.template(name, func(text string) string { return quietLine().ReplaceAllString(text, "$1") })
	if err := t.Execute(r.Out, value); err != nil {
		r.Printf("the result cannot be shown: %v\n", err)
	}
	return true
}

// template is a section as a template, parsed when it is first needed. Prepare makes the template of its text.
func (r *Renderer) template(name string, prepare func(string) string) *template.Template {
	t := r.templates[name]
	if t == nil {
		t = template.Must(template.New(name).Funcs(r.functions()).Parse(prepare(sections()[name].text))) // a test parses all
		harmlessOutput(t.Root)
		if r.templates == nil {
			r.templates = map[string]*template.Template{}
		}
		r.templates[name] = t
	}
	return t
}

// harmlessOutput has every action of a template print its value in words that are harmless.
func harmlessOutput(root *parse.ListNode) {
	form.EachNode(root, func(node parse.Node) {
		if action, ok := node.(*parse.ActionNode); ok && len(action.Pipe.Decl) == 0 {
			name := parse.NewIdentifier("harmless").SetPos(action.Pos)
			call := &parse.CommandNode{NodeType: parse.NodeCommand, Args: []parse.Node{name}}
			action.Pipe.Cmds = append(action.Pipe.Cmds, call)
		}
	})
}

// words is a value in words that are safe to print. On a terminal a time is that of its reader, to the minute.
func (r *Renderer) words(value any) screen.Painted {
	at, ok := value.(time.Time)
	if pointer, is := value.(*time.Time); is && pointer != nil {
		at, ok = *pointer, true
	}
	if ok && r.Width > 0 {
		return harmlessText(r.local(at).Format("2006-01-02 15:04"))
	}
	return harmlessText(value)
}

// local is a time as the clock of whoever reads it has it, if that is a person at a terminal.
func (r *Renderer) local(at time.Time) time.Time {
	if r.Width == 0 {
		return at.UTC()
	}
	return at.In(r.Now().Location())
}

// harmlessText is a value in words that are safe to print.
func harmlessText(value any) screen.Painted {
	switch value := value.(type) {
	case screen.Painted:
		return value
	case screen.Lines:
		return screen.Painted(harmless.Text(string(value)))
	default:
		return screen.Painted(harmless.Line(joined(value)))
	}
}

// joined are values in words, one behind the other. One that does not hold, false, has none.
func joined(values ...any) string {
	var b strings.Builder
	for _, value := range values {
		if value != false {
			b.WriteString(PlainText(value))
		}
	}
	return b.String()
}

// functions are what the templates can call. Those that print lines have no value.
func (r *Renderer) functions() template.FuncMap {
	return template.FuncMap{
		"harmless": r.words,
		"reads":    func() bool { return r.Kind == verb.Read },
		"noun":     func() string { return r.Noun },

		"changes": changesIn,
		"folded":  folded,
		"folds":   folds,

		"show":     func(value any) string { r.show(value); return "" },
		"list":     func(value any) string { r.list(value); return "" },
		"lists":    r.statusLists,
		"waiting":  r.waiting,
		"page":     func(name string, value any) string { r.page(name, value); return "" },
		"text":     func(text string) string { r.Printf("%s", screen.Lines(text)); return "" },
		"names":    r.names,
		"section":  r.section,
		"heading":  r.heading,
		"more":     r.nextPage,
		"problems": func(all verb.Problems) string { r.Problems(all); return "" },
		"warn":     func(texts ...any) string { screen.Fprintf(r.Err, "cairn: %s\n", joined(texts...)); return "" },
		"tally": func(n int, one, many string) string {
			if n > 0 {
				r.Printf("  %4d  %s\n", n, map[bool]string{true: one, false: many}[n == 1])
			}
			return ""
		},

		"onBranch": func(branch string, id any) string {
			if branch == "" {
				return ""
			}
			return fmt.Sprintf("%s; cairn take %v brings it here", branch, id)
		},
		"bold": func(texts ...any) screen.Painted { return r.Style.Bold(joined(texts...)) },
		"good": r.Style.Good,
		"bad":  r.Style.Bad,
		"body": func(text any) screen.Lines { return screen.Lines(strings.TrimRight(joined(text), "\n")) },
		"indent": func(text any) screen.Lines {
			return screen.Lines("      " + strings.ReplaceAll(strings.Trim(joined(text), "\n"), "\n", "\n      "))
		},
		"deeper": func(text string) screen.Lines {
			return screen.Lines(strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n      "))
		},
		"markdown": func(text string) screen.Lines {
			return screen.Lines(screen.WrapMarkdown(strings.TrimRight(text, "\n"), r.Width))
		},

		"line": r.line,
		"part": func(name string, value any) screen.Painted {
			return oneLine(r.captured(func() { r.page(name, value) }))
		},
		"join": func(list any, between string) screen.Painted {
			texts := record.Each(itemsOf(list), func(one any) string { return string(r.line(one)) })
			return screen.Painted(strings.Join(verb.NonEmpty(texts...), between))
		},
		"head": func(list any, n int) any {
			v := reflect.ValueOf(list)
			return v.Slice(0, min(n, v.Len())).Interface()
		},
		"chain": chainText,
		"cut": func(texts ...any) screen.Painted {
			return screen.Painted(cutTo(string(harmlessText(joined(texts...))), r.Width))
		},
		"trim":    func(texts ...any) string { return strings.TrimSpace(joined(texts...)) },
		"spaced":  KeyText,
		"first":   FirstLine,
		"clip":    record.Clip,
		"bool":    func(b *bool) bool { return b != nil && *b },
		"less":    func(a, b any) int { return number(a) - number(b) },
		"count":   func(n any, one string) string { return record.Count(number(n), one) },
		"deep":    func(depth int) string { return strings.Repeat("  ", max(min(depth, 11)-1, 0)) },
		"seconds": func(n int) time.Duration { return time.Duration(n) * time.Second },
		"lasted": func(ms int64) string {
			if ms <= 0 {
				return ""
			}
			return (time.Duration(ms) * time.Millisecond).Round(time.Second / 10).String()
		},
		"size": func(n int) string {
			switch {
			case n >= 1<<20:
				return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
			case n >= 1<<10:
				return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
			default:
				return fmt.Sprintf("%d bytes", n)
			}
		},
		"clock": func(at time.Time) string { return at.UTC().Format(time.TimeOnly) },
		"ago": func(at time.Time) string {
			if at.IsZero() {
				return ""
			}
			return verb.Ago(at, r.Now())
		},

		"holder": holder,
		"due":    func(row verb.Row) string { return strings.TrimPrefix(dueText(row), "due ") },
		"off":    embed.ErrOff.Error,
		"optional": func(t verb.Task) map[string]any {
			out := map[string]any{}
			for _, f := range task.OptionalFields() {
				out[f.Name] = t.Value(f.Name)
			}
			return out
		},
		"linkHead": func(name string) string {
			for _, kind := range task.LinkKinds {
				if kind.Name == name {
					return strings.ToUpper(kind.Reverse[:1]) + kind.Reverse[1:]
				}
			}
			return name
		},
		"title": func(task json.RawMessage) string {
			var one struct{ Title string }
			_ = json.Unmarshal(task, &one)
			return one.Title
		},
		"settings": func(s config.Settings) []config.Setting { // all, or after a change the one that was changed
			return slices.DeleteFunc(slices.Clone(s.Settings), func(one config.Setting) bool {
				return s.Changed != "" && one.Key != s.Changed
			})
		},
		"how": func(o projects.Opened) string {
			if o.How == "project_open" { // a tool; on the command line it is a flag
				return "cairn -C " + o.Root
			}
			return o.How
		},
		"ending": func(w activity.Waited) string {
			text := strings.ToLower(KeyText(string(w.Code)))
			of, ok := strings.CutPrefix(text, "task ")
			switch {
			case ok && w.Record != nil:
				return w.Record.Kind + " " + of
			case ok && w.Job != nil:
				return "job " + of
			default:
				return text
			}
		},
	}
}

// number is a number of any type, or what a pointer to one points to; 0 for nil.
func number(value any) int {
	v := reflect.Indirect(reflect.ValueOf(value))
	if !v.IsValid() {
		return 0
	}
	return int(v.Int())
}

func itemsOf(list any) []any {
	v := reflect.ValueOf(list)
	items := make([]any, v.Len())
	for i := range items {
		items[i] = v.Index(i).Interface()
	}
	return items
}

func (r *Renderer) printed(value any) string { return r.captured(func() { r.show(value) }) }

// captured is what is printed meanwhile.
func (r *Renderer) captured(show func()) string {
	var b strings.Builder
	out := r.Out
	r.Out = &b
	defer func() { r.Out = out }()
	show()
	return b.String()
}

func oneLine(text string) screen.Painted { return screen.Painted(strings.TrimSuffix(text, "\n")) }

// line is what the section of a value says, on one line, or else the value in words.
func (r *Renderer) line(value any) screen.Painted {
	v := reflect.Indirect(reflect.ValueOf(value))
	if !v.IsValid() {
		return ""
	}
	if _, ok := sections()[sectionOf(v.Type())]; ok {
		return oneLine(r.printed(value))
	}
	return harmlessText(value)
}

// section prints a heading and a value below it; nothing if there is nothing to print of the value.
func (r *Renderer) section(heading string, value any) string {
	if text := r.printed(value); text != "" {
		r.Printf("\n%s\n%s", r.Style.Bold(heading), screen.Painted(text))
	}
	return ""
}

// heading prints the heading of a list, and how many of it there are if not all are shown. A list of nothing has none.
func (r *Renderer) heading(text string, shown, total int) string {
	switch {
	case total == 0:
	case shown < total:
		r.Printf("\n%s (%d of %d)\n", r.Style.Bold(text), shown, total)
	default:
		r.Printf("\n%s\n", r.Style.Bold(text))
	}
	return ""
}

// names prints texts under their names, without the empty ones, all texts in one column, in which those of several lines
// go on. An object under
// the name "" has a name and a text for each key, and one that is a list of objects a line for each of them.
func (r *Renderer) names(pairs ...any) string {
	var lines [][2]string
	width := 9
	add := func(name string, value any) {
		if text := joined(value); text != "" {
			lines, width = append(lines, [2]string{name, text}), max(width, len(name))
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		object, ok := pairs[i+1].(map[string]any)
		if !ok {
			add(pairs[i].(string), pairs[i+1])
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(object)) {
			name, values := KeyText(key), []any{object[key]}
			if list, ok := object[key].([]any); ok && slices.ContainsFunc(list, isObject) {
				values = list
			}
			for _, one := range values {
				add(name, one)
				name = ""
			}
		}
	}
	for _, one := range lines {
		under := "\n" + strings.Repeat(" ", width+3)
		r.Printf("  %-*s %s\n", width, one[0], screen.Lines(strings.ReplaceAll(strings.TrimRight(one[1], "\n"), "\n", under)))
	}
	return ""
}

func isObject(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}

// nextPage prints how to read the next page, if there is one. A cursor for which the terminal is too narrow is not shown.
func (r *Renderer) nextPage(shown, total int, cursor string) string {
	line := fmt.Sprintf("%d of %d; the next: --cursor %s", shown, total, cursor)
	if r.Width > 0 && len(line) > r.Width {
		line = fmt.Sprintf("%d of %d; --limit shows more, --json has the cursor", shown, total)
	}
	if cursor != "" {
		r.Printf("%s\n", line)
	}
	return ""
}

// entriesShown is how many entries a page has of a long history: the first, and the newest.
const entriesShown = 20

// folded reports whether a page leaves out an entry of so many.
func folded(i, of int) bool { return i > 0 && i <= folds(of) }

func folds(of int) int { return max(0, of-entriesShown) }

// changesIn is what an entry changed: each field with its old and its new value if these are known and one line long,
// else by its name, and dependencies.
func changesIn(e verb.Entry) (out []string) {
	for _, field := range e.Changed() {
		if !slices.ContainsFunc(e.Changes, func(c verb.FieldChange) bool { return c.Field == field }) {
			out = append(out, field)
		}
	}
	for _, c := range e.Changes {
		out = append(out, c.String())
	}
	if e.Did == record.Created {
		return out
	}
	for _, id := range e.AddDeps {
		out = append(out, "waits for "+string(id))
	}
	for _, id := range e.RemoveDeps {
		out = append(out, "no longer waits for "+string(id))
	}
	return out
}
