package task

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// FieldType is what the values of a field are.
type FieldType string

// The types of fields.
const (
	FieldText     FieldType = "text"     // one line
	FieldNumber   FieldType = "number"   // digits, with a sign and a point or without
	FieldBoolean  FieldType = "boolean"  // true or false
	FieldDate     FieldType = "date"     // a date or a time, as due has it
	FieldDuration FieldType = "duration" // a span; see ParseSpan
	FieldChoice   FieldType = "choice"   // one of some words
	FieldActor    FieldType = "actor"
	FieldURL      FieldType = "url" // https:// or http://

	// Of no field of a config.
	fieldRhythm    FieldType = "rhythm"    // see ParseRhythm
	FieldMilestone FieldType = "milestone" // the id of one
)

// FieldTypes lists the types.
var FieldTypes = []FieldType{FieldText, FieldNumber, FieldBoolean, FieldDate, FieldDuration, FieldChoice, FieldActor, FieldURL}

// The most that a config may declare.
const (
	MaxFields  = 50
	MaxChoices = 100
	maxChoice  = 100 // bytes
)

// reservedKeys are words that cairn uses for something derived, or keeps for later, so that no field can be called so.
var reservedKeys = []string{
	"kind", "type", "body", "rev", "extra", "fields", "set", "text", "sort", "limit", "cursor", "where", "explain", "template", "archived",
	"ready", "blocked_by", "blocked", "running", "stalled", "assigned", "held", "lapsed", "in_review", "execution",
	"claim", "elsewhere", "overdue", "created", "created_at", "updated", "updated_at", "closed",
	"closed_at", "is_running", "is_reviewing", "is_blocked", "is_pending", "acceptance", "reviewer", "comments", "sessions", "children",
	"dependents", "blockers", "links", "start", "recur", "label", "dep", "check", "session", "run", "notices", "replayed", "rest", "holder",
	"not", "and", "or", "true", "false", "null", "me",
}

// ValidFieldName returns INVALID_INPUT for a name that no field can have: one that is no word of small letters, digits
// and underscores, 40 bytes at most, or that cairn uses or keeps for itself.
func ValidFieldName(name string) error {
	switch {
	case len(name) > 40 || !record.IsWord(name, "_") || name != strings.ToLower(name) || name[0] < 'a':
		return record.Errorf(record.InvalidInput, "%q cannot be the name of a field", record.Clip(name, 60)).
			WithHint("small letters, digits and underscores, the first a letter, 40 at most")
	case slices.ContainsFunc(Fields(), func(f Field) bool { return f.Name == name }):
		return record.Errorf(record.InvalidInput, "%q is a key of cairn's own", name).WithHint("call the field something else")
	case slices.Contains(reservedKeys, name) || strings.HasPrefix(name, "cairn_"):
		return record.Errorf(record.InvalidInput, "%q is a word that cairn keeps for itself", name).WithHint("call the field something else")
	}
	return nil
}

// Valid returns INVALID_INPUT for what no field of a config may be.
func (f Field) Valid() error {
	if err := ValidFieldName(f.Name); err != nil {
		return err
	}
	if err := record.OneOf("the type of "+f.Name, f.Type, FieldTypes); err != nil {
		return err
	}
	if f.Doc != "" {
		if err := record.ValidLine("the doc of "+f.Name, f.Doc); err != nil {
			return err
		}
	}
	switch {
	case (f.Type == FieldChoice) != (len(f.Choices) > 0):
		return record.Errorf(record.InvalidInput, "the field %s has choices and is not of type choice, or the other way round", f.Name)
	case len(f.Choices) > MaxChoices:
		return record.Errorf(record.InvalidInput, "the field %s has %d choices, more than %d", f.Name, len(f.Choices), MaxChoices)
	}
	for i, c := range f.Choices {
		if err := record.ValidLine("a choice of "+f.Name, c); err != nil || len(c) > maxChoice || strings.TrimSpace(c) != c {
			return record.Errorf(record.InvalidInput, "the field %s has the choice %q, which is not a short text of one line", f.Name, record.Clip(c, 40))
		}
		if slices.Contains(f.Choices[:i], c) {
			return record.Errorf(record.InvalidInput, "the field %s has the choice %q twice", f.Name, c)
		}
	}
	return nil
}

// Parse returns a value as it is written, or INVALID_INPUT, with what it can be, for one that the field cannot have. ""
// is none.
func (f Field) Parse(text string) (string, error) {
	value, _, hint, ok := f.read(text)
	switch {
	case text == "":
		return "", nil
	case !ok:
		return "", record.Errorf(record.InvalidInput, "%s cannot be %q", f.Name, record.Clip(text, 60)).WithHint("%s", hint)
	}
	return value, nil
}

// SortKey is a text by whose bytes values of the field sort: numbers by their size, choices as the config lists them,
// and tasks without a value, or with one that the field cannot have, behind all others.
func (f Field) SortKey(text string) string {
	if _, key, _, ok := f.read(text); ok && text != "" {
		return key
	}
	return "~"
}

// read returns a value as it is written, the text by which it sorts, and what values of the field can be.
func (f Field) read(text string) (value, key, hint string, ok bool) {
	value, key, ok = text, strings.ToLower(text), true
	switch f.Type {
	case FieldNumber:
		var n float64
		n, ok = f.number(text)
		bits := math.Float64bits(n + 0) // -0 is 0
		if bits>>63 == 1 {
			bits = ^bits
		} else {
			bits |= 1 << 63
		}
		key, hint = fixed(bits), "a number such as 3, -1 or 2.5"
	case FieldBoolean:
		ok, hint = text == "true" || text == "false", "true or false"
	case FieldDate:
		due, err := ParseDue(text)
		by, _ := due.By()
		value, key, ok = string(due), fixed(uint64(by.Unix())+1<<63), err == nil
		hint = "a date such as 2026-06-21, or a time such as 2026-06-21T10:00:00Z"
	case FieldDuration:
		value = strings.ReplaceAll(text, " ", "")
		d, err := record.ParseSpan(value)
		key, ok, hint = fixed(uint64(d)), err == nil, "such as 90m, 2h, 1h30m, 3d or 2w; a day is 24 hours"
	case FieldChoice:
		at := slices.Index(f.Choices, text)
		key, ok, hint = fixed(uint64(at)), at >= 0, "one of "+strings.Join(f.Choices, ", ")
	case FieldActor:
		_, err := record.ParseActor(text)
		ok, hint = err == nil, "an actor such as human:ada or agent:claude-1"
	case FieldURL:
		u, err := url.Parse(text)
		ok = err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && !strings.ContainsAny(text, " \t")
		hint = "an address that begins with https:// or http://"
	case fieldRhythm:
		r, err := ParseRhythm(text)
		value, key, ok, hint = r.String(), fixed(uint64(r.days())), err == nil, rhythmHint
	case FieldMilestone:
		_, err := record.ParseID(text)
		ok, hint = err == nil, "the id of a milestone; cairn milestone list shows them"
	case FieldText:
		hint = "one line of text"
	}
	return value, key, hint, ok && record.ValidLine(f.Name, value) == nil
}

// number reads a value of the type number.
func (f Field) number(text string) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && len(text) <= 40 && record.IsDecimal(strings.TrimPrefix(text, "-"))
}

// Value is a value for JSON: a number, true or false, or a text. One that the field cannot have is the text that stands
// in the file.
func (f Field) Value(text string) any {
	switch n, ok := f.number(text); {
	case f.Type == FieldNumber && ok:
		return n
	case f.Type == FieldBoolean && (text == "true" || text == "false"):
		return text == "true"
	default:
		return text
	}
}

func fixed(n uint64) string { return fmt.Sprintf("%016x", n) }

// OwnFields are the fields that a config declares.
type OwnFields []Field

// All are the fields whose values stand in Task.Own: those of Optional, and those that the config declares.
func (o OwnFields) All() []Field { return slices.Concat(OptionalFields(), o) }

// Find finds one of All by its name.
func (o OwnFields) Find(name string) (Field, bool) {
	all := o.All()
	return record.Find(all, func(one Field) bool { return one.Name == name })
}

// Named is Find, with INVALID_INPUT for a name that no field has.
func (o OwnFields) Named(name string) (Field, error) {
	if one, ok := o.Find(name); ok {
		return one, nil
	}
	e := record.Errorf(record.InvalidInput, "there is no field %q", record.Clip(name, 60))
	if len(o) == 0 {
		return Field{}, e.WithHint("fields in .cairn/config.yaml declares fields of your own")
	}
	names := record.Each(o, func(one Field) string { return one.Name })
	return Field{}, e.WithHint("the fields of this workspace are %s", strings.Join(names, ", "))
}

// Read reads values of fields of one's own as a caller gives them, by name. "" takes a value away. It returns
// INVALID_INPUT for a name that no field has, and for a value that its field cannot have; the hint says what can be.
func (o OwnFields) Read(given map[string]string) (map[string]string, error) {
	var out map[string]string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		one, err := o.Named(name)
		if err != nil {
			return nil, err
		}
		value, err := one.Parse(given[name])
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = value
	}
	return out, nil
}

// HasRequired returns INVALID_INPUT for a task that lacks fields that every new task must have. It names all of them.
func (o OwnFields) HasRequired(own map[string]string) error {
	var names, values []string
	for _, one := range o {
		if one.Required && own[one.Name] == "" {
			names, values = append(names, one.Name), append(values, one.Name+": "+one.values())
		}
	}
	switch len(names) {
	case 0:
		return nil
	case 1:
		return record.Errorf(record.InvalidInput, "the field %s is required", names[0]).WithHint("give it in fields; %s", values[0])
	default:
		return record.Errorf(record.InvalidInput, "the fields %s are required", strings.Join(names, ", ")).
			WithHint("give them in fields; %s", record.Clip(strings.Join(values, "; "), maxHint))
	}
}

// maxHint is how much of a hint is about fields, in bytes.
const maxHint = 2000

// values says what the values of the field are.
func (f Field) values() string {
	if f.Type == FieldChoice {
		return "one of " + record.Clip(strings.Join(f.Choices, ", "), 300)
	}
	return string(f.Type)
}

// keepsRequired returns INVALID_INPUT for an edit that takes away what a task has of a field that is required.
func (o OwnFields) keepsRequired(was map[string]string, set Values) error {
	for _, one := range o {
		if one.Required && set[one.Name] == any("") && was[one.Name] != "" {
			return record.Errorf(record.InvalidInput, "the field %s is required, and cannot be taken away", one.Name).
				WithHint("give it another value; %s: %s", one.Name, one.values())
		}
	}
	return nil
}

// GivenOwn are the values of a new task: those that were given and are not empty; nil for none.
func GivenOwn(given map[string]string) map[string]string { return withOwn(nil, given) }

// withOwn returns the values of fields with some of them set; "" takes one away. The map that was given is not changed.
func withOwn(was, set map[string]string) map[string]string {
	if len(set) == 0 {
		return was
	}
	out := map[string]string{}
	maps.Copy(out, was)
	for name, value := range set {
		if out[name] = value; value == "" {
			delete(out, name)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// withOwn returns the task with some of its fields set; "" takes one away, also where the file has a list or a mapping
// in the place of a value.
func (t Task) withOwn(set map[string]string) Task {
	t.Own = withOwn(t.Own, set)
	for name, value := range set {
		if _, there := t.Extra[name]; there && value == "" {
			t.Extra = maps.Clone(t.Extra)
			delete(t.Extra, name)
		}
	}
	if len(t.Extra) == 0 {
		t.Extra = nil
	}
	return t
}

// TakenAway lists the keys that a task had, as values in Own or unknown to cairn, and has no longer.
func (t Task) TakenAway(was Task) []string {
	var out []string
	gone := func(name string) bool {
		_, known := t.Extra[name]
		_, held := t.Own[name]
		return !known && !held
	}
	for name := range was.Extra {
		if gone(name) {
			out = append(out, name)
		}
	}
	for name := range was.Own {
		if _, listed := was.Extra[name]; !listed && gone(name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
