package where

import (
	"strings"
	"time"
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

// Key is a key that filters can name, and how it is read off an item. Of the functions only that of its type is needed.
type Key[T any] struct {
	Name  string
	Type  Type
	About string // a few words for people
	Past  bool   // of a Time: it is never in the future

	// Read turns a value as it is written into what Texts or Number would return for it: me into an actor, a part of an id
	// into the id. Nil leaves it as it is. Its error is shown with the column.
	Read func(value string) (string, error)

	Texts  func(T) []string        // of Text, Word and Words; what is empty is not there
	Number func(T) (float64, bool) // of Number
	Time   func(T) (time.Time, bool)
	Span   func(T) (time.Duration, bool)
	Flag   func(T) bool
}

// Table is the keys that filters of some items can name. Names are compared in any case, and with - for _.
type Table[T any] struct {
	Keys []Key[T]
	Now  time.Time
}

// key finds a key by its name.
func (t Table[T]) key(name string) (Key[T], bool) {
	for _, k := range t.Keys {
		if k.Name == folded(name) {
			return k, true
		}
	}
	return Key[T]{}, false
}

// names lists the names of the keys, in the order of the table.
func (t Table[T]) names() []string {
	out := make([]string, len(t.Keys))
	for i, k := range t.Keys {
		out[i] = k.Name
	}
	return out
}

func folded(name string) string { return strings.ReplaceAll(strings.ToLower(name), "-", "_") }

// operatorsOf are the operators that a type takes.
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
