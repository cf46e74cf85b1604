package where

import (
	"regexp"
	"slices"
	"strings"
	"sync"
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

// operators are all that there are; == is another way to write =.
var operators = []string{"=", "!=", "<", "<=", ">", ">=", "~", "!~", "=="}

// lexeme is the next token, behind spaces: a bracket or a comma, an operator, a quoted text, or a word.
var lexeme = sync.OnceValue(func() *regexp.Regexp {
	const space, marks = `\t-\r \x{85}\p{Z}`, `(),"'=<>!~`
	return regexp.MustCompile(`(?s)^([` + space + `]*)(?:` +
		`([(),])|([=<>!~]+)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([^` + space + marks + `]+))`)
})

var escaped = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\\(.)`) })

func tokens(text string) ([]token, error) {
	if len(text) > MaxText {
		return nil, record.Errorf(record.InvalidInput, "where has %d bytes, and a filter at most %d", len(text), MaxText).
			WithHint("make it shorter, or ask twice")
	}
	if !utf8.ValidString(text) {
		return nil, record.Errorf(record.InvalidInput, "where is no text in UTF-8").WithHint("%s", grammarHint())
	}
	var out []token
	for column := 1; ; {
		m := lexeme().FindStringSubmatch(text)
		if m == nil {
			rest := strings.TrimLeftFunc(text, unicode.IsSpace)
			column += utf8.RuneCountInString(text) - utf8.RuneCountInString(rest)
			if rest == "" {
				return append(out, token{end, "", column}), nil
			}
			return nil, wrong(column, "the quote that begins here does not end").WithHint("close it with %c", rest[0])
		}
		t := token{column: column + utf8.RuneCountInString(m[1])}
		switch {
		case m[2] != "":
			t.kind, t.text = kind(m[2]), m[2]
		case m[3] != "":
			if !slices.Contains(operators, m[3]) {
				return nil, wrong(t.column, "there is no operator %q", record.Clip(m[3], quotedMax)).
					WithHint("=, !=, <, <=, >, >=, ~ (contains) and !~")
			}
			t.kind, t.text = operator, strings.Replace(m[3], "==", "=", 1)
		case m[4] != "":
			t.kind, t.text = quoted, escaped().ReplaceAllString(m[4][1:len(m[4])-1], "$1")
		default:
			t.kind, t.text = word, m[5]
		}
		out = append(out, t)
		column += utf8.RuneCountInString(m[0])
		text = text[len(m[0]):]
	}
}

// wrong is the error for what is wrong at a column of a filter.
func wrong(column int, format string, args ...any) *record.Error {
	return record.Errorf(record.InvalidInput, "where: column %d: "+format, append([]any{column}, args...)...)
}

// grammarHint shows a filter, and where all of the language is.
func grammarHint() record.Hint {
	return record.Hintf("such as: status=open and (label=payments or priority<=1) and due<7d; %s explains them", record.CallTo("guide", "topic", "filters").OnlyShown())
}
