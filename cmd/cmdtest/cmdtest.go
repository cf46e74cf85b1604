// Package cmdtest is what tests of a command line share: stories, which are scripts that run the program, and a person
// at the terminal. It imports no command line, so that those of package cmd and of programs with kinds of record of
// their own can use it.
package cmdtest

import (
	"errors"
	"io"
	"regexp"
	"strings"
)

// Agrees opens a terminal, for cmd.Env, at which a person types the word that is asked for.
func Agrees() (io.ReadWriteCloser, error) { return Person{}.Open() }

// Nobody is a process without a terminal.
func Nobody() (io.ReadWriteCloser, error) { return nil, errors.New("there is no terminal") }

// Person is a person at a terminal.
type Person struct {
	Types  string    // the answer to each question; "" for the word that is asked for
	Screen io.Writer // gets what the terminal shows; may be nil
}

// Open opens the terminal, for cmd.Env.
func (p Person) Open() (io.ReadWriteCloser, error) { return &terminal{person: p}, nil }

type terminal struct {
	person Person
	shown  strings.Builder
	answer io.Reader
}

func (t *terminal) Write(text []byte) (int, error) {
	if t.person.Screen != nil {
		if n, err := t.person.Screen.Write(text); err != nil {
			return n, err
		}
	}
	return t.shown.Write(text)
}

var askedFor = regexp.MustCompile(`Type (\S+) to confirm: $`)

func (t *terminal) Read(p []byte) (int, error) {
	if t.answer == nil {
		word := t.person.Types
		if asked := askedFor.FindStringSubmatch(t.shown.String()); word == "" && asked != nil {
			word = asked[1]
		}
		t.answer = strings.NewReader(word + "\n")
		if t.person.Screen != nil {
			if _, err := io.WriteString(t.person.Screen, word+"\n"); err != nil {
				return 0, err
			}
		}
	}
	return t.answer.Read(p)
}

func (t *terminal) Close() error { return nil }
