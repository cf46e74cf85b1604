package where

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/record"
)

// What a filter may have at most.
const (
	MaxText   = 2000 // bytes
	MaxTests  = 100  // tests, and values of one test
	MaxDepth  = 20   // brackets and negations within each other
	quotedMax = 40   // bytes of a text that a message repeats
)

// token is a word, an operator, a bracket or a comma of a filter.
type token struct {
	kind   kind
	text   string // without its quotes
	column int    // of its first character, from 1
}

type kind string

const (
	end      kind = "the end"
	word     kind = "a word"
	quoted   kind = "a quoted text"
	operator kind = "an operator"
	opening  kind = "("
	closing  kind = ")"
	comma    kind = ","
)

// tokens splits a filter into its words.
func tokens(text string) ([]token, error) {
	if len(text) > MaxText {
		return nil, record.Errorf(record.InvalidInput, "where has %d bytes, and a filter at most %d", len(text), MaxText).WithHint("make it shorter, or ask twice")
	}
	if !utf8.ValidString(text) {
		return nil, record.Errorf(record.InvalidInput, "where is no text in UTF-8").WithHint("%s", grammarHint)
	}
	l := lexer{rest: []rune(text), column: 1}
	var out []token
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		if t.kind == end {
			return out, nil
		}
	}
}

// lexer reads tokens off the rest of a filter.
type lexer struct {
	rest   []rune
	column int
}

// take removes the first n characters of the rest.
func (l *lexer) take(n int) string {
	text := string(l.rest[:n])
	l.rest, l.column = l.rest[n:], l.column+n
	return text
}

func (l *lexer) next() (token, error) {
	for len(l.rest) > 0 && unicode.IsSpace(l.rest[0]) {
		l.take(1)
	}
	at := l.column
	if len(l.rest) == 0 {
		return token{end, "", at}, nil
	}
	switch c := l.rest[0]; {
	case c == '(':
		return token{opening, l.take(1), at}, nil
	case c == ')':
		return token{closing, l.take(1), at}, nil
	case c == ',':
		return token{comma, l.take(1), at}, nil
	case c == '"' || c == '\'':
		return l.quoted()
	case strings.ContainsRune(operatorRunes, c):
		return l.operator()
	}
	n := 0
	for n < len(l.rest) && !unicode.IsSpace(l.rest[n]) && !strings.ContainsRune("(),\"'"+operatorRunes, l.rest[n]) {
		n++
	}
	return token{word, l.take(n), at}, nil
}

const operatorRunes = "=<>!~"

// operators are all that there are; == is another way to write =.
var operators = []string{"=", "!=", "<", "<=", ">", ">=", "~", "!~", "=="}

func (l *lexer) operator() (token, error) {
	at, n := l.column, 0
	for n < len(l.rest) && strings.ContainsRune(operatorRunes, l.rest[n]) {
		n++
	}
	text := l.take(n)
	for _, op := range operators {
		if op == text {
			return token{operator, strings.Replace(text, "==", "=", 1), at}, nil
		}
	}
	return token{}, wrong(at, "there is no operator %q", record.Clip(text, quotedMax)).WithHint("=, !=, <, <=, >, >=, ~ (contains) and !~")
}

// quoted reads a text in quotes, in which a backslash takes the next character as it is.
func (l *lexer) quoted() (token, error) {
	at, mark := l.column, l.rest[0]
	l.take(1)
	var b strings.Builder
	for len(l.rest) > 0 {
		c := l.rest[0]
		l.take(1)
		switch {
		case c == mark:
			return token{quoted, b.String(), at}, nil
		case c == '\\' && len(l.rest) > 0:
			b.WriteString(l.take(1))
		default:
			b.WriteRune(c)
		}
	}
	return token{}, wrong(at, "the quote that begins here does not end").WithHint("close it with %c", mark)
}

// wrong is the error for what is wrong at a column of a filter.
func wrong(column int, format string, args ...any) *record.Error {
	return record.Errorf(record.InvalidInput, "where: column %d: "+format, append([]any{column}, args...)...)
}

const grammarHint = "such as: status=open and (label=payments or priority<=1) and due<7d; cairn help filters explains them"
