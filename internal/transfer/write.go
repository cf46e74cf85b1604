package transfer

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/task"
)

// Formats are the forms in which tasks are written.
var Formats = []string{"jsonl", "csv", "markdown"}

// Exported is a task as a line of JSON has it: as get with mode full returns it, and what its state means, since the
// states of another workspace may be others.
type Exported struct {
	verb.Task
	Means string `json:"means"` // open, started, review, done or dropped
}

// MeaningOf says in the words of an item what a state means.
func MeaningOf(f task.Flow, s record.Status) string {
	switch {
	case f.IsAbandoned(s):
		return Dropped
	case f.IsClosed(s):
		return Done
	case s == f.Review && s != "":
		return Review
	case s == f.Initial:
		return Open
	default:
		return Started
	}
}

// Writer writes tasks one after the other. Close ends the form; it does not close what is written to.
type Writer interface {
	Write(verb.Task) error
	Close() error
}

// NewWriter returns the writer of a form. It returns INVALID_INPUT for one that there is not.
func NewWriter(format string, to io.Writer, flow task.Flow) (Writer, error) {
	switch format {
	case "jsonl", "json", "":
		return &jsonLines{to, flow}, nil
	case "csv":
		return &table{csv.NewWriter(to), flow, false}, nil
	case "markdown", "md":
		return &page{to: to, flow: flow}, nil
	default:
		return nil, record.Errorf(record.InvalidInput, "there is no format %q", record.Clip(format, 40)).WithHint("%s", strings.Join(Formats, ", "))
	}
}

type jsonLines struct {
	to   io.Writer
	flow task.Flow
}

func (w *jsonLines) Write(t verb.Task) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(Exported{t, MeaningOf(w.flow, t.Status)}); err != nil {
		return err
	}
	_, err := io.WriteString(w.to, harmless.JSON(line.String())) // the same values, written so that a log shows them
	return err
}

func (w *jsonLines) Close() error { return nil }

// table is CSV as RFC 4180 has it: a head, lines that end in CRLF, quotes where they are needed. Lists are in one cell,
// with blanks between ids and commas between labels. Optional fields, links and fields of the workspace stand behind.
type table struct {
	to   *csv.Writer
	flow task.Flow
	head bool
}

var columns = []string{
	"id", "title", "status", "means", "priority", "assignee", "labels", "parent", "deps", "due", "mode", "checks_passed", "checks", "created", "updated", "body",
}

func (w *table) Write(t verb.Task) error {
	if err := w.begin(); err != nil {
		return err
	}
	passed := 0
	for _, c := range t.Checks {
		if c.Result == record.Pass {
			passed++
		}
	}
	when := func(at *time.Time) string {
		if at == nil {
			return ""
		}
		return at.UTC().Format("2006-01-02T15:04:05Z")
	}
	row := []string{
		string(t.ID), t.Title, string(t.Status), MeaningOf(w.flow, t.Status), fmt.Sprint(int(t.Urgency)), string(t.Assignee), strings.Join(t.Labels, ","),
		string(t.Parent), record.JoinIDs(t.Deps, " "), string(t.Due), string(t.Mode), fmt.Sprint(passed), fmt.Sprint(len(t.Checks)), when(t.CreatedAt), when(t.UpdatedAt), t.Body,
	}
	for _, f := range task.OptionalFields() {
		row = append(row, t.Value(f.Name))
	}
	for _, l := range linksOf(t) {
		row = append(row, record.JoinIDs(l.ids, " "))
	}
	for _, f := range w.flow.Fields {
		row = append(row, ownText(t, f.Name))
	}
	for i, cell := range row { // a quote keeps what begins like a formula from being one in a spreadsheet
		if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			row[i] = "'" + cell
		}
	}
	return w.to.Write(row)
}

// links are the tasks to which a task is linked in one way.
type links struct {
	name string
	ids  []record.ID
}

func linksOf(t verb.Task) []links {
	return []links{{"discovered_from", t.DiscoveredFrom}, {"duplicates", t.Duplicates}, {"related", t.Related}}
}

// ownText is the value of a field that the config declares; "" for none.
func ownText(t verb.Task, name string) string {
	if value, ok := t.Fields[name]; ok {
		return fmt.Sprint(value)
	}
	return ""
}

func (w *table) begin() error {
	if w.head {
		return nil
	}
	w.head, w.to.UseCRLF = true, true
	head := slices.Clone(columns)
	for _, f := range task.OptionalFields() {
		head = append(head, f.Name)
	}
	for _, l := range linksOf(verb.Task{}) {
		head = append(head, l.name)
	}
	for _, f := range w.flow.Fields {
		head = append(head, f.Name)
	}
	return w.to.Write(head)
}

func (w *table) Close() error {
	err := w.begin()
	w.to.Flush()
	return cmp.Or(err, w.to.Error())
}

// page is a checklist that import reads again. Tasks stand below their parents, so it is written when all are there.
type page struct {
	to    io.Writer
	flow  task.Flow
	tasks []verb.Task
}

func (w *page) Write(t verb.Task) error {
	w.tasks = append(w.tasks, t)
	return nil
}

func (w *page) Close() error {
	there := map[record.ID]bool{}
	below := map[record.ID][]verb.Task{}
	for _, t := range w.tasks {
		there[t.ID] = true
	}
	for _, t := range w.tasks {
		up := t.Parent
		if !there[up] {
			up = ""
		}
		below[up] = append(below[up], t)
	}
	var b strings.Builder
	b.WriteString("# Tasks\n\n")
	seen := map[record.ID]bool{}
	var write func(t verb.Task, depth int)
	write = func(t verb.Task, depth int) {
		if seen[t.ID] {
			return
		}
		seen[t.ID] = true
		b.WriteString(w.point(t, strings.Repeat("  ", depth)))
		for _, child := range below[t.ID] {
			write(child, depth+1)
		}
	}
	for _, t := range below[""] {
		write(t, 0)
	}
	for _, t := range w.tasks { // those whose parents stand below them
		write(t, 0)
	}
	_, err := io.WriteString(w.to, b.String())
	return err
}

// point is the line of a task, and its body below it.
func (w *page) point(t verb.Task, indent string) string {
	means := MeaningOf(w.flow, t.Status)
	mark := cmp.Or(map[string]string{Done: "x", Dropped: "-"}[means], " ")
	var b strings.Builder
	fmt.Fprintf(&b, "%s- [%s] %s (%s)\n", indent, mark, t.Title, strings.Join(w.words(t), ", "))
	for line := range strings.Lines(t.Body) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			line = indent + "  " + escaped(line)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// escaped keeps a line of a body from being read as a box or a heading of the page.
func escaped(line string) string {
	trimmed := strings.TrimLeft(line, " \t")
	lead := line[:len(line)-len(trimmed)]
	for _, mark := range []string{"- [", "* [", "+ ["} {
		if strings.HasPrefix(trimmed, mark) {
			return lead + trimmed[:2] + `\` + trimmed[2:]
		}
	}
	return line
}

// Commas are the commas of several scripts, each of which parts what stands in the brackets of a checklist.
const Commas = ",،、，"

// words are what stands in the brackets behind a title. What has a comma in it, and labels that are no words, are left
// out.
func (w *page) words(t verb.Task) []string {
	out := []string{fmt.Sprintf("p%d", t.Urgency)}
	if t.Due != "" {
		out = append(out, "due "+string(t.Due))
	}
	for _, f := range task.OptionalFields() {
		if text := t.Value(f.Name); text != "" && f.Mark != "" && !strings.ContainsAny(text, Commas+"()") {
			out = append(out, f.Mark+" "+text)
		}
	}
	if t.Assignee != "" {
		out = append(out, "@"+string(t.Assignee))
	}
	for _, l := range t.Labels {
		if !strings.ContainsAny(l, Commas+"() \t") && (l[0] < '0' || l[0] > '9') {
			out = append(out, "#"+l)
		}
	}
	if len(t.Deps) > 0 {
		out = append(out, "after "+record.JoinIDs(t.Deps, " "))
	}
	for _, l := range linksOf(t) {
		if len(l.ids) > 0 {
			out = append(out, l.name+" "+record.JoinIDs(l.ids, " "))
		}
	}
	for _, f := range w.flow.Fields {
		if text := ownText(t, f.Name); text != "" && !strings.ContainsAny(text, Commas+"()\n") {
			out = append(out, "set "+f.Name+"="+text)
		}
	}
	if s := t.Status; s != w.flow.Initial && s != w.flow.Done() {
		out = append(out, "state "+string(s))
	}
	return append(out, "id "+string(t.ID))
}
