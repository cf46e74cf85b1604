// Package screen prints for people: text that is made harmless, in colours or without, in tables that fit the width,
// and wrapped. It knows no verb and no record.
package screen

import (
	"fmt"
	"io"
	"reflect"

	"github.com/cairn-tasks/cairn/check/report/harmless"
)

// Lines is text that may have several lines.
type Lines string

// Painted is text that is safe to print as it is: a Style made it so, and may have put colours around it.
type Painted string

// Fprintf prints for people. Each text among the arguments is made harmless and kept on one line, whatever its source.
// Two types are exceptions: Lines keeps its line breaks, and Painted is printed as it is. Errors are for the stream to
// remember.
func Fprintf(out io.Writer, format string, args ...any) {
	for i, arg := range args {
		args[i] = harmlessArg(arg)
	}
	_, _ = fmt.Fprintf(out, format, args...)
}

func harmlessArg(arg any) any {
	switch arg := arg.(type) {
	case Painted:
		return arg
	case Lines:
		return harmless.Text(string(arg))
	case error, fmt.Stringer:
		return harmless.Line(fmt.Sprint(arg))
	}
	switch kind := reflect.ValueOf(arg).Kind(); kind {
	case reflect.String:
		return harmless.Line(fmt.Sprint(arg))
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Struct, reflect.Pointer, reflect.Interface:
		return harmless.Line(fmt.Sprintf("%s", arg))
	default:
		return arg
	}
}

// Style says whether text is coloured.
type Style bool

// Plain is without colours.
const Plain Style = false

func (s Style) paint(code, text string) Painted {
	text = harmless.Line(text)
	if !s {
		return Painted(text)
	}
	return Painted("\x1b[" + code + "m" + text + "\x1b[0m")
}

// Dim is darker than the rest.
func (s Style) Dim(text string) Painted { return s.paint("2", text) }

// Bold is brighter than the rest.
func (s Style) Bold(text string) Painted { return s.paint("1", text) }

// Good is green.
func (s Style) Good(text string) Painted { return s.paint("32", text) }

// Bad is red.
func (s Style) Bad(text string) Painted { return s.paint("31", text) }
