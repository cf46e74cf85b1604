package verb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
)

// decode reads a JSON object into an input struct. It is strict about what could be a mistake, an unknown key, a key
// given twice, a wrong type, and names the nearest known key; it takes numbers and booleans sent as text for what they
// say, and a lone value for a list of one, because models send them. null empties an optional text or list of what a
// verb writes, as "" and [] do, is as if it were left out of what a verb reads by (Verb.Call), and is refused elsewhere. Everything refused is INVALID_INPUT.
func decode(input []byte, into reflect.Value, fields []Field) error {
	got, err := objectOf(input)
	if err != nil {
		return err
	}
	return fill(got, into, fields, "")
}

// objectOf is ReadObject of an input, of which nothing is an empty one.
func objectOf(input []byte) (jsonObject, error) {
	if len(bytes.TrimSpace(input)) == 0 {
		input = []byte("{}")
	}
	return ReadObject(input)
}

// DecodeInput reads a JSON object as strictly as the input of a verb that writes.
func DecodeInput[In any](src []byte) (In, error) {
	var in In
	v := reflect.ValueOf(&in).Elem()
	err := decode(src, v, clearing(fieldsOf(v.Type())))
	return in, err
}

// ReadObject reads one JSON object and nothing behind it. Numbers keep their text. It returns INVALID_INPUT for
// anything else, and for an object in which a key comes twice, however deep.
func ReadObject(input []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	got, err := readValue(d, 0)
	if err != nil {
		return nil, notObject("is not one JSON object: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, notObject("has something behind the JSON object")
	}
	object, ok := got.(jsonObject)
	if !ok {
		return nil, notObject("must be an object, not %s", describe(got))
	}
	return object, nil
}

func notObject(format string, args ...any) *record.Error {
	return BadInput("the input", format, args...).WithHint(`send one JSON object, such as {"id": "PROJ-7"}`)
}

// jsonObject is an object in which no key came twice.
type jsonObject = map[string]any

const maxJSONDepth = 16 // no input is nested deeper than three

// readValue reads one value. Unlike encoding/json it refuses a key that comes twice.
func readValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxJSONDepth {
		return nil, errors.New("it is nested too deeply")
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return readObject(d, depth)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := readValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	default:
		return token, nil
	}
}

func readObject(d *json.Decoder, depth int) (any, error) {
	object := jsonObject{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name := fmt.Sprint(key)
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("the key %q comes twice", name)
		}
		if object[name], err = readValue(d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return object, err
}

// fill sets the fields of a struct. The path is where the object stands, for messages: "" or "checks[0].".
func fill(got any, into reflect.Value, fields []Field, path string) error {
	object, ok := got.(jsonObject)
	if !ok {
		return BadInput(strings.TrimSuffix(path, "."), "must be an object, not %s", describe(got))
	}
	unknown := unknownKeys(object, fields, path)
	missing := Missing(fields, path, func(f Field) bool { return f.Required && object[f.Name] == nil })
	switch {
	case unknown != nil && missing != nil:
		unknown.Msg += "; " + missing.Msg
		return unknown
	case unknown != nil:
		return unknown
	case missing != nil:
		return missing
	}
	for _, f := range fields {
		v, given := object[f.Name]
		switch {
		case !given:
			continue
		case v == nil && f.Clears:
			v = f.empty()
		case v == nil:
			return BadInput(path+f.Name, "is null").WithHint("leave it out, or give a value; %s: %s", f.Name, f.Doc)
		}
		target := into.FieldByIndex(f.index)
		if target.Kind() == reflect.Pointer {
			target.Set(reflect.New(target.Type().Elem()))
			target = target.Elem()
		}
		if err := f.set(target, v, path+f.Name); err != nil {
			return err
		}
	}
	note(object, into)
	return nil
}

// note fills in which fields of an input were given, where it has a place for that.
func note(object jsonObject, into reflect.Value) {
	place := into.FieldByName("Given")
	if !place.IsValid() || place.Type() != givenType {
		return
	}
	given := Given{}
	for name := range object {
		given[name] = true
	}
	place.Set(reflect.ValueOf(given))
}

// Missing returns INVALID_INPUT that names every field of an object that is absent, or nil if none is. The path is
// where the object stands; see fill.
func Missing(fields []Field, path string, absent func(Field) bool) *record.Error {
	var names, docs []string
	for _, f := range fields {
		if absent(f) {
			names, docs = append(names, path+f.Name), append(docs, f.Name+": "+f.Doc)
		}
	}
	switch len(names) {
	case 0:
		return nil
	case 1:
		return BadInput(names[0], "is missing").WithHint("%s", docs[0])
	default:
		return BadInput(allOf(names), "are missing").WithHint("%s", strings.Join(docs, "; "))
	}
}

// allOf are several names in a sentence.
func allOf(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// empty is what clears a field.
func (f Field) empty() any {
	if f.Type == Text {
		return ""
	}
	return []any{}
}

// unknownKeys returns INVALID_INPUT that names every key of an object that is none of its fields, with what was probably
// meant; nil if there is none.
func unknownKeys(object jsonObject, fields []Field, path string) *record.Error {
	var unknown, near []string
	names := namesOf(fields)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if slices.ContainsFunc(fields, func(f Field) bool { return f.Name == key }) {
			continue
		}
		unknown = append(unknown, strconv.Quote(path+key))
		if ours := meant(key, names); ours != "" {
			near = append(near, strconv.Quote(path+ours))
		}
	}
	if unknown == nil {
		return nil
	}
	word, kind := "unknown argument", "arguments"
	if len(unknown) > 1 {
		word = "unknown arguments"
	}
	if path != "" {
		kind = "keys of " + strings.TrimSuffix(path, ".")
	}
	e := BadInput("", "%s %s", word, allOf(unknown))
	switch {
	case len(names) == 0:
		return e.WithHint("it takes no arguments")
	case near != nil:
		return e.WithHint("did you mean %s? The %s are %s", allOf(slices.Compact(near)), kind, strings.Join(names, ", "))
	}
	return e.WithHint("the %s are %s", kind, strings.Join(names, ", "))
}

// namesOf are the names of the fields that pages show.
func namesOf(fields []Field) (names []string) {
	for _, f := range shown(fields) {
		names = append(names, f.Name)
	}
	return names
}

// scalar is the text of a single value, as which models send numbers and booleans too; "" for null, a list or an object.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number, bool:
		return fmt.Sprint(v)
	default:
		return ""
	}
}

// set stores one value of a field.
func (f Field) set(target reflect.Value, v any, path string) error {
	switch f.Type {
	case Text:
		return f.setName(target, v, path)
	case Number:
		return f.setCount(target, v, path)
	case Decimal:
		n, err := strconv.ParseFloat(scalar(v), 64)
		if err != nil || math.IsNaN(n) {
			return BadInput(path, "must be a number, not %s", describe(v)).WithHint("such as 2.5: %s", f.Doc)
		}
		target.SetFloat(n)
	case Boolean:
		truth := scalar(v)
		if truth != "true" && truth != "false" {
			return BadInput(path, "must be true or false, not %s", describe(v))
		}
		target.SetBool(truth == "true")
	case Pairs:
		return setPairs(target, v, path)
	case Object:
		return fill(v, target, f.Fields, path+".")
	case Texts, Numbers, Objects:
		return f.setList(target, v, path)
	}
	return nil
}

func (f Field) setList(target reflect.Value, v any, path string) error {
	items, ok := v.([]any)
	if !ok {
		items = []any{v}
	}
	list := reflect.MakeSlice(target.Type(), len(items), len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		var err error
		switch f.Type {
		case Numbers:
			err = setNumber(list.Index(i), item, at)
		case Objects:
			if item, err = f.spelled(item, at); err != nil {
				return err
			}
			err = fill(item, list.Index(i), f.Fields, at+".")
		default:
			err = f.setName(list.Index(i), item, at)
		}
		if err != nil {
			return err
		}
	}
	target.Set(list)
	return nil
}

// spelled is an object that a text stands for, in the form of the field's first flag: 'DESC=COMMAND' for a check.
// Anything else stays as it is.
func (f Field) spelled(item any, at string) (any, error) {
	text, ok := item.(string)
	if !ok || len(f.Flags) == 0 {
		return item, nil
	}
	object, err := f.Flags[0].Parse(text)
	if err != nil {
		return nil, BadInput(at, "is %s, and as a text it would be %s", describe(item), f.Flags[0].Form).WithHint("write that, or an object with %s", strings.Join(namesOf(f.Fields), ", "))
	}
	return object, nil
}

// composedSources say that a field names actors, groups or labels, whose letters are composed, however they were typed.
var composedSources = []Source{"actors", "groups", "recipients", "labels"}

// setName stores text, which must be one of those that there are, or have the form of what the field names: no path gets
// through as an id.
func (f Field) setName(target reflect.Value, v any, path string) error {
	text := scalar(v)
	if _, isBool := v.(bool); isBool || text == "" && v != "" { // a check or a priority may be a bare number
		return BadInput(path, "must be text, not %s", describe(v))
	}
	if f.Names == ledger.ActorKind || slices.Contains(composedSources, f.From) {
		text = norm.NFC.String(text)
	}
	target.SetString(text)
	if f.Strict && (text != "" || f.Type == Texts) {
		choices := record.Each(f.Values, func(value Value) string { return value.Text })
		if err := record.OneOf(path, text, choices); err != nil {
			return err
		}
	}
	if f.Names == "" || text == "" {
		return nil
	}
	parse := kind.ParseAnyID
	if k, ok := kind.Named(f.Names); ok && !f.AnyKind && f.Else == "" { // that of a session can be its task's
		parse = k.ParseID
	}
	if err := parse(text); err != nil {
		refused := BadInput(path, "names no %s: %s", f.Names, record.MessageOf(err))
		if f.ListedBy == "" { // a command that is no verb
			return refused
		}
		return refused.WithHint("whole ids only; %s shows them", record.CallTo(f.ListedBy))
	}
	return nil
}

func setNumber(target reflect.Value, v any, path string) error {
	n, err := strconv.Atoi(scalar(v))
	if err != nil {
		return BadInput(path, "must be a whole number, not %s", describe(v))
	}
	target.SetInt(int64(n))
	return nil
}

// setCount stores a whole number that the field may be.
func (f Field) setCount(target reflect.Value, v any, path string) error {
	if text, ok := v.(string); ok && f.Span {
		if d, ok := record.Span(text); ok {
			v = json.Number(strconv.FormatInt(int64(math.Ceil(d.Seconds())), 10))
		}
	}
	if err := setNumber(target, v, path); err != nil && f.Span {
		return BadInput(path, "is %s", describe(v)).WithHint("seconds, or a duration such as 90s, 10m or 2h")
	} else if err != nil {
		return err
	}
	n := target.Int()
	if f.Max > 0 && n > int64(f.Max) {
		return BadInput(path, "is %d", n).WithHint("1 to %d; ask for the next page with cursor", f.Max)
	}
	if f.Min > 0 && n < int64(f.Min) {
		return BadInput(path, "is %d", n).WithHint("%d or more, or leave it out; %s: %s", f.Min, f.Name, f.Doc)
	}
	return nil
}

// maxPairs is how many texts by name an input may have.
const maxPairs = 200

// setPairs stores texts by name. Of numbers, true and false their text counts, and null is "".
func setPairs(target reflect.Value, v any, path string) error {
	object, ok := v.(jsonObject)
	if !ok {
		return BadInput(path, "must be an object, not %s", describe(v)).WithHint(`such as {"severity": "high"}`)
	}
	if len(object) > maxPairs {
		return BadInput(path, "has %d names, more than %d", len(object), maxPairs)
	}
	out := Values{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value := object[name]
		if out[name] = scalar(value); out[name] == "" && value != nil && value != "" {
			return BadInput(path+"."+Head(name, 40), "must be one value, not %s", describe(value))
		}
	}
	target.Set(reflect.ValueOf(out))
	return nil
}

func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		if len(v) > 40 {
			return "a long text"
		}
		return strconv.Quote(v)
	case json.Number:
		return v.String()
	case jsonObject:
		return "an object"
	case []any:
		return "a list"
	default:
		return fmt.Sprint(v)
	}
}
