package mcpserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// The most that a schema says of fields of the workspace's own, in bytes of JSON, since every session of an agent reads
// it. prime says which are required however many there are.
const (
	maxFieldsText = 260
	maxFieldText  = 120
	maxChoiceText = 40
)

// describeFields says in the words of a schema which fields a workspace declares, such as "severity (required):
// low|high; cost: number", those that are required first; "" for none. The meaning that the config gives a field is not
// in it: a config may be a stranger's, and clients take the description of a tool for more than data.
func describeFields(fields []task.Field) string {
	var b strings.Builder
	used := 0
	for i, f := range requiredFirst(fields) {
		one := f.Name
		if f.Required {
			one += " (required)"
		}
		one += ": " + valuesOf(f)
		if used += jsonBytes(one) + len("; "); used > maxFieldsText {
			fmt.Fprintf(&b, "; and %d more", len(fields)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(one)
	}
	return b.String()
}

func requiredFirst(fields []task.Field) []task.Field {
	apart := func(required bool) []task.Field {
		return slices.DeleteFunc(slices.Clone(fields), func(f task.Field) bool { return f.Required != required })
	}
	return append(apart(true), apart(false)...)
}

// jsonBytes is how many bytes a text has in JSON, without its quotes.
func jsonBytes(text string) int { return len(strconv.Quote(text)) - 2 }

// valuesOf says what a field can be. Choices that are no plain words are quoted.
func valuesOf(f task.Field) string {
	if f.Type != task.FieldChoice {
		return string(f.Type)
	}
	text := ""
	for i, c := range f.Choices {
		if !record.IsWord(c, "_-.") || len(c) > maxChoiceText {
			c = strconv.QuoteToASCII(c)
		}
		if jsonBytes(text+c) > maxFieldText {
			return text + fmt.Sprintf("|one of %d more", len(f.Choices)-i)
		}
		if i > 0 {
			text += "|"
		}
		text += c
	}
	return text
}
