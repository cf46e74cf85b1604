package main

import (
	"fmt"
	"io"
	"strings"
)

// narrator prints the story and remembers the first thing that did not go as told. From then on nothing is done any
// more, so that the story itself need not ask after every step.
type narrator struct {
	out io.Writer
	err error
}

// say begins a paragraph.
func (n *narrator) say(text string) { n.print("\n# " + text) }

// print shows lines as they are.
func (n *narrator) print(text string) {
	text = strings.TrimRight(text, "\n")
	if n.err != nil || text == "" {
		return
	}
	if _, err := fmt.Fprintln(n.out, text); err != nil {
		n.fail(err)
	}
}

// expect fails the story unless what was told is so.
func (n *narrator) expect(ok bool, format string, args ...any) {
	if !ok {
		n.fail(fmt.Errorf("not as told: "+format, args...))
	}
}

// fail ends the story, unless err is nil. Only the first reason counts; the others follow from it.
func (n *narrator) fail(err error) {
	if n.err == nil {
		n.err = err
	}
}
