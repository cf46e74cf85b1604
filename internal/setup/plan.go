package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/setup/jsonc"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Setup is where clients are set up, and how.
type Setup struct {
	Root    string  // the workspace; "" for the user's own configuration
	Within  string  // the repository, out of which no link may lead
	Folders Folders // the user's
	State   string  // the user's folder of state; "" for none
	Section string  // what the instructions say: lines of Markdown
	Remove  bool    // take out what is there
	Force   bool    // also what somebody changed since

	opened map[string]*file // by where they lie
}

// State is what a file has of what a client needs.
type State string

// The states.
const (
	Missing State = "missing" // it is not there
	Current State = "current" // it is as cairn writes it
	Stale   State = "stale"   // an earlier version of cairn wrote it
	Own     State = "own"     // it starts cairn in a way of the user's own
	Edited  State = "edited"  // somebody changed it since cairn wrote it
	Foreign State = "foreign" // something else has its name
)

// Good reports whether a client works with what is there.
func (s State) Good() bool { return s == Current || s == Own }

// Step is one thing in one file.
type Step struct {
	Client string `json:"client"`
	Path   string `json:"path"`           // from the workspace root, or with ~ for the user's folder
	Link   string `json:"link,omitempty"` // where it lies, if Path is a link
	About  string `json:"about"`
	State  State  `json:"state"`          // before anything is changed
	Does   string `json:"does,omitempty"` // what Apply does: adds, replaces, removes; "" for nothing
	Note   string `json:"note,omitempty"` // why nothing is done about it
	Value  string `json:"-"`              // what is written, for people who write it themselves
}

// Plan is what would change.
type Plan struct {
	Steps []Step

	setup *Setup
	files []*file
}

// Diff is a file that a plan changes. A nil After means that it goes.
type Diff struct {
	Path          string
	Before, After []byte
}

// Plan says what setting clients up would change, or taking them out. It writes nothing. It returns BAD_FILE, with the
// line, for a file that cannot be read as what it should be, and INVALID_INPUT for a link that may not be followed and
// for a client that has no configuration of the user's.
func (s *Setup) Plan(clients ...Client) (*Plan, error) {
	s.opened = map[string]*file{}
	p := &Plan{setup: s}
	for _, c := range clients {
		parts, err := s.partsOf(c)
		if err != nil {
			return nil, err
		}
		for _, one := range parts {
			if err := p.part(c, one, clients); err != nil {
				return nil, err
			}
		}
	}
	if s.Remove {
		for _, f := range p.files {
			if err := f.prune(); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// partsOf are the parts of a client: those of the user's configuration, or those of a project and the instructions.
func (s *Setup) partsOf(c Client) ([]part, error) {
	if s.Root == "" {
		if c.user == nil {
			return nil, record.Errorf(record.InvalidInput, "%s has no configuration of the user's", c.Name).WithHint("leave --user out, in a workspace")
		}
		if !filepath.IsAbs(s.Folders.Home) {
			return nil, record.Errorf(record.InvalidInput, "the environment names no home folder").WithHint("set HOME")
		}
		return c.parts(c.user(s.Folders)), nil
	}
	parts := c.parts(nil)
	if c.instructions == "" {
		return parts, nil
	}
	name, err := s.instructionsOf(c)
	return append(parts, part{kind: instruction, files: []string{name}, value: s.Section}), err
}

// instructionsOf is the file of a client's instructions: AGENTS.md if its own imports that, or its settings name that.
func (s *Setup) instructionsOf(c Client) (string, error) {
	const shared = "AGENTS.md"
	switch c.Name {
	case "claude":
		f, err := s.open(c.instructions)
		if err == nil && slices.ContainsFunc(strings.Split(string(f.before), "\n"), func(line string) bool { return strings.TrimSpace(line) == "@"+shared }) {
			return shared, nil
		}
		return c.instructions, err
	case "gemini":
		f, err := s.open(".gemini/settings.json")
		if err != nil || len(bytes.TrimSpace(f.before)) == 0 {
			return c.instructions, err
		}
		d, err := jsonc.Parse(f.before)
		if err != nil {
			return "", badJSON(f, err)
		}
		names, _, err := d.Get("context", "fileName")
		if err != nil {
			return c.instructions, badJSON(f, err)
		}
		if slices.Contains(texts(names), shared) {
			return shared, nil
		}
	}
	return c.instructions, nil
}

// part plans one part of a client.
func (p *Plan) part(c Client, one part, all []Client) error {
	f, err := p.setup.openFirst(one.files)
	if err != nil {
		return err
	}
	if !slices.Contains(p.files, f) {
		p.files = append(p.files, f)
	}
	if f.fresh == "" {
		f.fresh = one.fresh
	}
	step := Step{Client: c.Name, Path: f.path, Link: f.link, About: one.about(), Value: one.value}
	state, err := f.state(one)
	if err != nil {
		return err
	}
	step.State = state
	does, note := p.setup.decide(state, one)
	if does == removes && one.kind == instruction && c.Name != "agents" {
		if others := p.setup.others(f.path, all); len(others) > 0 {
			does, note = "", "stays for "+strings.Join(others, ", ")
		}
	}
	step.Does, step.Note = does, note
	p.Steps = append(p.Steps, step)
	switch does {
	case adds:
		return f.add(one)
	case removes:
		return f.remove(one)
	case replaces:
		return f.replace(one)
	}
	return nil
}

// What is done about a part.
const (
	adds     = "adds"
	replaces = "replaces"
	removes  = "removes"
)

// decide says what is done about a part in a state, or why nothing is.
func (s *Setup) decide(state State, one part) (does, note string) {
	force := s.Force && (one.kind != serverTOML || state == Edited) // a table that stands on its own is the user's to move
	if s.Remove {
		switch {
		case state == Missing:
			return "", ""
		case state == Current || state == Stale || force && state != Foreign:
			return removes, ""
		default:
			return "", map[State]string{
				Own: "is not as cairn wrote it, and stays; --force takes it out", Edited: "was changed since cairn wrote it, and stays; --force takes it out",
				Foreign: "is something else called cairn, and stays",
			}[state]
		}
	}
	switch {
	case state == Missing:
		return adds, ""
	case state == Stale || force && state != Current:
		return replaces, ""
	case state == Edited:
		return "", "was changed since cairn wrote it, and stays; --force writes it anew"
	case state == Foreign:
		return "", "has something else called cairn, which stays; --force replaces it"
	}
	return "", ""
}

// openFirst opens the first of some files that is there, or else the first.
func (s *Setup) openFirst(names []string) (*file, error) {
	for _, name := range names[1:] {
		if first, err := s.open(names[0]); err != nil || first.exists {
			return first, err
		}
		if f, err := s.open(name); err != nil || f.exists {
			return f, err
		}
	}
	return s.open(names[0])
}

// others are the clients that are set up and read the same instructions, beside those that leave.
func (s *Setup) others(path string, leaving []Client) []string {
	var out []string
	for _, other := range Clients {
		if slices.ContainsFunc(leaving, func(l Client) bool { return l.Name == other.Name }) {
			continue
		}
		if name, err := s.instructionsOf(other); err != nil || name != path {
			continue
		}
		for _, one := range other.parts(nil) {
			f, err := s.openFirst(one.files)
			if err != nil {
				continue
			}
			if state, err := f.state(one); err == nil && state.Good() {
				out = append(out, other.Name)
				break
			}
		}
	}
	return out
}

// Diffs are the files that the plan changes.
func (p *Plan) Diffs() []Diff {
	var out []Diff
	for _, f := range p.files {
		if !f.changed() {
			continue
		}
		d := Diff{f.path, f.before, f.after}
		if f.link != "" {
			d.Path = f.link
		}
		if f.gone {
			d.After = nil
		}
		out = append(out, d)
	}
	return out
}

// Good reports whether everything is set up.
func (p *Plan) Good() bool {
	return !slices.ContainsFunc(p.Steps, func(s Step) bool { return !s.State.Good() })
}

// Apply makes the changes, a file at a time, and returns the paths of the files that it wrote and of those that it
// removed. An error leaves the files before it changed, and the others as they were; the same call goes on from there.
// It returns INVALID_INPUT, and writes nothing, if one of the files is read-only: whoever made it so is asked first.
func (p *Plan) Apply() (wrote, gone []string, err error) {
	wrote, gone = []string{}, []string{}
	for _, f := range p.files {
		if f.changed() && f.readOnly {
			return wrote, gone, record.Errorf(record.InvalidInput, "%s is read-only", f.path).
				WithHint("nothing was written; make it writable, or see with --print what to put there by hand")
		}
	}
	var folders []string
	for _, f := range p.files {
		if !f.changed() {
			continue
		}
		f.made.File = f.made.File || !f.exists
		f.noteBlank()
		if err := f.write(); err != nil {
			return wrote, gone, err
		}
		if f.gone {
			folders = append(folders, f.made.Folders...)
			f.made = note{Path: f.real}
			gone = append(gone, f.path)
		} else {
			wrote = append(wrote, f.path)
		}
		if err := f.made.keep(p.setup.State); err != nil {
			return wrote, gone, problem.IO(err)
		}
	}
	for _, dir := range folders {
		_ = disk.RemoveFile(dir) // fails where somebody has put something there
	}
	return wrote, gone, nil
}

// prune takes out what cairn had made around what is gone now, and plans to remove a file that it made and that is
// empty.
func (f *file) prune() error {
	if !f.changed() {
		return nil
	}
	if len(f.made.Members) > 0 {
		d, err := jsonc.Parse(f.after)
		for i := len(f.made.Members) - 1; i >= 0 && err == nil; i-- {
			v, ok, gerr := d.Get(f.made.Members[i]...)
			if gerr != nil || ok && !empty(v) {
				continue
			}
			if ok {
				if f.after, err = d.Remove(f.made.Members[i]...); err == nil {
					d, err = jsonc.Parse(f.after)
				}
			}
			f.made.Members = slices.Delete(f.made.Members, i, i+1)
		}
		if err != nil {
			return badJSON(f, err)
		}
	}
	f.gone = f.made.File && f.exists && f.blank()
	if f.made.Blank != nil && f.blank() {
		f.after, f.made.Blank = []byte(*f.made.Blank), nil
	}
	return nil
}

// noteBlank notes the white space of a file that had nothing else, so that it is as it was once the last entry goes.
func (f *file) noteBlank() {
	const most = 4096
	if f.exists && len(f.before) <= most && len(bytes.TrimSpace(f.before)) == 0 && len(bytes.TrimSpace(f.after)) > 0 {
		was := string(f.before)
		f.made.Blank = &was
	}
}

// blank reports whether a file says nothing but what a new one says before anything is added.
func (f *file) blank() bool {
	if f.fresh == "" {
		return len(bytes.TrimSpace(f.after)) == 0
	}
	is, err1 := jsonc.Parse(f.after)
	was, err2 := jsonc.Parse([]byte(f.fresh))
	if err1 != nil || err2 != nil {
		return false
	}
	a, _, _ := is.Get()
	b, _, _ := was.Get()
	return reflect.DeepEqual(a, b)
}

func empty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// badJSON is the error for a file of JSON that cannot be edited.
func badJSON(f *file, err error) error {
	if at, ok := errors.AsType[*jsonc.Error](err); ok {
		return badFile(f, at.Line, at.Column, at.Msg)
	}
	return badFile(f, 0, 0, err.Error())
}

func badFile(f *file, line, column int, msg string) error {
	return problem.BadFile(f.path, &format.Error{Line: line, Column: column, Msg: msg}).WithHint("mend it in an editor, and run this again; nothing was written")
}

// texts are all texts in a value.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, one := range v {
			out = append(out, texts(one)...)
		}
		return out
	case map[string]any:
		return texts(slices.Collect(maps.Values(v)))
	}
	return nil
}

// startsCairn reports whether an entry starts a server of cairn.
func startsCairn(v any) bool {
	words := texts(v)
	return slices.Contains(words, "serve") && slices.ContainsFunc(words, func(w string) bool { return strings.TrimSuffix(base(w), ".exe") == "cairn" })
}

// primes reports whether an element of a list of hooks primes an agent with cairn.
func primes(v any) bool {
	return slices.ContainsFunc(texts(v), func(w string) bool {
		words := strings.Fields(w)
		return len(words) > 1 && strings.TrimSuffix(base(strings.Trim(words[0], `"'`)), ".exe") == "cairn" && slices.Contains(words, "prime")
	})
}

// says reports whether a value is the one that some JSON says.
func says(v any, text string) bool {
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	var want any
	return in.Decode(&want) == nil && reflect.DeepEqual(v, want)
}
