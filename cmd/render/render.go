// Package render prints results of verbs for people: a table of what has rows, a page of what is one record, and forms
// of their own for the few that need them. It knows the types of results and no command.
package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// Renderer prints the result of a verb for people. Text that comes from files goes through Printf, which makes it
// harmless.
type Renderer struct {
	Out, Err io.Writer
	Width    int // how many columns a line may have; 0 is without limit
	Style    screen.Style
	Now      func() time.Time
	Getenv   func(string) string
	Kind     verb.Kind // of the verb
	Noun     string    // of the verb

	// In is the workspace in whose records ids are looked for, to show the part of each that is enough; nil to show them
	// whole.
	In *verb.Workspace
}

// Printf prints as screen.Fprintf does.
func (r *Renderer) Printf(format string, args ...any) { screen.Fprintf(r.Out, format, args...) }

// Show prints a result as the renderer of its type does; else as a table, if its rows say how they stand in one; else
// by its keys.
func (r *Renderer) Show(out any) {
	if render := renderers()[reflect.TypeOf(out)]; render != nil {
		render(r, out)
		return
	}
	if !r.list(out) {
		r.any(out)
	}
}

// list prints a page of a list as a table, and what there is to say about the rest of it. It returns false for what is
// no list, or none of rows that say how they stand in a table.
func (r *Renderer) list(out any) bool {
	row, key := verb.RowType(reflect.TypeOf(out))
	none, tabular := reflect.Zero(row).Interface().(verb.Tabular)
	if key == "" || !tabular {
		return false
	}
	items, _ := verb.RowsOf(out)
	rows := make([]verb.Tabular, len(items))
	for i, item := range items {
		rows[i] = item.(verb.Tabular)
	}
	tabulate(r, rows)
	rest := verb.RestOf(out)
	switch {
	case rest.NextCursor != "":
		r.nextPage(len(rows), rest.Total, rest.NextCursor)
	case rest.HasMore:
		r.Printf("%d of %d; --offset and --limit show the others\n", len(rows), rest.Total)
	case len(rows) == 0 && len(rest.Problems.Problems) == 0 && none.None() != "":
		r.Printf("%s\n", none.None())
	}
	r.Problems(rest.Problems)
	return true
}

// tabulate prints rows as the table that they make.
func tabulate[Row verb.Tabular](r *Renderer, rows []Row) {
	var t screen.Table
	for _, row := range rows {
		cells := row.Cells(r.Now())
		t.Head, t.Grow = nil, len(cells)-1
		texts := make([]string, len(cells))
		for i, c := range cells {
			t.Head, texts[i] = append(t.Head, c.Head), c.Text
			if c.Grows {
				t.Grow = i
			}
		}
		t.Add(texts...)
	}
	t.Print(r.Out, r.Width, r.Style)
}

// renderers are the types of results that have a form of their own. The table is made when it is first used.
var renderers = sync.OnceValue(func() map[reflect.Type]func(*Renderer, any) {
	return rendererTable(
		rendererOf(renderList),
		rendererOf(func(r *Renderer, s verb.Several) { r.rows(s.Tasks) }),
		rendererOf(renderTask),
		rendererOf(renderPart),
		rendererOf(renderContext),
		rendererOf(renderWork),
		rendererOf(renderPlan),
		rendererOf(renderProposal),
		rendererOf(renderImport),
		rendererOf(renderStoredProposal),
		rendererOf(renderRecord),
		rendererOf(renderRecordRow),
		rendererOf(renderDeleted),
		rendererOf(renderUndone),
		rendererOf(renderArchived),
		rendererOf(renderLogs),
		rendererOf(renderLog),
		rendererOf(renderGraph),
		rendererOf(renderWaited),
		rendererOf(renderSession),
		rendererOf(renderJob),
		rendererOf(renderPolled),
		rendererOf(renderSummary),
		rendererOf(renderIdentity),
		rendererOf(renderHandoff),
		rendererOf(renderBrief),
		rendererOf(renderPrime),
		rendererOf(renderStatus),
		rendererOf(renderGuide),
		rendererOf(renderGuidePage),
		rendererOf(renderFeedback),
		rendererOf(renderCreatedFeedback),
		rendererOf(renderSearch),
		rendererOf(renderSkills),
		rendererOf(renderSkill),
		rendererOf(renderKnowledge),
		rendererOf(renderNote),
		rendererOf(renderSettings),
		rendererOf(renderReviewed),
		rendererOf(renderSynced),
		rendererOf(renderWorktrees),
		rendererOf(renderShared),
		rendererOf(renderRemovedWorktree),
		rendererOf(renderPair),
		rendererOf(renderProjects),
		rendererOf(renderOpened),
		rendererOf(func(r *Renderer, row verb.Row) { r.rows([]verb.Row{row}) }),
	)
})

// typeRenderer prints results of one type.
type typeRenderer struct {
	result reflect.Type
	render func(*Renderer, any)
}

func rendererOf[Out any](render func(*Renderer, Out)) typeRenderer {
	return typeRenderer{reflect.TypeFor[Out](), func(r *Renderer, out any) { render(r, out.(Out)) }}
}

func rendererTable(all ...typeRenderer) map[reflect.Type]func(*Renderer, any) {
	table := map[reflect.Type]func(*Renderer, any){}
	for _, one := range all {
		table[one.result] = one.render
	}
	return table
}

// any prints a result of any type by the keys of its JSON: a line for each key, and a table for each list of objects.
func (r *Renderer) any(out any) {
	raw, err := json.Marshal(out)
	var value any
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		value, err = orderedValue(d)
	}
	if err != nil {
		r.Printf("the result cannot be shown: %v\n", err)
		return
	}
	switch value := value.(type) {
	case orderedObject:
		r.fields(value, "")
	case []any:
		r.items(value)
	default:
		r.Printf("%s\n", PlainText(value))
	}
}

// orderedObject is a JSON object whose keys keep their order.
type orderedObject []keyValue

type keyValue struct {
	key   string
	value any
}

// get is the value of a key, or nil.
func (o orderedObject) get(key string) any {
	for _, kv := range o {
		if kv.key == key {
			return kv.value
		}
	}
	return nil
}

// orderedValue decodes one value; objects are an orderedObject.
func orderedValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := orderedObject{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := orderedValue(d)
			if err != nil {
				return nil, err
			}
			object = append(object, keyValue{fmt.Sprint(key), value})
		}
		_, err := d.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := orderedValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := d.Token()
		return list, err
	default:
		return token, nil
	}
}

// fields prints the keys of an object: first those that have a plain value, then the others with a heading each. It
// leaves out empty values.
func (r *Renderer) fields(o orderedObject, indent string) {
	o = slices.DeleteFunc(slices.Clone(o), func(kv keyValue) bool { return isPlain(kv.value) && PlainText(kv.value) == "" })
	width := 0
	for _, kv := range o {
		if isPlain(kv.value) {
			width = max(width, len(kv.key))
		}
	}
	for _, kv := range o {
		if isPlain(kv.value) {
			r.Printf("%s%-*s  %s\n", screen.Lines(indent), width, KeyText(kv.key), screen.Lines(strings.ReplaceAll(PlainText(kv.value), "\n", "\n      ")))
		}
	}
	for _, kv := range o {
		if isPlain(kv.value) {
			continue
		}
		r.Printf("\n%s%s\n", screen.Lines(indent), r.Style.Bold(KeyText(kv.key)))
		switch value := kv.value.(type) {
		case orderedObject:
			r.fields(value, indent+"  ")
		case []any:
			r.items(value)
		}
	}
}

// items prints a list: a table if all items are objects, else a line for each.
func (r *Renderer) items(list []any) {
	var columns []string
	for _, item := range list {
		object, ok := item.(orderedObject)
		if !ok {
			r.itemLines(list)
			return
		}
		for _, kv := range object {
			if !slices.Contains(columns, kv.key) {
				columns = append(columns, kv.key)
			}
		}
	}
	t := screen.Table{}
	for _, c := range columns {
		t.Head = append(t.Head, harmless.Line(strings.ToUpper(KeyText(c))))
	}
	for _, item := range list {
		var cells []string
		for _, c := range columns {
			cells = append(cells, PlainText(item.(orderedObject).get(c)))
		}
		t.Add(cells...)
	}
	t.GrowWidest()
	t.Print(r.Out, r.Width, r.Style)
}

func (r *Renderer) itemLines(list []any) {
	for _, item := range list {
		r.Printf("  %s\n", PlainText(item))
	}
}

// KeyText is a key in words.
func KeyText(key string) string { return strings.ReplaceAll(key, "_", " ") }

// isPlain reports whether a value is text, a number, true, false or null, or a list of those.
func isPlain(value any) bool {
	switch value := value.(type) {
	case orderedObject:
		return false
	case []any:
		return !slices.ContainsFunc(value, func(item any) bool { return !isPlain(item) })
	default:
		return true
	}
}

// PlainText is a value in words: lists have commas, and objects are KEY VALUE pairs with semicolons.
func PlainText(value any) string {
	var parts []string
	switch value := value.(type) {
	case nil:
		return ""
	case orderedObject:
		for _, kv := range value {
			parts = append(parts, KeyText(kv.key)+" "+PlainText(kv.value))
		}
		return strings.Join(parts, "; ")
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			parts = append(parts, KeyText(key)+" "+PlainText(value[key]))
		}
		return strings.Join(parts, "; ")
	case []any:
		for _, item := range value {
			parts = append(parts, PlainText(item))
		}
		return strings.Join(parts, ", ")
	default:
		return fmt.Sprint(value)
	}
}
