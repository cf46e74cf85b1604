package setup

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/setup/jsonc"
	"github.com/pelletier/go-toml/v2"
)

// marksOf are the marks around what is no entry of JSON.
func marksOf(p part) (m marks, ok bool) {
	m, ok = map[kind]marks{instruction: markdownMarks, serverTOML: tomlMarks}[p.kind]
	return m, ok
}

// replace writes anew what is there: a section in its place, an entry of JSON as the last.
func (f *file) replace(p part) error {
	m, ok := marksOf(p)
	if !ok {
		if err := f.remove(p); err != nil {
			return err
		}
		return f.add(p)
	}
	s, ok, err := m.find(string(f.after))
	if err != nil || !ok {
		return badFile(f, 0, 0, "has no section of cairn")
	}
	lines := m.lines(p.value)
	if strings.Contains(string(f.after[s.from:s.to]), "\r\n") {
		lines = strings.ReplaceAll(lines, "\n", "\r\n")
	}
	f.after = slices.Concat(f.after[:s.from], []byte(lines), f.after[s.to:])
	return nil
}

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

// spot is where an entry of JSON stands in a file, or is to stand.
type spot struct {
	doc *jsonc.Doc
	entry
	at    int // of a hook, in its list; -1 for none
	state State
}

// spot finds the entry of a part: of hooks the one that is as cairn writes it, else one that primes too.
func (f *file) spot(p part) (spot, error) {
	d, err := parsed(f)
	if err != nil {
		return spot{}, err
	}
	s := spot{doc: d, entry: entryIn(d, p), at: -1, state: Missing}
	v, ok, err := d.Get(s.keys...)
	list, isList := v.([]any)
	switch {
	case err != nil:
		return s, badJSON(f, err)
	case !ok:
	case p.kind == hook && !isList:
		return s, badFile(f, 0, 0, strings.Join(p.keys, ".")+" is no list")
	case p.kind == hook:
		for i, one := range list {
			if says(one, p.value) {
				s.at, s.state = i, Current
				break
			}
			if primes(one) {
				s.at, s.state = i, Own
			}
		}
	case says(v, s.value):
		s.state = Current
	case startsCairn(v):
		s.state = Own
	default:
		s.state = Foreign
	}
	return s, nil
}

// state is what a file has of a part.
func (f *file) state(p part) (State, error) {
	m, ok := marksOf(p)
	if !ok {
		s, err := f.spot(p)
		return s.state, err
	}
	var all map[string]any
	var err error
	if p.kind == serverTOML {
		if all, err = values(f); err != nil {
			return "", err
		}
	}
	s, ok, err := m.find(string(f.after))
	var state State
	switch {
	case err != nil:
		return "", badFile(f, 0, 0, err.Error())
	case !ok:
		state = Missing
	case sumOf(s.body) != s.sum:
		state = Edited
	case s.body != p.value:
		return Stale, nil
	default:
		return Current, nil
	}
	if p.kind == serverTOML {
		servers, _ := all[p.keys[0]].(map[string]any)
		if entry, ok := servers[p.keys[1]]; ok && startsCairn(entry) {
			return Own, nil
		} else if ok {
			return Foreign, nil
		}
	}
	return state, nil
}

// add writes a part that is missing. A table of TOML goes behind all others, if that proves to change nothing else.
func (f *file) add(p part) error {
	if m, ok := marksOf(p); ok && p.kind != serverTOML {
		f.after = []byte(m.added(string(f.after), p.value))
		return nil
	} else if ok {
		return f.addTable(p)
	}
	s, err := f.spot(p)
	if err != nil {
		return err
	}
	edit := s.doc.Set
	if p.kind == hook {
		edit = s.doc.Append
	}
	out, made, err := edit(s.value, s.keys...)
	if err != nil {
		return badJSON(f, err)
	}
	f.after = out
	for _, path := range made {
		if !slices.ContainsFunc(f.made.Members, func(p []string) bool { return slices.Equal(p, path) }) {
			f.made.Members = append(f.made.Members, path)
		}
	}
	return nil
}

// remove takes a part out, if it is there. A table of TOML that stands outside the section was not written by cairn, and
// stays.
func (f *file) remove(p part) error {
	if m, ok := marksOf(p); ok {
		s, ok, err := m.find(string(f.after))
		if err != nil {
			return badFile(f, 0, 0, err.Error())
		}
		if ok {
			f.after = []byte(removed(string(f.after), s))
		}
		return nil
	}
	s, err := f.spot(p)
	if err != nil {
		return err
	}
	out := f.after
	switch {
	case p.kind == server:
		out, err = s.doc.Remove(s.keys...)
	case s.at >= 0:
		out, err = s.doc.RemoveAt(s.at, s.keys...)
	}
	if err != nil {
		return badJSON(f, err)
	}
	f.after = out
	return nil
}

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

// addTable puts the table behind all others, and proves that it says so and that nothing else changed.
func (f *file) addTable(p part) error {
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
