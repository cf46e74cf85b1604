package setup

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/cairn-tasks/cairn/internal/setup/jsonc"
	"github.com/pelletier/go-toml/v2"
)

// editor reads and edits what a file is to hold.
type editor interface {
	state(f *file, p part) (State, error)
	add(f *file, p part) error    // if it is missing
	remove(f *file, p part) error // if it is there
}

func editorOf(p part) editor {
	switch p.kind {
	case server:
		return member{}
	case hook:
		return element{}
	case serverTOML:
		return table{}
	default:
		return text{}
	}
}

// replace writes anew what is there: a section in its place, an entry of JSON as the last.
func replace(edit editor, f *file, p part) error {
	m := map[kind]marks{instruction: markdownMarks, serverTOML: tomlMarks}[p.kind]
	if m.begin == "" {
		if err := edit.remove(f, p); err != nil {
			return err
		}
		return edit.add(f, p)
	}
	s, ok, err := m.find(string(f.after))
	if err != nil || !ok {
		return badFile(f, 0, 0, "has no section of cairn")
	}
	f.after = []byte(m.replaced(string(f.after), s, p.value))
	return nil
}

// member is an entry of an object of JSON.
type member struct{}

// parsed reads the JSON of a file. An empty one is as a new one.
func parsed(f *file) (*jsonc.Doc, error) {
	src := f.after
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte(freshText(f.fresh))
	}
	d, err := jsonc.Parse(src)
	if err != nil {
		return nil, badJSON(f, err)
	}
	return d, nil
}

// freshText is the text of a new file of JSON, on a line for each member.
func freshText(fresh string) string {
	if fresh == "{}" || fresh == "" {
		return "{}\n"
	}
	return "{\n  " + strings.TrimSuffix(strings.TrimPrefix(fresh, "{"), "}") + "\n}\n"
}

// entryIn is the entry of a part in a file: in the newer form if the file is written in that, and has none in the
// older.
func entryIn(d *jsonc.Doc, p part) entry {
	older := entry{p.keys, p.value}
	if p.newer == nil {
		return older
	}
	if _, ok, err := d.Get(p.keys...); ok || err != nil {
		return older
	}
	above, ok, err := d.Get(p.newer.keys[:len(p.newer.keys)-1]...)
	entries, isObject := above.(map[string]any)
	if err != nil || !ok || !isObject {
		return older
	}
	for _, one := range entries {
		if _, isObject := one.(map[string]any); !isObject {
			return older // it is an entry that has this name
		}
	}
	return *p.newer
}

func (member) state(f *file, p part) (State, error) {
	d, err := parsed(f)
	if err != nil {
		return "", err
	}
	e := entryIn(d, p)
	v, ok, err := d.Get(e.keys...)
	switch {
	case err != nil:
		return "", badJSON(f, err)
	case !ok:
		return Missing, nil
	case says(v, e.value):
		return Current, nil
	case startsCairn(v):
		return Own, nil
	default:
		return Foreign, nil
	}
}

func (member) add(f *file, p part) error {
	d, err := parsed(f)
	if err != nil {
		return err
	}
	e := entryIn(d, p)
	out, made, err := d.Set(e.value, e.keys...)
	if err != nil {
		return badJSON(f, err)
	}
	f.after = out
	f.made.members(made)
	return nil
}

func (member) remove(f *file, p part) error {
	d, err := parsed(f)
	if err != nil {
		return err
	}
	out, err := d.Remove(entryIn(d, p).keys...)
	if err != nil {
		return badJSON(f, err)
	}
	f.after = out
	return nil
}

// element is one of a list of hooks.
type element struct{}

// at finds the hook in its list: the index of the one that is as cairn writes it, else of one that primes too; -1 for
// none.
func (element) at(f *file, p part) (*jsonc.Doc, int, State, error) {
	d, err := parsed(f)
	if err != nil {
		return nil, -1, "", err
	}
	v, ok, err := d.Get(p.keys...)
	if err != nil {
		return nil, -1, "", badJSON(f, err)
	}
	list, isList := v.([]any)
	if ok && !isList {
		return nil, -1, "", badFile(f, 0, 0, strings.Join(p.keys, ".")+" is no list")
	}
	own := -1
	for i, one := range list {
		if says(one, p.value) {
			return d, i, Current, nil
		}
		if primes(one) {
			own = i
		}
	}
	if own >= 0 {
		return d, own, Own, nil
	}
	return d, -1, Missing, nil
}

func (e element) state(f *file, p part) (State, error) {
	_, _, state, err := e.at(f, p)
	return state, err
}

func (e element) add(f *file, p part) error {
	d, _, _, err := e.at(f, p)
	if err != nil {
		return err
	}
	out, made, err := d.Append(p.value, p.keys...)
	if err != nil {
		return badJSON(f, err)
	}
	f.after = out
	f.made.members(made)
	return nil
}

func (e element) remove(f *file, p part) error {
	d, i, state, err := e.at(f, p)
	if err != nil || state == Missing {
		return err
	}
	out, err := d.RemoveAt(i, p.keys...)
	if err != nil {
		return badJSON(f, err)
	}
	f.after = out
	return nil
}

// text is a section of Markdown.
type text struct{}

func (text) state(f *file, p part) (State, error) { return stateOf(f, markdownMarks, p.value) }

// stateOf is the state of a section.
func stateOf(f *file, m marks, body string) (State, error) {
	s, ok, err := m.find(string(f.after))
	switch {
	case err != nil:
		return "", badFile(f, 0, 0, err.Error())
	case !ok:
		return Missing, nil
	case s.edited():
		return Edited, nil
	case s.body != body:
		return Stale, nil
	default:
		return Current, nil
	}
}

func (text) add(f *file, p part) error {
	f.after = []byte(markdownMarks.added(string(f.after), p.value))
	return nil
}

func (text) remove(f *file, _ part) error { return removeSection(f, markdownMarks) }

func removeSection(f *file, m marks) error {
	s, ok, err := m.find(string(f.after))
	if err != nil {
		return badFile(f, 0, 0, err.Error())
	}
	if ok {
		f.after = []byte(removed(string(f.after), s))
	}
	return nil
}

// table is a table of TOML in a section of its own.
type table struct{}

// values is what a text of TOML says.
func values(f *file) (map[string]any, error) {
	out := map[string]any{}
	if err := toml.Unmarshal(f.after, &out); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return nil, badFile(f, line, column, strings.TrimPrefix(at.Error(), "toml: "))
		}
		return nil, badFile(f, 0, 0, err.Error())
	}
	return out, nil
}

func (table) state(f *file, p part) (State, error) {
	all, err := values(f)
	if err != nil {
		return "", err
	}
	state, err := stateOf(f, tomlMarks, p.value)
	if err != nil || state != Missing && state != Edited {
		return state, err
	}
	servers, _ := all[p.keys[0]].(map[string]any)
	entry, ok := servers[p.keys[1]]
	switch {
	case !ok:
		return state, nil
	case startsCairn(entry):
		return Own, nil
	default:
		return Foreign, nil
	}
}

// add puts the table behind all others, and proves that it says so and that nothing else changed.
func (t table) add(f *file, p part) error {
	was, err := values(f)
	if err != nil {
		return err
	}
	before := f.after
	f.after = []byte(tomlMarks.added(string(before), p.value))
	is, err := values(f)
	if err == nil {
		servers, _ := is[p.keys[0]].(map[string]any)
		delete(servers, p.keys[1])
		if _, had := was[p.keys[0]]; !had && len(servers) == 0 {
			delete(is, p.keys[0])
		}
		if !reflect.DeepEqual(was, is) {
			err = errors.New("more would change")
		}
	}
	if err != nil {
		f.after = before
		return badFile(f, 0, 0, fmt.Sprintf("%s cannot be added behind what is there", strings.Join(p.keys, ".")))
	}
	return nil
}

// remove takes the section out. A table that stands elsewhere was not written by cairn, and stays.
func (t table) remove(f *file, _ part) error { return removeSection(f, tomlMarks) }
