package where

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Type is what the values of a key are, and so which operators it takes.
type Type string

// The types.
const (
	Text   Type = "text"   // = and != compare the whole in any case, ~ and !~ look for a part
	Word   Type = "word"   // the same, and a value that the key never has is an error
	Words  Type = "words"  // several: = is for one of them, != for none
	Number Type = "number" // all but ~
	Time   Type = "time"   // all but ~, with a date, a moment, or a time from now such as 7d or -2w
	Span   Type = "span"   // all but ~, with a length of time such as 3d or 90m
	Flag   Type = "flag"   // none, or = and != with yes or no
)

// Types lists the types, in the order of the page about filters.
var Types = []Type{Text, Word, Words, Number, Time, Span, Flag}

// Key is a key that filters can name, and how it is read off an item. Of the functions it has that of its type.
type Key[T any] struct {
	Name  string
	Type  Type
	About string // a few words for people
	Past  bool   // of a Time: it is never in the future

	// Read turns a value as it is written into what Texts or Number would return for it: me into an actor, a part of an id
	// into the id. Nil leaves it as it is. Its error is shown with the column.
	Read func(value string) (string, error)

	Texts  func(T) []string        // of Text, Word and Words; what is empty is not there
	Number func(T) (float64, bool) // of Number; of Time and Span too, in seconds
	Flag   func(T) bool
}

// Table is the keys that filters of some items can name. Names are compared in any case, and with - for _.
type Table[T any] struct {
	Keys []Key[T]
	Now  time.Time
}

func (t Table[T]) key(name string) (Key[T], bool) {
	for _, k := range t.Keys {
		if k.Name == folded(name) {
			return k, true
		}
	}
	return Key[T]{}, false
}

func folded(name string) string { return strings.ReplaceAll(strings.ToLower(name), "-", "_") }

func operatorsOf(t Type) []string {
	switch t {
	case Text, Word, Words:
		return []string{"=", "!=", "~", "!~"}
	case Number, Time, Span:
		return []string{"=", "!=", "<", "<=", ">", ">="}
	case Flag:
		return []string{"=", "!="}
	}
	return nil
}

// there is the test of a key alone: whether an item has it.
func (k Key[T]) there() func(T) bool {
	switch {
	case k.Flag != nil:
		return k.Flag
	case k.Number != nil:
		return func(item T) bool { _, ok := k.Number(item); return ok }
	}
	return func(item T) bool { return slices.ContainsFunc(k.Texts(item), func(s string) bool { return s != "" }) }
}

// compare is the test of a key against one value. The operator is not negated.
func (t Table[T]) compare(k Key[T], op string, value token) (func(T) bool, error) {
	text := value.text
	if k.Read != nil && op != "~" {
		read, err := k.Read(text)
		if err != nil {
			return nil, at(value.column, err)
		}
		text = read
	}
	switch k.Type {
	case Number, Time, Span:
		want, err := t.quantity(k, op, text)
		if err != nil {
			return nil, at(value.column, err)
		}
		return func(item T) bool {
			got, ok := k.Number(item)
			return ok && want.holds(op, got)
		}, nil
	case Flag:
		want, err := k.flag(text)
		if err != nil {
			return nil, at(value.column, err)
		}
		return func(item T) bool { return k.Flag(item) == want }, nil
	case Text, Word, Words:
	}
	text = record.Folded(text)
	return func(item T) bool {
		return slices.ContainsFunc(k.Texts(item), func(s string) bool {
			s = record.Folded(s)
			return s == text || op == "~" && strings.Contains(s, text)
		})
	}, nil
}

// at is an error about a value, with its column. Its code, hint and details stay.
func at(column int, err error) error {
	e := wrong(column, "%s", record.MessageOf(err))
	var cause *record.Error
	if errors.As(err, &cause) {
		e.Code, e.Hint, e.Details = cause.Code, cause.Hint, cause.Details
	}
	return e
}

// quantity is what a number, a time or a length of time is compared with: one value, or for a day all before its end.
type quantity struct{ from, to float64 }

func (q quantity) holds(op string, got float64) bool {
	before := got < q.from
	after := got > q.from && got >= q.to
	switch op {
	case "<":
		return before
	case "<=":
		return !after
	case ">":
		return after
	case ">=":
		return !before
	}
	return !before && !after
}

func (t Table[T]) quantity(k Key[T], op, text string) (quantity, error) {
	if k.Type == Number {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) {
			return quantity{}, isNone(k.Name, "number", text).WithHint("such as %s%s1", k.Name, op)
		}
		return quantity{n, n}, nil
	}
	if k.Type == Span {
		span, ok := record.Span(text)
		if !ok {
			return quantity{}, isNone(k.Name, "length of time", text).WithHint("such as 90m, 12h, 7d or 2w")
		}
		return quantity{span.Seconds(), span.Seconds()}, nil
	}
	direction := +1
	if k.Past {
		direction = -1
	}
	from, to, ok := momentOf(text, t.Now, direction)
	if !ok {
		return quantity{}, isNone(k.Name, "time", text).
			WithHint("a date such as 2026-06-21, a time such as 2026-06-21T10:00:00Z, today, fri, or a time from now such as 7d or -2w")
	}
	if k.Past && from.After(t.Now) && from.Equal(to) {
		return quantity{}, record.Errorf(record.InvalidInput, "%s is never in the future, and %s is", k.Name, quote(text)).
			WithHint("-%s is as long ago", strings.TrimPrefix(text, "+"))
	}
	return quantity{Seconds(from), Seconds(to)}, nil
}

// Seconds is a time as a key of the type Time has it: in seconds since 1970.
func Seconds(at time.Time) float64 { return float64(at.Unix()) + float64(at.Nanosecond())/1e9 }

func isNone(key, what, text string) *record.Error {
	return record.Errorf(record.InvalidInput, "%s is a %s, and %s is none", key, what, quote(text))
}

func (k Key[T]) flag(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "yes", "true":
		return true, nil
	case "no", "false":
		return false, nil
	}
	return false, record.Errorf(record.InvalidInput, "%s is yes or no, and not %s", k.Name, quote(text)).
		WithHint("%s alone, not %s, or %s=no", k.Name, k.Name, k.Name)
}

// momentOf reads a date, a time, a day in words, or a span from now. A day of the week is the nearest one in a
// direction. Dates are days in UTC; an instant ends as it begins.
func momentOf(text string, now time.Time, direction int) (from, to time.Time, ok bool) {
	date, ok := record.DayNamed(text, now, direction)
	if !ok {
		date = text
	}
	if day, err := time.Parse(time.DateOnly, date); err == nil {
		return day, day.AddDate(0, 0, 1), true
	}
	if strings.EqualFold(text, "now") {
		return now, now, true
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, at, true
	}
	ahead, ago := strings.CutPrefix(text, "-")
	if !ago {
		ahead = strings.TrimPrefix(text, "+")
	}
	span, ok := record.Span(ahead)
	if ago {
		span = -span
	}
	return now.Add(span), now.Add(span), ok
}
