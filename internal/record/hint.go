package record

import (
	"fmt"
	"slices"
	"strings"
)

// Call is a step that helps: a verb with its arguments, or a command of the program that is no verb. It is written
// once, and each front-end spells it in its own way: the command line as a command, MCP as a tool.
type Call struct {
	Verb   string // as the catalogue names it ("run_checks"), or the words of a command ("trust signer list")
	Args   []Arg  // in the order in which they are read
	Person bool   // only a person may do it, in a terminal: every front-end shows it as a command
	Shown  bool   // it is shown and never offered as the next call, which some callers make without reading it
}

// Arg is an argument of a call.
type Arg struct {
	Name  string // the field of the verb's input, or the flag of a command; "" for a positional argument of a command
	Value any
}

// Either is the value of a yes-or-no argument whose answer is the caller's decision.
const Either = either("true or false")

type either string

// Reopening is the state in which tasks begin, where a call moves a closed task there.
type Reopening string

// CallTo makes a call of a verb, with names and values of arguments in turn: CallTo("get", "id", t.ID).
func CallTo(verb string, args ...any) Call {
	c := Call{Verb: verb}
	for pair := range slices.Chunk(args, 2) {
		value := pair[1]
		if id, ok := value.(ID); ok {
			value = string(id)
		}
		c.Args = append(c.Args, Arg{Name: pair[0].(string), Value: value})
	}
	return c
}

// ByPerson returns the call as one that only a person may make, in a terminal.
func (c Call) ByPerson() Call {
	c.Person = true
	return c
}

// OnlyShown returns the call as one that a hint shows whole, and that no front-end offers as the next call: who makes
// it has to mean it.
func (c Call) OnlyShown() Call {
	c.Shown = true
	return c
}

// Arguments returns the arguments as the input of the verb.
func (c Call) Arguments() map[string]any {
	out := make(map[string]any, len(c.Args))
	for _, a := range c.Args {
		out[a.Name] = a.Value
	}
	return out
}

// String names the verb and its arguments, as in "run_checks with id PROJ-7, only 0".
func (c Call) String() string {
	args := Each(c.Args, func(a Arg) string { return strings.TrimSpace(a.Name + " " + a.Text()) })
	if len(args) == 0 {
		return c.Verb
	}
	return c.Verb + " with " + strings.Join(args, ", ")
}

// Text is the value in words. The members of a list have spaces between them.
func (a Arg) Text() string { return strings.Trim(fmt.Sprint(a.Value), "[]") }

// ShellWord is a word as a POSIX shell takes it for what it is: quoted, if it needs that.
func ShellWord(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !IsWord(string(r), "/._-=:,@%+") }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Hint says what to do next. It is text that can hold calls, which are spelled where it is shown. The zero value says
// nothing.
type Hint struct {
	format string
	args   []any // a Call and another Hint are spelled; fmt formats the others
}

// Hintf makes a hint. The format is that of fmt.Sprintf, with %s for a Call and for another Hint.
func Hintf(format string, args ...any) Hint {
	if false {
		_ = fmt.Sprintf(format, args...) // so that vet checks the callers' formats
	}
	return Hint{format, args}
}

// with returns the hint with other arguments, which change makes of those that it and the hints in it have.
func (h Hint) with(change func(arg any) any) Hint {
	h.args = slices.Clone(h.args)
	for i, a := range h.args {
		if inner, ok := a.(Hint); ok {
			h.args[i] = inner.with(change)
		} else {
			h.args[i] = change(a)
		}
	}
	return h
}

// Spell returns the hint with each call as the caller spells it.
func (h Hint) Spell(spell func(Call) string) string {
	h = h.with(func(arg any) any {
		if c, ok := arg.(Call); ok {
			return spell(c)
		}
		return arg
	})
	return fmt.Sprintf(h.format, h.args...)
}

// String returns the hint with its calls as Call.String spells them.
func (h Hint) String() string { return h.Spell(Call.String) }

// Empty reports whether the hint says nothing.
func (h Hint) Empty() bool { return h.String() == "" }

// Calls returns the calls in the hint, in their order.
func (h Hint) Calls() []Call {
	var out []Call
	h.with(func(arg any) any {
		if c, ok := arg.(Call); ok {
			out = append(out, c)
		}
		return arg
	})
	return out
}

// Replace returns the hint with a text replaced wherever an argument, or an argument of a call, holds it.
func (h Hint) Replace(old, by string) Hint {
	return h.with(func(arg any) any {
		switch a := arg.(type) {
		case string:
			return strings.ReplaceAll(a, old, by)
		case ID:
			return strings.ReplaceAll(string(a), old, by)
		case Call:
			a.Args = slices.Clone(a.Args)
			for n, arg := range a.Args {
				if text, ok := arg.Value.(string); ok {
					a.Args[n].Value = strings.ReplaceAll(text, old, by)
				}
			}
			return a
		default:
			return arg
		}
	})
}
