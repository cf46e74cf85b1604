package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// renderer prints the result of a verb for people. Text that comes from files goes through printf, which makes it harmless.
type renderer struct {
	*program
	style style
	kind  verb.Kind // of the verb
	noun  string    // of the verb

	// in is the workspace in whose records ids are looked for, to show the part of each that is enough; nil to show them whole.
	in *verb.Workspace
}

func newRenderer(p *program, v verb.Verb) *renderer {
	return &renderer{program: p, style: p.style(), kind: v.Kind, noun: v.Noun}
}

// show prints a result as the renderer of its type does. A type that has none is printed by its keys.
func (r *renderer) show(out any) {
	if render := renderers()[reflect.TypeOf(out)]; render != nil {
		render(r, out)
		return
	}
	r.any(out)
}

// renderers are the types of results that have a form of their own. The table is made when it is first used.
var renderers = sync.OnceValue(func() map[reflect.Type]func(*renderer, any) {
	return rendererTable(
		rendererOf(renderList),
		rendererOf(func(r *renderer, s verb.Several) { r.rows(s.Tasks) }),
		rendererOf(renderTask),
		rendererOf(renderPart),
		rendererOf(renderContext),
		rendererOf(renderWork),
		rendererOf(renderPlan),
		rendererOf(renderProposal),
		rendererOf(renderImport),
		rendererOf(renderProposals),
		rendererOf(renderDecisions),
		rendererOf(renderStoredProposal),
		rendererOf(renderRecord),
		rendererOf(renderRecordRow),
		rendererOf(renderRefs),
		rendererOf(renderDeleted),
		rendererOf(renderUndone),
		rendererOf(renderArchived),
		rendererOf(renderLogs),
		rendererOf(renderHistory),
		rendererOf(renderLog),
		rendererOf(renderGraph),
		rendererOf(renderWaited),
		rendererOf(renderSession),
		rendererOf(renderJob),
		rendererOf(renderPolled),
		rendererOf(renderJobs),
		rendererOf(renderSessions),
		rendererOf(renderSummary),
		rendererOf(renderIdentity),
		rendererOf(renderHandoff),
		rendererOf(renderHandoffs),
		rendererOf(renderInbox),
		rendererOf(renderBrief),
		rendererOf(renderPrime),
		rendererOf(renderStatus),
		rendererOf(renderActors),
		rendererOf(renderRepositories),
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
		rendererOf(renderRepos),
		rendererOf(func(r *renderer, row verb.Row) { r.rows([]verb.Row{row}) }),
	)
})

// typeRenderer prints results of one type.
type typeRenderer struct {
	result reflect.Type
	render func(*renderer, any)
}

func rendererOf[Out any](render func(*renderer, Out)) typeRenderer {
	return typeRenderer{reflect.TypeFor[Out](), func(r *renderer, out any) { render(r, out.(Out)) }}
}

func rendererTable(all ...typeRenderer) map[reflect.Type]func(*renderer, any) {
	table := map[reflect.Type]func(*renderer, any){}
	for _, one := range all {
		table[one.result] = one.render
	}
	return table
}

// any prints a result of any type by the keys of its JSON: a line for each key, and a table for each list of objects.
func (r *renderer) any(out any) {
	raw, err := json.Marshal(out)
	var value any
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		value, err = orderedValue(d)
	}
	if err != nil {
		r.printJSON(out)
		return
	}
	switch value := value.(type) {
	case orderedObject:
		r.fields(value, "")
	case []any:
		r.items(value)
	default:
		r.printf("%s\n", plainText(value))
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

// fields prints the keys of an object: first those that have a plain value, then the others with a heading each. It leaves out
// empty values.
func (r *renderer) fields(o orderedObject, indent string) {
	o = slices.DeleteFunc(slices.Clone(o), func(kv keyValue) bool { return isPlain(kv.value) && plainText(kv.value) == "" })
	width := 0
	for _, kv := range o {
		if isPlain(kv.value) {
			width = max(width, len(kv.key))
		}
	}
	for _, kv := range o {
		if isPlain(kv.value) {
			r.printf("%s%-*s  %s\n", lines(indent), width, keyText(kv.key), lines(strings.ReplaceAll(plainText(kv.value), "\n", "\n      ")))
		}
	}
	for _, kv := range o {
		if isPlain(kv.value) {
			continue
		}
		r.printf("\n%s%s\n", lines(indent), r.style.bold(keyText(kv.key)))
		switch value := kv.value.(type) {
		case orderedObject:
			r.fields(value, indent+"  ")
		case []any:
			r.items(value)
		}
	}
}

// items prints a list: a table if all items are objects, else a line for each.
func (r *renderer) items(list []any) {
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
	t := table{}
	for _, c := range columns {
		t.head = append(t.head, harmless.Line(strings.ToUpper(keyText(c))))
	}
	for _, item := range list {
		var cells []string
		for _, c := range columns {
			cells = append(cells, plainText(item.(orderedObject).get(c)))
		}
		t.add(cells...)
	}
	t.grow = widest(t.fit(0).widths)
	t.print(r.out, r.width(), r.style)
}

func (r *renderer) itemLines(list []any) {
	for _, item := range list {
		r.printf("  %s\n", plainText(item))
	}
}

// widest is the index of the greatest width; 0 if there is none.
func widest(widths []int) int {
	at := 0
	for i, w := range widths {
		if w > widths[at] {
			at = i
		}
	}
	return at
}

func keyText(key string) string { return strings.ReplaceAll(key, "_", " ") }

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

// plainText is a value in words: lists have commas, and objects are KEY VALUE pairs with semicolons.
func plainText(value any) string {
	var parts []string
	switch value := value.(type) {
	case nil:
		return ""
	case orderedObject:
		for _, kv := range value {
			parts = append(parts, keyText(kv.key)+" "+plainText(kv.value))
		}
		return strings.Join(parts, "; ")
	case []any:
		for _, item := range value {
			parts = append(parts, plainText(item))
		}
		return strings.Join(parts, ", ")
	default:
		return fmt.Sprint(value)
	}
}
