package cmd

import (
	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/task"
)

// style colours words, or does not.
type style bool

// painted is text that is safe to print as it is: style made it so, and may have put colours around it.
type painted string

const plainStyle style = false

// style is coloured on a terminal, and never under NO_COLOR.
func (p *program) style() style {
	_, terminal := isTerminal(p.Stdout)
	return style(terminal && p.Getenv("NO_COLOR") == "" && p.Getenv("TERM") != "dumb")
}

func (s style) paint(code, text string) painted {
	text = harmless.Line(text)
	if !s {
		return painted(text)
	}
	return painted("\x1b[" + code + "m" + text + "\x1b[0m")
}

func (s style) bold(text string) painted { return s.paint("1", text) }
func (s style) good(text string) painted { return s.paint("32", text) }
func (s style) bad(text string) painted  { return s.paint("31", text) }

func (s style) result(r task.Result) painted {
	switch r {
	case task.Pass:
		return s.good("pass   ")
	case task.Fail:
		return s.bad("FAIL   ")
	case task.Pending:
	}
	return "pending"
}
