package mcpserver

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// The most that a schema says of fields of the workspace's own, in bytes, since every session of an agent reads it.
const (
	maxFieldsText = 800
	maxFieldText  = 200
	maxChoiceText = 40
)

// describeFields says in the words of a schema which fields a workspace declares, such as "severity (required): low|high; cost: number"; "" for
// none. The meaning that the config gives a field is not in it: a config may be a stranger's, and clients take the description of a tool for
// more than data.
func describeFields(fields []task.Field) string {
	var b strings.Builder
	for i, f := range fields {
		one := f.Name
		if f.Required {
			one += " (required)"
		}
		one += ": " + valuesOf(f)
		if b.Len()+len(one) > maxFieldsText {
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

// valuesOf says what a field can be. Choices that are no plain words are quoted.
func valuesOf(f task.Field) string {
	if f.Type != task.FieldChoice {
		return string(f.Type)
	}
	text := ""
	for i, c := range f.Choices {
		if !task.IsWord(c, "_-.") || len(c) > maxChoiceText {
			c = strconv.QuoteToASCII(c)
		}
		if len(text)+len(c) > maxFieldText {
			return text + fmt.Sprintf("|one of %d more", len(f.Choices)-i)
		}
		if i > 0 {
			text += "|"
		}
		text += c
	}
	return text
}
